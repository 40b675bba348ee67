"""Terrain from Kartverket's national height model: fine around the areas that are asked for, coarser farther away."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np

from catalog.sources.data_origin import origin_of
from catalog.sources.errors import NotYetAvailable, SourceError, Throttled
from catalog.sources.http import without_credentials
from catalog.sources.kartverket import heights
from catalog.sources.kartverket.heights import MOST_CELLS, NAME
from catalog.sources.registry import SOURCES
from dags.areas import Area
from dags.build.cells import Mask, land
from dags.build.provenance import user_agent
from dags.build.terrain.holes import OUTSIDE, Raw, finished, raw_of, total
from dags.build.terrain.resample import EXTENT, Bounds, Part, Reading, corners, intersection, square
from tiles.building import Corner
from tiles.clock import Clock
from tiles.grid import NORWAY3KM
from tiles.products.terrain import GRIDS, SIDE
from tiles.store import Store

__all__ = ["NAME", "NationalModel", "around", "everywhere"]

# Whole blocks of 6.4 km are made of the horizon, where an area touches them.
_BLOCK_M = 6_400.0
REACH_M: Mapping[int, float] = {10: 5_000.0 + _BLOCK_M, 50: 25_000.0 + _BLOCK_M, 250: 150_000.0 + _BLOCK_M}
"""So far around an area each level reaches, m: as far as horizons look at it, before the next one's cells are fine
enough (`kernels.horizon.levels.COARSE_FROM`)."""
_COARSEST = max(GRIDS)
RESAMPLED = (
    "The service resamples its heights to the cells that are asked for. Where cells of 10 m were fetched, tops are the "
    "highest of these on all levels; farther from the areas, where cells of 50 and 250 m were, they are no maxima: "
    "peaks narrower than a cell are too low."
)
# More around a window fills its holes alike on both sides of its edge; with it, it is one answer of the service.
_MARGIN = (MOST_CELLS - SIDE) // 2
_DEADLINE_S = 120.0
_TRIES = 3


@dataclass(frozen=True)
class NationalModel:
    """An area of the model: a layer, which is fetched window by window in the cells of each level.

    Parameters
    ----------
    url : str
        Of the coverage service.
    name : str
        Of the area.
    boxes : mapping of int to Bounds
        By level, m in UTM 33, on whole cells of the coarsest.
    only : mapping of int to set of Corner, optional
        The blocks of each level in which there is land; all of the boxes when absent.
    """

    url: str = field(repr=False)
    name: str
    boxes: Mapping[int, Bounds]
    only: Mapping[int, frozenset[Corner]] | None = None

    @property
    def fingerprint(self) -> str:
        """The same of the same area and service."""
        only = {cell: sorted(found) for cell, found in (self.only or {}).items()}
        said = NAME, without_credentials(self.url), sorted(self.boxes.items()), only
        return sha256(repr(said).encode()).hexdigest()

    @property
    def model(self) -> str:
        """All areas are parts of one model."""
        return f"{NAME} {without_credentials(self.url)}"

    def bounds(self, cell: int) -> Bounds | None:
        """Return the land of which it has heights for a level, m in UTM 33."""
        return self.boxes.get(cell)

    def blocks(self, cell: int) -> set[Corner]:
        """Return the blocks of a level in which it may have heights."""
        return corners(cell, self.bounds(cell)) if self.only is None else set(self.only[cell])

    def read(self, part: Part) -> Reading:
        """Fetch what it has of a part of a level, and one cell around.

        Raises
        ------
        SourceError
            The heights cannot be had.
        """
        wide = part.wider(_MARGIN)
        box = intersection(wide.bounds, self.boxes[part.cell])
        assert box is not None  # noqa: S101 - who reads it has asked for its bounds
        got = self._window(box, part.cell)
        z = np.full(wide.shape, np.nan, np.float32)
        kind = np.full(wide.shape, OUTSIDE, np.uint8)
        there = wide.slices_of(Part.covering(part.cell, box))
        z[there], _, kind[there] = raw_of(got.z, got.z, got.z, part.cell)
        found, counts = finished(Raw(z, z, kind), wide, part)
        # what the answer's reader took for no height of ours is missing already
        holes = {
            "cells": int(np.count_nonzero(kind[wide.slices_of(part)] != OUTSIDE)),
            "no_data": counts["no_data"],
            "absurd": counts["absurd"] + counts["spikes"],
        }
        notes = {"layer": self.fingerprint, "cell": part.cell, "data_origin": got.data_origin, **got.input}
        return Reading(found, got.year, notes | {"year": got.year, "holes": holes})

    def _window(self, box: Bounds, cell: int) -> heights.Heights:
        for attempt in range(1, _TRIES + 1):
            try:
                return heights.window(self.url, "dtm", *box, cell, user_agent=user_agent(), deadline=_DEADLINE_S)
            except (NotYetAvailable, Throttled):
                raise
            except SourceError:
                # what passes by itself was tried again already; an answer that is none may be made well a second time
                if attempt == _TRIES:
                    raise
        raise AssertionError

    def keep(self, store: Store) -> None:
        """Store nothing: its cells are ours."""

    def remarks(self, notes: Sequence[dict[str, Any]]) -> Sequence[str]:  # noqa: ARG002 - the service is trusted
        """Return nothing."""
        return ()

    def about(self, notes: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return what the provenance says of it."""
        ours = [note for note in notes if note.get("layer") == self.fingerprint]
        origin = origin_of(*(note["data_origin"] for note in ours))
        digests = sorted(str(note["sha256"]) for note in ours)
        fetched = sorted({note["cell"] for note in ours})
        years = {note["year"] for note in ours if note["year"] is not None}
        return {
            **SOURCES[NAME].named(origin),
            "data_origin": origin,
            "area": self.name,
            "method": RESAMPLED,
            "fetched_in_cells_m": fetched,
            "holes": {f"{cell} m": total([note["holes"] for note in ours if note["cell"] == cell]) for cell in fetched},
            "years": sorted(years),
            "inputs": [
                {
                    "url": without_credentials(self.url),
                    "windows": len(ours),
                    "bytes": sum(note["bytes"] for note in ours),
                    "sha256_of_all": sha256("".join(digests).encode()).hexdigest(),
                }
            ],
        }


