"""A horizon as every file and picture takes it, whatever it was made from."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

N = 720
STEP_DEG = 0.5
AZIMUTHS: NDArray[np.float64] = np.arange(N, dtype=np.float64) * STEP_DEG
VERSION = "v3.1"
"""Of the horizon answers."""

Tier = Literal["terrain", "rooftop"]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HorizonProfile:
    """What hides the sun at a place.

    Parameters
    ----------
    tier : {"terrain", "rooftop"}
    lat, lon : float
        Where the observer stands, degrees.
    observer_z : float or None
        Height of the eye, m above the sea.
    ground_z : float or None
        Of the ground there, m above the sea.
    elevation : float64 (720,)
        Degrees by azimuth 0, 0.5 .. 359.5 clockwise from true north; below 0 where the land falls away.
    distance : float64 (720,)
        To what makes the horizon, m; NaN where nothing was seen, or it is not known.
    data_origin : {"live", "simulated"}
    dtm_year, dom_year : int or None
        Of the terrain and of the surface model.
    tile_key : str or None
        Of the terrain's tile.
    near : float64 (720,) or None
        The part of buildings and vegetation near by, degrees; None where there is none.
    sources : tuple of str
        Whom the heights are from, as they want it said.
    near_alone_m : float or None
        How far was looked, m, where nothing beyond is known; None where the far horizon is in it.
    ends : str
        In how many directions the terrain's data end before its reach; empty where there is nothing to say.
    """

    tier: Tier
    lat: float
    lon: float
    observer_z: float | None
    ground_z: float | None
    elevation: Floats
    distance: Floats
    data_origin: str
    dtm_year: int | None = None
    dom_year: int | None = None
    tile_key: str | None = None
    near: Floats | None = None
    sources: tuple[str, ...] = ()
    near_alone_m: float | None = None
    ends: str = ""

    @property
    def simulated(self) -> bool:
        """Whether any of it is invented."""
        return self.data_origin != "live"
