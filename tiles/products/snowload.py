"""The most snow of every season since 1957, of every 1 km cell: what loads on the ground are computed from."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kernels.snowload.seasons import LEAST_DAYS
from tiles.grid import SENORGE1KM
from tiles.product import FILL, Context, Dimension, Draft, Product, Variable
from tiles.products.snow_history import FIRST_YEAR
from tiles.quantities import ALTITUDE
from tiles.validators import EvenAxis

BLOCK = 32
"""Cells of a block along a side: a shard, 32 km."""
MOST_SEASONS = 110
"""The last one begins in 2066."""
_CHUNK = 8


@dataclass(frozen=True)
class SeasonsFromTheFirst:
    """The seasons begin with that of 1957, and none is missing or there twice."""

    def check(self, draft: Draft, product: Product, context: Context) -> str | None:
        """Return what is wrong, or None."""
        if wrong := EvenAxis("season").check(draft, product, context):
            return wrong
        first = int(draft.axis("season")[0])
        return f"the first season begins in {first}, not in {FIRST_YEAR}" if first != FIRST_YEAR else None


@dataclass(frozen=True)
class MaximaOfBuiltCells:
    """Only cells that are built, which are those with an altitude, have maxima."""

    by_shards: ClassVar[bool] = True

    def check(self, draft: Draft, product: Product, context: Context) -> str | None:  # noqa: ARG002
        """Return what is wrong, or None."""
        built = {key.removeprefix("altitude/"): values != FILL for key, values in draft.shards("altitude")}
        for key, values in draft.shards("swe_max"):
            known = (values != FILL).any(axis=0)
            there = built.get(key.removeprefix("swe_max/").replace("c/0/", "c/", 1), np.zeros(known.shape, bool))
            if np.any(known & ~there):
                row, column = np.argwhere(known & ~there)[0].tolist()
                return f"in {key}, cell ({row}, {column}) has maxima and no altitude"
        return None


PRODUCT = Product(
    name="snowload",
    title="Most snow of each season in Norway since 1957",
    description=(
        "The largest water equivalent of the snow on the ground in each season, 1 September to 31 August, since 1957, "
        "with the altitude, of the snow authority's own cells of 1 km in UTM 33."
    ),
    grid=SENORGE1KM,
    dimensions=(
        Dimension(
            "season",
            size=MOST_SEASONS,
            min_size=1,
            long_name="year in which the season begins, on 1 September",
            dtype="int64",
            step="P1Y",
        ),
    ),
    variables=(
        Variable(
            "swe_max",
            units="mm",
            standard_name="lwe_thickness_of_surface_snow_amount",
            long_name="largest water equivalent of the snow on the ground in the season",
            cell_methods="season: maximum",
            valid_max=60_000,
            comment=(
                "The largest value of a season's days, each as it is when the day ends, at 06 UTC. Missing (65535) in "
                f"seasons with fewer than {LEAST_DAYS} known days, and on cells that are not built."
            ),
        ),
        ALTITUDE(
            "altitude",
            long_name="height of the cell",
            scale=0.1,
            offset=-500,
            valid_min=-500,
            valid_max=3000,
            comment="Of all seasons alike. Missing (65535) on cells that are not built, and on these alone.",
        ),
    ),
    chunk=(MOST_SEASONS, _CHUNK, _CHUNK),
    shard=(MOST_SEASONS, BLOCK, BLOCK),
    on_request=True,
    version_rule="the years in which the first season begins and the last one ends (31 August), 1957-2026",
    validators=(SeasonsFromTheFirst(), MaximaOfBuiltCells()),
)
