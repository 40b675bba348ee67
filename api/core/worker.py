"""One worker: `python -m api.core.worker --fd N` serves an application on an inherited socket until SIGTERM."""

import gc

if __name__ == "__main__":
    from api.core.code_version import code_version

    # Until it serves, what is made stays: walking it again and again would be a tenth of the start.
    gc.disable()
    code_version()  # before the rest is read, so that no newer source stands for what runs

import argparse
import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from typing import Protocol

import uvloop
from aiohttp import web

from api.core.routing import Router
from api.core.server import BACKLOG, serving
from api.core.settings import Settings, SettingsError
from api.database.engine import DatabaseError
from api.observing import logs
from api.observing.answers import Answers

# The parent kills 5 s after it says stop (infra/serve.py), and what is not written then is lost. Before that, requests
# finish (this), what outlives it is answered 503 (0.5 s), the ledger ends (1.5 s where its database hangs), and the
# rest.
FINISH_S = 2.0

log = logging.getLogger("solflis.api")


class App(Protocol):
    """Interface of an application that a worker serves, such as `api.core.app.Application`."""

    router: Router
    answers: Answers

    def lifespan(self) -> AbstractAsyncContextManager[None]:
        """Keep running what runs beside the requests."""


async def serve(make: Callable[[Settings], App], settings: Settings, sock: socket.socket) -> None:
    """Serve until SIGTERM or SIGINT, then finish what runs.

    Raises
    ------
    SettingsError, DatabaseError
        Nobody could serve with these settings.
    """
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    try:
        app = make(settings)
    except ValueError as error:
        raise SettingsError(str(error)) from error
    app.answers.write_to(sys.stderr)
    async with app.lifespan(), serving(app.router, app.answers, finish_s=FINISH_S) as runner:
        # What start-up made lives as long as the process: the collector need never walk it (of 126,000 objects
        # 2,000 are garbage, 0.15 s to find).
        gc.freeze()
        gc.enable()
        # Requests that wait for their charges are many young objects at once: 5 % less time, and a fifth off p99.
        gc.set_threshold(10_000, 20, 20)
        await web.SockSite(runner, sock, backlog=BACKLOG).start()
        await stop.wait()


def main(arguments: list[str], application: str = "api.core.app:Application") -> int:
    """Run as a command; return the exit code: `EX_CONFIG` where a next worker could not serve either.

    Parameters
    ----------
    arguments : list of str
    application : str
        What is served, `module:class`.
    """
    parser = argparse.ArgumentParser(prog="api.core.worker", description=__doc__)
    parser.add_argument("--fd", type=int, required=True, help="descriptor of the listening socket")
    options = parser.parse_args(arguments)
    logs.install(sys.stderr)
    try:
        settings = Settings.from_environment()
        sock = socket.socket(fileno=options.fd)
        sock.setblocking(False)
        module, _, name = application.partition(":")
        uvloop.run(serve(getattr(import_module(module), name), settings, sock))
    except (SettingsError, DatabaseError) as error:
        log.error("%s", error)
        return os.EX_CONFIG
    except OSError as error:
        log.error("%s", error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
