"""What is known of a cell's typical years: sums, percentiles, chosen years, and the bias that was taken out."""

from functools import partial

from tiles.dimensions import MONTHS
from tiles.grid import NORWAY3KM
from tiles.product import Dimension, Product, Variable
from tiles.products.climate_archive import BLOCK, altitude
from tiles.products.tmy import MADE_OF

NAMES = tuple(MADE_OF)
ANNUAL = ("tmy", "mean", "p50", "p75", "p90", "p95")
"""Of annual GHI: the typical year's own sum, the mean of all years, and what is exceeded in xx % of them."""

_MISSING = "Missing (65535) on cells that are not built, and for products that do not exist there."
_EXCEEDED = "Exceeded in so many % of the years: P90 is the 10th percentile (linear between years)."
_MEANINGS = {"tmy": "Of the twelve selected months, unscaled.", "mean": "Mean over all years of the product."}
_annual = partial(Variable, units="kWh m-2", scale=0.025, valid_max=1600, over=("product",))
_monthly = partial(Variable, units="kWh m-2", scale=0.005, valid_max=300, over=("product", "month"))

PRODUCT = Product(
    name="tmy_stats",
    title="Statistics of the typical meteorological years",
    description="Beside the four typical years of a cell: annual and monthly sums, chosen years, bias correction.",
    grid=NORWAY3KM,
    dimensions=(
        Dimension("product", size=len(NAMES), long_name="typical year", dtype="int64", labels=NAMES),
        MONTHS,
    ),
    variables=(
        *(
            _annual(
                f"annual_ghi_{name}",
                long_name=f"annual global horizontal irradiation, {name}",
                comment=f"{_MEANINGS.get(name, _EXCEEDED)} {_MISSING}",
            )
            for name in ANNUAL
        ),
        _annual(
            "annual_ghi_std",
            long_name="standard deviation of annual irradiation between years",
            scale=0.005,
            valid_max=300,
            comment=f"Of one year. {_MISSING}",
        ),
        _annual(
            "annual_dni_tmy",
            long_name="annual direct normal irradiation of the typical year",
            comment=f"Unscaled. {_MISSING}",
        ),
        *(
            _monthly(
                f"monthly_ghi_{name}",
                long_name=f"monthly global horizontal irradiation, {name}",
                comment=f"{_EXCEEDED} {_MISSING}",
            )
            for name in ("p50", "p90")
        ),
        Variable(
            "selected_year",
            long_name="calendar year that the month is taken of",
            valid_min=1900,
            valid_max=2100,
            over=("product", "month"),
            comment=f" {_MISSING}",
        ),
        Variable(
            "bias_correction",
            units="W m-2",
            long_name="monthly bias correction of the ensemble",
            scale=0.01,
            offset=-300,
            valid_min=-300,
            valid_max=300,
            over=("month",),
            comment=f"What was added to the monthly mean, interpolated from pyranometers. {_MISSING}",
        ),
        Variable(
            "bias_stations",
            long_name="number of stations behind the bias correction",
            offset=0,
            valid_max=100,
            over=(),
            comment=f"0: none was made. {_MISSING}",
        ),
        Variable(
            "weight_solarmodel",
            long_name="weight of the solar model in the ensemble",
            scale=0.01,
            offset=0,
            valid_max=1,
            over=(),
            comment=f"The reanalysis has the rest; 0 where the satellite does not see. {_MISSING}",
        ),
        altitude("the reanalysis", required=True),
    ),
    chunk=(len(NAMES), 12, BLOCK, BLOCK),
    on_request=True,
    version_rule="first and last year of the archive that it is made of, 1991-2025",
)
