"""Answers that are made in memory (JSON, a small file), and the faults that rules put into them.

    async def serve(request: web.Request) -> web.StreamResponse:
        return await answer(request, lambda rule: ...)     # a web.Response with a body

A handler sees the rule of a mode that only it can make, such as `stale` and `wronggrid`; all other modes are met here.
"""

import asyncio
from collections.abc import Awaitable, Callable

from aiohttp import web

from infra.simulator.keys import RULES
from infra.simulator.misbehave import OF_HEIGHTS, OF_SNOW, Rule, spoilt

Make = Callable[[Rule | None], Awaitable[web.Response]]
_OF_HANDLERS = ("stale", "wronggrid", *OF_HEIGHTS, *OF_SNOW)


async def answer(request: web.Request, make: Make) -> web.StreamResponse:
    """Return what a handler makes, or the fault that a rule asks for.

    Parameters
    ----------
    request : Request
    make : callable
        Makes the good answer; it is given the rule where it has such a mode, else None.
    """
    rule = request.app[RULES].meet(request.path)
    if rule is None:
        return await make(None)
    if (fault := plain_fault(request, rule)) is not None:
        return fault
    if rule.mode == "slow":
        await asyncio.sleep(rule.seconds)
        return await make(None)
    good = await make(rule if rule.mode in _OF_HANDLERS else None)
    body = good.body if isinstance(good.body, bytes) else b""
    if not body or rule.mode in _OF_HANDLERS:
        return good
    if rule.mode == "truncate" and rule.how == "connection":
        return await break_off(request, good, spoilt(body, rule))
    good.body = spoilt(body, rule)
    return good


def plain_fault(request: web.Request, rule: Rule) -> web.Response | None:
    """Return the answer of a rule that needs no good one: `error`, `notfound`, `reset`; None for other modes."""
    if rule.mode in ("error", "notfound"):
        status = 404 if rule.mode == "notfound" else rule.status
        headers = {} if rule.retry_after is None else {"Retry-After": str(rule.retry_after)}
        return web.Response(status=status, text=f"error {status}, as requested\n", headers=headers)
    if rule.mode == "reset":
        if request.transport is not None:
            request.transport.abort()
        return web.Response()
    return None


async def break_off(request: web.Request, good: web.Response, part: bytes) -> web.StreamResponse:
    """Promise the whole body, send a part, and close the connection."""
    response = web.StreamResponse(status=good.status, headers=good.headers)
    response.content_length = len(good.body) if isinstance(good.body, bytes) else 0
    await response.prepare(request)
    if request.method != "HEAD":
        await response.write(part)
        if request.transport is not None:
            request.transport.close()
    return response
