"""What `GET /api/horizon/terrain` takes."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, JsonValue, ValidationInfo

from api import texts
from api.errors import BadRequest
from api.horizon.formats.registry import JSON, names, value_of
from api.query import Number, Query, limits, one_of

LAT, LON = (57.0, 72.0), (4.0, 32.0)
NAMES = names("terrain")
_FORMATS: dict[str, JsonValue] = {"enum": list(NAMES)}


def _value(name: Any, _: ValidationInfo) -> str:
    return value_of(name)


@dataclass(slots=True, kw_only=True)
class TerrainQuery(Query):
    """The parameters of `GET /api/horizon/terrain`."""

    guidance: ClassVar[dict[str, str]] = dict.fromkeys(("lat", "lon"), texts.HORIZON_POINT)

    lat: Annotated[Number, Field(description="Degrees north (WGS84).", examples=[59.91], json_schema_extra=limits(LAT))]
    lon: Annotated[Number, Field(description="Degrees east (WGS84).", examples=[10.75], json_schema_extra=limits(LON))]
    format: Annotated[
        str,
        BeforeValidator(_value),
        one_of(*NAMES),  # the last one is asked first
        Field(
            description="The answer's format; `export_a` to `export_e` are for PVsyst, PV*SOL, HelioScope, PVGIS and "
            "SAM, whose names are aliases.",
            json_schema_extra=_FORMATS,
        ),
    ] = JSON


def require_coverage(lat: float, lon: float) -> None:
    """Refuse a position that the horizon endpoints do not cover.

    Raises
    ------
    BadRequest
    """
    if not (LAT[0] <= lat <= LAT[1] and LON[0] <= lon <= LON[1]):
        raise BadRequest(texts.HORIZON_OUTSIDE)
