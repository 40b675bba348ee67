"""Where the borders of the municipalities run: polygons as GeoParquet, and a table of how far each reaches."""

from functools import partial

from tiles.product import Dimension, Product, Variable
from tiles.products.municipality import FEWEST, MOST, PlausibleMunicipalities
from tiles.validators import NothingMissing

POLYGONS = "files/borders.parquet"
"""The file of the polygons: GeoParquet in UTM 33, by number, with name and county."""
CORNERS = "files/corners.npz"
"""The same in whole steps, as the API reads them: the arguments of `kernels.polygons.Rings`."""
STEPS_PER_M = 10
SIDES = ("west", "south", "east", "north")


_whole = partial(Variable, comment="Never missing.")


def _side(name: str) -> Variable:
    low, high = (-100, 1200) if name in ("west", "east") else (6400, 8000)
    what = f"{name}ernmost point of the municipality in UTM 33 (EPSG:25833)"
    return _whole(name, units="km", long_name=what, offset=-1000, valid_min=low, valid_max=high)


PRODUCT = Product(
    name="municipality_borders",
    title="Borders of the municipalities of Norway",
    description=(
        f"The land of each municipality as polygons in UTM 33: the file {POLYGONS} (GeoParquet) beside the arrays, by "
        "number, with name and county. The arrays say how far each reaches, in the same order; numbers, names and "
        "counties are in the attribute `municipalities` too. The borders are generalised and end at the coast."
    ),
    schema=2,
    dimensions=(
        Dimension("municipality", size=MOST, min_size=FEWEST, long_name="number of the row, from 0", dtype="int32"),
    ),
    variables=(
        _whole(
            "number", long_name="number of the municipality (kommunenummer)", offset=0, valid_min=100, valid_max=9999
        ),
        *(_side(name) for name in SIDES),
    ),
    chunk=(MOST,),
    on_request=True,
    version_rule="`borders-` and the first 12 digits of the SHA-256 of the borders that it was made of",
    validators=(NothingMissing(), PlausibleMunicipalities()),
)
