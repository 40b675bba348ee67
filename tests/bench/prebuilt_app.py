"""What a forecast over HTTP is compared with: the same bytes, ready-made.

`python -m tests.bench.prebuilt_app FD prebuilt|bare BYTES` serves on an inherited socket: `prebuilt` is the
API's own application with one route more, `bare` an aiohttp application with nothing in it.
"""

import asyncio
import gc
import signal
import socket
import sys
from pathlib import Path

import uvloop
from aiohttp import web

from api.app import create_app
from api.routing import Route
from api.serving import Runner, listen
from api.settings import Settings

PATH = "/prebuilt"


def prebuilt_app(settings: Settings, body: bytes) -> web.Application:
    """Return the API's application with `/prebuilt` in it."""

    async def prebuilt(_: web.Request, __: None) -> web.Response:
        return web.Response(body=body, headers={"Content-Type": "application/json"})

    return create_app(settings, (Route("GET", PATH, prebuilt, summary="Bytes", tag="Bench"),))


def bare_app(body: bytes) -> web.Application:
    """Return an application that has one route and no middleware."""

    async def prebuilt(_: web.Request) -> web.Response:
        return web.Response(body=body, content_type="application/json")

    app = web.Application()
    app.router.add_get(PATH, prebuilt)
    return app


async def _serve(app: web.Application, sock: socket.socket, *, bare: bool) -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    runner = web.AppRunner(app, access_log=None) if bare else Runner(app, shutdown_timeout=1)
    await runner.setup()
    gc.collect()
    gc.freeze()
    await listen(runner, sock)
    await stop.wait()
    await runner.cleanup()


def main() -> None:
    """Serve until SIGTERM."""
    descriptor, kind, body = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]).read_bytes()
    sock = socket.socket(fileno=descriptor)
    app = bare_app(body) if kind == "bare" else prebuilt_app(Settings.from_environment(), body)
    uvloop.run(_serve(app, sock, bare=kind == "bare"))


if __name__ == "__main__":
    main()
