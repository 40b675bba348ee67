"""The forecast of a cycle at the stations that measure radiation: what the correction and the verification read."""

from datetime import timedelta

from tiles.dimensions import MAX_STATIONS, STATIONS, hours
from tiles.product import Product, Variable
from tiles.quantities import GHI
from tiles.validators import CompleteTimeAxis, Fresh, NoGapsInSeries

_HOUR = "Mean over the hour that starts at `time` (UTC), in the source's cell nearest to the station."


def _irradiance(name: str, long_name: str, comment: str, required: bool = True) -> Variable:
    return GHI(
        name,
        long_name=long_name,
        required=required,
        comment=f"{_HOUR} {comment} Missing (65535) where the source has none; never missing for part of a series.",
    )


PRODUCT = Product(
    name="station_forecast",
    title="Solar forecast at stations with pyranometers, hourly cycles",
    description=(
        "Each cycle's global horizontal irradiance at the stations that measure it: as the source has it, corrected "
        "(v2.3b), by cloud (V1.5), and under a clear sky. Names, positions and cells are in the attributes."
    ),
    dimensions=(hours(67, 59), STATIONS),
    variables=(
        _irradiance("ghi_raw", "global horizontal irradiance of the source", "Before any correction."),
        _irradiance("ghi", "global horizontal irradiance, model production_v2_3b", "As corrected in that cycle."),
        _irradiance(
            "ghi_v1", "global horizontal irradiance, model production_v1", "Absent where there is no cloud.", False
        ),
        _irradiance("gcs", "clear-sky global horizontal irradiance", "Ineichen & Perez 2002."),
        Variable(
            "sine",
            long_name="sine of the sun's apparent elevation",
            cell_methods="time: mean",
            scale=0.0001,
            valid_max=1,
            comment="Mean over the sunlit part of the hour that starts at `time` (UTC); 0 at night, never missing.",
        ),
    ),
    chunk=(67, MAX_STATIONS),
    keep=timedelta(days=60),
    version_rule="the cycle's UTC hour, such as 2015-08-24T00",
    validators=(CompleteTimeAxis(), Fresh(), NoGapsInSeries()),
)
