"""A terrain of given heights, with the coarser levels made of them, published through the real writer."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dags.build.terrain.reading import Terrain
from tests.support.tiles import MADE_UP, publish_at
from tiles.grid import UtmGrid
from tiles.product import FILL
from tiles.products.terrain import BY_CELL, FOLD, GRIDS, SIDE
from tiles.store import Store
from tiles.writer import Draft

BUILT = datetime(2026, 4, 1, tzinfo=UTC)
FOR_EVER = datetime(2100, 1, 1, tzinfo=UTC)
YEAR = 2021
ABOUT = {
    **MADE_UP,
    "sources": [{"name": "made_up", "licence": "none", "attribution": "nobody"}],
    "licence": "none",
    "attribution": "nobody",
}


def publish_terrain(
    store: Store,
    z: NDArray[np.floating],
    west: float,
    south: float,
    *,
    cell: int = 50,
    year: int | None = YEAR,
    version: str = "2026-04-01T00",
    layers: list[dict[str, Any]] | None = None,
) -> None:
    """Publish heights: (rows, columns), m, row 0 in the south; NaN where nothing is known, 0 where the sea is.

    Parameters
    ----------
    store : Store
    z : (rows, columns)
        In whole cells of 250 m.
    west, south : float
        Corner, m in UTM 33: multiples of 250.
    cell : int
        Side of a cell, m: 10 or 50.
    year : int or None
    version : str
    layers : list of dict, optional
        What the provenance says it is made of; one of these heights when absent.
    """
    ground = np.where(z == 0, np.nan, z)
    padded = np.pad(np.where(np.isnan(z), -np.inf, z), 1, mode="edge")
    # no surface between the centres is higher than the centres around it
    top = np.max([padded[i : i + z.shape[0], j : j + z.shape[1]] for i in range(3) for j in range(3)], axis=0)
    top[np.isnan(z)] = np.nan
    levels: dict[str, str] = {}
    bounds = {str(cell): (west, south, west + z.shape[1] * cell, south + z.shape[0] * cell)}
    layers = layers or [{"fingerprint": version, "model": "made_up", "bounds": bounds}]
    about = {"levels": levels, "layers": layers}
    while True:
        _publish(store, cell, {"top": top, "ground": ground}, (west, south), year, version, about)
        if cell == max(BY_CELL):
            break
        fold = top.shape[0] // FOLD, FOLD, top.shape[1] // FOLD, FOLD
        top = np.fmax.reduce(np.fmax.reduce(top.reshape(fold), axis=3), axis=1)
        ground, cell = ground.reshape(fold).mean(axis=(1, 3)), cell * FOLD


def extents(terrain: Terrain, cell: int) -> list[tuple[float, float, float, float]]:
    """Return west, south, east and north of each shard of a level that holds heights, m, in order."""
    grid, side = GRIDS[cell], SIDE * cell
    places = ((grid.x0 + c * cell, grid.y0 + r * cell) for r, c in sorted(terrain.levels[cell].corners))
    return [(west, south, west + side, south + side) for west, south in places]


def _publish(
    store: Store,
    cell: int,
    values: dict[str, NDArray[np.floating]],
    corner: tuple[float, float],
    year: int | None,
    version: str,
    about: dict[str, Any],
) -> None:
    product = BY_CELL[cell]
    grid = product.grid
    assert isinstance(grid, UtmGrid)
    draft = Draft(store, product, version, {}, ABOUT)
    about["levels"][str(cell)] = draft.path.removesuffix(".zarr") + ".manifest.json"
    draft.describe(about)
    start = round((corner[1] - grid.y0) / cell), round((corner[0] - grid.x0) / cell)
    if year is not None:
        values = values | {"year": np.where(np.isnan(values["top"]), np.nan, float(year))}
    for name, found in values.items():
        # around it up to whole shards
        before = [first % SIDE for first in start]
        after = [-(first + n) % SIDE for first, n in zip(start, found.shape, strict=True)]
        packed = np.pad(product.variable(name).pack(found), list(zip(before, after, strict=True)), constant_values=FILL)
        row, column = (first - rest for first, rest in zip(start, before, strict=True))
        draft.write_block(name, (row, column), packed[: grid.n_y - row, : grid.n_x - column])
    publish_at(draft, BUILT, FOR_EVER)
