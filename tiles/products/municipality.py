"""Which municipality each cell of land lies in, on the 3 km grid."""

from dataclasses import dataclass

import numpy as np

from tiles.grid import NORWAY3KM
from tiles.product import FILL, Context, Draft, Product, Variable

FEWEST, MOST = 100, 400
"""The simulator has a third of the real ones."""


@dataclass(frozen=True)
class PlausibleMunicipalities:
    """There are as many municipalities as Norway may have."""

    def check(self, draft: Draft, product: Product, context: Context) -> str | None:  # noqa: ARG002
        """Return what is wrong, or None."""
        numbers = np.unique(draft.packed("number"))
        count = int(np.count_nonzero(numbers != FILL))
        if not FEWEST <= count <= MOST:
            return f"{count} municipalities have land, {FEWEST} to {MOST} are expected: these are not those of Norway"
        return None


PRODUCT = Product(
    name="municipality",
    title="Municipalities of Norway on the 3 km grid",
    description=(
        "The number of the municipality that each cell of land lies in, on cells of 3 km in UTM 33. Their names are in "
        "the attribute `municipalities`."
    ),
    grid=NORWAY3KM,
    variables=(
        Variable(
            "number",
            long_name="number of the municipality (kommunenummer)",
            valid_min=100,
            valid_max=9999,
            comment=(
                "The one that holds the cell's centre; where none does, one that has land in the cell; where none has, "
                "that of the nearest cell within 6 km. Missing (65535) on cells without land."
            ),
        ),
    ),
    chunk=NORWAY3KM.shape,
    on_request=True,
    version_rule="`borders-` and the first 12 digits of the SHA-256 of the borders that it was made of",
    validators=(PlausibleMunicipalities(),),
)
