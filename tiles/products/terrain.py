"""The ground of Norway as a pyramid: three products of 10, 50 and 250 m, declared once."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from tiles.grid import TERRAIN10, TERRAIN50, TERRAIN250, UtmGrid
from tiles.product import FILL, Context, Draft, Product, Variable
from tiles.quantities import ALTITUDE

FAMILY = "terrain"
GRIDS: dict[int, UtmGrid] = {10: TERRAIN10, 50: TERRAIN50, 250: TERRAIN250}
"""By the side of a cell, m."""
FOLD = 5
"""So many cells, or shards, of a level lie along a side of one of the next."""
SIDE = 1000
"""Cells along a side of a shard: 10, 50 and 250 km. A shard of a level is a chunk of the next."""
LOWEST, HIGHEST = -60.0, 2500.0
"""What ground in Norway may be, m: beside the deepest pits, and above Galdhøpiggen (2469)."""


@dataclass(frozen=True)
class TopAboveGround:
    """Wherever the ground is known, the highest of the cell is known too, and is not below it."""

    by_shards: ClassVar[bool] = True

    def check(self, draft: Draft, product: Product, context: Context) -> str | None:  # noqa: ARG002
        """Return what is wrong, or None."""
        tops = iter(draft.shards("top"))
        for key, ground in draft.shards("ground"):
            place = key.removeprefix("ground")
            # both come in the order of their keys; where all is sea there is no ground
            top = next((found for name, found in tops if name.removeprefix("top") == place), None)
            known = ground != FILL
            if top is None or np.any(known & ((top == FILL) | (top < ground))):
                return f"in {key} there is ground above the highest of its cell"
        return None


_height = partial(ALTITUDE, scale=0.04, offset=-100, valid_min=LOWEST, valid_max=HIGHEST)
_VARIABLES = (
    _height(
        "top",
        long_name="highest ground in the cell above mean sea level",
        cell_methods="area: maximum",
        comment="Never below what finer levels hold in the cell; of the finest level there is, nor below the surface "
        "between the centres (bilinear). 0 at sea, but beside the shore. The national model comes resampled: around "
        "areas to 10 m, of which all levels hold the highest; farther away to cells of 50 and 250 m, where a peak "
        "narrower than a cell is higher than this. Missing (65535) where nothing is known.",
    ),
    _height(
        "ground",
        long_name="mean height of the ground in the cell above mean sea level",
        cell_methods="area: mean",
        comment="Of a source with larger cells, the height at the cell's centre (bilinear). Missing (65535) at sea, "
        "where `top` is not, and where nothing is known.",
    ),
    Variable(
        "year",
        long_name="year of the heights",
        valid_min=1900,
        valid_max=2200,
        required=False,
        comment="Of the latest of what the cell is made of. Missing (65535) where the source does not say.",
    ),
)


def name_of(cell: int) -> str:
    """Return the name of a level by the side of its cells, m."""
    return f"{FAMILY}_{cell}m"


def _product(cell: int, grid: UtmGrid) -> Product:
    return Product(
        name=name_of(cell),
        title=f"Ground of Norway in cells of {cell} m",
        description=(
            f"Height of the ground in cells of {cell} m in UTM 33: the highest of each cell and the mean. One of three "
            "levels (10, 50, 250 m) whose cells and shards nest by 5 x 5. A level finer than the source is absent "
            "there: no detail is invented."
        ),
        grid=grid,
        variables=_VARIABLES,
        chunk=(SIDE // FOLD, SIDE // FOLD),
        shard=(SIDE, SIDE),
        on_request=True,
        family=FAMILY,
        version_rule="the UTC hour at which its build began, such as 2026-08-24T00; of all three levels the same",
        validators=(TopAboveGround(),),
    )


PRODUCTS = tuple(_product(cell, grid) for cell, grid in GRIDS.items())
BY_CELL: dict[int, Product] = dict(zip(GRIDS, PRODUCTS, strict=True))
