"""How good the forecasts of a day were, at each station and by lead."""

from datetime import timedelta
from functools import partial

from tiles.dimensions import LEADS, MAX_STATIONS, STATIONS
from tiles.product import Product, Variable

MODELS = {"v23b": "model production_v2_3b, as published", "v1": "model production_v1", "raw": "the source, uncorrected"}
HIGHEST_NMAE = 60.0
LOWEST_SKILL = -60.0

_PAIRS = (
    "Over all hours of the day with daylight (clear sky of 5 W m-2 and more), forecast and observation, of all cycles "
    "whose lead lies in the class."
)


_figure = partial(Variable, required=False)


def _of_model(model: str, what: str) -> tuple[Variable, ...]:
    return (
        _figure(
            f"nmae_{model}",
            long_name=f"mean absolute error over mean observation: {what}",
            scale=0.001,
            offset=0,
            valid_max=HIGHEST_NMAE,
            comment=f"{_PAIRS} Missing without pairs, and where the mean observation is below 10 W m-2; at most 60 is "
            "stored.",
        ),
        _figure(
            f"bias_{model}",
            units="W m-2",
            long_name=f"mean forecast minus mean observation: {what}",
            scale=0.1,
            offset=-1500,
            valid_min=-1500,
            valid_max=1500,
            comment=f"{_PAIRS} Missing without pairs.",
        ),
        _figure(
            f"rmse_{model}",
            units="W m-2",
            long_name=f"root mean square error: {what}",
            scale=0.1,
            offset=0,
            valid_max=1500,
            comment=f"{_PAIRS} Missing without pairs.",
        ),
        _figure(
            f"skill_{model}",
            long_name=f"1 - RMSE / RMSE of smart persistence: {what}",
            scale=0.001,
            offset=LOWEST_SKILL,
            valid_min=LOWEST_SKILL,
            valid_max=1,
            comment=f"{_PAIRS} Smart persistence is the clear-sky index of the same hour of the day before, times the "
            "clear sky. Missing where the day before was not observed; at least -60 is stored.",
        ),
    )


PRODUCT = Product(
    name="skill",
    title="How good the solar forecasts of a day were",
    description=(
        "Errors of the forecasts of a UTC day at stations with pyranometers, by lead, and their skill over smart "
        "persistence; over all stations in the attribute `overall`."
    ),
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
    keep=timedelta(days=730),
    version_rule="the UTC day that was judged, such as 2026-06-20",
)
