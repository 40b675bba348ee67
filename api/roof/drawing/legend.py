"""The legend, in two columns, of what the plan shows."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from api.reports import svg
from api.roof.drawing import texts
from api.roof.drawing.block import LEFT, LINE, RIGHT, SMALL, Block
from api.roof.drawing.plan import edges_of
from api.roof.drawing.scene import Scene
from api.roof.drawing.style import (
    EDGES,
    EXISTING,
    FLAT,
    MODULES,
    MODULES_EDGE,
    OBSTACLE,
    UNINTERPRETED,
    ZONES,
    fall_colour,
    style_of,
)
from kernels.roof.layout.rules import Rules

_Item = tuple[str, str]
"""Sample and words."""

_WIDE = 30.0
"""Of a sample."""


def legend(scene: Scene) -> Block:
    """Return the legend."""
    block = Block()
    block.title(texts.words()["legend"]["title"])
    items = [*_surfaces(scene), *_lines(scene), *_zones(scene), *_obstacles(scene)]
    half = (len(items) + 1) // 2
    for n, (sample, words) in enumerate(items):
        x, y = LEFT + n // half * (RIGHT - LEFT) / 2, block.height + (n % half + 1) * LINE
        block.parts.append(svg.tag("g", sample, transform=f"translate({x:g} {y:.1f})"))
        block.parts.append(svg.text(x + _WIDE + 7, y, words, SMALL, text_anchor="start"))
    block.height += half * LINE
    return block


def _surfaces(scene: Scene) -> Iterator[_Item]:
    """Yield surfaces, those that fall with the colours of north, east, south and west, and modules."""
    w = texts.words()["legend"]
    falling = {texts.falls(surface) for surface in scene.roof.surfaces}
    if True in falling:
        step = _WIDE / 4
        look = {"stroke": svg.INK, "stroke_width": 0.6}
        yield "".join(_swatch(n * step, step, fill=fall_colour(90.0 * n), **look) for n in range(4)), w["surface"]
    if False in falling:
        yield _swatch(fill=FLAT, stroke=svg.INK, stroke_width=0.6), w["surface_flat"]
    ways = max((len(laid.groups) for laid in scene.layout.surfaces), default=0)
    for fill, key in list(zip(MODULES, ("modules", "modules_second"), strict=True))[:ways]:
        yield _swatch(fill=fill, stroke=MODULES_EDGE, stroke_width=0.9), w[key]


def _lines(scene: Scene) -> Iterator[_Item]:
    w = texts.words()
    sample = np.array([[0.0, -5.0], [_WIDE, -5.0]])
    kinds = {kind for kind, _, _ in edges_of(scene)}
    yield from ((svg.line(sample, **EDGES[kind]), w["edges"][kind]) for kind in reversed(EDGES) if kind in kinds)
    if not scene.roof.surfaces:
        yield svg.line(sample, svg.INK, 2.0), w["legend"]["outline"]


def _zones(scene: Scene) -> Iterator[_Item]:
    """Yield the free zones with their widths and areas, and the area that no surface explains."""
    w, areas = texts.words(), defaultdict[str, float](float)
    for zone in scene.layout.zones:
        areas[style_of(zone)] += zone.area
    for key in (key for key in ZONES if key in areas):
        width = _width(key, scene.rules)
        wide = "" if width is None else w["wide"].format(wide=f"{width:.3g}".replace(".", ","))
        yield _hatched(key), w["zones"][key].format(wide=wide, area=texts.number(areas[key]))
    if (area := scene.uninterpreted().area) > 0:
        yield _hatched(UNINTERPRETED), w["legend"]["uninterpreted"].format(area=texts.number(area))


def _width(key: str, rules: Rules) -> float | None:
    """Return the width of a kind of zone, m; None where the rules give it none."""
    return {
        "kant": rules.edge_setback_m,
        "kant_skraa": rules.pitched_edge_setback_m,
        "mone": rules.ridge_setback_m,
        "tilkomst": max(rules.pitched_access_edge_m, rules.pitched_edge_setback_m),
        "gang": rules.lane_width_m,
    }.get(key)


def _obstacles(scene: Scene) -> Iterator[_Item]:
    w = texts.words()["legend"]
    sources = {one.source for one in scene.roof.obstacles if one.kind != "solceller"}
    if "hoydemodell" in sources:
        yield _swatch(**OBSTACLE), w["obstacle"]
    if "bilde" in sources:
        yield _swatch(**OBSTACLE, stroke_dasharray="4 2.5"), w["obstacle_image"]
    if any(one.kind == "solceller" for one in scene.roof.obstacles):
        yield _swatch(**EXISTING), w["existing"]


def _hatched(key: str) -> str:
    return _swatch(fill=f"url(#{key})", stroke=svg.FAINT, stroke_width=0.6)


def _swatch(x: float = 0.0, wide: float = _WIDE, **look: Any) -> str:
    return svg.tag("rect", x=x, y=-11, width=wide, height=13, **look)
