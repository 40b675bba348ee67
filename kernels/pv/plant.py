"""A plant through a typical year: its planes, the losses of its system, and the limit of its inverter."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import ArrayLike, NDArray

from kernels.compiled import ROWS, TABLE, VECTOR, WHOLE, compiled
from kernels.module import FAIMAN, HULD
from kernels.production import planes_of
from kernels.pv.light import Light, two_skies
from kernels.pv.plane import DC, plane_into
from kernels.pv.site import Site
from kernels.pv.sky_view import OPEN

EDITION = "pvgis5"
"""Edition of Huld's coefficients: so that results can be laid beside those of PVGIS."""

_NO_LIMIT = 0.0

Floats = NDArray[np.float64]


class System(NamedTuple):
    """What a plant is made of.

    Parameters
    ----------
    technology : {"crystSi", "CIS", "CdTe"}
    mounting : {"free", "building"}
    loss : float
        Part of the modules' energy that the system loses, 0..1.
    ac_max : float or None
        What all planes together can give at most, kW; > 0.
    """

    technology: str = "crystSi"
    mounting: str = "free"
    loss: float = 0.14
    ac_max: float | None = None


@dataclass(frozen=True)
class Produced:
    """What m planes get and give by month.

    Attributes
    ----------
    poa, effective, usable : float64 (m, 12)
        On the plane; through the glass; and corrected for the spectrum; kWh/m2.
    dc, ac, out : float64 (m, 12)
        From the modules; after the system's losses; and after the limit, which is divided among the planes by their
        power in the hour; kWh.
    """

    poa: Floats
    effective: Floats
    usable: Floats
    dc: Floats
    ac: Floats
    out: Floats


def produced(site: Site, light: Light, planes: ArrayLike, system: System, *, shaded: bool = True) -> Produced:
    """Give what planes produce at a place.

    Parameters
    ----------
    site : Site
    light : Light
        Of the same place.
    planes : (m, 3)
        Of each the tilt, degrees from level (0..90); the azimuth it faces, degrees clockwise from TRUE north; and the
        rated power, kW, > 0.
    system : System
    shaded : bool
        Whether the site's horizon counts.

    Raises
    ------
    ValueError
        Sizes do not agree.

    Notes
    -----
    Sources: `light_of`, `kernels.incidence`, `kernels.pv.spectrum`, `kernels.module` (Huld with the coefficients of
    PVGIS 5), albedo 0.2. Land takes the beam and what is around the sun for the time that the sun is hidden, the part
    of the even sky that it covers, and the band along the horizon where it is higher than 5 degrees; the ground's light
    stays.
    """
    planes = planes_of(planes)
    months, sky, air, module = parts_of(site, light, system, shaded=shaded)
    sums, ac, out = np.empty((len(planes), 4, 12)), np.empty((len(planes), 12)), np.empty((len(planes), 12))
    limit = _NO_LIMIT if system.ac_max is None else float(system.ac_max)
    _produce(months, sky, air, module, planes, (1.0 - system.loss, limit), sums, ac, out)
    poa, effective, usable, dc = (sums[:, row] for row in range(4))
    return Produced(poa, effective, usable, dc, ac, out)


def hidden_kwh(site: Site, light: Light, planes: ArrayLike, system: System) -> float:
    """Give by how much more a limit would take in the year, at most, if hours did not hide shorter peaks.

    Parameters
    ----------
    site, light, planes, system
        As `produced` takes them, with the horizon.

    Returns
    -------
    float
        kWh, from 0 to all that is left by the limit; 0 without one.

    Notes
    -----
    Of all hours with the same energy, a limit takes most of one whose sky is either as clear as can be, with the
    diffuse irradiance of the hour, or without any beam (`kernels.pv.light.two_skies`); a sun that the land hides for a
    part of the hour shines in the rest. The power under the two skies is scaled so that the hour's energy is kept.
    """
    if system.ac_max is None:
        return 0.0
    planes = planes_of(planes)
    months, (mean, sun, seen, skyline), air, module = parts_of(site, light, system)
    share, clear, dull = two_skies(site, light)
    shines = sun, (seen > 0.0).astype(np.float64), skyline
    skies = (mean, sun, seen, skyline), (clear, *shines), (dull, sun, seen, skyline)
    limit = 1.0 - system.loss, float(system.ac_max)
    hidden: float = _hide(months, skies, air, module, planes, limit, share * seen)
    return hidden


