"""A small S3 server in memory that can misbehave as real ones do.

Run as a program it prints its address and serves until stdin ends.

Moto checks ETags with and without quotes alike, and looks and writes in two steps; here a conditional put is one step
also with many connections at once, and every request is counted by kind.
"""

import asyncio
import hashlib
import queue
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from typing import Any
from urllib.parse import unquote
from xml.sax.saxutils import escape, unescape

from aiohttp import web


class FakeS3:
    """The objects of all buckets, and how requests for them are answered.

    Parameters
    ----------
    ignores : collection of str
        Conditional headers, in lower case, that are not honoured.
    wants : 'bare', 'quoted' or ''
        The only form of an ETag that If-Match takes; any when empty.
    """

    def __init__(self, ignores: tuple[str, ...] = (), wants: str = "") -> None:
        self.objects: dict[str, tuple[bytes, str]] = {}
        self.requests: Counter[str] = Counter()
        self.parts: dict[str, dict[int, bytes]] = {}
        self.ignores, self.wants = ignores, wants

    async def answer(self, request: web.BaseRequest) -> web.Response:
        """Answer a request; `/-/requests` tells how many there were of each kind."""
        if request.path == "/-/requests":
            return web.json_response(self.requests)
        bucket, _, key = unquote(request.path.lstrip("/")).partition("/")
        if not key:
            return (
                self._delete_many(bucket, await request.text())
                if "delete" in request.query
                else self._list(bucket, request)
            )
        name = f"{bucket}/{key}"
        if "x-amz-copy-source" in request.headers:
            return self._copy(unquote(request.headers["x-amz-copy-source"].lstrip("/")), name)
        if request.method == "POST" or "uploadId" in request.query:
            return self._multipart(name, request, await request.read())
        if request.method == "PUT":
            return self._put(name, request, await request.read())
        if request.method == "DELETE":
            self._count("DELETE")
            self.objects.pop(name, None)
            return web.Response(status=204)
        self._count(request.method)
        if name not in self.objects:
            return web.Response(status=404)
        data, etag = self.objects[name]
        headers = {"ETag": f'"{etag}"', "Last-Modified": formatdate(usegmt=True)}
        part = request.http_range
        if part.start is None and part.stop is None:
            return web.Response(body=data, headers=headers)
        begin, end, _ = slice(part.start, part.stop).indices(len(data))
        headers["Content-Range"] = f"bytes {begin}-{end - 1}/{len(data)}"
        return web.Response(status=206, body=data[begin:end], headers=headers)

    def _put(self, name: str, request: web.BaseRequest, data: bytes) -> web.Response:
        present = self.objects.get(name)
        match, none_match = request.headers.get("If-Match"), request.headers.get("If-None-Match")
        self._count("PUT if" if match or none_match else "PUT")
        if none_match and "if-none-match" not in self.ignores and present:
            return web.Response(status=412)
        if match and "if-match" not in self.ignores and (not present or not self._is(match, present[1])):
            return web.Response(status=412)
        etag = hashlib.md5(data).hexdigest()
        self.objects[name] = data, etag
        return web.Response(headers={"ETag": f'"{etag}"'})

    def _multipart(self, name: str, request: web.BaseRequest, data: bytes) -> web.Response:
        """Begin an upload in parts, take a part, or put them together."""
        self._count("PUT in parts")
        if "uploads" in request.query:
            text = (
                f"<InitiateMultipartUploadResult><UploadId>{len(self.parts)}</UploadId></InitiateMultipartUploadResult>"
            )
            self.parts[str(len(self.parts))] = {}
            return web.Response(text=text, content_type="application/xml")
        parts = self.parts[request.query["uploadId"]]
        if request.method == "PUT":
            parts[int(request.query["partNumber"])] = data
            return web.Response(headers={"ETag": '"part"'})
        self.objects[name] = b"".join(parts[number] for number in sorted(parts)), "parts"
        text = '<CompleteMultipartUploadResult><ETag>"parts"</ETag></CompleteMultipartUploadResult>'
        return web.Response(text=text, content_type="application/xml")

    def _copy(self, source: str, name: str) -> web.Response:
        self._count("COPY")
        if source not in self.objects:
            return web.Response(status=404)
        self.objects[name] = self.objects[source]
        moment = "<LastModified>2026-01-01T00:00:00.000Z</LastModified>"
        text = f'<CopyObjectResult><ETag>"{self.objects[name][1]}"</ETag>{moment}</CopyObjectResult>'
        return web.Response(text=text, content_type="application/xml")

    def _is(self, match: str, etag: str) -> bool:
        accepted = {"bare": {etag}, "quoted": {f'"{etag}"'}, "": {etag, f'"{etag}"'}}[self.wants]
        return match in accepted

    def _delete_many(self, bucket: str, text: str) -> web.Response:
        self._count("DELETE many")
        keys = [part.partition("</Key>")[0] for part in text.split("<Key>")[1:]]
        for key in keys:
            self.objects.pop(f"{bucket}/{unescape(key)}", None)
        deleted = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
        return web.Response(text=f"<DeleteResult>{deleted}</DeleteResult>", content_type="application/xml")

    def _list(self, bucket: str, request: web.BaseRequest) -> web.Response:
        self._count("LIST")
        prefix, delimiter = request.query.get("prefix", ""), request.query.get("delimiter", "")
        contents, folders = [], set()
        for name, (data, etag) in sorted(self.objects.items()):
            key = name.removeprefix(f"{bucket}/")
            if not name.startswith(f"{bucket}/{prefix}"):
                continue
            rest = key[len(prefix) :]
            if delimiter and delimiter in rest:
                folders.add(prefix + rest.split(delimiter)[0] + delimiter)
                continue
            contents.append(
                f"<Contents><Key>{escape(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
                f'<ETag>"{etag}"</ETag><Size>{len(data)}</Size></Contents>'
            )
        prefixes = "".join(f"<CommonPrefixes><Prefix>{escape(f)}</Prefix></CommonPrefixes>" for f in sorted(folders))
        text = f"<ListBucketResult><IsTruncated>false</IsTruncated>{''.join(contents)}{prefixes}</ListBucketResult>"
        return web.Response(text=text, content_type="application/xml")

    def _count(self, kind: str) -> None:
        self.requests[kind] += 1


def _request(*about: Any) -> web.BaseRequest:
    return web.BaseRequest(*about, asyncio.get_running_loop(), client_max_size=0)  # objects of any size


@contextmanager
def serving(server: FakeS3) -> Iterator[str]:
    """Run a server on loopback in a thread; gives its address."""
    ready: queue.Queue[tuple[asyncio.AbstractEventLoop, asyncio.Event, str]] = queue.Queue()

    async def serve() -> None:
        runner, over = web.ServerRunner(web.Server(server.answer, request_factory=_request)), asyncio.Event()
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        ready.put((asyncio.get_running_loop(), over, f"http://{host}:{port}"))
        await over.wait()
        await runner.cleanup()

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    loop, over, address = ready.get(timeout=10)
    try:
        yield address
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(10)


def environment(address: str) -> dict[str, str]:
    """Return the variables by which a process finds the server."""
    return {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",
    }


if __name__ == "__main__":
    with serving(FakeS3()) as own_address:
        print(own_address, flush=True)
        sys.stdin.read()
