"""A small S3 server in memory that can misbehave as real ones do.

Run as a program it prints its address and serves until stdin ends.

Moto checks ETags with and without quotes alike, and looks and writes in two steps; here a conditional put is one step
also with many connections at once, and every request is counted by kind.
"""

import hashlib
import json
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from urllib.parse import unquote
from xml.sax.saxutils import escape, unescape

from tests.support.http_server import Request, Server, Status, byte_range

MODIFIED = "<LastModified>2026-01-01T00:00:00.000Z</LastModified>"


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
        self._parts: dict[str, dict[int, bytes]] = {}
        self._ignores, self._wants, self._alone = ignores, wants, threading.Lock()

    def answer(self, request: Request) -> Status:
        """Answer a request, one at a time; `/-/requests` tells how many there were of each kind."""
        with self._alone:
            return self._answer(request)

    def _answer(self, request: Request) -> Status:
        path, query = unquote(request.path.partition("?")[0].lstrip("/")), request.query
        if path == "-/requests":
            return Status(200, {"Content-Type": "application/json"}, json.dumps(self.requests).encode())
        bucket, _, key = path.partition("/")
        if not key:
            return self._delete_many(bucket, request) if "delete" in query else self._list(bucket, request)
        if source := request.headers.get("x-amz-copy-source"):
            return self._copy(unquote(source.lstrip("/")), path)
        if request.method == "POST" or "uploadId" in query:
            return self._multipart(path, request)
        if request.method == "PUT":
            return self._put(path, request)
        self.requests[request.method] += 1
        if request.method == "DELETE":
            self.objects.pop(path, None)
            return Status(204)
        if path not in self.objects:
            return Status(404)
        data, etag = self.objects[path]
        headers = {"ETag": f'"{etag}"', "Last-Modified": formatdate(usegmt=True)}
        if (part := byte_range(request.headers.get("Range", ""), len(data))) is None:
            return Status(200, headers, data)
        headers["Content-Range"] = f"bytes {part[0]}-{part[1] - 1}/{len(data)}"
        return Status(206, headers, data[slice(*part)])

    def _put(self, name: str, request: Request) -> Status:
        present = self.objects.get(name)
        match, none_match = request.headers.get("If-Match"), request.headers.get("If-None-Match")
        self.requests["PUT if" if match or none_match else "PUT"] += 1
        if none_match and "if-none-match" not in self._ignores and present:
            return Status(412)
        if match and "if-match" not in self._ignores:
            forms = {"bare": "{}", "quoted": '"{}"'}
            taken = [forms[self._wants]] if self._wants else forms.values()
            if not present or match not in [form.format(present[1]) for form in taken]:
                return Status(412)
        etag = hashlib.md5(request.body).hexdigest()
        self.objects[name] = request.body, etag
        return Status(200, {"ETag": f'"{etag}"'})

    def _multipart(self, name: str, request: Request) -> Status:
        """Begin an upload in parts, take a part, or put them together."""
        self.requests["PUT in parts"] += 1
        if "uploads" in request.query:
            number = str(len(self._parts))
            self._parts[number] = {}
            return _xml("InitiateMultipartUploadResult", f"<UploadId>{number}</UploadId>")
        parts = self._parts[request.query["uploadId"][0]]
        if request.method == "PUT":
            parts[int(request.query["partNumber"][0])] = request.body
            return Status(200, {"ETag": '"part"'})
        self.objects[name] = b"".join(parts[number] for number in sorted(parts)), "parts"
        return _xml("CompleteMultipartUploadResult", '<ETag>"parts"</ETag>')

    def _copy(self, source: str, name: str) -> Status:
        self.requests["COPY"] += 1
        if source not in self.objects:
            return Status(404)
        self.objects[name] = self.objects[source]
        return _xml("CopyObjectResult", f'<ETag>"{self.objects[name][1]}"</ETag>{MODIFIED}')

    def _delete_many(self, bucket: str, request: Request) -> Status:
        self.requests["DELETE many"] += 1
        keys = [part.partition("</Key>")[0] for part in request.body.decode().split("<Key>")[1:]]
        for key in keys:
            self.objects.pop(f"{bucket}/{unescape(key)}", None)
        return _xml("DeleteResult", *(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys))

    def _list(self, bucket: str, request: Request) -> Status:
        self.requests["LIST"] += 1
        prefix, delimiter = (request.query.get(name, [""])[0] for name in ("prefix", "delimiter"))
        contents, folders = [], set()
        for name, (data, etag) in sorted(self.objects.items()):
            if not name.startswith(f"{bucket}/{prefix}"):
                continue
            key = name.removeprefix(f"{bucket}/")
            rest = key[len(prefix) :]
            if delimiter and delimiter in rest:
                folders.add(prefix + rest.split(delimiter)[0] + delimiter)
                continue
            size = f'<ETag>"{etag}"</ETag><Size>{len(data)}</Size>'
            contents.append(f"<Contents><Key>{escape(key)}</Key>{MODIFIED}{size}</Contents>")
        prefixes = [f"<CommonPrefixes><Prefix>{escape(f)}</Prefix></CommonPrefixes>" for f in sorted(folders)]
        return _xml("ListBucketResult", "<IsTruncated>false</IsTruncated>", *contents, *prefixes)


def _xml(name: str, *inside: str) -> Status:
    return Status(200, {"Content-Type": "application/xml"}, f"<{name}>{''.join(inside)}</{name}>".encode())


@contextmanager
def serving(fake: FakeS3) -> Iterator[str]:
    """Run a server on loopback; gives its address."""
    with Server(fake.answer) as server:
        yield server.url


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
