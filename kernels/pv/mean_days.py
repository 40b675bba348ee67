"""The mean day of each month on a plane, hour by hour, in a typical year."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from kernels.compiled import ROWS, WHOLE, compiled
from kernels.pv.light import Light
from kernels.pv.plane import geometry_of, shine_into
from kernels.pv.plant import SKY, sky_of
from kernels.pv.site import Site
from kernels.tmy.calendar import MONTH_DAYS

_DAYS = np.array(MONTH_DAYS, np.float64)


def mean_days(site: Site, light: Light, tilt: float, azimuth: float, *, shaded: bool = True) -> NDArray[np.float64]:
    """Give the mean irradiance on a plane by month and hour of the day.

    Parameters
    ----------
    site : Site
    light : Light
        Of the same place.
    tilt : float
        Degrees from level, 0..90.
    azimuth : float
        That the plane faces, degrees clockwise from TRUE north.
    shaded : bool
        Whether the site's horizon counts.

    Returns
    -------
    float64 (12, 24)
        W/m2, over the hour that begins then (UTC). A row's sum, times the days of the month, is what
        `kernels.pv.plant.produced` gives as the month's `poa`.

    Raises
    ------
    ValueError
        The light is of another place.
    """
    means = np.empty((12, 24))
    sky = sky_of(site, light, shaded=shaded)
    _average(site.hours, site.months, sky, (float(tilt), float(azimuth)), means)
    return means / _DAYS[:, None]


@compiled(WHOLE, WHOLE, SKY, types.UniTuple(types.float64, 2), ROWS)
def _average(hours, months, sky, plane, sums):  # type: ignore[no-untyped-def]
    parts, sun, seen, skyline = sky
    geometry = geometry_of(plane, skyline)
    on_plane, through = np.empty((2, hours.size))
    shine_into(parts, sun, seen, geometry, on_plane, through)
    sums[:] = 0.0
    for month in range(12):
        for i in range(months[month], months[month + 1]):
            sums[month, hours[i] % 24] += on_plane[i]
