"""How good the forecasts of a day were, at each station and by lead."""

from datetime import timedelta

from tiles.dimensions import LEADS, MAX_STATIONS, STATIONS
from tiles.product import Product, Variable
from tiles.validators import PhysicalRange, RequiredVariables

MODELS = {"v23b": "model production_v2_3b, as published", "v1": "model production_v1", "raw": "the source, uncorrected"}
HIGHEST_NMAE = 60.0
LOWEST_SKILL = -60.0

_PAIRS = (
    "Over all hours of the day with daylight (clear sky of 5 W m-2 and more), forecast and observation, of all cycles "
    "whose lead lies in the class."
)


def _variable(
    name: str, units: str, long_name: str, comment: str, *, scale: float, low: float, high: float
) -> Variable:
    return Variable(
        name,
        units=units,
        long_name=long_name,
        scale=scale,
        offset=min(low, 0.0),
        valid_min=low,
        valid_max=high,
        required=False,
        comment=f"{_PAIRS} {comment}",
    )


def _of_model(model: str, what: str) -> tuple[Variable, ...]:
    return (
        _variable(
            f"nmae_{model}",
            "1",
            f"mean absolute error over mean observation: {what}",
            "Missing without pairs, and where the mean observation is below 10 W m-2; at most 60 is stored.",
            scale=0.001,
            low=0,
            high=HIGHEST_NMAE,
        ),
        _variable(
            f"bias_{model}",
            "W m-2",
            f"mean forecast minus mean observation: {what}",
            "Missing without pairs.",
            scale=0.1,
            low=-1500,
            high=1500,
        ),
        _variable(
            f"rmse_{model}",
            "W m-2",
            f"root mean square error: {what}",
            "Missing without pairs.",
            scale=0.1,
            low=0,
            high=1500,
        ),
        _variable(
            f"skill_{model}",
            "1",
            f"1 - RMSE / RMSE of smart persistence: {what}",
            "Smart persistence is the clear-sky index of the same hour of the day before, times the clear sky. Missing "
            "where the day before was not observed; at least -60 is stored.",
            scale=0.001,
            low=LOWEST_SKILL,
            high=1,
        ),
    )


PRODUCT = Product(
    name="skill",
    title="How good the solar forecasts of a day were",
    description=(
        "Errors of the forecasts of a UTC day at stations with pyranometers, by lead, and their skill over smart "
        "persistence; over all stations in the attribute `overall`."
    ),
    schema=1,
    dimensions=(LEADS, STATIONS),
    variables=(
        Variable(
            "pairs",
            long_name="number of hours with forecast v2.3b and observation, of all cycles",
            valid_max=2000,
            comment=f"{_PAIRS} Never missing.",
        ),
        *(variable for model, what in MODELS.items() for variable in _of_model(model, what)),
    ),
    chunk=(8, MAX_STATIONS),
    shard=(8, MAX_STATIONS),
    keep=timedelta(days=730),
    version_rule="the UTC day that was judged, such as 2026-06-20",
    validators=(RequiredVariables(), PhysicalRange()),
)
