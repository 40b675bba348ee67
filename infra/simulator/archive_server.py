"""Answers for the archives' monthly files: parts of them only, made as they are asked for; faults on request."""

import asyncio
import re
from datetime import UTC, datetime
from email.utils import format_datetime

from aiohttp import web

from infra.simulator.archive_store import ArchiveStore, Month, Noise, Shortened, VirtualFile
from infra.simulator.files import GenerationError
from infra.simulator.keys import RULES
from infra.simulator.misbehave import Rule
from infra.simulator.small import plain_fault

ARCHIVES = web.AppKey("ARCHIVES", ArchiveStore)
ROUTE = "/{archive:nora3|sarah3}/{name:.+}"
FIRST_MONTH, LAST_MONTH = (1990, 12), (2026, 1)

_NAMES = (
    re.compile(r"/(?P<kind>nora3)/arome3km_1hr_(?P<y>\d{4})(?P<m>\d{2})\.nc", re.ASCII),
    re.compile(r"/(?P<kind>sarah3)/SIShm(?P<y>\d{4})(?P<m>\d{2})010000004231000101MA\.nc", re.ASCII),
)
_RANGE = re.compile(r"bytes=(\d*)-(\d*)", re.ASCII)
_LARGEST_PART = 64 << 20
_SHIFT_M = 100_000.0
_SHIFT_DEG = 2.0


def parse_name(path: str) -> Month | None:
    """Return the month that a path names, or None."""
    match = next((found for pattern in _NAMES if (found := pattern.fullmatch(path))), None)
    if match is None:
        return None
    year, month = int(match["y"]), int(match["m"])
    return (match["kind"], year, month) if 1 <= month <= 12 else None


async def serve(request: web.Request) -> web.StreamResponse:
    """Answer a part of a month's file, or the fault that a rule asks for."""
    rule = request.app[RULES].meet(request.path)
    if rule is not None and (fault := plain_fault(request, rule)) is not None:
        return fault
    if rule is not None and rule.mode == "slow":
        await asyncio.sleep(rule.seconds)
        rule = None
    month = parse_name(request.path)
    if month is None:
        raise web.HTTPNotFound(text="no such file; / tells which there are\n")
    if not FIRST_MONTH <= month[1:] <= LAST_MONTH:
        raise web.HTTPNotFound(text="the archives have the months 1990-12 to 2026-01\n")
    try:
        return await _part(request, await _file(request.app[ARCHIVES], month, rule), month, rule)
    except GenerationError as error:
        raise web.HTTPInternalServerError(text=f"{error}\n") from error


async def _file(store: ArchiveStore, month: Month, rule: Rule | None) -> VirtualFile:
    """Return the file, or another in its place where a rule asks for one."""
    if rule is None or (rule.mode == "truncate" and rule.how == "connection"):
        return await store.month(month)
    kind, year, number = month
    if rule.mode == "stale":
        return await store.month((kind, year, number - 1) if number > 1 else (kind, year - 1, 12))
    if rule.mode == "wronggrid":
        return await store.month(month, _SHIFT_M if kind == "nora3" else _SHIFT_DEG)
    good = await store.month(month)
    if rule.mode == "truncate":
        return Shortened(good, int(good.size * rule.fraction))
    return Noise(good.etag) if rule.mode == "garbage" else Noise(good.etag, 0)


async def _part(request: web.Request, file: VirtualFile, month: Month, rule: Rule | None) -> web.StreamResponse:
    modified = datetime(month[1], month[2], 1, tzinfo=UTC)
    headers = {
        "ETag": file.etag,
        "Last-Modified": format_datetime(modified, usegmt=True),
        "Accept-Ranges": "bytes",
        "Content-Type": "application/x-netcdf",
    }
    if (refused := _condition(request, file.etag, modified)) is not None:
        return web.Response(status=refused, headers=headers)
    if request.method == "HEAD":
        response = web.StreamResponse(headers=headers)
        response.content_length = file.size
        return response
    if request.headers.get("Range") is None and file.size:
        return web.Response(
            status=403,
            headers={"X-Data-Origin": "simulated"},
            text="a month is never made whole: read the parts you need with the header Range\n",
        )
    span = _span(request.headers.get("Range", ""), file.size)
    if span is None:
        return web.Response(status=416, headers={**headers, "Content-Range": f"bytes */{file.size}"})
    start, stop = span
    if stop - start > _LARGEST_PART:
        return web.Response(status=403, text=f"at most {_LARGEST_PART >> 20} MB at once\n")
    body = await file.read(start, stop)
    headers["Content-Range"] = f"bytes {start}-{stop - 1}/{file.size}"
    if rule is not None and rule.mode == "truncate" and rule.how == "connection":
        return await _break_off(request, headers, body, rule.fraction)
    return web.Response(status=206, headers=headers, body=body)


def _condition(request: web.Request, etag: str, modified: datetime) -> int | None:
    """Return the status that a condition of the request asks for in place of the file."""
    wanted = request.headers.get("If-Match")
    if wanted is not None and wanted != "*" and etag not in [tag.strip() for tag in wanted.split(",")]:
        return 412
    if wanted is None and (since := request.if_unmodified_since) is not None and modified > since:
        return 412
    held = request.headers.get("If-None-Match")
    if held is not None and (held == "*" or etag in [tag.strip() for tag in held.split(",")]):
        return 304
    return None


def _span(text: str, size: int) -> tuple[int, int] | None:
    """Return the bytes that a Range header asks for, first and behind the last; None where there are none."""
    match = _RANGE.fullmatch(text.strip())
    if match is None or not (match[1] or match[2]):
        return None
    if not match[1]:
        start, stop = max(0, size - int(match[2])), size
    else:
        start, stop = int(match[1]), min(size, int(match[2]) + 1) if match[2] else size
    return (start, stop) if start < stop else None


async def _break_off(request: web.Request, headers: dict[str, str], body: bytes, fraction: float) -> web.StreamResponse:
    """Promise all the bytes asked for, send some, and close the connection."""
    response = web.StreamResponse(status=206, headers=headers)
    response.content_length = len(body)
    await response.prepare(request)
    await response.write(body[: int(len(body) * fraction)])
    if request.transport is not None:
        request.transport.close()
    return response
