"""The drawing as DXF, in plan: metres to true east and true north of the local origin."""

import io
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import shapely
from ezdxf import units
from ezdxf.document import Drawing
from ezdxf.filemanagement import new
from ezdxf.layouts.layout import Modelspace
from shapely import Polygon

from api.roof.drawing import texts
from api.roof.drawing.plan import edges_of
from api.roof.drawing.scene import Scene

# Layers with their colours (AutoCAD index); zones add SONER_KANT and so on.
_LAYERS = {"TAKFLATER": 8, "MONE_GRAT_KIL": 1, "MODULER": 5, "HINDRINGER": 30, "MAL": 7, "TEKST": 7}
_ZONES, _ZONE_COLOUR = "SONER_", 3
_FOLDS = {"ridge": "CONTINUOUS", "hip": "DASHDOT", "valley": "DASHED"}
_TEXT_M = 0.25
_OFF_M = 0.8
_LEAST_SIDE_M = 0.5
# What counts as straight: off by so much, or by that share of the roof's length where it is more.
_STRAIGHT_M, _STRAIGHT = 0.05, 0.003


def dxf(scene: Scene) -> bytes:
    """Return the drawing as DXF R2018; outlines are closed polylines, lengths are dimensions."""
    document = new("R2018", setup=True, units=units.M)
    document.header["$MEASUREMENT"] = 1
    for name, colour in _LAYERS.items():
        document.layers.add(name, color=colour)
    space = document.modelspace()
    for surface in scene.roof.surfaces:
        _outline(space, surface.polygon, "TAKFLATER")
    for kind, start, end in edges_of(scene):
        if kind in _FOLDS:
            space.add_line(start, end, {"layer": "MONE_GRAT_KIL", "linetype": _FOLDS[kind]})
    for laid in scene.layout.surfaces:
        for corners in laid.modules.tolist():
            space.add_lwpolyline(corners, close=True, dxfattribs={"layer": "MODULER"})
    for zone in scene.layout.zones:
        _outline(space, zone.polygon, _zone_layer(document, zone.kind))
    for obstacle in scene.roof.obstacles:
        _outline(space, obstacle.polygon, "HINDRINGER")
    _dimensions(space, scene)
    _texts(space, scene)
    text = io.StringIO()
    document.write(text)
    return document.encode(text.getvalue())


def _zone_layer(document: Drawing, kind: str) -> str:
    name = _ZONES + re.sub(r"[^A-Z0-9_]", "_", kind.upper())
    if name not in document.layers:
        document.layers.add(name, color=_ZONE_COLOUR)
    return name


def _outline(space: Modelspace, shape: Any, layer: str) -> None:
    for ring in shapely.get_rings(shapely.get_parts(shape)):
        corners = shapely.get_coordinates(ring)[:-1].tolist()
        space.add_lwpolyline(corners, close=True, dxfattribs={"layer": layer})


def _dimensions(space: Modelspace, scene: Scene) -> None:
    """Add the lengths of the roof's outer edges."""
    look = {"dimtxt": _TEXT_M, "dimdec": 2, "dimasz": 0.15, "dimexe": 0.1, "dimexo": 0.1, "dimclrt": 7}
    for start, end in outer_sides(scene):
        dimension = space.add_aligned_dim(start, end, -_OFF_M, override=look, dxfattribs={"layer": "MAL"})
        dimension.render()


def outer_sides(scene: Scene) -> Iterator[tuple[list[float], list[float]]]:
    """Yield the sides of the roof's outer edge, m, the roof to their left."""
    for part in shapely.get_parts(scene.extent()):
        west, south, east, north = part.bounds
        off = max(_STRAIGHT_M, _STRAIGHT * max(east - west, north - south))
        ring = shapely.orient_polygons(Polygon(part.exterior)).exterior.simplify(off)
        corners = shapely.get_coordinates(ring)
        for start, end in pairwise(corners):
            if float(((end - start) ** 2).sum()) >= _LEAST_SIDE_M**2:
                yield start.tolist(), end.tolist()


def _texts(space: Modelspace, scene: Scene) -> None:
    """Add a text on each surface and obstacle, and what the drawing is, below the roof."""
    for surface, laid in scene.pairs():
        middle = surface.polygon.representative_point().coords[0]
        words = f"{surface.number}: {texts.fall(surface)}, {texts.modules(laid, scene.kwp(laid))}"
        _text(space, words, middle)
    for obstacle in scene.roof.obstacles:
        if words := texts.obstacle(obstacle):
            _text(space, words, obstacle.polygon.representative_point().coords[0])
    for n, line in enumerate(_notes(scene)):
        x, y = scene.roof.outline.bounds[:2]
        _text(space, line, (x, y - 2.5 - 2 * n * _TEXT_M))


def _text(space: Modelspace, words: str, at: tuple[float, ...]) -> None:
    space.add_text(words, height=_TEXT_M, dxfattribs={"layer": "TEKST"}).set_placement(at)


def _notes(scene: Scene) -> Iterator[str]:
    w = texts.words()
    if scene.simulated:
        yield f"{w['simulated']}. {w['simulated_why']}"
    yield texts.foreign(scene.title)
    lat, lon = (texts.number(degrees, 6) for degrees in (scene.lat, scene.lon))
    yield w["origin"].format(place=w["place"].format(lat=lat, lon=lon))
    key, kwp = "module" if scene.layout.count == 1 else "modules", texts.kwp(scene.layout.kwp)
    yield f"{w[key].format(count=scene.layout.count, kwp=kwp)} · {w['drawn'].format(date=scene.date)}"
    yield f"{w['check']} {w['check_what']}"
    yield from (texts.foreign(source) for source in scene.sources)
