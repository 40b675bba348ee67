"""A position with its typical year and its horizon: what production and snow are calculated of."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from api.core.cache import Cache
from api.core.executors import CpuExecutor
from api.core.pipeline import Origin, origin_of
from api.data.horizons import Horizon, Horizons, why_none
from api.data.typical_year import Climate, Found, hours_of
from api.data.versions import Version

if TYPE_CHECKING:
    from kernels.pv.site import Site

_QUANTITIES = ("ghi", "dni", "dhi", "temp_air", "rel_hum", "wind_speed")
SIMULATED = "The data are simulated: invented, and of no use for a real plant."
"""Warning of answers that are of simulated data."""
# A site takes about 0.4 MB.
_CACHE_BYTES = 6_000_000


@dataclass(frozen=True)
class Location:
    """Cell and data that answer for a position.

    Parameters
    ----------
    found : Found
    year : Version
        Of the typical year.
    horizon : Horizon or None
        None where it is not asked for, not published, or not built.
    horizons : str or None
        Names the horizon's version; None where none is published, or it is not asked for.
    with_horizon : bool
        Whether it is asked for.
    """

    found: Found
    year: Version
    horizon: Horizon | None
    horizons: str | None
    with_horizon: bool

    @property
    def versions(self) -> tuple[str, ...]:
        """Names of all that is read."""
        horizon = self.horizons if self.horizon is None else f"{self.horizon.entry.path} {self.horizon.cell}"
        return *self.found.versions, self.year.name, str(horizon)

    @property
    def data_origin(self) -> Origin:
        """`simulated` if any input is."""
        horizon = "live" if self.horizon is None else self.horizon.data_origin
        return origin_of(self.year.data_origin, self.found.stats.data_origin, horizon)

    @property
    def lon(self) -> float:
        """Longitude of the cell's centre, degrees east."""
        return self.found.centre[1]

    @property
    def horizon_method(self) -> str:
        """Return the applied horizon, or why none is, for `method`."""
        if not self.with_horizon:
            return "turned off: horizon=0"
        if self.horizon is None:
            return f"not applied: {why_none(self.horizons)}"
        entry, year = self.horizon.entry, self.horizon.dtm_year
        terrain = "" if year is None else f", terrain data of {year}"
        return f"applied: {entry.product} {entry.version} ({entry.data_origin}), tile {self.horizon.tile_key}{terrain}"


class Locations:
    """Finds locations, and makes their sun ready.

    Parameters
    ----------
    climate : Climate
    horizons : Horizons
    cpu : CpuExecutor
    """

    def __init__(self, climate: Climate, horizons: Horizons, cpu: CpuExecutor) -> None:
        self._climate, self._horizons, self._cpu = climate, horizons, cpu
        self._years: Cache[Site] = Cache(_CACHE_BYTES)

    async def find(self, lat: float, lon: float, *, horizon: bool = True, avoid: str = "") -> Location:
        """Return what answers for a position.

        Parameters
        ----------
        lat, lon : float
            Degrees north and east.
        horizon : bool
            Whether it is wanted.
        avoid : str
            Parameter with which a request is answered without a damaged horizon.

        Raises
        ------
        ApiError
            As `Climate.find`, `Climate.year` and `Horizons.at`.
        """

        def find() -> tuple[Found, Version]:
            found = self._climate.find(lat, lon)
            return found, self._climate.year(found)

        found, year = await self._climate.readers.run(find)
        if not horizon:
            return Location(found, year, None, None, with_horizon=False)
        version = self._horizons.current()
        published = None if version is None else version.name
        return Location(found, year, await self._horizons.at(lat, lon, avoid), published, with_horizon=True)

    async def year(self, location: Location) -> "Site":
        """Return the typical year of a location, read and with its sun, from the cache where it is there.

        Raises
        ------
        ApiError
            `NOT_BUILT_HERE`, `DAMAGED`.
        """
        return await self._years.get_or_make(location.versions, partial(self._make, location))

    async def _make(self, location: Location) -> "Site":
        hours = await self._climate.readers.run(partial(hours_of, location.year, location.found, _QUANTITIES))

        def site() -> "Site":
            from kernels.pv.site import site_of  # see api/core/engines.py

            horizon = None if location.horizon is None else location.horizon.elevation
            return site_of(hours, *location.found.centre, location.found.known.elevation, horizon)

        return await self._cpu.run(site)
