"""Clear-sky production with the clear sky's own beam, for judging when and how much a plant produces on its best days.

The engine of forecasts splits GHI by Erbs, whose beam under a low clear sun is too weak: the middle of a day's energy
of planes to the east or west then differs by up to half an hour. `output.clear_sky_watts` is that engine.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernels.atmosphere import air_mass
from kernels.clearsky import HOUR_SECONDS, hours_at
from kernels.hourly import at_moments
from kernels.module import linear, simple_temperature
from kernels.plants.output import TEMP_COEFF, typical_temperature
from kernels.position import axes_at, towards
from kernels.production import ALBEDO, planes_of
from kernels.sun import sun_table

_SOLAR_CONSTANT = 1366.1
_LOWEST_SINE = 0.02


def clear_plane_watts(
    lat: float,
    lon: float,
    altitude: float,
    turbidity: ArrayLike,
    planes: ArrayLike,
    performance_ratio: float,
    hour_starts: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return what planes produce under a clear sky, mean W over each hour, float64 (n,), of all planes together.

    Parameters
    ----------
    lat, lon, altitude, turbidity, planes, performance_ratio, hour_starts
        As `kernels.plants.output.clear_sky_watts` takes them.

    Notes
    -----
    Beam: Ineichen & Perez 2002, b I0 exp(-0.09 AM (TL - 1)); transposition: Hay & Davies 1980. No horizon, no snow.
    """
    starts = np.asarray(hour_starts, np.int64)
    sun = sun_table(starts + HOUR_SECONDS // 2)
    east, north, up = towards(*sun.direction.T, axes_at(lat, lon))
    lit = np.flatnonzero(up > -0.17)
    out = np.zeros(starts.size)
    if not lit.size:
        return out
    haze = at_moments(turbidity, starts[lit])
    ghi = hours_at(lat, lon, altitude, haze, starts[lit])
    sine = np.maximum(up[lit], _LOWEST_SINE)
    extra = _SOLAR_CONSTANT * sun.e0[lit]
    b = 0.664 + 0.163 / np.exp(-altitude / 8000)
    masses = air_mass(np.rad2deg(np.arcsin(sine))) * np.exp(-altitude / 8000)
    dni = np.minimum(b * extra * np.exp(-0.09 * masses * (haze - 1)), 0.95 * ghi / sine)
    dni = np.where(up[lit] > 0, np.maximum(dni, 0), 0)
    dhi = np.maximum(ghi - dni * sine, 0)
    share = dni / extra
    temps = typical_temperature(lat, altitude, starts[lit])
    for tilt, azimuth, kwp in planes_of(planes):
        slope, facing = np.deg2rad(tilt), np.deg2rad(azimuth)
        level = np.cos(slope)
        cosine = np.maximum(
            np.sin(slope) * (np.sin(facing) * east[lit] + np.cos(facing) * north[lit]) + level * up[lit], 0
        )
        sky = dhi * (share * cosine / sine + (1 - share) * (1 + level) / 2)
        plane = dni * cosine + sky + ghi * ALBEDO * (1 - level) / 2
        out[lit] += kwp * performance_ratio * linear(plane, simple_temperature(plane, temps), TEMP_COEFF)
    return out
