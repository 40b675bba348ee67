"""What snow and soiling take of a plant's surfaces: the monthly loss that `/api/snowsoiling/calc` answers for each.

It loads the kernels where it calculates: see `api/engines.py`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from api import texts
from api.errors import ApiError, BadGateway, Unavailable
from api.pv.query import SnowMounting
from api.pv.surfaces import Surface
from api.snow.losses import Snow, losses
from api.snow.series import Series
from api.tmy.cells import Found
from api.upstream import RETRY_S

if TYPE_CHECKING:
    from kernels.pv.site import Site

HEIGHT_MM = 300.0
LOSS_MODE = "linear"
FIRST_YEAR = 1991
SOILING_PCT = 1.0
"""The defaults of `/api/snowsoiling/calc`, all four."""


class Taken(NamedTuple):
    """What snow and soiling take of m surfaces.

    Parameters
    ----------
    parts : float64 (m, 12)
        Of what each gives in each month, 0..1.
    years : int
        That stand behind it, in the month that fewest have.
    """

    parts: NDArray[np.float64]
    years: int


async def series_of(snow: Snow, found: Found) -> Series:
    """Return the days of snow of a cell.

    Raises
    ------
    Unavailable
        They can be had from no tile and not from the authority; the text says that `snowloss=0` can be asked.
    """
    try:
        return await snow.series(found)
    except (BadGateway, Unavailable) as error:
        raise _without(error) from error


def taken_of(site: "Site", surfaces: Sequence[Surface], mounting: SnowMounting, series: Series, lon: float) -> Taken:
    """Return what snow and soiling take of what surfaces give.

    Parameters
    ----------
    site : Site
    surfaces : sequence of Surface
        m of them.
    mounting : str
    series : Series
    lon : float
        Degrees east, of the cell's centre.

    Raises
    ------
    Unavailable
        The series has no whole month of some of the twelve.
    """
    from kernels.pv.light import light_of
    from kernels.pv.mean_days import mean_days
    from kernels.snow.panel import Panel

    light = light_of(site)  # of the typical months as they were, as there: not of the year that is scaled
    parts, years = np.empty((2, len(surfaces), 12))
    for row, one in enumerate(surfaces):
        on_plane = mean_days(site, light, one.angle, one.azimuth)
        panel = Panel(one.angle, mounting, HEIGHT_MM, loss_mode=LOSS_MODE)
        months = losses(on_plane, series, panel, lon, FIRST_YEAR, SOILING_PCT)
        parts[row], years[row] = months.incl_soiling / 100, months.n_years
    if not years.all():
        raise Unavailable(_text(texts.SNOW_NOTHING.format(start=FIRST_YEAR)), RETRY_S)
    return Taken(parts, int(years.min()))


def _without(error: ApiError) -> Unavailable:
    return Unavailable(_text(error.text), int(error.headers.get("Retry-After", RETRY_S)))


def _text(why: str) -> str:
    return texts.PV_NO_SNOW.format(why=why)
