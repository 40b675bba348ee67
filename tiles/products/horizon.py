"""The horizon of every place: what terrain hides the sun behind, in 720 directions."""

from tiles.grid import HORIZON
from tiles.product import Dimension, Product, Variable
from tiles.shardwise import ShardByShard
from tiles.validators import NoGapsInSeries, PhysicalRange, RequiredVariables

AZIMUTHS = 720
STEP_DEG = 0.5

PRODUCT = Product(
    name="horizon",
    title="Horizon profiles for Norway",
    description=(
        "Elevation of the terrain's horizon in 720 directions, on a grid of 100 m in UTM 33, with the earth's "
        "curvature and refraction. Azimuths count from TRUE north: the grid's own north is up to 14 degrees off."
    ),
    schema=1,
    grid=HORIZON,
    dimensions=(
        Dimension(
            "azimuth",
            size=AZIMUTHS,
            min_size=AZIMUTHS,
            long_name="direction, clockwise from true north",
            units="degree",
        ),
    ),
    variables=(
        Variable(
            "elevation",
            units="degree",
            long_name="elevation of the horizon above the horizontal plane",
            cell_methods="",
            scale=0.002,
            offset=-10,
            valid_min=-10,
            valid_max=90,
            comment=(
                "As seen from the ground of the cell's centre; below 0 where the land falls away. Missing (65535) "
                "where nothing is built; never missing for part of the directions."
            ),
        ),
    ),
    chunk=(AZIMUTHS, 8, 8),
    shard=(AZIMUTHS, 64, 64),
    read="chunk",
    stale_after=None,
    expires_after=None,
    keep=None,
    on_request=True,
    version_rule="the UTC hour at which its build began, such as 2026-08-24T00",
    validators=(
        RequiredVariables(),
        ShardByShard(PhysicalRange()),
        ShardByShard(NoGapsInSeries()),
    ),
)
