"""What is known of a cell's typical years: sums, percentiles, chosen years, and the bias that was taken out."""

from tiles.dimensions import MONTHS
from tiles.grid import NORWAY3KM
from tiles.product import Dimension, Product, Variable
from tiles.products.climate_archive import BLOCK, altitude
from tiles.products.tmy import MADE_OF
from tiles.shardwise import ShardByShard
from tiles.validators import PhysicalRange, RequiredVariables

NAMES = tuple(MADE_OF)
ANNUAL = ("tmy", "mean", "p50", "p75", "p90", "p95")
"""Of annual GHI: the typical year's own sum, the mean of all years, and what is exceeded in xx % of them."""

_MISSING = "Missing (65535) on cells that are not built, and for products that do not exist there."
_EXCEEDED = "Exceeded in so many % of the years: P90 is the 10th percentile (linear between years)."
_MEANINGS = {
    "tmy": "Of the twelve selected months, unscaled.",
    "mean": "Mean over all years of the product.",
    "p50": _EXCEEDED,
    "p75": _EXCEEDED,
    "p90": _EXCEEDED,
    "p95": _EXCEEDED,
}


def _sum(name: str, long_name: str, comment: str, *, high: float, over: tuple[str, ...] = ("product",)) -> Variable:
    return Variable(
        name,
        units="kWh m-2",
        long_name=long_name,
        scale=0.025 if high > 500 else 0.005,
        valid_max=high,
        over=over,
        comment=f"{comment} {_MISSING}",
    )


def _small(name: str, units: str, long_name: str, comment: str, scale: float, low: float, high: float) -> Variable:
    over = {"selected_year": ("product", "month"), "bias_correction": ("month",)}.get(name, ())
    return Variable(
        name,
        units=units,
        long_name=long_name,
        scale=scale,
        offset=min(low, 0.0),
        valid_min=low,
        valid_max=high,
        over=over,
        comment=f"{comment} {_MISSING}",
    )


PRODUCT = Product(
    name="tmy_stats",
    title="Statistics of the typical meteorological years",
    description="Beside the four typical years of a cell: annual and monthly sums, chosen years, bias correction.",
    schema=1,
    grid=NORWAY3KM,
    dimensions=(
        Dimension(
            "product",
            size=len(NAMES),
            min_size=len(NAMES),
            long_name="typical year",
            dtype="int64",
            labels=NAMES,
        ),
        MONTHS,
    ),
    variables=(
        *(
            _sum(f"annual_ghi_{name}", f"annual global horizontal irradiation, {name}", _MEANINGS[name], high=1600)
            for name in ANNUAL
        ),
        _sum("annual_ghi_std", "standard deviation of annual irradiation between years", "Of one year.", high=300),
        _sum("annual_dni_tmy", "annual direct normal irradiation of the typical year", "Unscaled.", high=1600),
        _sum(
            "monthly_ghi_p50", "monthly global horizontal irradiation, p50", _EXCEEDED, high=300,
            over=("product", "month"),
        ),
        _sum(
            "monthly_ghi_p90", "monthly global horizontal irradiation, p90", _EXCEEDED, high=300,
            over=("product", "month"),
        ),
        _small("selected_year", "1", "calendar year that the month is taken of", "", 1, 1900, 2100),
        _small(
            "bias_correction", "W m-2", "monthly bias correction of the ensemble",
            "What was added to the monthly mean, interpolated from pyranometers.", 0.01, -300, 300,
        ),
        _small("bias_stations", "1", "number of stations behind the bias correction", "0: none was made.", 1, 0, 100),
        _small(
            "weight_solarmodel", "1", "weight of the solar model in the ensemble",
            "The reanalysis has the rest; 0 where the satellite does not see.", 0.01, 0, 1,
        ),
        altitude("the reanalysis", required=True),
    ),
    chunk=(len(NAMES), 12, BLOCK, BLOCK),
    shard=(len(NAMES), 12, BLOCK, BLOCK),
    on_request=True,
    version_rule="first and last year of the archive that it is made of, 1991-2025",
    validators=(RequiredVariables(), ShardByShard(PhysicalRange())),
)  # fmt: skip