def around(areas: Sequence[Area], url: str) -> tuple[NationalModel, ...]:
    """Return the layers of areas: each with its surroundings, coarser the farther away.

    Raises
    ------
    ValueError
        An area lies beyond the grid.
    """
    found = []
    for area in areas:
        boxes = {}
        for cell, reach in REACH_M.items():
            # whole cells of the coarsest level, so that these are known whole
            around_it = Part.covering(_COARSEST, square(area, reach))
            box = intersection(around_it.bounds, EXTENT)
            if box is None:
                raise ValueError(f"the area {area.name} lies outside Norway's grid")
            boxes[cell] = box
        found.append(NationalModel(url, area.name, boxes))
    return tuple(found)


def everywhere(url: str, store: Store, clock: Clock) -> NationalModel:
    """Return the layer of the whole country: the blocks with land in them or near them.

    Raises
    ------
    ValueError
        The land is not published.
    """
    mask = land(store, clock)
    only = {cell: frozenset(_near(mask, cell)) for cell in GRIDS}
    return NationalModel(url, "norway", dict.fromkeys(GRIDS, EXTENT), only)


def _near(mask: Mask, cell: int) -> set[Corner]:
    """Return the blocks of a level that lie within its reach of land."""
    rows, columns = NORWAY3KM.axes
    half = NORWAY3KM.size / 2 + REACH_M[cell]
    found: set[Corner] = set()
    for row, column in np.argwhere(mask):
        x, y = columns[column], rows[row]
        found |= corners(cell, (x - half, y - half, x + half, y + half))
    return found
