"""Calculating many plants in one call: what `POST /api/pv/calc/bulk` takes, gives and does."""

from functools import partial
from typing import Annotated, Any

from aiohttp import web
from pydantic import BaseModel, Field, WrapValidator

from api.core.body import Faulty, distinct, isolate
from api.core.errors import ApiError, Error, Language, language_of
from api.core.fields import Closed, Flag, Label, Number
from api.core.pipeline import JSON_FORMAT, Machinery, Pipeline, Selection, at_hand, origin_of
from api.core.problems import NotBuilt
from api.data.surfaces import ANGLE, KWP, MOST, Mounting, Surface, aspect_of
from api.data.typical_year import LAT, LON
from api.pv.query import LOSS, MOUNTING, TECHNOLOGY, TILE, Confidence, PvQuery, SnowMounting, Technology
from api.pv.schemas import Annual, Array, Month, SideBySide, TmyCell
from api.pv.service import PvService

MAX_SYSTEMS = 50


class BulkArray(BaseModel):
    """One roof surface or string, as in the forecast's bodies."""

    name: Label | None = Field(None, description="For the caller; results are by order.")
    kwp: Annotated[Number, Field(ge=KWP[0], le=KWP[1], description="Installed power, kWp.")]
    tilt_deg: Annotated[Number, Field(ge=ANGLE[0], le=ANGLE[1], description="0 flat, 90 wall.")]
    azimuth_deg: Annotated[Number, Field(ge=0, le=360, description="Compass: 0 north, 90 east, 180 south, 270 west.")]


class BulkSystem(BaseModel):
    """One plant."""

    id: Label = Field(description="Key of its result; each once.")
    latitude: Number = Field(ge=LAT[0], le=LAT[1], description="Degrees north (WGS84).")
    longitude: Number = Field(ge=LON[0], le=LON[1], description="Degrees east (WGS84).")
    arrays: list[BulkArray] = Field(min_length=1, max_length=MOST)
    loss: Annotated[Number, Field(ge=LOSS[0], le=LOSS[1], description="System loss, %.")] = 14.0
    pvtechchoice: Technology = TECHNOLOGY
    mountingplace: Mounting = Field(MOUNTING, description="As in `GET /api/pv/calc`.")
    confidence: Confidence = "p50"
    maxpower: Annotated[Number, Field(ge=KWP[0], le=KWP[1], description="Limit of the AC power, kW.")] | None = None
    horizon: Flag = True
    albedo: Annotated[Number, Field(ge=0, le=1, description="Of the ground, in place of the cell's.")] | None = None
    snowloss: Flag = False
    snowmounting: SnowMounting | None = Field(None, description="As in `GET /api/pv/calc`.")

    def query(self) -> PvQuery:
        """Return it as `GET /api/pv/calc` is asked: azimuth from north becomes azimuth from south."""
        return PvQuery(
            lat=self.latitude,
            lon=self.longitude,
            arrays=tuple(Surface(one.kwp, one.tilt_deg, aspect_of(one.azimuth_deg)) for one in self.arrays),
            loss=self.loss,
            pvtechchoice=self.pvtechchoice,
            mountingplace=self.mountingplace,
            confidence=self.confidence,
            maxpower=self.maxpower,
            horizon="1" if self.horizon else "0",
            albedo=TILE if self.albedo is None else self.albedo,
            snowloss="1" if self.snowloss else "0",
            snowmounting=self.snowmounting,
        )


class BulkRequest(BaseModel):
    """Several plants; a system that is wrong has an error in its result, and the others are answered."""

    systems: Annotated[
        list[Annotated[BulkSystem, WrapValidator(isolate)]],
        Field(min_length=1, max_length=MAX_SYSTEMS),
        distinct("id"),
    ]


class BulkResult(Closed):
    """One plant in its typical year; fields as in `GET /api/pv/calc`."""

    tmy: TmyCell
    arrays: list[Array]
    monthly: list[Month] = Field(min_length=12, max_length=12)
    annual: Annual
    side_by_side: SideBySide
    warnings: list[str]


class Bulk(Closed):
    """Several plants."""

    results: dict[str, BulkResult | Error | NotBuilt] = Field(
        description="By `id`; a plant that cannot be answered has `error`, `code` and `parameter` in place of all else."
    )
    warnings: list[str]


EXAMPLE: dict[str, Any] = {
    "systems": [
        {
            "id": "jegerveien",
            "latitude": 59.958,
            "longitude": 10.69,
            "arrays": [{"kwp": 6.4, "tilt_deg": 30, "azimuth_deg": 180}],
        }
    ]
}


class PvBulkService:
    """Answers `POST /api/pv/calc/bulk`.

    Parameters
    ----------
    machinery : Machinery
    pv : PvService
    """

    def __init__(self, machinery: Machinery, pv: PvService) -> None:
        self._pv, self._with, self._pipeline = pv, machinery, Pipeline(machinery, {"json": JSON_FORMAT})

    async def calc(self, request: web.BaseRequest, body: BulkRequest) -> web.StreamResponse:
        """Annual and monthly production of many plants on their typical years.

        As `GET /api/pv/calc` for each plant, with arrays as in the forecast's bodies: azimuth from north. No key, no
        quota. A plant that is wrong, or whose place cannot be answered, has `error`, `code` and `parameter` in its
        result; the others are answered.
        """
        language = language_of(request.headers.get("Accept-Language", ""))
        await self._with.engines.ready()
        with self._with.cpu.slot():  # one plant after the other: the hours of one are 2 MB
            found = {one.id: await self._found(one, language) for one in body.systems}
        selection = Selection(
            versions=[versions for versions, _, _ in found.values()],
            data_origin=origin_of(*(origin for _, origin, _ in found.values())),
            read=partial(at_hand, lambda: {"results": {id_: one[2] for id_, one in found.items()}, "warnings": []}),
            asked=(body.systems, language),
            quick=True,
        )
        return await self._pipeline.answer(request, "json", selection)

    async def _found(self, system: BulkSystem | Faulty, language: Language) -> tuple[object, str, dict[str, Any]]:
        """Return the versions of what a plant was calculated of, their origin, and its result."""
        try:
            if isinstance(system, Faulty):
                raise system.error
            inputs = await self._pv.inputs(system.query())
            answer = await self._with.cpu.run(await self._pv.calculation(inputs))
        except ApiError as error:
            return str(error), "live", error.body(language)
        return inputs.versions, inputs.data_origin, {part: answer[part] for part in BulkResult.model_fields}
