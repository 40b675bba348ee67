"""The API's worker with routes beside its own: what they do no route should; at its end it logs what it has loaded."""

import asyncio
import gc
import logging
import sys
import warnings
from functools import partial

from aiohttp import web

import api.core.app
import api.core.worker
import api.horizon.service
from api.core.routing import Route

log = logging.getLogger("some.library")


async def collector(_: web.BaseRequest, __: None) -> web.StreamResponse:
    """Tell of the garbage collector: whether it is on, and what it never walks."""
    return web.json_response([gc.isenabled(), gc.get_freeze_count()])


async def hang(_: web.BaseRequest, __: None) -> web.StreamResponse:
    """Do not answer."""
    log.info("it hangs")
    await asyncio.Event().wait()
    return web.Response()


async def stubborn(request: web.BaseRequest, _: None) -> web.StreamResponse:
    """Do not answer, nor give in."""
    try:
        return await hang(request, None)
    except asyncio.CancelledError:
        return await hang(request, None)


async def accident(request: web.BaseRequest, _: None) -> web.StreamResponse:
    """Say everywhere what was asked, and fail."""
    warnings.warn(f"a library is worried about {request.url}", stacklevel=1)
    log.error("it met %s of %r", request.url, request.headers)
    raise RuntimeError(f"cannot use {request.headers.get('X-API-Key')} of {request.rel_url}")


if __name__ == "__main__":
    gc.disable()  # as api.core.worker does where it is the program
    routes = (Route("GET", f"/{one.__name__}", one, "-", "-") for one in (collector, hang, stubborn, accident))
    api.core.app.Application = partial(api.core.app.Application, more_routes=tuple(routes))
    api.horizon.service.WITHIN_S = 120.0  # on a busy machine the first answer takes more than ten seconds
    code = api.core.worker.main(sys.argv[1:])
    log.info("loaded %s", " ".join({name.partition(".")[0] for name in sys.modules}))
    sys.exit(code)
