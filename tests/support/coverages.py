"""A coverage service whose heights a test makes up: `/wcs.hoyde-{dtm,dom}-nhm-25833`, WCS 1.0.0.

with Coverages(dom=lambda x, y: np.where(x > 262_100, 130.0, 100.0)) as service:
    Settings(..., kartverket_wcs_url=service.url)

Heights are functions of x (columns) and y (rows, 1), m in UTM 33. `service.before` is called before each answer and may
hold it up; what `service.instead` returns is answered in place of heights.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infra.simulator.heights.geotiff import encode
from tests.support.http_server import Request, Server, Status

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


class Coverages(Server):
    """Threaded server on loopback; a context manager."""

    def __init__(
        self, dom: Surface | None = None, dtm: Surface | None = None, date: str = "2021:06:15 12:00:00"
    ) -> None:
        super().__init__(self._answer_of)
        self.surfaces = {"dom": dom or flat(100.0), "dtm": dtm or flat(100.0)}
        self.date = date
        self.asked: list[Asked] = []
        self.before: Callable[[Asked], None] = lambda _: None
        self.instead: Callable[[Asked], Instead | None] = lambda _: None

    def _answer_of(self, request: Request) -> Status:
        query = {name.upper(): values[0] for name, values in request.query.items()}
        west, south, east, north = map(float, query["BBOX"].split(","))
        asked = Asked(request.path.partition("?")[0].split("-")[1], (west, south, east, north))
        self.asked.append(asked)
        self.before(asked)
        if (instead := self.instead(asked)) is not None:
            retry = {} if instead.retry_after is None else {"Retry-After": str(instead.retry_after)}
            return Status(instead.status, {"Content-Type": instead.media, **retry}, instead.body)
        columns, rows = int(query["WIDTH"]), int(query["HEIGHT"])
        cell = (east - west) / columns
        x, y = (
            first + cell * (np.arange(size, dtype=np.float64) + 0.5) for first, size in ((west, columns), (south, rows))
        )
        z = np.broadcast_to(self.surfaces[asked.model](x[None, :], y[:, None]), (rows, columns)).astype(np.float32)
        file = encode(z, west, north, cell, epsg=25833, date=self.date)
        return Status(200, {"Content-Type": "image/tiff"}, file)
