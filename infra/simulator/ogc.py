"""Query parameters that WCS, WFS and WMS have in common, in UTM 33."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape

from aiohttp import web

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EPSG = 25833
EXECUTOR = ThreadPoolExecutor(2, "maps")
MAP_FAULT = "msDrawMap(): Image handling error (as requested)"

Refuse = Callable[[str], web.HTTPException]
"""Makes an exception of a protocol of its text."""


class Window(NamedTuple):
    """The requested window: bounds in m, columns and rows."""

    west: float
    south: float
    east: float
    north: float
    columns: int
    rows: int

    @property
    def cell(self) -> float:
        """Width of a column, m."""
        return (self.east - self.west) / self.columns

    def centres(self) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
        """Return easting of the columns and northing of the rows, from the south, m."""
        import numpy as np  # only here: the server starts without it

        columns, rows = (np.arange(count, dtype=np.float64) + 0.5 for count in (self.columns, self.rows))
        return self.west + columns * self.cell, self.south + rows * (self.north - self.south) / self.rows


def map_refusal(text: str) -> web.HTTPOk:
    """Return an exception of WMS as the services have it: with status 200."""
    report = f'<ServiceExceptionReport version="1.1.1"><ServiceException>{escape(text)}</ServiceException>'
    return web.HTTPOk(text=f"{report}</ServiceExceptionReport>", content_type="application/vnd.ogc.se_xml")


def query_of(request: web.Request, refuse: Refuse, only: dict[str, str]) -> dict[str, str]:
    """Return the parameters by their names in capitals; those of `only` must have its values."""
    query = {name.upper(): value for name, value in request.query.items()}
    for name, value in only.items():
        if query.get(name) != value:
            raise refuse(f"{name}={value} is all that the simulator knows")
    return query


def window_of(query: dict[str, str], refuse: Refuse, most: int) -> Window:
    """Return the window of a question, which has so many columns and rows at most."""
    try:
        west, south, east, north = (float(edge) for edge in query["BBOX"].split(","))
        columns, rows = int(query["WIDTH"]), int(query["HEIGHT"])
    except (KeyError, ValueError) as error:
        raise refuse("BBOX of four numbers, WIDTH and HEIGHT are wanted") from error
    if not (west < east and south < north and 1 <= columns <= most and 1 <= rows <= most):
        raise refuse(f"BBOX is a box, WIDTH and HEIGHT are 1 to {most}")
    return Window(west, south, east, north, columns, rows)
