"""What snow leaves of a day's production, by municipality, on planes of reference."""

from datetime import timedelta

from tiles.product import Dimension, Product, Variable
from tiles.validators import EvenAxis

MOST_MUNICIPALITIES = 400
MOST_DAYS = 11
TILTS = (10, 20, 30, 45, 60, 90)
AZIMUTHS = (0, 90, 180, 270)
GEOMETRIES = tuple((tilt, azimuth) for tilt in TILTS for azimuth in AZIMUTHS)
"""Tilt, and azimuth clockwise from true north, degrees."""

PRODUCT = Product(
    name="snow_factors",
    title="Snow factors by municipality",
    description=(
        "The part of the day's possible production that snow on the modules leaves, on roofs of 24 tilts and azimuths, "
        "yesterday and nine days ahead, for each municipality. Numbers, names and positions of the municipalities, the "
        "planes and the days are in the attributes."
    ),
    dimensions=(
        Dimension(
            "municipality",
            size=MOST_MUNICIPALITIES,
            min_size=1,
            long_name="number of the municipality (kommunenummer)",
            dtype="int64",
        ),
        Dimension(
            "geometry",
            size=len(GEOMETRIES),
            long_name="number of the plane in the attribute `geometries`: its tilt and its azimuth from true north",
            dtype="int64",
        ),
        Dimension(
            "day",
            size=MOST_DAYS,
            min_size=2,
            long_name="day, from 06 UTC of its date to 06 UTC of the next",
            units="days since 1970-01-01",
            dtype="int64",
            step="P1D",
            bounds=(0.25, 1.25),
        ),
    ),
    variables=(
        Variable(
            "factor",
            long_name="part of the possible production that snow leaves",
            cell_methods="day: mean",
            scale=0.0001,
            valid_max=1,
            comment=(
                "1 where no snow lies on the modules. Of modules on a roof, each covered part losing its own share; "
                "mean over cells in the lowest third of the municipality. Missing (65535) on days without snow data."
            ),
        ),
    ),
    chunk=(MOST_MUNICIPALITIES, len(GEOMETRIES), MOST_DAYS),
    stale_after=timedelta(hours=36),
    expires_after=timedelta(hours=36),
    keep=timedelta(days=7),
    version_rule="that of the product snow_outlook that it is made of, 2026-11-23",
    validators=(EvenAxis("day"),),
)
