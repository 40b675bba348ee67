"""`GET /api/anlegg/{id}/treff`: what calibration brought, in the owner's own measurements."""

from functools import partial
from typing import Annotated

from aiohttp import web
from pydantic import Field

from api.core.fields import Closed, Maybe
from api.core.resources import Resources
from api.data.plants.calibration import CalibrationAnswer
from api.plants.answers import Moment
from api.plants.rows import Rows
from api.plants.service import respond

Watts = Annotated[float, Field(description="W, mean over the hours.")]


class Errors(Closed):
    """How far forecasts were from measurements."""

    mae_w: Watts = Field(description="Mean absolute error, W.")
    skjevhet_w: Watts = Field(description="Mean of forecast less measurement, W: above 0 the forecast is too high.")


class AsForecast(Errors):
    """Forecasts as they were given, with the calibration of then, which did not know the measurements."""

    timer: int = Field(description="Hours: those behind the data that the calibration of then was fitted to.")
    ukalibrert_mae_w: Watts = Field(description="Mean absolute error of the same hours without calibration, W.")


class AccuracyRow(Closed):
    """The forecasts of one lead; hours without sun are not counted."""

    ledetid_timer: int = Field(description="From the forecast's cycle to the hour.")
    maaned: Maybe[str] = Field(None, description="UTC, such as `2026-06`; absent from `samlet`.")
    timer: int = Field(description="Hours with measurement and forecast.")
    malt_w: Watts = Field(description="Mean measured production, W.")
    ukalibrert: Errors
    kalibrert: Maybe[Errors] = Field(None, description="With the calibration in force; absent where none is.")
    varslet: Maybe[AsForecast] = Field(None, description="Absent where no forecast was calibrated yet.")
    etter_grunnlaget: bool = Field(
        description="Whether all its hours lie behind the data that the calibration in force was fitted to: only then "
        "`kalibrert` is an honest test of it. `varslet` always is."
    )


class Accuracy(Closed):
    """How far a plant's forecasts were from its measurements: all in W, means over hours."""

    kalibrering: CalibrationAnswer
    grunnlag_til: str | None = Field(description="The last hour that the calibration in force was fitted to (UTC).")
    fra: Moment | None = Field(description="Start of the first hour that is compared.")
    til: Moment | None = Field(description="Start of the last one.")
    samlet: list[AccuracyRow] = Field(description="All months together, a row for each lead.")
    rader: list[AccuracyRow] = Field(description="By lead and month.")
    warnings: Maybe[list[str]] = Field(None, description="Absent where there are none.")


class AccuracyService:
    """Answers with the accuracy of a plant's forecasts."""

    def __init__(self, resources: Resources) -> None:
        self._rows, self._clock = Rows(resources), resources.clock
        self._engines, self._cpu = resources.machinery.engines, resources.machinery.cpu

    async def show(self, request: web.BaseRequest, _: None) -> web.StreamResponse:
        """How far forecasts were from a plant's measurements, by lead and month, before and after calibration.

        Forecasts of the plant's place are kept every night, with 1, 6, 12, 24 and 48 hours from their cycle, for hours
        since the plant was registered. `varslet` are forecasts as they were given, with the calibration of then.
        """
        plant = await self._rows.plant_of(request)
        await self._engines.ready()
        from api.plants.accuracy import accuracy, read

        compared = await self._rows.read_hours(read, plant.id, self._clock.now())
        with self._cpu.slot():
            return respond(request, await self._cpu.run(partial(accuracy, plant, *compared)))
