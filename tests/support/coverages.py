"""A coverage service whose heights a test makes up: `/wcs.hoyde-{dtm,dom}-nhm-25833`, WCS 1.0.0.

with Coverages(dom=lambda x, y: np.where(x > 262_100, 130.0, 100.0)) as service:
    Settings(..., kartverket_wcs_url=service.url)

Heights are functions of x (columns) and y (rows, 1), m in UTM 33. `service.before` is called before each answer and may
hold it up; what `service.instead` returns is answered in place of heights.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
from numpy.typing import NDArray

from infra.simulator.heights.geotiff import encode

Floats = NDArray[np.float64]
Surface = Callable[[Floats, Floats], Any]


@dataclass(frozen=True)
class Asked:
    """One question."""

    model: str
    box: tuple[float, float, float, float]


@dataclass(frozen=True)
class Instead:
    """An answer that is no heights."""

    status: int
    body: bytes
    media: str = "text/xml"
    retry_after: int | None = None


EXCEPTION = Instead(
    200,
    b'<?xml version="1.0"?><ServiceExceptionReport version="1.2.0"><ServiceException>the raster is away'
    b"</ServiceException></ServiceExceptionReport>",
)


def flat(height: float) -> Surface:
    """Return a plain."""
    return lambda x, y: np.full(np.broadcast_shapes(x.shape, y.shape), height)


class Coverages:
    """Threaded server on loopback; a context manager."""

    def __init__(
        self, dom: Surface | None = None, dtm: Surface | None = None, date: str = "2021:06:15 12:00:00"
    ) -> None:
        self.surfaces = {"dom": dom or flat(100.0), "dtm": dtm or flat(100.0)}
        self.date = date
        self.asked: list[Asked] = []
        self.before: Callable[[Asked], None] = lambda _: None
        self.instead: Callable[[Asked], Instead | None] = lambda _: None
        handler = type("Handler", (_Handler,), {"service": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> "Coverages":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, asked: Asked, columns: int, rows: int) -> Instead:
        """Return the answer to a question."""
        self.asked.append(asked)
        self.before(asked)
        if (instead := self.instead(asked)) is not None:
            return instead
        west, south, east, north = asked.box
        cell = (east - west) / columns
        x, y = west + cell * (np.arange(columns) + 0.5), south + cell * (np.arange(rows) + 0.5)
        z = np.broadcast_to(self.surfaces[asked.model](x[None, :], y[:, None]), (rows, columns)).astype(np.float32)
        return Instead(200, encode(z, west, north, cell, epsg=25833, date=self.date), "image/tiff")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service: Coverages

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = {name.upper(): values[0] for name, values in parse_qs(address.query).items()}
        west, south, east, north = map(float, query["BBOX"].split(","))
        asked = Asked(address.path.split("-")[1], (west, south, east, north))
        answer = self.service.answer(asked, int(query["WIDTH"]), int(query["HEIGHT"]))
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.media)
        if answer.retry_after is not None:
            self.send_header("Retry-After", str(answer.retry_after))
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)
