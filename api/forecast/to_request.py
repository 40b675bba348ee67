"""From a query, a body or a registered plant to its place and to the one request that all become."""

from dataclasses import fields
from math import isnan
from typing import Any

from api.core import problems as shared
from api.core.query import number as number_of
from api.data.plants.plant import Plant as RegisteredPlant
from api.forecast import problems
from api.forecast.place import BODY_NAMES, Place, PvArray, Sites, locate, place_at
from api.forecast.requests import MAX_ARRAYS, OF_PLANT, ForecastRequest, PlantQuery

_OF_ARRAY = ("kwp", "tilt_deg", "azimuth_deg")


def arrays_of(query: PlantQuery) -> list[PvArray]:
    """Return the arrays that a query gives, named `array_1` and so on.

    Raises
    ------
    ApiError
        They are not whole.
    """
    one = {"kwp": query.kwp, "tilt": query.tilt, "azimuth": query.azimuth}
    listed = [] if query.arrays is None else query.arrays.split(",")
    given = [[number_of(part) for part in text.split(":")] for text in listed]
    if not listed and set(one.values()) != {None}:
        for name, value in one.items():
            if value is None:
                raise shared.MISSING(name)
        given = [list(one.values())]
    try:
        if len(listed) > MAX_ARRAYS:
            raise ValueError
        return [
            PvArray.model_validate({"name": f"array_{number}", **dict(zip(_OF_ARRAY, values, strict=True))})
            for number, values in enumerate(given, 1)
        ]
    except ValueError:  # pydantic's is one
        raise problems.NOT_ARRAYS("arrays", most=MAX_ARRAYS) from None


def place_of(plant: ForecastRequest) -> Place:
    """Return the place of a body.

    Raises
    ------
    ApiError
        It is missing, or lies outside the coverage.
    """
    for name in ("latitude", "longitude"):
        if isnan(getattr(plant, name)):
            raise shared.FIELDS["missing"](name)
    return place_at(plant.latitude, plant.longitude, BODY_NAMES)


def request_of(query: PlantQuery, sites: Sites) -> tuple[Place, ForecastRequest]:
    """Return the place of a query, and the request that its body would be: the fields that are given.

    With `precise` or `snow` a site has its own arrays and height.

    Raises
    ------
    ApiError
        As `locate` and `arrays_of`.
    """
    place, arrays, given = locate(query, sites), arrays_of(query), _given(query)
    if query.site is not None:
        site = sites.root[query.site]
        if query.precise:
            given.setdefault("altitude_m", site.altitude_m)
        if not arrays and (query.precise or query.snow):
            arrays = list(site.arrays)
    if arrays:
        given["arrays"] = arrays
    return place, ForecastRequest.model_construct(latitude=place.lat, longitude=place.lon, **given)


def request_of_plant(asked: PlantQuery | ForecastRequest, plant: RegisteredPlant) -> tuple[Place, ForecastRequest]:
    """Return the place of a registered plant, and what is asked for it as a request."""
    body = asked if isinstance(asked, ForecastRequest) else ForecastRequest.model_construct(**_given(asked))
    arrays = [PvArray.model_construct(**array._asdict()) for array in plant.arrays]
    brought = dict(zip(OF_PLANT, (plant.lat, plant.lon, arrays, plant.performance_ratio), strict=True))
    return place_at(plant.lat, plant.lon), body.model_copy(update=brought)


def _given(query: PlantQuery) -> dict[str, Any]:
    """Return what a query says of a request, but for its arrays."""
    names = ForecastRequest.model_fields.keys() - {"arrays"}
    return {
        field.name: value
        for field in fields(query)
        if field.name in names and (value := getattr(query, field.name)) != field.default
    }
