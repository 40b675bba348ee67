"""The pipeline of computed answers: select versions, ETag, cache, read, compute, serialise, compress, respond.

A group supplies `select` (its handler's first lines), the calculation, and its formats; the rest is here.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import orjson
from aiohttp import web

from api.access.gate import Gate
from api.core import problems
from api.core.body import JSON
from api.core.cache import Cache, FileCache
from api.core.engines import Engines
from api.core.executors import CpuExecutor, ProcessFailed, ProcessPool
from api.core.request_keys import ENDPOINT
from api.core.response import COMPRESSED_FROM, GZIP_MAGIC, Prepared, compress, has, respond, takes_gzip, warnings_of

Origin = Literal["live", "simulated"]
DAY_S = 86_400
# Of a picture, with the start of its process.
_DRAWN_WITHIN_S = 25.0


def origin_of(*origins: str) -> Origin:
    """Return `simulated` if any input is."""
    return "live" if set(origins) <= {"live"} else "simulated"


def write_json(result: Mapping[str, Any], warnings: Sequence[str]) -> bytes:
    """Return an answer as JSON, the request's warnings behind its own."""
    if not warnings:
        return orjson.dumps(result)
    return orjson.dumps({**result, "warnings": [*result.get("warnings", ()), *warnings]})


@dataclass(frozen=True)
class Format:
    """One representation of an answer.

    Parameters
    ----------
    media_type : str
    write : callable
        From the result to bytes; with `warned` from (result, warnings). With `draw` to what that function takes.
    extension : str
        Of the file, with its point; empty where there is no file.
    inline : bool
        A browser shows the file; else it saves it.
    warned : bool
        Whether the bytes carry the warnings; else the header `X-Warning` does (`api.core.routing`).
    cached : bool
        Whether callers may keep it (Cache-Control).
    draw : str
        `module:function` that draws a picture in another process.
    policy : str
        Content-Security-Policy of a page that brings styles or pictures.
    """

    media_type: str
    write: Callable[..., Any]
    extension: str = ""
    inline: bool = False
    warned: bool = False
    cached: bool = True
    draw: str = ""
    policy: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers of every answer in the format."""
        return {"Content-Type": self.media_type} | ({"Content-Security-Policy": self.policy} if self.policy else {})


JSON_FORMAT = Format(JSON, write_json, warned=True)


@dataclass(slots=True)  # frozen, it would take 3 us to make
class Selection:
    """Versions and inputs of an answer, chosen before anything is read or computed.

    Parameters
    ----------
    versions : sequence
        Names of everything that is read: for the ETag and the key of the cache.
    data_origin : str
    read : callable
        Reads, and returns the calculation, which needs neither tiles nor the event loop.
    asked : object
        What the answer depends on beside the versions; its `repr` is part of the ETag.
    headers : mapping
    file_name : str
        See `named`.
    points : sequence of (lat, lon)
        Charged when the answer is at hand.
    cache_control : str or None
        In place of the pipeline's.
    kept : bool
        Whether the body is kept for others who ask the same.
    quick : bool
        The calculation takes less than a thread does, and no kernel: it runs on the event loop.
    """

    versions: Sequence[object]
    data_origin: str
    read: Callable[[], Awaitable[Callable[[], Any]]]
    asked: object
    headers: Mapping[str, str] = field(default_factory=dict)
    file_name: str = ""
    points: Sequence[tuple[float, float]] = ()
    cache_control: str | None = None
    kept: bool = True
    quick: bool = False

    def named(self, file_name: str) -> "Selection":
        """Return the same with the name of its file, without extension."""
        return replace(self, file_name=file_name)


async def at_hand(calculate: Callable[[], Any]) -> Callable[[], Any]:
    """Return a calculation whose data are read already; bound to one, it is a `read` of a selection."""
    return calculate


@dataclass(frozen=True)
class Machinery:
    """Shared machinery of all pipelines; `state` is the folder that the workers of a machine share."""

    state: Path
    code_version: str
    engines: Engines
    cpu: CpuExecutor
    processes: ProcessPool
    bodies: Cache[bytes]
    gate: Gate


class Pipeline:
    """Answers the requests of one endpoint.

    Parameters
    ----------
    machinery : Machinery
    formats : mapping of str to Format
        By the value of `format`.
    headers : mapping
        Of every answer.
    max_age_s : int
        Of Cache-Control, s.
    shared : (FileCache, str), optional
        Answers that the workers share, and the header that says `HIT` or `MISS`.
    """

    def __init__(
        self,
        machinery: Machinery,
        formats: Mapping[str, Format],
        headers: Mapping[str, str] | None = None,
        max_age_s: int = DAY_S,
        shared: tuple[FileCache, str] | None = None,
    ) -> None:
        self._with, self.formats, self._shared = machinery, formats, shared
        common = dict(headers or {})
        self._cache_control = common.pop("Cache-Control", f"public, max-age={max_age_s}")
        self._prepared = {value: Prepared({**one.headers, **common}) for value, one in formats.items()}

    @property
    def media(self) -> tuple[str, ...]:
        """Media types beside JSON, for the document."""
        types = (one.media_type.partition(";")[0] for one in self.formats.values())
        return tuple(dict.fromkeys(one for one in types if one != JSON))

    async def answer(self, request: web.BaseRequest, value: str, selection: Selection) -> web.StreamResponse:
        """Return the answer in a format.

        Raises
        ------
        ApiError
            As `read` and the calculation; `BUSY`, `NO_PICTURE`; of the quota.
        """
        chosen, prepared = self.formats[value], self._prepared[value]
        warnings = tuple(warnings_of(request) or ()) if chosen.warned else ()
        tag = self._etag(request, value, selection, warnings)
        headers = {"X-Data-Origin": selection.data_origin, **selection.headers}
        if chosen.cached:
            headers.setdefault("Cache-Control", selection.cache_control or self._cache_control)
        if chosen.extension:
            kind = "inline" if chosen.inline else "attachment"
            headers["Content-Disposition"] = f"{kind}; filename={selection.file_name}{chosen.extension}"
        body, packed = b"", False
        # elsewhere a match would be an error (RFC 9110, 13.1.2)
        conditional = request.method in ("GET", "HEAD")
        if not (conditional and has(request, tag)):
            packed = prepared.compressible and takes_gzip(request)
            make = partial(self._make, chosen, selection, warnings, tag)
            body, packed, found = await self._body(tag, packed, make, kept=selection.kept)
            if self._shared is not None:
                headers[self._shared[1]] = "HIT" if found else "MISS"
        if selection.points:
            await self._with.gate.charge(request, selection.points)
        return respond(request, prepared, body, headers, tag if conditional else None, compressed=packed)

    def _etag(self, request: web.BaseRequest, value: str, selection: Selection, warnings: Sequence[str]) -> str:
        parts = (self._with.code_version, request[ENDPOINT], value, *selection.versions, selection.asked, warnings)
        return f'"{hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()}"'

    async def _body(
        self, tag: str, gzip: bool, make: Callable[[], Awaitable[bytes]], *, kept: bool
    ) -> tuple[bytes, bool, bool]:
        """Return the body, whether it is compressed, and whether it was made before."""
        bodies, cpu, found = self._with.bodies, self._with.cpu, True
        if (finished := bodies.get((tag, gzip))) is not None:
            return finished, gzip and finished.startswith(GZIP_MAGIC), True

        async def plain() -> bytes:
            nonlocal found
            if self._shared is not None and (known := await asyncio.to_thread(self._shared[0].get, tag.encode())):
                return known
            found = False
            return await make()

        async def packed() -> bytes:
            body = bodies.get((tag, False)) or await plain()
            return body if len(body) < COMPRESSED_FROM else await cpu.run(partial(compress, body))

        wanted = packed if gzip else plain
        body = await (bodies.get_or_make((tag, gzip), wanted) if kept else wanted())
        return body, gzip and body.startswith(GZIP_MAGIC), found

    async def _make(self, chosen: Format, selection: Selection, warnings: Sequence[str], tag: str) -> bytes:
        with nullcontext() if selection.quick else self._with.cpu.slot():
            calculate = await selection.read()
            if not selection.quick:
                await self._with.engines.ready()

            def made() -> Any:
                result = calculate()
                written = chosen.write(result, warnings) if chosen.warned else chosen.write(result)
                if self._shared is not None:
                    self._shared[0].put(tag.encode(), written)
                return written

            written = made() if selection.quick else await self._with.cpu.run(made)
        body: bytes = await self._draw(chosen.draw, written) if chosen.draw else written
        return body

    async def _draw(self, function: str, data: Any) -> bytes:
        try:
            picture: bytes = await self._with.processes.run(function, data, within_s=_DRAWN_WITHIN_S)
        except ProcessFailed as error:
            raise problems.NO_PICTURE() from error
        return picture
