"""Irradiance and specific production of each county, hour by hour, where people live."""

from datetime import timedelta

from tiles.product import Dimension, Product, Variable
from tiles.products.day import PRODUCT as DAY
from tiles.quantities import GHI
from tiles.validators import Fresh, NothingMissing, WholeDay

COUNTIES = {
    3: "Oslo",
    11: "Rogaland",
    15: "Møre og Romsdal",
    18: "Nordland",
    31: "Østfold",
    32: "Akershus",
    33: "Buskerud",
    34: "Innlandet",
    39: "Vestfold",
    40: "Telemark",
    42: "Agder",
    46: "Vestland",
    50: "Trøndelag",
    55: "Troms",
    56: "Finnmark",
}
"""By number (fylkesnummer), as they have been since 2024. A municipality's number begins with its county's."""

ROOFS = (
    (30, 180, 0.3),
    (30, 135, 0.1),
    (30, 225, 0.1),
    (25, 90, 0.15),
    (25, 270, 0.15),
    (10, 90, 0.1),
    (10, 270, 0.1),
)
"""The reference mix: tilt, azimuth clockwise from true north (degrees), part of the power. An assumption."""
ENGINE = "simplified_haydavies_v1"
"""Of `kernels.production`, by the name that answers give."""
PERFORMANCE_RATIO = 0.85
TEMP_COEFF = -0.004
"""Change of power per K above 25 degrees C."""

_HOUR = "Mean over the hour that starts at `time` (UTC)."
_WHERE = (
    "Mean of the county's municipalities, each the mean over the forecast cells of up to nine cells of 3 km, evenly "
    "spread over the lowest third of its land: this stands for the built area. Municipalities weigh the same, however "
    "many people or buildings they have. Never missing (65535)."
)

PRODUCT = Product(
    name="county_now",
    title="Production by county, the whole day",
    description=(
        "Global horizontal irradiance and specific production of a reference mix of roofs, of each of Norway's 15 "
        "counties, from 00 UTC of the day of a forecast's cycle to the cycle's end. Names of the counties, roofs and "
        "counts of municipalities are in the attributes."
    ),
    dimensions=(
        DAY.dimensions[0],
        Dimension(
            "county",
            size=len(COUNTIES),
            long_name="number of the county (fylkesnummer)",
            dtype="int64",
        ),
    ),
    variables=(
        GHI(
            "ghi",
            long_name="global horizontal irradiance, model production_v2_3b",
            cell_methods="time: mean county: mean",
            comment=f"{_HOUR} {_WHERE}",
        ),
        Variable(
            "specific_power",
            units="W kW-1",
            long_name="power of the reference mix of roofs, of each kWp installed",
            cell_methods="time: mean county: mean",
            scale=0.1,
            valid_max=1300,
            comment=(
                f"{_HOUR} {_WHERE} Engine {ENGINE} in each cell, on the attribute `roofs`: no horizon, "
                "shade or snow, no limit of inverters."
            ),
        ),
    ),
    chunk=(90, len(COUNTIES)),
    stale_after=DAY.stale_after,
    expires_after=DAY.expires_after,
    keep=timedelta(days=7),
    version_rule="that of the product day that it is made of, 2015-08-24T00",
    validators=(WholeDay(), Fresh(), NothingMissing()),
)
