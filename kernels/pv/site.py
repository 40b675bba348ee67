"""What all planes of a place share in a typical year: the sun of the lit hours, the land before it, and the air."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import accumulate

import numpy as np
from numba import types
from numpy.typing import ArrayLike, NDArray

from kernels.atmosphere import SEA_LEVEL, pressure_at
from kernels.compiled import ROW, ROWS, VECTOR, WHOLE, compiled
from kernels.module import MODULE_HEIGHT
from kernels.production import profile_of
from kernels.pv.daylight import Daylight, daylight
from kernels.pv.sky_view import Skyline, skyline_of
from kernels.pv.spectrum import FIRST_SOLAR, precipitable_water, spectral_factor
from kernels.sizes import require_size
from kernels.tmy.calendar import MONTH_DAYS, YEAR_HOURS
from kernels.tmy.year_sun import year_sun

QUANTITIES = ("ghi", "dni", "dhi", "temp_air", "rel_hum", "wind_speed")

_MONTHS = np.array([0, *accumulate(24 * days for days in MONTH_DAYS)])


@dataclass(frozen=True, eq=False)
class Site:
    """A place in the n hours of its typical year that have light; float64.

    Attributes
    ----------
    hours : int64 (n,)
        Which of the 8760, counted from 1 January 00 UTC.
    months : int64 (13,)
        Where each month begins among the hours, and where the last one ends.
    daylight : Daylight
    skyline : Skyline
        Of the horizon; empty where there is none.
    irradiance : (3, n)
        ghi, dni, dhi, W/m2.
    e0 : (n,)
        Extraterrestrial normal irradiance, W/m2.
    absolute : (n,)
        Air mass, corrected for pressure.
    air : (2, n)
        In the middle of the hour: temperature, degrees C, and wind where modules stand, m/s.
    water : (n,)
        Precipitable water, cm.
    ghi_kwh_m2 : float
        Sum of ghi, kWh/m2.
    """

    hours: NDArray[np.int64]
    months: NDArray[np.int64]
    daylight: Daylight
    skyline: Skyline
    irradiance: NDArray[np.float64]
    e0: NDArray[np.float64]
    absolute: NDArray[np.float64]
    air: NDArray[np.float64]
    water: NDArray[np.float64]
    ghi_kwh_m2: float

    @property
    def has_horizon(self) -> bool:
        """Return whether land lies before the place."""
        return self.skyline.zenith.size > 0

    def has_light(self, month: int, day: int) -> bool:
        """Return whether a day of the calendar has an hour with light; 29 February is taken for the 28th."""
        first = int(_MONTHS[month - 1]) + 24 * (min(day, MONTH_DAYS[month - 1]) - 1)
        begins, ends = np.searchsorted(self.hours, (first, first + 24))
        return bool(begins < ends)

    @cached_property
    def _spectra(self) -> dict[str, NDArray[np.float64]]:
        return {}

    def spectrum(self, technology: str) -> NDArray[np.float64]:
        """Return First Solar's factor of a technology, (n,)."""
        if technology not in self._spectra:
            self._spectra[technology] = spectral_factor(technology, self.absolute, self.water)
        return self._spectra[technology]

    @property
    def nbytes(self) -> int:
        """Bytes of all its arrays."""
        daylight = (getattr(self.daylight, field.name) for field in fields(Daylight))
        own = (self.hours, self.months, self.irradiance, self.e0, self.absolute, self.air, self.water)
        spectra = len(FIRST_SOLAR) * self.water.nbytes
        return int(spectra + sum(array.nbytes for array in (*daylight, *self.skyline, *own)))


def site_of(
    hours: Mapping[str, ArrayLike], lat: float, lon: float, altitude: float, horizon: ArrayLike | None = None
) -> Site:
    """Prepare a place.

    Parameters
    ----------
    hours : mapping of str to (8760,)
        Of the placeholder year in UTC: `ghi`, `dni`, `dhi`, means over the hour, W/m2; and at its beginning `temp_air`,
        degrees C, `rel_hum`, per cent, and `wind_speed` at 10 m, m/s.
    lat, lon : float
        Degrees, north of 45: of the place whose sun split the irradiance.
    altitude : float
        m above sea level.
    horizon : (720,), optional
        Elevation of the land, degrees, by azimuth 0, 0.5 .. 359.5 clockwise from TRUE north.

    Raises
    ------
    ValueError
        Sizes do not agree, or a number is none.
    """
    year = [np.ascontiguousarray(hours[name], np.float64) for name in QUANTITIES]
    require_size(YEAR_HOURS, **dict(zip(QUANTITIES, year, strict=True)))
    for name, values in zip(QUANTITIES, year, strict=True):
        if not np.isfinite(values.sum()):
            msg = f"{name} has hours without a number"
            raise ValueError(msg)
    land = profile_of(horizon)
    if not np.isfinite(land).all():
        raise ValueError("the horizon has azimuths without a number")
    with_light = np.flatnonzero((year[0] > 0.0) | (year[1] > 0.0) | (year[2] > 0.0))
    irradiance, air, rel_hum, e0 = np.split(np.empty((7, with_light.size)), (3, 5, 6))
    _pick(with_light, tuple(year), year_sun().e0, irradiance, air, rel_hum[0], e0[0])
    pressure = float(pressure_at(float(altitude)))
    light = daylight(with_light, lat, lon, pressure, land)
    return Site(
        hours=with_light,
        months=np.searchsorted(with_light, _MONTHS),
        daylight=light,
        skyline=skyline_of(land),
        irradiance=irradiance,
        e0=e0[0],
        absolute=light.masses * (pressure / SEA_LEVEL),
        air=air,
        water=precipitable_water(air[0], rel_hum[0]),
        ghi_kwh_m2=float(year[0].sum()) / 1000,
    )


@compiled(WHOLE, types.UniTuple(VECTOR, 6), VECTOR, ROWS, ROWS, ROW, ROW)
def _pick(hours, year, year_e0, irradiance, air, rel_hum, e0):  # type: ignore[no-untyped-def]
    ghi, dni, dhi, temp_air, humidity, wind_speed = year
    for k in range(hours.size):
        i = hours[k]
        # From instants to the middle of the hour; the year runs in a ring.
        after = i + 1 if i + 1 < ghi.size else 0
        irradiance[0, k], irradiance[1, k], irradiance[2, k], e0[k] = ghi[i], dni[i], dhi[i], year_e0[i]
        air[0, k] = (temp_air[i] + temp_air[after]) / 2.0
        air[1, k] = MODULE_HEIGHT * max((wind_speed[i] + wind_speed[after]) / 2.0, 0.0)
        rel_hum[k] = (humidity[i] + humidity[after]) / 2.0
