"""The irradiance of a typical year, made brighter or darker as a whole, and divided as planes take it."""

from dataclasses import dataclass

import numpy as np
from numba import types
from numba.extending import register_jitable
from numpy.typing import ArrayLike, NDArray

from kernels.compiled import ROW, ROWS, TABLE, VECTOR, compiled
from kernels.decomposition import strongest_beam
from kernels.production import ALBEDO
from kernels.pv.site import Site
from kernels.tmy.scaling import scale_into
from kernels.transposition import perez_into


@dataclass(frozen=True, eq=False)
class Light:
    """What shines on a place in the n hours of its `Site`, W/m2.

    Attributes
    ----------
    parts : float64 (4, n)
        Beam and circumsolar together, on a plane facing the sun; the isotropic rest of the sky on a level plane; the
        band along the horizon, on an upright one; ghi for the ground, see `ground`. As
        `kernels.transposition` has them, without land.
    dni, dhi : float64 (n,)
        Beam and diffuse irradiance that they are made of.
    ground : float64 (n,)
        What `parts` has of ghi for the ground, as a part of it: its albedo over the ALBEDO of `kernels.production`.
    """

    parts: NDArray[np.float64]
    dni: NDArray[np.float64]
    dhi: NDArray[np.float64]
    ground: NDArray[np.float64]

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return self.parts.nbytes + self.dni.nbytes + self.dhi.nbytes + self.ground.nbytes


def light_of(site: Site, factor: float = 1.0, albedo: ArrayLike = ALBEDO) -> Light:
    """Divide a place's irradiance.

    Parameters
    ----------
    site : Site
    factor : float
        What ghi, dni and dhi are multiplied by, as in `kernels.tmy.scaling.scaled`; > 0.
    albedo : float or (12,)
        Of the ground, in each month.

    Raises
    ------
    ValueError
        The factor is none, or an albedo is not within 0 to 1.

    Notes
    -----
    Source: Perez et al. 1990, see `kernels.transposition.perez_into`. In an hour of sunrise or sunset the sky's
    brightness is that of the lit part.
    """
    if not 0 < factor < np.inf:
        msg = f"a factor must be positive and finite, not {factor}"
        raise ValueError(msg)
    by_month = np.broadcast_to(np.asarray(albedo, np.float64), 12)
    if not ((by_month >= 0) & (by_month <= 1)).all():
        msg = f"an albedo must lie between 0 and 1, not {albedo!r}"
        raise ValueError(msg)
    n = site.e0.size
    parts, year = np.empty((4, n)), np.empty((3, n))
    _divide(site.irradiance, float(factor), site.e0, *_sun(site), parts, year)
    ground = np.repeat(by_month / ALBEDO, np.diff(site.months))
    parts[3] *= ground
    return Light(parts, year[1], year[2], ground)


def two_skies(site: Site, light: Light) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Take each hour apart into one sky with the strongest beam that clear air lets through, and one without any.

    Parameters
    ----------
    site : Site
    light : Light
        Of the same place.

    Returns
    -------
    share : float64 (n,)
        Of the lit time that the first of them takes, so that the hour's mean beam is as it is; 0..1.
    clear, dull : float64 (4, n)
        Parts of either sky, as of `Light`; the diffuse irradiance is the same in both.
    """
    share, clear, dull = np.empty(site.e0.size), np.empty_like(light.parts), np.empty_like(light.parts)
    _take_apart(light.dni, light.dhi, site.e0, site.absolute, *_sun(site), share, clear, dull)
    for parts in (clear, dull):
        parts[3] *= light.ground
    return share, clear, dull


def _sun(site: Site) -> tuple[NDArray[np.float64], tuple[NDArray[np.float64], ...]]:
    """Give the lit part of the hours, and the sun as `kernels.transposition.perez_into` takes it."""
    day = site.daylight
    return day.lit, (day.sun[2], day.elevation, day.masses)


_SUN = (VECTOR, types.UniTuple(VECTOR, 3))


@register_jitable
def _divide_into(ghi, dni, dhi, e0, sun, parts):  # type: ignore[no-untyped-def]
    perez_into(dni, dhi, sun, e0, parts[0], parts[1], parts[2])
    for i in range(dni.size):
        parts[0, i] += dni[i]
        parts[3, i] = ghi[i]


@compiled(TABLE, types.float64, VECTOR, *_SUN, ROWS, ROWS)
def _divide(irradiance, factor, e0, lit, sun, parts, year):  # type: ignore[no-untyped-def]
    scale_into(irradiance[0], irradiance[1], irradiance[2], factor, e0, year)
    _divide_into(year[0], year[1], year[2], e0 * lit, sun, parts)


@compiled(VECTOR, VECTOR, VECTOR, VECTOR, *_SUN, ROW, ROWS, ROWS)
def _take_apart(dni, dhi, e0, absolute, lit, sun, share, clear, dull):  # type: ignore[no-untyped-def]
    none, strong, ghi = np.zeros((3, dni.size))
    for i in range(dni.size):
        share[i] = 0.0
        if dni[i] > 0.0:
            strong[i] = max(strongest_beam(e0[i] * lit[i], absolute[i]), dni[i])
            share[i] = dni[i] / strong[i]
        ghi[i] = dhi[i] + strong[i] * sun[0][i]
    _divide_into(ghi, strong, dhi, e0 * lit, sun, clear)
    _divide_into(dhi, none, dhi, e0 * lit, sun, dull)
