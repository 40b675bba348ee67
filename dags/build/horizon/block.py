"""The blocks of a piece of land: its heights read once, each block through the kernel into what is stored."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from dags.build.horizon.coarse_source import own_surfaces
from dags.build.horizon.pieces import Rectangle
from dags.build.terrain.reading import Terrain
from dags.build.terrain.resample import Bounds, Part
from kernels.horizon.block import Block, Piece
from kernels.horizon.lattice import Points
from kernels.horizon.levels import COARSE_FROM, MISSING, Level
from tiles.building import Corner
from tiles.grid import HORIZON
from tiles.product import FILL
from tiles.products.horizon import BEYOND_M, BLOCK, OBSERVER_M, PRODUCT

# A metre on the ground is up to 1.0045 metres of the map, at the country's ends.
_STRETCH = 1.01
_LOWEST = PRODUCT.variable("elevation").valid_min


class Made(NamedTuple):
    """What is stored of a block, by variable, and what its record says."""

    corner: Corner
    packed: dict[str, NDArray[np.uint16]]
    notes: dict[str, Any]


def base_of(cells: Sequence[int]) -> int:
    """Return the coarsest level that can be the nearest ground of the grid's points.

    Raises
    ------
    ValueError
        There is none.
    """
    fine = [cell for cell in cells if HORIZON.size % cell == 0]
    if not fine:
        raise ValueError(
            "the terrain that is published holds no level of 50 m or finer, without which a horizon has no near field: "
            "build it with 'solflis build terrain'"
        )
    return max(fine)


def blocks_of_piece(terrain: Terrain, place: Rectangle, corners: Sequence[Corner], reach: float) -> Iterator[Made]:
    """Make blocks of a piece, one after the other.

    Parameters
    ----------
    terrain : Terrain
    place : Rectangle
        Holds all of them.
    corners : sequence of (int, int)
    reach : float
        The farthest that is looked at, m.
    """
    west, south, _, _ = place.bounds
    points = Points(west, south, HORIZON.size, (place.rows, place.columns))
    levels = levels_around(terrain, place, reach)
    own = own_surfaces(terrain.own_grids, levels[0], points)
    piece = Piece(levels, points, eye=OBSERVER_M, reach=reach, close=own)
    years = _years(terrain, place)
    for corner in corners:
        row, column = corner[0] - place.row, corner[1] - place.column
        shape = min(BLOCK, place.rows - row), min(BLOCK, place.columns - column)
        block = piece.block((row, column), shape)
        yield Made(corner, _packed(block, years[row : row + shape[0], column : column + shape[1]]), _notes(block))


def levels_around(terrain: Terrain, place: Rectangle, reach: float) -> list[Level]:
    """Return the heights around a piece, the finest first, each as far as it counts.

    Of the finest level the surface, of the others the highest of each cell. What a level lacks and a coarser one
    knows, since it is of another source, is filled in from that: else the land would end there.
    """
    cells = list(terrain.cells)
    base = base_of(cells)
    surface = terrain.surface(cells[0], *_window(place, cells, reach))
    while cells[0] < base and not (surface.z != MISSING).any():
        del cells[0]
        surface = terrain.surface(cells[0], *_window(place, cells, reach))
    found: list[Level] = []
    for number in reversed(range(1, len(cells))):
        tops = terrain.tops(cells[number], *_window(place, cells[number:], reach))
        found.insert(0, filled(tops, found[0]) if found else tops)
    if len(cells) > 1:
        under = terrain.surface(cells[1], *_window(place, cells, reach, beyond=2 * cells[1]))
        surface = filled(surface, under, smooth=True)
    return [surface, *found]


def window_of(terrain: Terrain, place: Rectangle, reach: float) -> Bounds:
    """Return how far a piece's blocks look at most: west, south, east, north, m; by whole cells of every level."""
    return _window(place, terrain.cells[-1:], reach, beyond=2 * terrain.cells[-1])


