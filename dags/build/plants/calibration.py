"""The nightly calibration of registered plants."""

from dags.build.context import BuildContext
from dags.build.plants.command import solflis


def build(context: BuildContext) -> None:
    """Keep the forecasts of plants' places, and calibrate the plants that have new measurements."""
    solflis(context, "plants", "calibrate")
