"""Places of forecasts: points, named sites, and the coverage."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Annotated, ClassVar, NamedTuple

import orjson
from pydantic import BaseModel, Field, RootModel

from api.core.errors import Problem
from api.core.fields import Closed, Label, Number
from api.core.query import Query, latitude, longitude, outside
from api.forecast import problems

LAT, LON = (57.0, 72.0), (4.0, 32.0)
# What bodies call the coordinates of queries.
BODY_NAMES = {"lat": "latitude", "lon": "longitude"}
# A point and nothing else, as nearly all requests ask: reading it so saves about 6 of some 50 us a request.
# What it accepts it must read exactly as `api.core.query.parse` does; a test holds them together.
_BARE_POINT = re.compile(r"lat=(-?\d{1,3}(?:\.\d{1,16})?)&lon=(-?\d{1,3}(?:\.\d{1,16})?)", re.ASCII)


class Place(NamedTuple):
    """Where a forecast is asked for.

    Parameters
    ----------
    name : str
        The site's id, or the point as text.
    lat, lon : float
        Degrees north and east.
    """

    name: str
    lat: float
    lon: float


class BarePoint:
    """The query `lat=..&lon=..`; it sets no flag that takes a right, and names no plant."""

    __slots__ = ("lat", "lon")
    daily = extended = False
    anlegg_id = None

    def __init__(self, lat: float, lon: float) -> None:
        self.lat, self.lon = lat, lon


def bare_point(raw_query: str) -> BarePoint | None:
    """Return the query of a raw string `lat=..&lon=..`, or None where it is any other."""
    match = _BARE_POINT.fullmatch(raw_query)
    return None if match is None else BarePoint(float(match[1]), float(match[2]))


class PvArray(BaseModel):
    """One roof surface or string."""

    name: Label = Field(description="Field prefix in answers: `<name>_W`; each once, and not `total`.")
    kwp: Number = Field(gt=0, le=100_000, description="Installed power, kWp.")
    tilt_deg: Number = Field(ge=0, le=90, description="0 flat, 90 wall.")
    azimuth_deg: Number = Field(ge=0, le=360, description="Compass: 0 north, 90 east, 180 south, 270 west.")


def total_kwp(arrays: Sequence[PvArray]) -> float:
    """Return the power of all arrays, kWp: 250 times 0.1 is 25, not a little more than a plan allows."""
    return round(fsum([array.kwp for array in arrays]) * 1e9) / 1e9


class SiteArray(PvArray, extra="forbid"):
    """One roof surface or string of a site."""


class Site(Closed):
    """A named site."""

    name: str
    lat: float = Field(ge=LAT[0], le=LAT[1])
    lon: float = Field(ge=LON[0], le=LON[1])
    altitude_m: float
    arrays: list[SiteArray]


class Sites(RootModel[dict[str, Site]]):
    """Sites by id."""


@dataclass(slots=True)
class PlaceQuery(Query):
    """Place parameters, with which every query of this group begins."""

    guidance: ClassVar[Mapping[str, Problem]] = dict.fromkeys(("lat", "lon", "site"), problems.GET_POINT)

    lat: Annotated[float | None, latitude(LAT)] = None
    lon: Annotated[float | None, longitude(LON)] = None
    site: Annotated[
        str | None, Field(description="A site of `/api/sites`, in place of lat and lon.", examples=["jegerveien"])
    ] = None


def locate(query: PlaceQuery, sites: Sites) -> Place:
    """Return the place of a query.

    Raises
    ------
    ApiError
        Neither a point nor a known site is given, or both, or the point lies outside the coverage.
    """
    lat, lon = query.lat, query.lon
    if query.site is not None:
        site = sites.root.get(query.site)
        if site is None or lat is not None or lon is not None:
            raise problems.GET_POINT("site")
        return Place(query.site, site.lat, site.lon)
    if lat is None or lon is None:
        raise problems.GET_POINT("lat" if lat is None else "lon")
    return place_at(lat, lon)


def place_at(lat: float, lon: float, names: Mapping[str, str] | None = None) -> Place:
    """Return the place of a point.

    Raises
    ------
    ApiError
        It lies outside the coverage.
    """
    if (name := outside(lat, lon, LAT, LON)) is not None:
        raise problems.OUTSIDE(names[name] if names else name)
    # orjson writes a float in a fifth of the time that Python takes
    return Place(orjson.dumps((lat, lon))[1:-1].decode(), lat, lon)