def filled(level: Level, coarser: Level, *, smooth: bool = False) -> Level:
    """Return a level in which cells are those of a coarser one wherever it knows nothing of a whole cell of that.

    A smaller hole stays one: what the coarser level says of its cell it has from what is known around the hole.

    Parameters
    ----------
    level, coarser : Level
        The second one's cells hold whole cells of the first one, and reach at least as far.
    smooth : bool
        Fill in the bilinear surface between its centres, where that is known.
    """
    fold = round(coarser.cell / level.cell)
    rows, columns = (n // fold for n in level.z.shape)
    edge = (coarser.cell - level.cell) / 2
    row = round((level.y0 + edge - coarser.y0) / coarser.cell)
    column = round((level.x0 + edge - coarser.x0) / coarser.cell)
    # one cell more on each side, from where the surface between centres comes
    under = np.pad(coarser.z, 1, constant_values=MISSING)[row : row + rows + 2, column : column + columns + 2]
    inner = under[1:-1, 1:-1]
    unknown = level.z == MISSING
    lacking = unknown.reshape(rows, fold, columns, fold).all(axis=(1, 3)) & (inner != MISSING)
    if not lacking.any():
        return level
    fill = inner.repeat(fold, axis=0).repeat(fold, axis=1)
    if smooth:
        known = np.where(under == MISSING, np.float32(np.nan), under)
        between = cv2.resize(known, None, fx=fold, fy=fold)[fold:-fold, fold:-fold]
        fill = np.where(np.isnan(between), fill, between)
    return level._replace(z=np.where(lacking.repeat(fold, axis=0).repeat(fold, axis=1), fill, level.z))


def _window(place: Rectangle, cells: Sequence[int], reach: float, beyond: float = 0.0) -> Bounds:
    """Return how far the first of some levels is needed, in whole cells of the next one."""
    far, unit = (min(COARSE_FROM * cells[1], reach), cells[1]) if len(cells) > 1 else (reach, cells[0])
    margin = far * _STRETCH + 2 * HORIZON.size + beyond
    west, south, east, north = place.bounds
    return Part.covering(unit, (west - margin, south - margin, east + margin, north + margin)).bounds


def _years(terrain: Terrain, place: Rectangle) -> NDArray[np.float64]:
    """Return the year of the data at each point, NaN where it is unknown."""
    cell = base_of(terrain.cells)
    west, south, east, north = place.bounds
    found = terrain.years(cell, west, south, east + cell, north + cell)
    step = round(HORIZON.size / cell)
    # a point may stand on the line between two cells
    row, column = (math.floor((at - first) / cell + 0.5) for at, first in ((south, found.y0), (west, found.x0)))
    years = found.z[row::step, column::step][: place.rows, : place.columns].astype(np.float64)
    return np.where(years > 0, years, np.nan)


def _packed(block: Block, years: NDArray[np.float64]) -> dict[str, NDArray[np.uint16]]:
    elevation = np.maximum(block.elevation, np.float32(_LOWEST))
    values = {
        "elevation": elevation,
        "ground": block.ground,
        "dtm_year": np.where(np.isnan(block.ground), np.nan, years),
    }
    same = block.distance >= BEYOND_M
    values["elevation_beyond"] = np.where(same, np.nan, np.maximum(block.beyond, np.float32(_LOWEST)))
    distances = {"distance": block.distance, "distance_beyond": np.where(same, np.nan, block.beyond_distance)}
    packed = {name: PRODUCT.variable(name).pack(found) for name, found in values.items()}
    return packed | {name: ROUNDED[PRODUCT.variable(name).pack(found)] for name, found in distances.items()}


def _notes(block: Block) -> dict[str, int]:
    there = ~np.isnan(block.ground)
    points = int(np.count_nonzero(there))
    seen = int(np.count_nonzero(~np.isnan(block.distance)))
    return {
        "points": points,
        "rays_without_land": points * block.elevation.shape[0] - seen,
        "rays_cut": int(block.cut[there].sum()),
    }


def _rounded() -> NDArray[np.uint16]:
    every = np.arange(FILL + 1, dtype=np.float64)
    fraction, exponent = np.frexp(every)
    found = np.where(every < 128, every, np.ldexp(np.rint(fraction * 128) / 128, exponent))
    found[FILL] = FILL
    return np.minimum(found, FILL).astype(np.uint16)


ROUNDED = _rounded()
"""Every packed distance to seven significant bits, within 0.8 %: what varies less compresses better."""


def together(notes: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return what all blocks' notes say, added up."""
    return {name: sum(each[name] for each in notes) for name in ("points", "rays_without_land", "rays_cut")}
