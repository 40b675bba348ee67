"""What a forecast over HTTP is compared with: the same bytes, ready-made, and charges without group commit.

`python -m tests.bench.compared_app --fd N` serves the file `BENCH_BODY` on an inherited socket: `BENCH_KIND=prebuilt`
is the API's own worker with one route more, `bare` an aiohttp application with nothing in it, `one_by_one` the worker
with a transaction for each request.
"""

import os
import socket
import sys
from functools import partial
from pathlib import Path
from unittest.mock import patch

import uvloop
from aiohttp import web

from api.access.ledger import Ledger
from api.core.app import Application
from api.core.routing import Route
from api.core.worker import main

KIND, BODY = os.environ["BENCH_KIND"], Path(os.environ.get("BENCH_BODY", os.devnull)).read_bytes()


async def prebuilt(*_: object) -> web.Response:
    """Answer with the bytes."""
    return web.Response(body=BODY, headers={"Content-Type": "application/json"})


if __name__ == "__main__":
    if KIND == "bare":
        app = web.Application()
        app.router.add_get("/prebuilt", prebuilt)
        sock = socket.socket(fileno=int(sys.argv[2]))
        web.run_app(app, sock=sock, access_log=None, print=None, loop=uvloop.new_event_loop())
    elif KIND == "one_by_one":
        with patch("api.core.resources.Ledger", partial(Ledger, max_batch=1)):
            sys.exit(main(sys.argv[1:]))
    else:
        route = Route("GET", "/prebuilt", prebuilt, summary="Bytes", tag="Bench")
        with patch("api.core.app.Application", partial(Application, more_routes=(route,))):
            sys.exit(main(sys.argv[1:]))
