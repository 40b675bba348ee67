"""Which cells of a grid in UTM 33 (3 km, where none is named) a build is for, and the blocks they lie in."""

from collections.abc import Iterable, Sequence

import numpy as np
import pyproj
from numpy.typing import NDArray

from catalog.sources.climate_archive import ArchiveMonth
from catalog.sources.cycle import Cycle
from catalog.versions import read_index
from dags.areas import Area
from kernels import utm
from tiles.building import Cells, Corner
from tiles.chunked import ChunkedTile
from tiles.clock import Clock
from tiles.grid import NORWAY3KM, UtmGrid
from tiles.products.climate_archive import BLOCK
from tiles.products.land import PRODUCT as LAND
from tiles.store import Store

Mask = NDArray[np.bool_]


def land(store: Store, clock: Clock) -> Mask:
    """Return the cells that hold land.

    Raises
    ------
    ValueError
        The land is not published.
    TileCorrupt
        It is damaged.
    """
    return np.asarray(_land(store, clock).table("land") == 1)


def land_share(store: Store, clock: Clock) -> NDArray[np.float64]:
    """Return which share of each cell is land; errors are those of `land`."""
    return LAND.variable("share").unpack(_land(store, clock).table("share"))


def _land(store: Store, clock: Clock) -> ChunkedTile:
    entry = read_index(store, LAND.name).newest(clock.now())
    if entry is None:
        raise ValueError("the product 'land' is not published: build it with 'solflis build land'")
    return ChunkedTile(store, LAND, entry.manifest)


def inside(areas: Sequence[Area], grid: UtmGrid = NORWAY3KM) -> Mask:
    """Return the cells that areas touch; all cells where there are no areas, which is the whole country."""
    found = np.full(grid.shape, not areas)
    rows, columns = grid.axes
    for area in areas:
        x, y = utm.forward(area.lat, area.lon)
        reach = (area.side_km * 1000 + grid.size) / 2
        found |= (np.abs(rows - y) < reach)[:, None] & (np.abs(columns - x) < reach)
    return found


def at_places(places: Iterable[tuple[float, float]], mask: Mask, max_km: float = 6.0) -> Mask:
    """Return the cells of a mask that lie nearest to places (degrees), where one is near enough."""
    found = np.zeros(NORWAY3KM.shape, bool)
    for lat, lon in places:
        nearest = NORWAY3KM.nearest(lat, lon, mask, max_km)
        if nearest is not None:
            found[nearest[0]] = True
    return found


def nearest_of(
    source: Cycle | ArchiveMonth, lats: NDArray[np.float64], lons: NDArray[np.float64], reach: float = 0.5
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the nearest source cell of each place, row * columns + column, and whether the source reaches there.

    Parameters
    ----------
    source : Cycle or ArchiveMonth
    lats, lons : float64 (n,)
        Degrees.
    reach : float
        So far beyond the outermost centres, in cells.
    """
    to_source = pyproj.Transformer.from_crs(4326, source.proj4, always_xy=True)
    inside, nearest = np.ones(lats.size, bool), []
    for place, axis in zip(to_source.transform(lons, lats), (source.x, source.y), strict=True):
        position = (np.asarray(place) - axis[0]) / ((axis[-1] - axis[0]) / (axis.size - 1))
        inside &= (position > -reach) & (position < axis.size - 1 + reach)  # infinite where there is no answer
        nearest.append(np.rint(np.where(inside, position, 0).clip(0, axis.size - 1)).astype(np.int64))
    return nearest[1] * source.x.size + nearest[0], inside


def by_blocks(mask: Mask, side: int = BLOCK) -> Cells:
    """Return the blocks (of `side` x `side` cells) that hold cells of a mask, from south-west to north-east."""
    rows, columns = np.nonzero(mask)
    numbers = rows % side * side + columns % side
    corners = np.stack([rows // side * side, columns // side * side], axis=1)
    each, of_block, counts = np.unique(corners, axis=0, return_inverse=True, return_counts=True)
    of_each = np.split(numbers[np.argsort(of_block.ravel(), kind="stable")], np.cumsum(counts))[:-1]
    return {(row, column): tuple(held.tolist()) for (row, column), held in zip(each.tolist(), of_each, strict=True)}


def portions(cells: Cells, most: int) -> list[Cells]:
    """Return blocks one after the other in portions of about so many cells, the last block of each included."""
    found: list[dict[Corner, tuple[int, ...]]] = []
    held = most
    for corner, inside_block in cells.items():
        if held >= most:
            found.append({})
            held = 0
        found[-1][corner] = inside_block
        held += len(inside_block)
    return list(found)


def rows_columns(corner: Corner, cells: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and columns of the grid of cells of a block."""
    rows, columns = np.divmod(np.asarray(cells, np.int64), BLOCK)
    return rows + corner[0], columns + corner[1]


def positions(corner: Corner, cells: Sequence[int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return latitudes and longitudes of cells of a block, degrees."""
    rows, columns = rows_columns(corner, cells)
    ys, xs = NORWAY3KM.axes
    return utm.inverse(xs[columns], ys[rows])


def block_array(
    length: tuple[int, ...], corner: Corner, fill: int, grid: UtmGrid = NORWAY3KM, side: int = BLOCK
) -> NDArray[np.uint16]:
    """Return an empty block as it is stored, cut off at the grid's far edges: (*length, rows, columns)."""
    rows, columns = (min(side, n - first) for first, n in zip(corner, grid.shape, strict=True))
    return np.full((*length, rows, columns), fill, np.uint16)
