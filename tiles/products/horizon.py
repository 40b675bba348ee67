"""The horizon of every place: what terrain hides the sun behind, in 720 directions."""

from functools import partial

from tiles.grid import HORIZON
from tiles.product import Dimension, Product, Variable
from tiles.quantities import ALTITUDE
from tiles.validators import NoGapsInSeries

AZIMUTHS = 720
STEP_DEG = 0.5
BLOCK = 64
OBSERVER_M = 1.5
BEYOND_M = 500
"""From so far on, m, the horizon is stored also where something nearer hides it: a roof looks over that."""

_ROUNDED = "Along the ground, in steps of 2.5 m, from 320 m on rounded to within 1 %."


_elevation = partial(Variable, units="degree", scale=0.002, offset=-10, valid_min=-10, valid_max=90)
# where no direction of any cell sees land there is none
_distance = partial(Variable, units="m", scale=2.5, valid_max=160_000, required=False)

PRODUCT = Product(
    name="horizon",
    title="Horizon profiles for Norway",
    description=(
        "Elevation of the terrain's horizon in 720 directions, on a grid of 100 m in UTM 33, with the earth's "
        "curvature and refraction, and how far away is what makes it. Azimuths count from TRUE north: the grid's own "
        "north is up to 14 degrees off."
    ),
    schema=2,
    grid=HORIZON,
    dimensions=(Dimension("azimuth", size=AZIMUTHS, long_name="direction, clockwise from true north", units="degree"),),
    variables=(
        _elevation(
            "elevation",
            long_name="elevation of the horizon above the horizontal plane",
            comment=f"As seen from {OBSERVER_M} m above the ground of the cell's centre; below 0 where the land falls "
            "away, and -10 where it would be lower still; that of the open sea where no land is known of a direction. "
            "Missing (65535) where nothing is built; never missing for part of the directions.",
        ),
        _distance(
            "distance",
            long_name="distance to the terrain that makes the horizon",
            comment=f"{_ROUNDED} Missing (65535) where nothing is built, and in directions in which no land is known: "
            "data end there, or beyond is open sea.",
        ),
        _elevation(
            "elevation_beyond",
            long_name=f"elevation of the horizon of what is at least {BEYOND_M} m away",
            comment="As `elevation`. Missing (65535) where nothing is built, and in directions in which the horizon "
            "itself is that far away: it is the same there.",
            required=False,
        ),
        _distance(
            "distance_beyond",
            long_name=f"distance to what is highest of what is at least {BEYOND_M} m away",
            comment=f"{_ROUNDED} Missing (65535) where nothing is built, in directions in which the horizon itself is "
            "that far away, and where no land is known.",
        ),
        ALTITUDE(
            "ground",
            long_name="height of the ground at the cell's centre",
            scale=0.04,
            offset=-100,
            valid_min=-100,
            valid_max=2500,
            comment="Above the sea, of the terrain model. Missing (65535) where nothing is built.",
        ),
        Variable(
            "dtm_year",
            long_name="year of the terrain data at the cell's centre",
            valid_min=1900,
            valid_max=2100,
            # a terrain model from a file need not tell
            required=False,
            over=(),
            comment="Missing (65535) where nothing is built, and where the source does not tell.",
        ),
    ),
    chunk=(AZIMUTHS, 8, 8),
    shard=(AZIMUTHS, BLOCK, BLOCK),
    on_request=True,
    version_rule="the UTC hour at which its build began, such as 2026-08-24T00",
    validators=(NoGapsInSeries(but=("distance", "elevation_beyond", "distance_beyond")),),
)
