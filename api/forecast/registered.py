"""A registered plant as a request has it: what it brings, and whether its calibration is applied."""

from typing import Any, NamedTuple

import orjson
from aiohttp import web

from api.access.gate import Gate
from api.core.routing import warn
from api.data.plants.calibration import calibration_fields
from api.data.plants.current import PlantReader
from api.data.plants.plant import Plant
from api.forecast.place import Place, total_kwp
from api.forecast.requests import OF_PLANT, ForecastRequest, PlantQuery
from api.forecast.to_request import request_of_plant


class Registered(NamedTuple):
    """A registered plant.

    Parameters
    ----------
    plant : Plant
    calibration : dict
        The answer's `kalibrering`.
    is_wanted : bool
        Whether the request has not turned calibration off.
    """

    plant: Plant
    calibration: dict[str, Any]
    is_wanted: bool

    @property
    def is_calibrated(self) -> bool:
        """Whether production is calibrated in the answer."""
        return bool(self.calibration["brukt"])

    @property
    def fields(self) -> dict[str, Any]:
        """What is said of it."""
        return {"kalibrering": self.calibration, "anlegg": {"id": self.plant.id, "navn": self.plant.name}}

    @property
    def texts(self) -> dict[str, bytes]:
        """What is said of it, as JSON."""
        return {name: orjson.dumps(value) for name, value in self.fields.items()}


async def registered_of(
    request: web.BaseRequest, plants: PlantReader, asked: PlantQuery | ForecastRequest
) -> tuple[Place, ForecastRequest, Registered]:
    """Return the plant that a request names, its place, and what is asked for it.

    Raises
    ------
    ApiError
        The caller has no such plant, or it is larger than the plan allows.
    """
    assert asked.anlegg_id is not None  # noqa: S101 -- the caller has looked
    plant = await plants.find(request, asked.anlegg_id, "anlegg_id")
    given = asked.model_fields_set if isinstance(asked, ForecastRequest) else ()  # of a query its declaration tells
    if ignored := [name for name in OF_PLANT if name in given]:
        warn(request, "Ignored with anlegg_id", ignored)
    place, body = request_of_plant(asked, plant)
    plan = Gate.plan_of(request)
    if plan is not None:
        plan.require_kwp(total_kwp(body.arrays), "anlegg_id")
    calibration = calibration_fields(plant, wanted=body.kalibrering, precise=body.precise)
    return place, body, Registered(plant, calibration, body.kalibrering)
