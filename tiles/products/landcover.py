"""What covers the ground, and how built-up it is: 10 m cells of Norway in UTM 33."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiles.grid import TERRAIN10
from tiles.product import FILL, Context, Draft, Product, Variable

GRID = TERRAIN10
SIDE = 1000
"""Cells along a side of a shard: 10 km."""
CHUNK = 200
CLASSES = {
    0: "unknown",
    11: "built-up",
    12: "transport",
    20: "farmland",
    30: "forest",
    50: "open ground",
    60: "mire",
    70: "ice and snow",
    81: "lake",
    82: "sea",
}


@dataclass(frozen=True)
class KnownClasses:
    """Every cell has one of the declared classes."""

    by_shards: ClassVar[bool] = True

    def check(self, draft: Draft, product: Product, context: Context) -> str | None:  # noqa: ARG002
        """Return what is wrong, or None."""
        for key, found in draft.shards("cover"):
            if odd := sorted({int(code) for code in np.unique(found)} - {*CLASSES, FILL}):
                return f"in {key} there are classes {', '.join(map(str, odd))}, which are none of the product's"
        return None


def bounds_of(row: int, column: int, side: int) -> tuple[float, float, float, float]:
    """Return west, south, east and north of a square by its first cell and the cells of its side, m in UTM 33."""
    west, south = GRID.x0 + GRID.size * column, GRID.y0 + GRID.size * row
    return west, south, west + GRID.size * side, south + GRID.size * side


PRODUCT = Product(
    name="landcover",
    title="Land cover of Norway in cells of 10 m",
    description=(
        "Class of land cover in cells of 10 m in UTM 33, and in built-up ground the share of a cell that buildings "
        "cover and their mean height: what the terrain category of NS-EN 1991-1-4 is told from."
    ),
    grid=GRID,
    variables=(
        Variable(
            "cover",
            long_name="class of land cover",
            valid_max=max(CLASSES),
            comment=f"At the cell's centre: {', '.join(f'{code} {name}' for code, name in CLASSES.items())}. Missing "
            "(65535) where nothing is built.",
        ),
        Variable(
            "built",
            long_name="share of the cell that buildings cover",
            cell_methods="area: mean",
            units="percent",
            valid_max=100,
            required=False,
            comment="Of footprints where the operator has them, else of what stands out of the surface model in "
            "built-up ground. Missing (65535) where nobody looked: without built-up ground within 2 km squares.",
        ),
        Variable(
            "height",
            long_name="mean height of these buildings above the ground",
            cell_methods="area: mean",
            units="m",
            scale=0.1,
            valid_max=500,
            required=False,
            comment="Of the surface model over the terrain. 0 where no building is; missing (65535) as `built`.",
        ),
    ),
    chunk=(CHUNK, CHUNK),
    shard=(SIDE, SIDE),
    on_request=True,
    version_rule="the UTC hour at which its build began, such as 2026-08-24T00",
    validators=(KnownClasses(),),
)
