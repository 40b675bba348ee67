"""Input of the drawings beside the answer."""

from typing import NamedTuple

from kernels.horizon.levels import Level
from kernels.terrain.polar import Site
from kernels.terrain.profiles import Lines
from kernels.terrain.roughness import Cover


class Pictures(NamedTuple):
    """Land to draw.

    Parameters
    ----------
    lines : Lines
        Heights along the wind, of every sector.
    site : Site
    land : (Level, Cover) or None
        Heights and land cover, where maps are wanted.
    """

    lines: Lines
    site: Site
    land: tuple[Level, Cover] | None
