"""Answers, and the faults that rules put into them.

    async def serve(request: web.Request) -> web.StreamResponse:
        return await answer(request, lambda rule: ...)     # a web.Response with a body

A handler meets the modes that only it can make, such as `stale` and `wronggrid`, and answers well in all others: those
are met here. So does who answers files, which are spoilt on disk.
"""

import asyncio
from collections.abc import Awaitable, Callable

from aiohttp import web

from infra.simulator.keys import RULES
from infra.simulator.misbehave import Rule, spoilt

Make = Callable[[Rule | None], Awaitable[web.StreamResponse]]


async def answer(request: web.Request, make: Make) -> web.StreamResponse:
    """Return what a handler makes, or the fault that a rule asks for.

    Parameters
    ----------
    request : Request
    make : callable
        Makes the good answer, or that of a mode of its own; it is given the rule that the request meets.
    """
    rule = request.app[RULES].meet(request.path)
    if rule is None:
        return await make(None)
    if rule.mode in ("error", "notfound"):
        status = 404 if rule.mode == "notfound" else rule.status
        headers = {} if rule.retry_after is None else {"Retry-After": str(rule.retry_after)}
        return web.Response(status=status, text=f"error {status}, as requested\n", headers=headers)
    if rule.mode == "reset":
        if request.transport is not None:
            request.transport.abort()
        return web.Response()
    if rule.mode == "slow":
        await asyncio.sleep(rule.seconds)
    good = await make(rule)
    if not isinstance(good, web.Response) or not isinstance(good.body, bytes):
        return good
    if rule.mode == "truncate" and rule.how == "connection":
        return await _break_off(request, good, spoilt(good.body, rule))
    good.body = spoilt(good.body, rule)
    return good


async def _break_off(request: web.Request, good: web.Response, part: bytes) -> web.StreamResponse:
    """Promise the whole body, send a part, and close the connection."""
    response = web.StreamResponse(status=good.status, headers=good.headers)
    response.content_length = len(good.body) if isinstance(good.body, bytes) else 0
    await response.prepare(request)
    if request.method != "HEAD":
        await response.write(part)
        if request.transport is not None:
            request.transport.close()
    return response