class Parts(NamedTuple):
    """What the loops of this room take of a place and a system: see `kernels.pv.plane.plane_into`."""

    months: NDArray[np.int64]
    sky: tuple[Floats, Floats, Floats, tuple[Floats, ...]]
    air: Floats
    module: tuple[Floats, tuple[float, ...], tuple[float, ...]]


def parts_of(site: Site, light: Light, system: System, *, shaded: bool = True) -> Parts:
    """Give what the loops take."""
    faiman, huld = FAIMAN[system.mounting][system.technology], HULD[EDITION][system.technology]
    sky = sky_of(site, light, shaded=shaded)
    return Parts(site.months, sky, site.air, (site.spectrum(system.technology), faiman, huld))


def sky_of(site: Site, light: Light, *, shaded: bool) -> tuple[Floats, Floats, Floats, tuple[Floats, ...]]:
    """Give what shines, as `Parts` has it; refuse the light of another place."""
    if light.dni.size != site.e0.size:
        msg = f"the light is of {light.dni.size} hours, the place of {site.e0.size}"
        raise ValueError(msg)
    day = site.daylight
    sun, seen, skyline = (day.free, day.seen, site.skyline) if shaded else (day.sun, np.ones_like(day.seen), OPEN)
    # A plain tuple: numba takes no array that may be written to as one to be read, inside a named one.
    return light.parts, sun, seen, tuple(skyline)


SKY = types.Tuple((TABLE, TABLE, VECTOR, types.Tuple((VECTOR, TABLE, VECTOR))))
MODULE = types.Tuple((VECTOR, types.UniTuple(types.float64, 2), types.UniTuple(types.float64, 6)))
"""numba's types of `Parts`."""


@compiled(
    *(WHOLE, SKY, TABLE, MODULE, TABLE, types.UniTuple(types.float64, 2)),
    *(types.Array(types.float64, 3, "C"), ROWS, ROWS),
)
def _produce(months, sky, air, module, planes, system, sums, ac, out):  # type: ignore[no-untyped-def]
    kept, limit = system
    count = len(planes)
    watts = np.empty((count, months[12] if limit > 0.0 else 0))
    for p in range(count):
        plane_into(months, sky, air, module, (planes[p, 0], planes[p, 1]), sums[p], watts[p])
        for month in range(12):
            for row in range(4):
                sums[p, row, month] /= 1000.0
            sums[p, DC, month] *= planes[p, 2]
            ac[p, month] = out[p, month] = kept * sums[p, DC, month]
    if limit <= 0.0:
        return
    for month in range(12):
        out[:, month] = 0.0
        for i in range(months[month], months[month + 1]):
            total = 0.0
            for p in range(count):
                watts[p, i] *= kept * planes[p, 2] / 1000.0
                total += watts[p, i]
            left = limit / total if total > limit else 1.0
            for p in range(count):
                out[p, month] += left * watts[p, i]


@compiled(WHOLE, types.UniTuple(SKY, 3), TABLE, MODULE, TABLE, types.UniTuple(types.float64, 2), VECTOR)
def _hide(months, skies, air, module, planes, system, share):  # type: ignore[no-untyped-def]
    kept, limit = system
    sums, watts, totals = np.empty((4, 12)), np.empty(share.size), np.zeros((3, share.size))
    for s in range(3):
        for p in range(len(planes)):
            plane_into(months, skies[s], air, module, (planes[p, 0], planes[p, 1]), sums, watts)
            totals[s] += kept * planes[p, 2] / 1000.0 * watts
    hidden = 0.0
    for i in range(share.size):
        mean, clear, dull = totals[0, i], totals[1, i], totals[2, i]
        both = share[i] * clear + (1.0 - share[i]) * dull
        if both > 0.0:
            scale = mean / both
            left = share[i] * min(scale * clear, limit) + (1.0 - share[i]) * min(scale * dull, limit)
            hidden += min(mean, limit) - left
    return max(hidden, 0.0)
