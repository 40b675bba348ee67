"""Which versions and which cell answer a question, and reading the cell's year."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from api import texts
from api.errors import Unavailable
from api.horizons import Horizon
from api.pv.ground import BARE_GROUND, Ground
from api.pv.query import CONFIDENCES, Asked
from api.snow.series import Series
from api.tmy.cells import Found, find, hours_of, origin
from api.tmy.choice import ENSEMBLE
from api.tmy.current import RETRY_S, Climate, Version
from tiles.grid import NORWAY3KM

if TYPE_CHECKING:
    from api.pv.calculation import Year

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
        None where it is not asked for, not published, or not built.
    horizons : str or None
        Names the horizon's version, or none that there is; None where it is not asked for.
    snow : Series or None
        None where it is not asked for.
    ground : Ground
    """

    found: Found
    version: Version
    horizon: Horizon | None
    horizons: str | None
    snow: Series | None = None
    ground: Ground = BARE_GROUND

    @property
    def origin(self) -> str:
        """`simulated` if anything that answers is."""
        others = {one.data_origin for one in (self.horizon, self.snow) if one is not None}
        others |= {self.ground.data_origin or "live"}
        return "live" if others | {origin(self.version, self.found.stats)} == {"live"} else "simulated"

    @property
    def key(self) -> tuple[object, ...]:
        """What tells the place from others, and what it was read from."""
        terrain = None if self.horizon is None else (self.horizon.entry.path, self.horizon.cell)
        return self.version.name, self.found.stats.name, self.found.place.cell, terrain, self.ground.albedo

    @property
    def lon(self) -> float:
        """Degrees east, of the cell's centre."""
        return NORWAY3KM.centre(self.found.place.cell)[1]


def choose(climate: Climate, asked: Asked, now: datetime) -> tuple[Found, Version]:
    """Return what is known of the cell, and the version of its typical year.

    Raises
    ------
    BadRequest, NotFound, Unavailable
        As `api.tmy.cells.find`; or the year that is asked for is not known there.
    """
    found = find(climate, asked.lat, asked.lon, now)
    if ENSEMBLE not in found.known.products:
        raise Unavailable(texts.TMY_NOT_BUILT.format(product=ENSEMBLE), RETRY_S)
    if not (found.known.products[ENSEMBLE].annual_ghi[asked.confidence] or 0) > 0:
        raise Unavailable(texts.PV_NO_TARGET.format(confidence=asked.confidence, product=ENSEMBLE), RETRY_S)
    return found, climate.beside(found.stats, ENSEMBLE, now)


def read(chosen: Chosen) -> "Year":
    """Read the cell's year.

    Raises
    ------
    Unavailable
        It is not built there, or cannot be read.
    """
    from api.pv.calculation import Year  # the kernels come behind the first answers

    found = chosen.found
    known = found.known.products[ENSEMBLE]
    lat, lon = NORWAY3KM.centre(found.place.cell)
    return Year(
        hours=hours_of(chosen.version, found.place, ENSEMBLE, _QUANTITIES),
        lat=lat,
        lon=lon,
        altitude=found.known.elevation,
        targets={name: known.annual_ghi[name] for name in CONFIDENCES},
        std=known.annual_ghi_std,
        horizon=None if chosen.horizon is None else chosen.horizon.elevation,
        albedo=chosen.ground.albedo,
    )
