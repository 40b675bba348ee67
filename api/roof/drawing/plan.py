"""The plan: surfaces, zones, modules, edges, obstacles, dimensions and labels on the sheet."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from api.reports import svg
from api.reports.metrics import wrapped
from api.roof.drawing import texts
from api.roof.drawing.board import Label
from api.roof.drawing.dimensions import SMALL
from api.roof.drawing.labels import LETTER
from api.roof.drawing.scene import Scene
from api.roof.drawing.style import (
    EDGES,
    MODULES,
    MODULES_EDGE,
    OUTLINE,
    UNINTERPRETED,
    colour_of,
    obstacle_look,
    style_of,
)
from api.roof.drawing.surface_labels import ARROW, LINE, PAD, RADIUS, SIZE
from api.roof.drawing.view import PLAN, View

Floats = NDArray[np.float64]

_MOST_IN_PATH = 2000
_NOTICE = 20.0
_STRIP = PLAN[3] + 44
"""Foot of the scale bar below the plan."""


def plan(scene: Scene, view: View, placed: Iterable[Label]) -> Iterator[str]:
    """Yield the parts of the plan with its labels, from the ground up."""
    yield svg.tag("path", d=_outlines(scene.roof.outline, view), fill="none", **OUTLINE[not scene.roof.surfaces])
    for surface in scene.roof.surfaces:
        yield svg.tag("path", d=_outlines(surface.polygon, view), fill=colour_of(surface), fill_rule="evenodd")
    if not (left := scene.uninterpreted()).is_empty:
        yield svg.tag("path", d=_outlines(left, view), fill=f"url(#{UNINTERPRETED})", fill_rule="evenodd")
    for zone in scene.layout.zones:
        yield svg.tag("path", d=_outlines(zone.polygon, view), fill=f"url(#{style_of(zone)})", fill_rule="evenodd")
    yield from _modules(scene, view)
    for kind, start, end in edges_of(scene):
        yield svg.line(view.page(np.array([start, end])), **EDGES[kind], stroke_linecap="round", data_kind=kind)
    for obstacle in scene.roof.obstacles:
        yield svg.tag("path", d=_outlines(obstacle.polygon, view), fill_rule="evenodd", **obstacle_look(obstacle))
    yield from (_label(label, scene) for label in placed)
    if not scene.roof.surfaces:
        yield _notice(scene)
    if scene.simulated:
        yield _watermark()
    yield _scale_and_north(view)


def edges_of(scene: Scene) -> Iterator[tuple[str, tuple[float, float], tuple[float, float]]]:
    """Yield kind, start and end of each edge, those between two surfaces once; the strongest kinds last."""
    order = list(EDGES)
    numbers = {surface.number for surface in scene.roof.surfaces}
    found = [
        ("rim" if surface.is_flat and edge.kind in ("eave", "gable") else edge.kind, edge.start, edge.end)
        for surface in scene.roof.surfaces
        for edge in surface.sides
        if edge.other not in numbers or edge.other is None or edge.other > surface.number
    ]
    return iter(sorted(found, key=lambda one: order.index(one[0])))


def _outlines(shape: Any, view: View) -> str:
    """Return the d of a polygon's rings."""
    rings = shapely.get_rings(shapely.get_parts(shape))
    return "".join(svg.points(view.page(shapely.get_coordinates(ring)[:-1])) + "Z" for ring in rings)


def _modules(scene: Scene, view: View) -> Iterator[str]:
    """Yield the modules, of each way that they face, many to a path."""
    short = min(scene.module.width, scene.module.length) * view.scale
    edge = float(np.clip(short / 28, 0.15, 0.9))
    for laid in scene.layout.surfaces:
        for number, group in enumerate(laid.groups):
            for start in range(0, len(group.modules), _MOST_IN_PATH):
                corners = view.page(group.modules[start : start + _MOST_IN_PATH])
                d = "".join(_closed(corner) for corner in corners.round(2).tolist())
                yield svg.tag(
                    "path", d=d, fill=MODULES[number % 2], stroke=MODULES_EDGE, stroke_width=edge, **{"class": "module"}
                )


def _closed(corners: list[list[float]]) -> str:
    return "M" + "L".join(f"{x:.6g} {y:.6g}" for x, y in corners) + "Z"


def _label(label: Label, scene: Scene) -> str:
    if label.kind == "dimension":
        return _dimension(label)
    leader = ""
    if label.to is not None:
        ends = shapely.get_coordinates(label.leader)
        leader = svg.line(ends, svg.PAPER, 2.6) + svg.line(ends, svg.INK, 0.8)
        leader += svg.tag("circle", cx=label.to[0], cy=label.to[1], r=2.0, fill=svg.INK)
    if label.kind == "letter":
        return leader + svg.haloed(label.x, label.y + 4.8, label.lines[0], LETTER, font_weight=600)
    if label.kind == "obstacle":
        return leader + svg.haloed(label.x, label.y + 4.2, label.lines[0], SMALL)
    return leader + _plate(label, scene)


