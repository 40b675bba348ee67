"""How far reanalysis and ensemble are off at stations with pyranometers, by month."""

from tiles.dimensions import MAX_STATIONS, MONTHS, STATIONS
from tiles.product import Product, Variable


def _bias(model: str, what: str) -> Variable:
    return Variable(
        f"bias_{model}",
        units="W m-2",
        long_name=f"mean {what} minus mean observation",
        scale=0.01,
        offset=-300,
        valid_min=-300,
        valid_max=300,
        required=False,
        comment=(
            "Over all hours of the month, of all years in which 90 % of them were observed. Missing where these are "
            "fewer than 5, where the station was left out, and where the model does not reach."
        ),
    )


PRODUCT = Product(
    name="station_bias",
    title="Bias of the archive's irradiance at stations",
    description=(
        "Mean difference of the archive's irradiance and observation, by month and station. What was left out, and "
        "why, is in the attribute `left_out`; where the stations are in `stations`."
    ),
    dimensions=(MONTHS, STATIONS),
    variables=(
        _bias("reanalysis", "irradiance of the reanalysis"),
        _bias("ensemble", "irradiance of the ensemble"),
        Variable(
            "years",
            long_name="number of years that were compared",
            valid_max=100,
            comment="Those in which 90 % of the month's hours were observed. Never missing.",
        ),
    ),
    chunk=(12, MAX_STATIONS),
    on_request=True,
    version_rule="first and last year of the archive that it is made of, 1991-2025",
)
