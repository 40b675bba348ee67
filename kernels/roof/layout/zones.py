"""Parts of a surface that stay free: setbacks, obstacles with their clearance, shade to the north of what is high."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from kernels.roof.layout.bands import swept
from kernels.roof.layout.frame import Frame
from kernels.roof.layout.result import Zone, zone_of
from kernels.roof.layout.rules import Rules
from kernels.roof.roof import Obstacle, Plane, Roof, Surface

_HALF_CIRCLE = 16
"""Sides of half a circle; circles are drawn around the true ones, by 0.5 %, so that nothing is nearer than it may."""


def frame_of(surface: Surface) -> Frame:
    """Return the frame in which the zones of a surface are measured."""
    return Frame.level(90.0) if surface.is_flat else Frame.sloping(surface.plane.tilt, surface.plane.azimuth)


def obstacle_zones(surface: Surface, roof: Roof, rules: Rules) -> tuple[Zone, ...]:
    """Return what obstacles, the clearance around them and, on a flat surface, their shade take of a surface."""
    frame = frame_of(surface)
    shades = _shades(surface, roof, rules) if surface.is_flat else ()
    return _zones(surface, frame, (*_clearances(surface, roof, rules, frame), *shades))


def pitched_zones(
    surface: Surface, roof: Roof, rules: Rules, used: frozenset[int], *, access: bool
) -> tuple[Zone, ...]:
    """Return the free zones of a pitched surface; distances are measured on the slope.

    Parameters
    ----------
    surface : Surface
    roof : Roof
    rules : Rules
    used : frozenset of int
        Numbers of the surfaces that get modules.
    access : bool
        Whether its eave stays free for access.
    """
    frame = frame_of(surface)
    bands: dict[str, list[Any]] = {}
    for edge in surface.sides:
        kind, width = "kant_skraa", rules.pitched_edge_setback_m
        if edge.kind in ("ridge", "hip") and edge.other in used:
            kind, width = "mone", rules.ridge_setback_m
        elif edge.kind == "eave" and access:
            kind, width = "tilkomst", max(rules.pitched_access_edge_m, width)
        bands.setdefault(kind, []).append(_around(frame.into(shapely.linestrings([edge.start, edge.end])), width))
    shapes = [(kind, "regler", frame.plan(shapely.union_all(parts))) for kind, parts in sorted(bands.items())]
    return (*_zones(surface, frame, shapes), *obstacle_zones(surface, roof, rules))


def flat_zones(surface: Surface, roof: Roof, rules: Rules) -> tuple[Zone, ...]:
    """Return the free zones of a flat surface, without walkways."""
    lines = [shapely.linestrings([edge.start, edge.end]) for edge in surface.sides]
    band = shapely.union_all([_around(line, rules.edge_setback_m) for line in lines])
    edge = _zones(surface, frame_of(surface), [("kant", "regler", band)])
    return (*edge, *obstacle_zones(surface, roof, rules))


def free_of(surface: Surface, zones: Iterable[Zone]) -> Any:
    """Return what zones leave of a surface, in plan."""
    return shapely.difference(surface.polygon, shapely.union_all([zone.polygon for zone in zones]))


def _zones(surface: Surface, frame: Frame, shapes: Iterable[tuple[str, str, Any]]) -> tuple[Zone, ...]:
    of = surface.number, surface.polygon, frame
    parts = (zone_of(kind, source, shape, of) for kind, source, shape in shapes)
    return tuple(zone for zone in parts if zone is not None)


def _around(line: Any, radius: float) -> Any:
    """Return what is nearer to a straight line than a radius: its sides are exact, its round ends a little wide."""
    (x0, y0), (x1, y1) = shapely.get_coordinates(line)
    step = math.pi / _HALF_CIRCLE
    angles = np.concatenate([[0.0], (np.arange(_HALF_CIRCLE) + 0.5) * step, [math.pi]]) - math.pi / 2
    radii = np.full(angles.size, radius / math.cos(step / 2))
    radii[[0, -1]] = radius
    cap = np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)
    length = math.hypot(x1 - x0, y1 - y0)
    if not (length and radius):
        return Polygon()
    along = np.array([[x1 - x0, y1 - y0], [y0 - y1, x1 - x0]]) / length
    outline: NDArray[np.float64] = np.concatenate([cap @ along + [x1, y1], -cap @ along + [x0, y0]])
    return Polygon(outline)


def grown(polygon: Any, radius: float) -> Any:
    """Return a polygon with all that is nearer to it than a radius; its round corners are a little wide."""
    return polygon.buffer(radius / math.cos(math.pi / 2 / _HALF_CIRCLE), quad_segs=_HALF_CIRCLE // 2)


def is_ignored(obstacle: Obstacle, rules: Rules) -> bool:
    """Say whether an obstacle is too low to count: one of the height model; what an image shows always does."""
    # what is cut out of the roof has no height
    low = obstacle.height is not None and 0 < obstacle.height < rules.protrusion_min_m
    return obstacle.source == "hoydemodell" and low


def _clearances(surface: Surface, roof: Roof, rules: Rules, frame: Frame) -> Iterator[tuple[str, str, Any]]:
    for obstacle in roof.obstacles:
        if is_ignored(obstacle, rules):
            continue
        clearance = rules.clearance(obstacle.kind)
        if obstacle.kind == "annet" and obstacle.source == "hoydemodell":
            clearance = rules.obstacle_clearance_m.get("annet", rules.protrusion_clearance_m)
        if obstacle.polygon.distance(surface.polygon) <= clearance:
            yield obstacle.kind, obstacle.source, frame.plan(grown(frame.into(obstacle.polygon), clearance))


def _shades(surface: Surface, roof: Roof, rules: Rules) -> Iterator[tuple[str, str, Any]]:
    """Yield the shade zones of a flat surface: of obstacles, on others too, and of higher parts of the roof beside it.

    An obstacle is as high as its top is above this surface; one that is level with its own casts no shade.
    """
    planes: dict[int | None, Plane] = {other.number: other.plane for other in roof.surfaces}
    for obstacle in roof.obstacles:
        height = rules.height(obstacle.kind) if obstacle.height is None else obstacle.height
        if is_ignored(obstacle, rules) or not height:
            continue
        foot = planes.get(obstacle.surface, surface.plane)
        at = obstacle.polygon.centroid
        higher = foot.height(at.x, at.y) - surface.plane.height(at.x, at.y)
        yield "skygge", obstacle.source, _shade(obstacle.polygon, height + higher, rules, surface.polygon)
    for edge in surface.edges:
        if edge.kind == "wall" and edge.other in planes:
            ends = (edge.start, edge.end)
            height = max(planes[edge.other].height(*end) - surface.plane.height(*end) for end in ends)
            yield (
                "skygge",
                "hoydemodell",
                _shade(Polygon([edge.start, edge.end, edge.end]), height, rules, surface.polygon),
            )


def _shade(polygon: Polygon, height: float, rules: Rules, onto: Polygon) -> Any:
    """Return the shade zone of something so high, as far as it matters to a surface; of nothing without height."""
    east, north = rules.obstacle_ew_factor * height, rules.obstacle_north_factor * height
    reach = math.hypot(max(north, rules.obstacle_south_m), east)
    if height < 1e-6 or polygon.distance(onto) > reach:
        return Polygon()
    return shapely.union_all([polygon, *swept(polygon, (-east, -rules.obstacle_south_m, east, north))])
