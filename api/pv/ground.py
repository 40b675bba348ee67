"""The albedo of the ground at a place: of the tile that is published, or as it was asked for."""

from typing import Literal, NamedTuple

import numpy as np

from api.core.pipeline import Origin
from api.data.published import Published
from api.data.versions import Version, current_of
from tiles.grid import Cell

_VARIABLE = "albedo"
_BARE = 0.2
_AVOID = f"albedo={_BARE:g}"


class Ground(NamedTuple):
    """Albedo of the ground.

    Parameters
    ----------
    albedo : tuple of 12 floats
        By month.
    method : str
        Which one it is.
    data_origin : str
        `live` where it is no data.
    """

    albedo: tuple[float, ...]
    method: str
    data_origin: Origin = "live"


BARE_GROUND = Ground((_BARE,) * 12, f"{_BARE:g} in all months: no albedo is built for this cell yet")


class Albedo:
    """Reads the albedo of cells.

    Parameters
    ----------
    published : Published
    """

    def __init__(self, published: Published) -> None:
        self._followed, self._clock = published.follow("albedo", _VARIABLE, Version), published.clock

    def at(self, cell: Cell, given: float | Literal["tile"]) -> Ground:
        """Return the albedo of a cell, a bare ground where none is built; it reads, so call it in a thread.

        Parameters
        ----------
        cell : (row, column)
        given : float or "tile"

        Raises
        ------
        ApiError
            `DAMAGED`.
        """
        if given != "tile":
            return Ground((given,) * 12, f"{given:g} in all months, as asked")
        version: Version | None = current_of(self._followed, _VARIABLE, self._clock.now(), _AVOID)
        if version is None:
            return BARE_GROUND
        with version.reading(_AVOID) as tile:
            values = tile.values(_VARIABLE, cell)
        if np.isnan(values).any():
            return BARE_GROUND
        entry, shown = version.entry, ", ".join(f"{value:.2f}" for value in values)
        about = f"{entry.product} {entry.version} ({entry.data_origin}): {version.method}"
        return Ground(
            tuple(values.tolist()), f"of this cell, January to December {shown}; {about}", version.data_origin
        )
