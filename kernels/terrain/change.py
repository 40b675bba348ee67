"""A change of terrain category upwind of a site, and the wind behind it. UNVERIFIED: not read in the national annex."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.terrain.roughness import BIN_M, Around, commonest_of
from kernels.terrain.wind import peak_pressure, wind_at

LASTING_M = 500
"""Shorter stretches of another category are no change."""


class Change(NamedTuple):
    """A change of category outward.

    Parameters
    ----------
    upwind, site : int
        Categories beyond the change, and from there to the site: indices into `wind.CATEGORIES`.
    km : float
        From the site to the change, above 0 and at most 10.
    """

    upwind: int
    site: int
    km: float


class ChangedWind(NamedTuple):
    """Wind behind a change: the factor c_S, and as in `wind.Wind`."""

    c_s: float
    v_m: float
    i_v: float
    q_p: float


def nearest_change(land: Around, sector: int) -> Change | None:
    """Return the change from the commonest category of the nearest kilometre to that of most of what lies beyond.

    Beyond begins where another category is the commonest for at least `LASTING_M`; the change is where that of most of
    it begins to be, for so long. None if nowhere, where that is the same, or where nothing is known near the site.
    """
    own = Around(*(one[..., [sector], :] for one in land))
    commonest = commonest_of(own.shares[:, 0])
    site = int(commonest_of(own.within(0, 1000).shares[:, 0]))
    if site < 0:
        return None
    if (beyond := _lasts((commonest != site) & (commonest >= 0))) is None:
        return None
    area = np.where(commonest >= 0, np.arange(len(commonest)), 0)[beyond:]
    upwind = int(np.bincount(np.maximum(commonest[beyond:], 0), weights=area).argmax())
    begins = _lasts(commonest == upwind)
    return None if upwind == site or begins is None else Change(upwind, site, begins * BIN_M / 1000)


def _lasts(flags: NDArray[np.bool_]) -> int | None:
    """Return the first bin, but that of the site, from which flags hold for `LASTING_M`."""
    lasting = round(LASTING_M / BIN_M)
    return next((i for i in range(1, len(flags) - lasting + 1) if flags[i : i + lasting].all()), None)


def wind_behind(change: Change, v_b: float, z: float, c_o: float = 1.0) -> ChangedWind:
    """Return the wind behind a change, as one public program has it.

    Parameters
    ----------
    change : Change
    v_b : float
        Basic wind velocity, m/s.
    z : float
        Height above the ground, m.
    c_o : float
        Orography factor.

    Notes
    -----
    Ascribed to NA.4.3.2(2): c_S = 10^(-0.04 n lg(x/10)) where the site is rougher by n categories, and 2 minus that
    where it is smoother.
    """
    far, near = (wind_at(v_b, category, z, c_o) for category in (change.upwind, change.site))
    steps, share = abs(change.site - change.upwind), change.km / 10
    power = float(10 ** (-0.04 * steps * np.log10(share)))
    if change.site >= change.upwind:
        c_s = power
        v_m = min(c_s * float(near.v_m), float(far.v_m))
    else:
        c_s = 2 - power
        v_m = max(c_s * float(near.v_m), float(far.v_m))
    spread = float(far.i_v * far.v_m) * (1 - share) + float(near.i_v * near.v_m) * share
    return ChangedWind(c_s, v_m, spread / v_m, float(peak_pressure(v_m, spread / v_m)))
