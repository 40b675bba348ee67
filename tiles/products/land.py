"""The mainland with its islands, on the 3 km grid: for which cells climate products are made."""

from dataclasses import dataclass

import numpy as np

from tiles.grid import NORWAY3KM
from tiles.product import Context, Draft, Product, Variable
from tiles.validators import NothingMissing

FEWEST, MOST = 30_000, 45_000


@dataclass(frozen=True)
class PlausibleCount:
    """As many cells are land as Norway may have, and every cell with a share of land is one of them."""

    def check(self, draft: Draft, product: Product, context: Context) -> str | None:  # noqa: ARG002
        """Return what is wrong, or None."""
        land, share = draft.packed("land"), draft.packed("share")
        count = int(np.count_nonzero(land == 1))
        if not FEWEST <= count <= MOST:
            return f"{count} cells are land, {FEWEST} to {MOST} are expected: these are not the borders of Norway"
        if wrong := np.argwhere((share > 0) & (land == 0)).tolist():
            row, col = wrong[0]
            return f"cell ({row}, {col}) has land in it and is not counted as land"
        return None


PRODUCT = Product(
    name="land",
    title="Land of Norway on the 3 km grid",
    description=(
        "Which cells of 3 km in UTM 33 hold land of mainland Norway, its islands included, and how much of each is "
        "land. Svalbard and Jan Mayen lie beyond the grid. Climate products are made for the cells that hold land."
    ),
    grid=NORWAY3KM,
    variables=(
        Variable(
            "share",
            long_name="share of the cell that is land of mainland Norway",
            standard_name="land_area_fraction",
            scale=0.0001,
            valid_max=1,
            comment="Of 30 x 30 points of the cell. Lakes count as land, other countries as none. Never missing.",
        ),
        Variable(
            "land",
            long_name="1 where the cell holds land of mainland Norway, else 0",
            standard_name="land_binary_mask",
            valid_max=1,
            comment=(
                "1 where any of the 30 x 30 points is land or a border runs through: islets between the points count, "
                "their share is 0 then. Never missing."
            ),
        ),
    ),
    chunk=NORWAY3KM.shape,
    on_request=True,
    version_rule="`borders-` and the first 12 digits of the SHA-256 of the borders that it was made of",
    validators=(NothingMissing(), PlausibleCount()),
)
