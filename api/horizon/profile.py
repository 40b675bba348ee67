"""A horizon as every file and picture takes it, whatever it was made from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import orjson
from numpy.typing import NDArray

from api.horizon.provenance import Source, sentence
from tiles.products import horizon

Floats = NDArray[np.float64]
Tier = Literal["terrain", "rooftop", "precise"]

N = horizon.AZIMUTHS
AZIMUTHS: Floats = np.arange(N) / 2
VERSION = "v3.1"
"""Of the horizon answers."""


def json_numbers(values: Floats, digits: int) -> orjson.Fragment:
    """Return rounded numbers as JSON, never -0, NaN as null."""
    return orjson.Fragment(orjson.dumps(np.round(values, digits) + 0.0, option=orjson.OPT_SERIALIZE_NUMPY))


AZIMUTHS_JSON = json_numbers(AZIMUTHS, 1)


@dataclass(frozen=True, eq=False)
class HorizonProfile:
    """What hides the sun at a place.

    Parameters
    ----------
    tier : {"terrain", "rooftop", "precise"}
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
    sources : sequence of dict
        Whom the heights are from.
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
    sources: Sequence[Source] = ()
    near_alone_m: float | None = None
    ends: str = ""

    @property
    def simulated(self) -> bool:
        """Whether any of it is invented."""
        return self.data_origin != "live"

    @property
    def credits(self) -> list[str]:
        """Whom the heights are from, as they want it said."""
        return [sentence(source) for source in self.sources]
