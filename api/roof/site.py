"""The building that is analysed: its outline, the buildings around, and the heights."""

from typing import Any, NamedTuple

import numpy as np
import shapely
from shapely import Point, Polygon

from api.core.settings import Settings
from api.roof import outlines, problems
from api.roof.frame import Frame
from api.roof.heights import Heights, field_of, heights_around
from api.roof.result import marked, warning
from catalog.sources.errors import SourceError
from catalog.sources.http import Deadline
from kernels.roof.shade import REACH

MOST_M = 400.0
"""Longest building."""

_HEIGHTS_S = 45.0
_SEEN_M = 60.0  # around the point, where the outline is to be found in the surface
_EDGE_M = 5.0


class Site(NamedTuple):
    """A building.

    Parameters
    ----------
    frame : Frame
    outline : Polygon
    others : list of Polygon
        Outlines around.
    heights : Heights
    source, source_text : str
        Of the outline: the contract's word, and a sentence.
    warnings : list of str
    """

    frame: Frame
    outline: Polygon
    others: list[Polygon]
    heights: Heights
    source: str
    source_text: str
    warnings: list[str]


def site_of(settings: Settings, request: dict[str, Any], deadline: Deadline) -> Site:
    """Return the building that a request is about; what is fetched must be there by the deadline.

    Raises
    ------
    ApiError
        `NO_BUILDING`, `BUILDING_TOO_LARGE`.
    SourceError
        Heights cannot be fetched.
    """
    frame = Frame.at(request["lat"], request["lon"])
    own, others, source, text, warnings = _outline(settings, frame, request, deadline)
    if own is None:
        own, heights = _from_surface(settings, frame, deadline, anchored=warnings == [warning("uten_omriss")])
        _require_size(own)
    else:
        _require_size(own)
        west, south, east, north = own.bounds
        x, y = frame.utm([(west + east) / 2, (south + north) / 2])
        reach = np.hypot(east - west, north - south) / 2 + REACH + _EDGE_M
        heights = heights_around(settings, float(x), float(y), float(reach), deadline.at_most(_HEIGHTS_S))
    return Site(frame, own, others, heights, source, text, warnings)


def _outline(
    settings: Settings, frame: Frame, request: dict[str, Any], deadline: Deadline
) -> tuple[Polygon | None, list[Polygon], str, str, list[str]]:
    """Return the outline (None: to be found in the surface), those around, source, its text, and warnings."""
    try:
        around = outlines.buildings_around(settings, frame, deadline)
    except SourceError:
        around = None
    polygons = around.polygons if around else []
    if request["omriss"]:
        return *outlines.given(frame, request["omriss"], polygons), "oppgitt", "oppgitt av brukeren", []
    if (found := outlines.chosen(polygons)) is not None and around is not None:
        return *found, "bygninger", marked("Kartverket, bygningsomriss", around.data_origin), []
    missing = warning("uten_omriss" if around is None else "omriss_av_overflate")
    return None, polygons, "overflate", "laget av overflatemodellen", [missing]


def _from_surface(settings: Settings, frame: Frame, deadline: Deadline, *, anchored: bool) -> tuple[Polygon, Heights]:
    """Return the outline of what stands at the frame's origin; what reaches far is looked at once more."""
    for reach in (_SEEN_M, MOST_M):
        seen = Point(0, 0).buffer(reach)
        seconds = deadline.at_most(_HEIGHTS_S)
        heights = heights_around(settings, frame.x, frame.y, reach + REACH + _EDGE_M, seconds)
        own = outlines.from_surface(settings, frame, field_of(frame, heights, seen), deadline, anchored=anchored)
        if own is None:
            raise problems.NO_BUILDING()
        if own.distance(seen.exterior) >= _EDGE_M:
            break
    return own, heights


def _require_size(outline: Polygon) -> None:
    west, south, east, north = shapely.bounds(outline)
    if max(east - west, north - south) > MOST_M:
        raise problems.BUILDING_TOO_LARGE(limit=MOST_M)
