"""Land cover around a site: from the tiles, else fetched; finer near the site, and with its buildings."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.terrain.sources import Source, entry, upstream
from api.terrain.squares import CELL, CELLS, Content, Square, Squares, What
from catalog.sources import bygninger, corine
from catalog.sources.data_origin import origin_of
from catalog.sources.errors import SourceError
from catalog.sources.http import Deadline
from catalog.sources.kartverket import heights
from catalog.sources.land_cover import BUILT_UP, UNKNOWN
from catalog.sources.nibio import ar5, ar50
from kernels.terrain.polar import REACH_M, Site
from kernels.terrain.roughness import Cover
from tiles.building import Corner
from tiles.product import FILL
from tiles.products.landcover import GRID, PRODUCT
from tiles.windows import Windows, in_common

Note = tuple[str, dict[str, Any]]

_NEAR_M = 1000.0
# In the map, which stretches by up to 0.42 % in Norway.
_REACH, _NEAR = 1.006 * REACH_M, 1.006 * _NEAR_M


class Found(NamedTuple):
    """Land cover around a site, its sources, and warnings about it."""

    cover: Cover
    sources: list[Source]
    notes: list[Note]


class _Window:
    """Land cover of the cells around a site while it is put together, its sources, and warnings by name."""

    def __init__(self, site: Site) -> None:
        cells = int(_REACH // CELL) + 1
        row, column = int((site.y - GRID.y0) // CELL), int((site.x - GRID.x0) // CELL)
        self.row, self.column, self.side = row - cells, column - cells, 2 * cells + 1
        shape = self.side, self.side
        self.codes = np.zeros(shape, np.uint8)
        self.built, self.height = (np.full(shape, np.nan, np.float32) for _ in range(2))
        self.sources, self.notes = list[Source](), dict[str, dict[str, Any]]()
        steps = CELL * (np.arange(self.side) - cells + 0.5)
        square = (steps[:, None] - (site.y - GRID.y0) % CELL) ** 2 + (steps - (site.x - GRID.x0) % CELL) ** 2
        self.within, self.near = square <= _REACH**2, square <= _NEAR**2

    def squares(self, what: What, needed: NDArray[np.bool_]) -> list[Square]:
        """Return the squares that hold needed cells."""
        side = CELLS[what]
        rows, columns = (range(at // side * side, at + self.side, side) for at in (self.row, self.column))
        squares = (Square(what, row, column) for row, column in product(rows, columns))
        return [square for square in squares if needed[self._of(square)[1]].any()]

    def put(self, into: NDArray[Any], square: Square, values: NDArray[Any]) -> None:
        """Write a square's values into an array."""
        own, there = self._of(square)
        into[there] = values[own]

    def _of(self, square: Square) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
        """Return rows and columns of what lies in the window: of the square's, and of the window's."""
        own_rows, rows = in_common(square.row, CELLS[square.what], self.row, self.side)
        own_columns, columns = in_common(square.column, CELLS[square.what], self.column, self.side)
        return (own_rows, own_columns), (rows, columns)


def cover_around(site: Site, tiles: Windows | None, squares: Squares, deadline: Deadline) -> Found:
    """Return the land cover around a site.

    Parameters
    ----------
    site : Site
    tiles : Windows or None
        Of the product `landcover`, where it is published.
    squares : Squares
    deadline : Deadline

    Raises
    ------
    SourceError
        No land cover can be had at all.
    TileCorrupt
    """
    window, tiled = _Window(site), frozenset[Corner]()
    if tiles is not None:
        _put_tiles(window, tiles)
        tiled = tiles.corners
    needed = [one for one in window.squares("cover", window.within) if (one.row, one.column) not in tiled]
    _put_covers(window, *squares.get(needed, deadline))
    _put_ar5(window, *squares.get(window.squares("ar5", window.near), deadline))
    lacks = window.near & (window.codes == BUILT_UP) & np.isnan(window.built)
    _put_built(window, *squares.get(window.squares("built", lacks), deadline))
    x0, y0 = (first + CELL * (at + 0.5) for first, at in ((GRID.x0, window.column), (GRID.y0, window.row)))
    cover = Cover(window.codes, window.built, window.height, x0, y0, float(CELL))
    return Found(cover, window.sources, list(window.notes.items()))


def _put_tiles(window: _Window, tiles: Windows) -> None:
    part = window.row, window.column, window.side, window.side
    packed = tiles.window("cover", *part)
    if (packed == FILL).all():
        return
    window.codes[:] = np.where(packed == FILL, UNKNOWN, packed)
    for name, into, factor in (("built", window.built, 0.01), ("height", window.height, 1.0)):
        if name in tiles.manifest.variables:
            into[:] = PRODUCT.variable(name).unpack(tiles.window(name, *part)) * factor
    said, version = tiles.manifest.provenance, f"landcover {tiles.manifest.version}"
    for one in said["sources"]:
        origin = one.get("data_origin", said["data_origin"])
        window.sources.append(entry(one, "arealdekke og bygninger", origin, version))
    of_footprints = any(one["name"] == bygninger.NAME for one in said["sources"])
    if not of_footprints and (window.near & (window.built > 0)).any():
        window.notes["bygg_av_overflate"] = {}


def _put_covers(window: _Window, found: Mapping[Square, Content], failures: Sequence[SourceError]) -> None:
    if failures and not found and not window.codes.any():
        raise failures[0]
    for square, content in found.items():
        window.put(window.codes, square, content.arrays["codes"])
    for name in (ar50.NAME, corine.NAME):
        if used := {square: one for square, one in found.items() if one.about["sources"].get(name)}:
            window.sources.append(upstream(name, "arealdekke", _origin(used)))
            if name == corine.NAME:
                window.notes["corine"] = {}
    if failures:
        lost = 100 * float((window.codes == UNKNOWN)[window.within].mean())
        window.notes["dekke_mangler"] = {"prosent": f"{lost:.0f}"}


def _put_ar5(window: _Window, found: Mapping[Square, Content], failures: Sequence[SourceError]) -> None:
    finer = np.full_like(window.codes, UNKNOWN)
    for square, content in found.items():
        window.put(finer, square, content.arrays["codes"])
    known = window.near & (finer != UNKNOWN)
    window.codes[known] = finer[known]
    if found:
        window.sources.append(upstream(ar5.NAME, "arealdekke innenfor 1 km", _origin(found)))
    if failures:
        window.notes["uten_ar5"] = {}


def _put_built(window: _Window, found: Mapping[Square, Content], failures: Sequence[SourceError]) -> None:
    for square, content in found.items():
        window.put(window.built, square, content.arrays["share"])
        window.put(window.height, square, content.arrays["height"])
    if found:
        year = min((one.about["year"] for one in found.values() if one.about["year"]), default=None)
        window.sources.append(upstream(heights.NAME, "bygningers høyde", _origin(found), year and str(year)))
        if next(iter(found.values())).about["source"] == bygninger.NAME:
            window.sources.append(upstream(bygninger.NAME, "bygningers omriss", "live"))
        else:
            window.notes["bygg_av_overflate"] = {}
    if failures:
        window.notes["uten_bygg"] = {}


def _origin(found: Mapping[Square, Content]) -> str:
    return origin_of(*(one.about["data_origin"] for one in found.values()))
