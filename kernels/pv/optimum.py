"""At which angle a plane gives most in the year."""

import math
from collections.abc import Callable

import numpy as np
from numba import types

from kernels.compiled import TABLE, WHOLE, compiled
from kernels.pv.light import Light
from kernels.pv.plane import DC, plane_into
from kernels.pv.plant import MODULE, SKY, System, parts_of
from kernels.pv.site import Site

_TILTS = tuple(range(0, 91, 15))
_AZIMUTHS = tuple(range(0, 360, 30))
_TILTS_ALONE = tuple(range(0, 91, 5))
_BEGINNINGS = 2
_FINEST_DEG = 0.05
_SOUTH = 180.0
_FLAT = 0.0, _SOUTH

Energy = Callable[[float, float], float]


def optimum(site: Site, light: Light, kwp: float, system: System, azimuth: float | None = None) -> tuple[float, float]:
    """Find the plane that gives most.

    Parameters
    ----------
    site : Site
        With its horizon, where it has one.
    light : Light
        Of the same place.
    kwp : float
        Rated power, kW, > 0.
    system : System
    azimuth : float, optional
        Degrees clockwise from true north; given, only the tilt is sought.

    Returns
    -------
    tilt, azimuth : float
        Degrees, found to a twentieth; a level plane faces south. Of planes that give the same, as under a low limit,
        the first that was tried.

    Notes
    -----
    A grid first, since land can make two hills of the yield; from the best of it uphill, in steps that are halved
    whenever no neighbour is better.
    """
    parts = parts_of(site, light, system)
    kept = kwp * (1.0 - system.loss)
    limit = system.ac_max / kept * 1000.0 if system.ac_max is not None and kept > 0 else math.inf
    return best_plane(lambda *plane: float(_yield(*parts, plane, limit)), azimuth)


def best_plane(energy: Energy, azimuth: float | None = None, *, stepped: bool = False) -> tuple[float, float]:
    """Find the plane for which a function of tilt and azimuth is greatest; see `optimum`.

    Parameters
    ----------
    energy : callable
        Of tilt and azimuth, degrees.
    azimuth : float, optional
        Degrees clockwise from true north; given, only the tilt is sought.
    stepped : bool
        Whether the function has steps along the tilt, which can hide a better plane from the grid. Then the tilt is
        sought once more alone, for the azimuth that was found and due south.
    """
    known: dict[tuple[float, float], float] = {}

    def remembered(tilt: float, towards: float) -> float:
        plane = (tilt, towards % 360.0) if tilt > 0 else _FLAT
        if plane not in known:
            known[plane] = energy(*plane)
        return known[plane]

    turning = azimuth is None
    if azimuth is None:
        planes = [_FLAT, *((float(tilt), float(towards)) for tilt in _TILTS[1:] for towards in _AZIMUTHS)]
    else:
        planes = [(float(tilt), azimuth) for tilt in _TILTS_ALONE]
    planes.sort(key=lambda plane: -remembered(*plane))
    tops = [_uphill(remembered, plane, turning=turning) for plane in _apart(planes)]
    tilt, towards = max(tops, key=lambda plane: remembered(*plane))
    if stepped and turning:
        again = (best_plane(remembered, alone) for alone in (towards % 360.0, _SOUTH))
        tilt, towards = max((tilt, towards), *again, key=lambda plane: remembered(*plane))
    if azimuth is not None:
        return tilt, azimuth
    return (tilt, towards % 360.0) if tilt > 0 else _FLAT


def _apart(planes: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the best planes that are no neighbours on the grid."""
    chosen: list[tuple[float, float]] = []
    for tilt, azimuth in planes:
        if all(abs(tilt - t) > 15.0 or abs((azimuth - a + 180.0) % 360.0 - 180.0) > 30.0 for t, a in chosen):
            chosen.append((tilt, azimuth))
        if len(chosen) == _BEGINNINGS:
            break
    return chosen


def _uphill(energy: Energy, plane: tuple[float, float], *, turning: bool) -> tuple[float, float]:
    """Walk from a plane to better ones, as long as there are any."""
    step = 7.5
    tilt, azimuth = plane
    while step > _FINEST_DEG / 2:
        around = [(min(tilt + step, 90.0), azimuth), (max(tilt - step, 0.0), azimuth)]
        if turning:
            around += [(tilt, azimuth + 2 * step), (tilt, azimuth - 2 * step)]
        best = max(around, key=lambda one: energy(*one))
        if energy(*best) > energy(tilt, azimuth):
            tilt, azimuth = best
        else:
            step /= 2
    return tilt, azimuth


@compiled(WHOLE, SKY, TABLE, MODULE, types.UniTuple(types.float64, 2), types.float64)
def _yield(months, sky, air, module, plane, limit):  # type: ignore[no-untyped-def]
    sums = np.empty((4, 12))
    watts = np.empty(months[12] if limit < math.inf else 0)
    plane_into(months, sky, air, module, plane, sums, watts)
    if limit < math.inf:
        return np.minimum(watts, limit).sum()
    return sums[DC].sum()