def _plate(label: Label, scene: Scene) -> str:
    """Return the label of a surface: number, fall arrow, tilt and direction, modules."""
    (wide, high), x, y = label.size, label.x - label.size[0] / 2, label.y
    if not label.lines and not label.arrow:
        return svg.badge(label.number or 0, label.x, y, RADIUS)
    look: dict[str, Any] = {"fill": svg.PAPER, "fill_opacity": 0.9, "stroke": svg.INK, "stroke_width": 0.6}
    round_ = 6.0 if label.lines else high / 2
    parts = [svg.tag("rect", x=x, y=y - high / 2, width=wide, height=high, rx=round_, **look)]
    at = x + PAD + RADIUS
    parts.append(svg.badge(label.number or 0, at, y, RADIUS))
    at += RADIUS + PAD
    if label.arrow:
        surface = next(one for one in scene.roof.surfaces if one.number == label.number)
        parts.append(_arrow(at + ARROW / 2, y, surface.plane.azimuth))
        at += ARROW + PAD
    first = y + 5 - LINE * (len(label.lines) - 1) / 2
    for n, line in enumerate(label.lines):
        weight = 400 if n else 600
        parts.append(svg.text(at, first + n * LINE, line, SIZE, text_anchor="start", font_weight=weight))
    return "".join(parts)


def _arrow(x: float, y: float, direction: float) -> str:
    """Return an arrow to where a surface falls."""
    half = ARROW / 2
    shape = f"M0 {half:g}V{3 - half:g}M-5 {8 - half:g}L0 {0.5 - half:g}L5 {8 - half:g}"
    where = f"translate({x:.2f} {y:.2f}) rotate({direction:.2f})"
    return svg.tag("path", d=shape, transform=where, fill="none", stroke=svg.VERMILLION, stroke_width=2.4)


def _dimension(label: Label) -> str:
    """Return a length on its side's dimension line."""
    around = f"rotate({label.angle:.2f} {label.x:.2f} {label.y:.2f})"
    words = svg.haloed(label.x, label.y + 4.3, label.lines[0], SMALL, fill=svg.INK)
    return _dimension_line(label) + svg.tag("g", words, transform=around)


def _dimension_line(label: Label) -> str:
    """Return the line between two ticks, and a witness line at each end towards the roof."""
    ends = np.array(label.side).reshape(2, 2)
    along = (ends[1] - ends[0]) / math.dist(*ends)
    tick = 3.5 * (along + np.array([along[1], -along[0]]))
    strokes = [ends, *(np.stack([end - tick, end + tick]) for end in ends)]
    strokes += [np.array(line.coords) for line in label.witnesses]
    lifted = np.concatenate([np.stack(strokes), np.full((len(strokes), 1, 2), np.nan)], axis=1)
    return svg.line(lifted.reshape(-1, 2), svg.FAINT, 0.8)


def _notice(scene: Scene) -> str:
    """Return why there are no surfaces, in the middle of the plan."""
    w, (left, top, right, bottom) = texts.words()["notice"], PLAN
    x, y, room = (left + right) / 2, (top + bottom) / 2, 640.0
    warnings = [texts.foreign(warning) for warning in scene.warnings] or [w["why"]]
    warnings = [warning[:1].upper() + warning[1:] for warning in warnings]
    lines = [line for warning in warnings for line in wrapped(warning, _NOTICE, room, 4)][:14]
    high = 60 + 27 * len(lines)
    look: dict[str, Any] = {"fill": svg.PAPER, "stroke": svg.VERMILLION, "stroke_width": 2.0}
    parts = [svg.tag("rect", x=x - room / 2 - 24, y=y - high / 2, width=room + 48, height=high, rx=6, **look)]
    parts.append(svg.text(x, y - high / 2 + 36, w["title"], 26, font_weight=600, fill=svg.VERMILLION))
    parts += [svg.text(x, y - high / 2 + 66 + 27 * n, line, _NOTICE) for n, line in enumerate(lines)]
    return "".join(parts)


def _watermark() -> str:
    left, top, right, bottom = PLAN
    x, y = (left + right) / 2, (top + bottom) / 2
    look = {"fill": svg.VERMILLION, "fill_opacity": 0.2, "font_weight": 600}
    return svg.text(x, y + 60, texts.words()["simulated"], 190, transform=f"rotate(-30 {x:g} {y:g})", **look)


def _scale_and_north(view: View) -> str:
    """Return the strip below the plan: scale bar, scale, and north arrow."""
    left, _, right, _ = PLAN
    w = texts.words()
    step = next(s for s in (0.25, 0.5, 1, 2, 5, 10, 20, 25, 50, 100, 200) if s * view.scale * 4 >= 130)
    wide = step * view.scale
    parts = []
    for n in range(4):
        fill = svg.PAPER if n % 2 else svg.INK
        parts.append(svg.tag("rect", x=left + n * wide, y=_STRIP - 8, width=wide, height=7, fill=fill,
                             stroke=svg.INK, stroke_width=0.9))  # fmt: skip
        parts.append(svg.text(left + n * wide, _STRIP - 13, f"{n * step:g}".replace(".", ","), SMALL,
                              text_anchor="middle" if n else "start"))  # fmt: skip
    parts.append(svg.text(left + 4 * wide, _STRIP - 13, w["metres"].format(length=f"{4 * step:g}"), SMALL))
    words = w["scale"].format(scale=view.denominator)
    parts.append(svg.text(left + 4 * wide + 30, _STRIP, words, SMALL, text_anchor="start"))
    parts.append(svg.text(right - 62, _STRIP, w["north_up"], SMALL, text_anchor="end"))
    return "".join(parts) + _north(right - 28, _STRIP - 20)


def _north(x: float, y: float) -> str:
    half = svg.tag("path", d="M0 -22L8 14L0 8Z", fill=svg.PAPER, stroke=svg.INK, stroke_width=1.0)
    other = svg.tag("path", d="M0 -22L-8 14L0 8Z", fill=svg.INK, stroke=svg.INK, stroke_width=1.0)
    letter = svg.text(0, -25, texts.words()["north"], 16, font_weight=600)
    return svg.tag("g", half + other + letter, transform=f"translate({x:.2f} {y:.2f})",
                   **{"class": "north"})  # fmt: skip
