"""Land cover around a site: from the tiles, else fetched; finer near the site, and with its buildings."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.terrain.sources import entry, upstream
from api.terrain.squares import CELL, CELLS, Content, Square, Squares, What
from catalog.sources.errors import SourceError
from catalog.sources.http import Deadline
from catalog.sources.land_cover import BUILT_UP, UNKNOWN
from kernels.terrain.polar import REACH_M, Site
from kernels.terrain.roughness import Cover
from tiles.product import FILL
from tiles.products.landcover import GRID, PRODUCT
from tiles.windows import Windows

Note = tuple[str, dict[str, Any]]

_NEAR_M = 1000.0
# In the map, which stretches by up to 0.42 % in Norway.
_REACH, _NEAR = 1.006 * REACH_M, 1.006 * _NEAR_M
_CORINE, _FOOTPRINTS = "corine", "buildings"


class Found(NamedTuple):
    """Land cover around a site, its sources, and warnings about it."""

    cover: Cover
    sources: list[dict[str, Any]]
    notes: list[Note]


class _Window:
    """Arrays of the cells around a site."""

    def __init__(self, site: Site) -> None:
        cells = int(_REACH // CELL) + 1
        row, column = int((site.y - GRID.y0) // CELL), int((site.x - GRID.x0) // CELL)
        self.row, self.column, self.side = row - cells, column - cells, 2 * cells + 1
        shape = self.side, self.side
        self.codes = np.zeros(shape, np.uint8)
        self.built, self.height = (np.full(shape, np.nan, np.float32) for _ in range(2))
        self._aside = CELL * (np.arange(self.side) - cells + 0.5) - (site.x - GRID.x0) % CELL
        self._along = CELL * (np.arange(self.side) - cells + 0.5) - (site.y - GRID.y0) % CELL

    def within(self, reach: float) -> NDArray[np.bool_]:
        """Return the cells whose centres are within reach."""
        found: NDArray[np.bool_] = self._along[:, None] ** 2 + self._aside**2 <= reach**2
        return found

    def squares(self, what: What, needed: NDArray[np.bool_]) -> list[Square]:
        """Return the squares that hold needed cells."""
        side, found = CELLS[what], []
        for row in range(self.row // side * side, self.row + self.side, side):
            for column in range(self.column // side * side, self.column + self.side, side):
                top, left = max(row - self.row, 0), max(column - self.column, 0)
                if needed[top : row - self.row + side, left : column - self.column + side].any():
                    found.append(Square(what, row, column))
        return found

    def put(self, into: NDArray[Any], square: Square, values: NDArray[Any], keep: Any = None) -> None:
        """Write a square's values into an array, but where `keep` says so of them."""
        side = CELLS[square.what]
        top, left = square.row - self.row, square.column - self.column
        rows, columns = (slice(*np.clip([at, at + side], 0, self.side).tolist()) for at in (top, left))
        own = values[rows.start - top : rows.stop - top, columns.start - left : columns.stop - left]
        part = into[rows, columns]
        part[...] = own if keep is None else np.where(keep(own), part, own)


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
    window, notes, sources = _Window(site), list[Note](), list[dict[str, Any]]()
    if tiles is not None and (of_tiles := _from_tiles(window, tiles)):
        sources += of_tiles
        if (window.within(_NEAR) & (window.built > 0)).any() and _FOOTPRINTS not in {one["navn"] for one in of_tiles}:
            notes.append(("bygg_av_overflate", {}))
    tiled = frozenset() if tiles is None else tiles.corners
    needed = [one for one in window.squares("cover", window.within(_REACH)) if (one.row, one.column) not in tiled]
    _put_covers(window, squares.get(needed, deadline), sources, notes)
    near = window.within(_NEAR)
    _put_ar5(window, squares.get(window.squares("ar5", near), deadline), sources, notes)
    lacks = near & (window.codes == BUILT_UP) & np.isnan(window.built)
    _put_built(window, squares.get(window.squares("built", lacks), deadline), sources, notes)
    x0, y0 = (first + CELL * (at + 0.5) for first, at in ((GRID.x0, window.column), (GRID.y0, window.row)))
    return Found(Cover(window.codes, window.built, window.height, x0, y0, float(CELL)), sources, notes)


def _from_tiles(window: _Window, tiles: Windows) -> list[dict[str, Any]]:
    part = window.row, window.column, window.side, window.side
    packed = tiles.window("cover", *part)
    if (packed == FILL).all():
        return []
    window.codes[:] = np.where(packed == FILL, UNKNOWN, packed)
    for name, into, factor in (("built", window.built, 0.01), ("height", window.height, 1.0)):
        if name in tiles.manifest.variables:
            into[:] = PRODUCT.variable(name).unpack(tiles.window(name, *part)) * factor
    said, version = tiles.manifest.provenance, f"landcover {tiles.manifest.version}"
    origins = [(one, one.get("data_origin", said["data_origin"])) for one in said["sources"]]
    return [entry(one, "arealdekke og bygninger", origin, version) for one, origin in origins]


def _put_covers(
    window: _Window, contents: dict[Square, Content | SourceError], sources: list[dict[str, Any]], notes: list[Note]
) -> None:
    answers = [content for content in contents.values() if isinstance(content, Content)]
    failures = [content for content in contents.values() if isinstance(content, SourceError)]
    if failures and not answers and not window.codes.any():
        raise failures[0]
    for square, content in contents.items():
        if isinstance(content, Content):
            window.put(window.codes, square, content.arrays["codes"])
    used = {name: one for one in answers for name, share in one.about["sources"].items() if share > 0}
    sources += [upstream(name, "arealdekke", one.about["data_origin"]) for name, one in used.items()]
    if _CORINE in used:
        notes.append(("corine", {}))
    if failures:
        lost = 100 * float((window.codes == UNKNOWN)[window.within(_REACH)].mean())
        notes.append(("dekke_mangler", {"prosent": f"{lost:.0f}"}))


def _put_ar5(
    window: _Window, contents: dict[Square, Content | SourceError], sources: list[dict[str, Any]], notes: list[Note]
) -> None:
    near, finer = window.within(_NEAR), window.codes.copy()
    for square, content in contents.items():
        if isinstance(content, Content):
            window.put(finer, square, content.arrays["codes"], keep=lambda codes: codes == UNKNOWN)
    window.codes[near] = finer[near]
    answers = [content for content in contents.values() if isinstance(content, Content)]
    sources += [upstream("ar5", "arealdekke innenfor 1 km", one.about["data_origin"]) for one in answers[:1]]
    if len(answers) < len(contents):
        notes.append(("uten_ar5", {}))


def _put_built(
    window: _Window, contents: dict[Square, Content | SourceError], sources: list[dict[str, Any]], notes: list[Note]
) -> None:
    for square, content in contents.items():
        if isinstance(content, Content):
            window.put(window.built, square, content.arrays["share"])
            window.put(window.height, square, content.arrays["height"])
    answers = [content for content in contents.values() if isinstance(content, Content)]
    for one in answers[:1]:
        year = one.about["year"]
        sources.append(upstream("kartverket_wcs", "bygningers høyde", one.about["data_origin"], year and str(year)))
        if one.about["source"] == _FOOTPRINTS:
            sources.append(upstream(_FOOTPRINTS, "bygningers omriss", "live"))
        else:
            notes += [("bygg_av_overflate", {})] if ("bygg_av_overflate", {}) not in notes else []
    if len(answers) < len(contents):
        notes.append(("uten_bygg", {}))
