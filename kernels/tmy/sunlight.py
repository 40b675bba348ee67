"""The sun of an archive's hours and of a typical year, for no place in particular, and a typical year's at a place.

A typical year bears the dates of one year, and its reader takes that year's sun: so does what splits its irradiance,
whatever years the months are from. At the same date and hour the sun of two years is 0.3 degrees apart at most.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernels.atmosphere import air_mass, pressure_at, refraction
from kernels.clearsky import prepare
from kernels.compiled import compiled
from kernels.decomposition import skartveit
from kernels.sun import sun_table, vertical
from kernels.tmy.calendar import MONTH_DAYS, YEAR_HOURS, Calendar
from kernels.tmy.year_sun import SAMPLES, year_sun

_TURN = 0.14
"""More than the sine of the sun's elevation changes in half an hour anywhere, refraction included."""


@dataclass(frozen=True)
class Sky:
    """What all cells share: 5 MB for 35 years, made once per process by `sky_of`.

    Attributes
    ----------
    calendar : Calendar
    direction : float32 (3, n_hours)
        To the sun in the middle of the archive's hours, see `kernels.sun.SunTable`.
    e0 : float32 (n_hours,)
        Extraterrestrial normal irradiance, W/m2.
    """

    calendar: Calendar
    direction: NDArray[np.float32]
    e0: NDArray[np.float32]


@dataclass(frozen=True)
class Sunlight:
    """The sun of the placeholder year as one place sees it, five arrays of its hours.

    Attributes
    ----------
    sine, elevation : float64 (8760,)
        Sine of the apparent elevation, and degrees: in the middle of the hour, or where the sun rises or sets the
        mean over the sunlit samples. Sine 0 where it is down all the hour.
    masses : float64 (8760,)
        Relative air mass of that elevation; 1 where the sun is down.
    e0 : float64 (8760,)
        Extraterrestrial normal irradiance times the sunlit part of the hour, W/m2.
    pressure : float
        Of the place, Pa.
    """

    sine: NDArray[np.float64]
    elevation: NDArray[np.float64]
    masses: NDArray[np.float64]
    e0: NDArray[np.float64]
    pressure: float


def sky_of(calendar: Calendar) -> Sky:
    """Place the sun in all hours of an archive."""
    archive = sun_table(calendar.unix + 1800)
    return Sky(
        calendar,
        np.ascontiguousarray(archive.direction.T, dtype=np.float32),
        archive.e0.astype(np.float32),
    )


def sunlight_at(lat: float, lon: float, altitude: float) -> Sunlight:
    """Show the placeholder year's sun to a place.

    Parameters
    ----------
    lat, lon : float
        Degrees.
    altitude : float
        m above sea level.
    """
    year, (sine, elevation, masses, lit) = year_sun(), np.empty((4, YEAR_HOURS))
    pressure = float(pressure_at(float(altitude)))
    _show(year.middles, year.samples, vertical(lat, lon), pressure, sine, elevation, masses, lit)
    return Sunlight(sine, elevation, masses, lit * year.e0, pressure)


def clear_year(sunlight: Sunlight, altitude: float, linke_turbidity: ArrayLike) -> NDArray[np.float32]:
    """Give the clear-sky global irradiance of a typical year's hours at a place.

    Parameters
    ----------
    sunlight : Sunlight
        From `sunlight_at`.
    altitude : float
        m above sea level.
    linke_turbidity : (12,)
        Of the months.

    Returns
    -------
    float32 (8760,)
        W/m2. It is for a bound: from one moment of the hour, of a typical year's sun, with a step from month to
        month; within 10 W/m2 of `kernels.clearsky.hours_at` for one and the same turbidity.

    Notes
    -----
    Source: Ineichen & Perez, see `kernels.clearsky`.
    """
    if np.shape(linke_turbidity) != (12,):
        msg = f"Linke turbidity is needed for twelve months, not of shape {np.shape(linke_turbidity)}"
        raise ValueError(msg)
    months = prepare(np.full(12, 60.0), np.full(12, 10.0), float(altitude), linke_turbidity)
    gain, extinction = (np.repeat(a, 24 * np.array(MONTH_DAYS)) for a in (months.gain, months.extinction))
    clear = gain * sunlight.e0 * sunlight.sine * np.exp(-extinction * sunlight.masses)
    return np.asarray(clear, np.float32)


def clear_sky_year(lat: float, lon: float, altitude: float, linke_turbidity: ArrayLike) -> NDArray[np.float64]:
    """Give ghi, dni and dhi of a cloudless typical year, for places where no typical year is known.

    Parameters
    ----------
    lat, lon : float
        Degrees.
    altitude : float
        m above sea level.
    linke_turbidity : (12,)
        Of the months.

    Returns
    -------
    float64 (3, 8760)
        Means over the hours of the placeholder year, hour-start UTC, W/m2.

    Notes
    -----
    Sources: `clear_year`, and for the split `kernels.decomposition.skartveit`, as of the typical years themselves.
    """
    sunlight = sunlight_at(lat, lon, altitude)
    ghi = clear_year(sunlight, altitude, linke_turbidity).astype(np.float64)
    sun = sunlight.sine, sunlight.elevation, sunlight.masses
    return np.stack([ghi, *skartveit(ghi, sun, sunlight.e0, sunlight.pressure)])


@compiled()
def _show(middles, samples, up, pressure, sine, elevation, masses, lit):  # type: ignore[no-untyped-def]
    for i in range(sine.size):
        middle = up[0] * middles[i, 0] + up[1] * middles[i, 1] + up[2] * middles[i, 2]
        sine[i], elevation[i], masses[i], lit[i] = 0.0, 0.0, 1.0, 0.0
        if middle < -_TURN:
            continue
        seen, total = SAMPLES, 0.0
        if middle < _TURN:
            seen = 0
            for j in range(SAMPLES):
                s = up[0] * samples[i, j, 0] + up[1] * samples[i, j, 1] + up[2] * samples[i, j, 2]
                true = math.degrees(math.asin(s))
                apparent = true + refraction(true, pressure)
                if apparent > 0.0:
                    seen += 1
                    total += math.sin(math.radians(apparent))
        if seen == SAMPLES:
            true = math.degrees(math.asin(min(middle, 1.0)))
            elevation[i] = true + refraction(true, pressure)
            sine[i] = math.sin(math.radians(elevation[i]))
        elif seen > 0:
            sine[i] = total / seen
            elevation[i] = math.degrees(math.asin(sine[i]))
        else:
            continue
        lit[i] = seen / SAMPLES
        masses[i] = air_mass(elevation[i])
