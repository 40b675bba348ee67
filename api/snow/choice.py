"""What answers a question: the cell, its typical year, its horizon, its snow."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Literal

from api import texts
from api.errors import Unavailable
from api.horizons import Horizon, Horizons
from api.snow.query import PlaneQuery
from api.snow.series import Series
from api.tmy.cells import Found, find, hours_of, origin
from api.tmy.choice import ENSEMBLE
from api.tmy.current import RETRY_S, Climate, Version
from tiles.grid import NORWAY3KM

if TYPE_CHECKING:
    from api.snow.calculation import Ground

_QUANTITIES = ("ghi", "dni", "dhi", "temp_air", "rel_hum", "wind_speed")


@dataclass(frozen=True)
class Chosen:
    """What answers a question.

    Parameters
    ----------
    found : Found
    version : Version
        Of the typical year.
    horizon : Horizon or None
        None where none is published or built.
    horizons : str or None
        Names the horizon's version, or none that there is.
    series : Series
    """

    found: Found
    version: Version
    horizon: Horizon | None
    horizons: str | None
    series: Series

    @property
    def origin(self) -> Literal["live", "simulated"]:
        """`simulated` if anything that answers is."""
        horizon = "live" if self.horizon is None else self.horizon.data_origin
        all_live = {origin(self.version, self.found.stats), horizon, self.series.data_origin} == {"live"}
        return "live" if all_live else "simulated"

    @property
    def place(self) -> tuple[object, ...]:
        """What tells a place and its light from others, and what they were read from."""
        terrain = None if self.horizon is None else (self.horizon.entry.path, self.horizon.cell)
        return self.version.name, self.found.stats.name, self.found.place.cell, terrain

    @property
    def versions(self) -> tuple[str, ...]:
        """All that was read, beside the cell's statistics."""
        horizon = self.horizons if self.horizon is None else self.horizon.entry.path
        return self.version.name, str(horizon), self.series.version

    @property
    def lon(self) -> float:
        """Degrees east, of the cell's centre."""
        return NORWAY3KM.centre(self.found.place.cell)[1]


Reading = Callable[[Callable[[], tuple[Found, Version]]], Awaitable[tuple[Found, Version]]]


async def choose(
    climate: Climate,
    horizons: Horizons,
    snow: Callable[[Found], Awaitable[Series]],
    asked: PlaneQuery,
    now: datetime,
    reading: Reading,
) -> Chosen:
    """Return what answers.

    Parameters
    ----------
    climate : Climate
    horizons : Horizons
    snow : callable
        `Snow.series` or `Snow.season`.
    asked : PlaneQuery
    now : datetime
    reading : callable
        Does in a thread what reads.

    Raises
    ------
    BadRequest, NotFound, Unavailable
        As `api.tmy.cells.find`; or the horizon is published and cannot be read.
    BadGateway
        As `Snow`.
    """
    found, version = await reading(partial(_found, climate, asked, now))
    published = horizons.version()
    horizon = await horizons.at(asked.lat, asked.lon, texts.SNOW_NO_HORIZON)
    return Chosen(found, version, horizon, published, await snow(found))


def _found(climate: Climate, asked: PlaneQuery, now: datetime) -> tuple[Found, Version]:
    found = find(climate, asked.lat, asked.lon, now)
    if ENSEMBLE not in found.known.products:
        raise Unavailable(texts.TMY_NOT_BUILT.format(product=ENSEMBLE), RETRY_S)
    return found, climate.beside(found.stats, ENSEMBLE, now)


def read(chosen: Chosen) -> "Ground":
    """Read the cell's typical year.

    Raises
    ------
    Unavailable
        It is not built there, or cannot be read.
    """
    from api.snow.calculation import Ground  # the kernels come behind the first answers

    lat, lon = NORWAY3KM.centre(chosen.found.place.cell)
    return Ground(
        hours=hours_of(chosen.version, chosen.found.place, ENSEMBLE, _QUANTITIES),
        lat=lat,
        lon=lon,
        altitude=chosen.found.known.elevation,
        horizon=None if chosen.horizon is None else chosen.horizon.elevation,
    )
