"""The orography factor c_o of EN 1991-1-4, annex A.3.

Where the standard's cases jump, these formulas do: at a slope of 0.05, below which the ground is flat (c_o = 1); at
x = -1.5 L_u before a crest, x = 2 L_d behind a hill and x = 3.5 L_e behind an escarpment, where the range of the
formula ends; and at z = 2 L_e above the ground. Everywhere else c_o is continuous, which the linear bridge behind the
edge of an escarpment (to x = 0.1 L_e) and the bound s >= 0 see to.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

FLAT = 0.05
"""Slope below which the ground counts as flat."""
STEEP = 0.3
"""Slope from which a steeper slope makes no more difference."""
AT_CREST = (0.1552, -0.8575, 1.8133, -1.9115, 1.0124)
"""Polynomial of z / L_e, the highest power first: A at a crest and behind a hill (A.5, A.12)."""
BEFORE_CREST = (0.3542, -1.0577, 2.6456)
"""B before a crest (A.6)."""
BEHIND_HILL = (-0.3056, 1.0212, -1.7637)
"""B behind a hill (A.13)."""
BEHIND_EDGE = (
    (-1.3420, -0.8222, 0.4609, -0.0791),
    (-1.0196, -0.8910, 0.5343, -0.1156),
    (0.8030, 0.4236, -0.5738, 0.1606),
)
"""Polynomials of lg(z / L_e), that at least lg 0.1: A, B and C behind an escarpment (A.8 to A.10)."""
_HIGHEST, _UPWIND, _HILL, _ESCARPMENT = 2.0, -1.5, 2.0, 3.5
BRIDGED = 0.1
"""x / L_e behind an edge up to which the factor is a straight line; lowest z / L_e of A.8 to A.10."""


class Orography(NamedTuple):
    """The factor, and what it is made of, as it is checked by hand; float64 (...) each.

    Parameters
    ----------
    c_o : at least 1
    phi : slope H / L_u
    l_e : effective length of the upwind slope, m
    s : location factor, 0 to 1; 0 where the slope or the place is beyond the formulas
    """

    c_o: Floats
    phi: Floats
    l_e: Floats
    s: Floats


def orography_factor(h: ArrayLike, l_u: ArrayLike, l_d: ArrayLike, x: ArrayLike, z: ArrayLike) -> Orography:
    """Return the orography factor of a hill, a ridge or an escarpment.

    Parameters
    ----------
    h : (...)
        Height of the crest above the foot of the upwind slope, m.
    l_u : (...)
        Length of the upwind slope in plan, m; above 0.
    l_d : (...)
        Length of the downwind slope in plan, m; infinite behind an escarpment.
    x : (...)
        Distance of the site from the crest in plan, m; below 0 before it.
    z : (...)
        Height above the ground at the site, m.

    Notes
    -----
    EN 1991-1-4:2005, A.3 (equations A.1 to A.13). Lengths behind a hill count in L_d, behind an escarpment in L_e.
    """
    h, l_u, l_d, x, z = np.broadcast_arrays(*(np.asarray(one, np.float64) for one in (h, l_u, l_d, x, z)))
    phi = h / l_u
    l_e = np.where(phi > STEEP, h / STEEP, l_u)
    with np.errstate(divide="ignore", invalid="ignore"):
        a = z / l_e
        behind = np.where(np.isinf(l_d), _behind_escarpment(a, x / l_e), _behind_hill(a, x / l_d))
        s = np.where(x <= 0, _before_crest(a, x / l_u), behind)
    counts = (phi >= FLAT) & (a >= 0) & (a <= _HIGHEST)
    s = np.where(counts, np.maximum(s, 0.0), 0.0)
    c_o = 1 + np.where(phi > STEEP, 0.6, 2 * phi) * s
    return Orography(np.where(phi < FLAT, 1.0, c_o), phi, l_e, s)


def _before_crest(a: Floats, along: Floats) -> Floats:
    rise = np.polyval(BEFORE_CREST, a)
    return np.where(along >= _UPWIND, np.polyval(AT_CREST, a) * np.exp(rise * np.minimum(along, 0.0)), 0.0)


def _behind_hill(a: Floats, along: Floats) -> Floats:
    fall = np.polyval(BEHIND_HILL, a)
    return np.where(along <= _HILL, np.polyval(AT_CREST, a) * np.exp(fall * np.maximum(along, 0.0)), 0.0)


def _behind_escarpment(a: Floats, along: Floats) -> Floats:
    height = np.log10(np.maximum(a, BRIDGED))
    factors = [np.polyval(one, height) for one in BEHIND_EDGE]

    def beyond(distance: Floats | float) -> Floats:
        lg = np.log10(np.maximum(distance, BRIDGED))
        return np.asarray(factors[0] * lg**2 + factors[1] * lg + factors[2])

    # not below 0 where the bridge ends, or it would not meet what is bounded there
    end = np.maximum(beyond(BRIDGED), 0.0)
    share = np.clip(along / BRIDGED, 0.0, 1.0)
    near = np.maximum(np.polyval(AT_CREST, a), 0.0) * (1 - share) + end * share
    return np.where(along > _ESCARPMENT, 0.0, np.where(along < BRIDGED, near, beyond(along)))


def must_count(h: ArrayLike, l_u: ArrayLike, l_d: ArrayLike, x: ArrayLike) -> NDArray[np.bool_]:
    """Return whether A.3(3) asks for the factor: whether the site is near enough to the crest.

    Parameters are those of `orography_factor`. Where it does not ask for it, the factor may be left out. Before a crest
    the text names slopes up to 0.3 only; steeper ones count here too, as the factor does not fall there.
    """
    h, l_u, l_d, x = np.broadcast_arrays(*(np.asarray(one, np.float64) for one in (h, l_u, l_d, x)))
    phi, steep = h / l_u, h / l_u >= STEEP
    before = np.abs(x) <= l_u / 2
    hill = x < np.where(steep, 1.6 * h, l_d / 2)
    escarpment = x < np.where(steep, 5 * h, 1.5 * l_u)  # L_e is L_u where it is not steep
    found: NDArray[np.bool_] = (phi > FLAT) & np.where(x <= 0, before, np.where(np.isinf(l_d), escarpment, hill))
    return found
