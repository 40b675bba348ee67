"""Answers, and the faults that rules put into them.

    @with_faults
    async def serve(request: web.Request, rule: Rule | None) -> web.StreamResponse: ...

A handler is given the rule that its request meets. It meets the modes that only it can make, such as `stale` and
`wronggrid`, and answers well in all others: those are met here. So does who answers files, which are spoilt on disk.
"""

import asyncio
from collections.abc import Awaitable, Callable

from aiohttp import web

from infra.simulator.keys import RULES
from infra.simulator.misbehave import Rule, spoilt

Serve = Callable[[web.Request], Awaitable[web.StreamResponse]]
Make = Callable[[web.Request, Rule | None], Awaitable[web.StreamResponse]]


def with_faults(make: Make) -> Serve:
    """Return a handler that answers what `make` does, or the fault that a rule asks for."""

    async def serve(request: web.Request) -> web.StreamResponse:
        rule = request.app[RULES].meet(request.path)
        if rule is None:
            return await make(request, None)
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
        good = await make(request, rule)
        if not isinstance(good, web.Response) or not isinstance(good.body, bytes):
            return good
        if rule.mode == "truncate" and rule.how == "connection":
            return await _break_off(request, good, spoilt(good.body, rule))
        good.body = spoilt(good.body, rule)
        return good

    return serve


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
