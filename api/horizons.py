"""The horizon of a place, from the tiles that are published."""

import asyncio
import logging
from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from api import texts
from api.errors import Unavailable
from api.published import Followed, Serving
from catalog.versions import Entry
from tiles.chunked import ChunkedTile
from tiles.clock import Clock
from tiles.errors import TileError
from tiles.grid import HORIZON, Cell, OutsideGrid
from tiles.product import FILL

log = logging.getLogger("solflis.api")

_VARIABLE = "elevation"
_RETRY_S = 120
# Three megabytes: a plant is asked for again and again, and its chunk takes half a millisecond to decode.
_KEPT = 512


class Horizon(NamedTuple):
    """What terrain hides at a place.

    Parameters
    ----------
    elevation : float64 (720,)
        Degrees, by azimuth 0, 0.5 .. 359.5 clockwise from true north.
    entry : Entry
        The version that it was read from.
    cell : (int, int)
        Of HORIZON.
    """

    elevation: NDArray[np.float64]
    entry: Entry
    cell: Cell

    @property
    def data_origin(self) -> str:
        """`live` or `simulated`."""
        return self.entry.data_origin


def _prepare(_: Entry, tile: ChunkedTile) -> ChunkedTile:
    return tile


PREPARE: dict[str, Any] = {_VARIABLE: _prepare}
"""What is made of the product's variable when a version is opened."""


class Horizons:
    """Reads profiles.

    Parameters
    ----------
    followed : Followed
        The product.
    clock : Clock
    """

    def __init__(self, followed: Followed, clock: Clock) -> None:
        self._followed, self._clock = followed, clock
        self._kept: OrderedDict[tuple[str, float, float], Horizon | None] = OrderedDict()

    def version(self) -> str | None:
        """Return what names the tiles that answer now, for keys of caches; None where there are none."""
        serving = self._followed.current(_VARIABLE, self._clock.now())
        return serving.entry.path if serving else None

    async def at(self, lat: float, lon: float, unreadable: str = texts.NO_HORIZON) -> Horizon | None:
        """Return the horizon of the cell that holds a position; None where none is published or built for it.

        Parameters
        ----------
        lat, lon : float
            Degrees north and east.
        unreadable : str
            What the caller is told where it cannot be read.

        Raises
        ------
        Unavailable
            It is published, and cannot be read.
        """
        now = self._clock.now()
        serving = self._followed.current(_VARIABLE, now)
        if serving is None:
            if self._followed.candidates(_VARIABLE, now):
                raise Unavailable(unreadable, _RETRY_S)
            return None
        # By position, not by cell: finding the cell takes as long as the engine.
        key = serving.entry.path, lat, lon
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        try:
            cell = HORIZON.cell_at(lat, lon)
        except OutsideGrid:
            return None
        horizon = await asyncio.to_thread(_read, serving, cell, unreadable)
        self._kept[key] = horizon
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return horizon


def _read(serving: Serving, cell: Cell, unreadable: str) -> Horizon | None:
    tile: ChunkedTile = serving.prepared
    try:
        packed = tile.series(_VARIABLE, cell)
    except (TileError, OSError) as error:
        log.error("damaged horizon in cell %s of %s: %r", cell, serving.entry.path, error)
        raise Unavailable(unreadable, _RETRY_S) from error
    if packed[0] == FILL:
        return None
    scale, offset = tile.scale(_VARIABLE)
    elevation: NDArray[np.float64] = packed.astype(np.float64) * scale + offset
    elevation.flags.writeable = False
    return Horizon(elevation, serving.entry, cell)
