"""What stands beside the plan: figures, table of surfaces, obstacles, legend and warnings."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely

from api.reports import svg
from api.reports.metrics import wrapped
from api.roof.drawing import texts
from api.roof.drawing.plan import edges_of
from api.roof.drawing.scene import Scene
from api.roof.drawing.style import EDGES, MODULES, MODULES_EDGE, OBSTACLE, ZONES, colour_of, style_of
from api.roof.drawing.view import HEIGHT, MARGIN, PLAN, WIDTH
from kernels.roof.layout.result import SurfaceLayout
from kernels.roof.roof import Surface

LEFT, RIGHT = 1184.0, WIDTH - MARGIN
_BOTTOM = HEIGHT - 78
_SIZE, _LINE, _SMALL = 14.0, 18.5, 12.5
# Right ends of the table's columns; the first is the number's middle.
_ENDS = (LEFT + 14, LEFT + 92, LEFT + 148, LEFT + 218, LEFT + 277, LEFT + 326, RIGHT)
_UNSURE = 0.7
_MOST_LINES, _FEWER_LINES, _MANY_SURFACES = 20, 8, 8
"""Of warnings: usually, and beside a table of many surfaces."""
_COLUMN_M = 0.2
"""Along the row, within which modules stand behind each other."""


@dataclass
class _Block:
    """Lines of the column; each yields its SVG for a y, and has a height."""

    parts: list[str] = field(default_factory=list)
    height: float = 0.0

    def write(self, words: str, size: float = _SIZE, line: float = _LINE, x: float = LEFT, **look: object) -> None:
        """Add a line of text."""
        self.height += line
        self.parts.append(svg.text(x, self.height, words, size, **{"text_anchor": "start", **look}))

    def title(self, words: str) -> None:
        """Add a heading with a rule."""
        self.write(words, 15, 22, font_weight=600)
        self.height += 5
        self.parts.append(svg.line(np.array([[LEFT, self.height], [RIGHT, self.height]]), svg.INK, 0.8))


def column(scene: Scene) -> str:
    """Return the column; a table that is too long ends with the sum of its smallest surfaces."""
    blocks = [_figures(scene), _Block(), _obstacles(scene), _legend(scene), _warnings(scene)]
    room = _BOTTOM - PLAN[1] - sum(block.height + 14 for block in blocks if block.parts) - 14
    blocks[1] = _table(scene, room)
    y, found = PLAN[1] - 14, ""
    for block in blocks:
        if block.parts:
            found += svg.tag("g", "".join(block.parts), transform=f"translate(0 {y:.1f})")
            y += block.height + 14
    return found


def _figures(scene: Scene) -> _Block:
    w, layout, module = texts.words()["figures"], scene.layout, scene.module
    block = _Block()
    block.height += 32
    for x, value, unit in (
        (LEFT, texts.number(layout.count, 0), w["modules"]),
        (LEFT + 200, texts.number(layout.kwp), w["kwp"]),
    ):
        words = svg.tag("tspan", value, font_size=38, font_weight=600) + svg.tag("tspan", f" {unit}", font_size=18)
        block.parts.append(svg.tag("text", words, x=x, y=block.height, fill=svg.INK))
    block.height += 8
    size = f"{module.length * 1000:.0f}", f"{module.width * 1000:.0f}"
    block.write(w["module"].format(wp=f"{module.wp:g}".replace(".", ","), length=size[0], width=size[1]))
    around = shapely.get_coordinates(shapely.minimum_rotated_rectangle(scene.extent()))
    sides = sorted(np.hypot(*np.diff(around[:3], axis=0).T), reverse=True)
    block.write(
        w["form"].format(
            form=texts.words()["forms"][scene.roof.form], height=texts.number(scene.roof.height),
            long=texts.number(sides[0]), wide=texts.number(sides[1]),
        )
    )  # fmt: skip
    areas = (layout.gross_area, layout.usable_area, layout.module_area)
    gross, usable, modules = (texts.number(area) for area in areas)
    block.write(w["area"].format(gross=gross, usable=usable, modules=modules))
    return block


def _table(scene: Scene, room: float) -> _Block:
    w = texts.words()["table"]
    block = _Block()
    block.title(w["title"])
    _row(block, w["heads"], _SMALL, fill=svg.FAINT)
    pairs = sorted(scene.pairs(), key=lambda pair: -pair[0].area)
    notes = {surface.number: _notes(surface, laid) for surface, laid in pairs}
    rest = room - block.height - 2 * _LINE - 26
    if sum(_LINE + 16 * len(notes[surface.number]) for surface, _ in pairs) > rest:
        notes = {number: [] for number in notes}
    shown = len(pairs) if len(pairs) * _LINE <= rest else max(1, int(rest // _LINE) - 1)
    for surface, laid in sorted(pairs[:shown], key=lambda pair: pair[0].number):
        _row(block, _cells(surface, laid, scene))
        for note in notes[surface.number]:
            block.write(note, _SMALL, 16, LEFT + 30, fill=svg.FAINT)
    if pairs[shown:]:
        name = w["rest"].format(count=len(pairs) - shown)
        area, count = sum(s.area for s, _ in pairs[shown:]), sum(laid.count for _, laid in pairs[shown:])
        _row(
            block,
            [
                "…",
                texts.number(area),
                name,
                "",
                texts.number(count, 0),
                texts.number(count * scene.module.wp / 1000),
                "",
            ],
        )
    sums = [w["sum"], texts.number(scene.layout.gross_area), "", "", texts.number(scene.layout.count, 0)]
    block.parts.append(svg.line(np.array([[LEFT, block.height + 6], [RIGHT, block.height + 6]]), svg.FAINT, 0.6))
    block.height += 4
    _row(block, [*sums, texts.number(scene.layout.kwp), ""], font_weight=600)
    if any(surface.confidence < _UNSURE for surface in scene.roof.surfaces):
        block.write(texts.words()["unsure"], _SMALL, fill=svg.VERMILLION, font_weight=600)
    return block


def _row(block: _Block, cells: list[str], size: float = _SIZE, **look: object) -> None:
    block.height += _LINE
    for n, (x, words) in enumerate(zip(_ENDS, cells, strict=True)):
        anchor = "end" if n else "middle"
        block.parts.append(svg.text(x, block.height, words, size, **{"text_anchor": anchor, **look}) if words else "")


def _cells(surface: Surface, laid: SurfaceLayout, scene: Scene) -> list[str]:
    mark = "! " if surface.confidence < _UNSURE else ""
    return [
        str(surface.number), texts.number(surface.area), f"{texts.number(surface.plane.tilt)}°",
        texts.bearing(surface.plane.azimuth) if texts.falls(surface) else "–",
        texts.number(laid.count, 0), texts.number(scene.kwp(laid)), f"{mark}{100 * surface.confidence:.0f} %",
    ]  # fmt: skip


def _notes(surface: Surface, laid: SurfaceLayout) -> list[str]:
    """Return what else is said of a surface: its racks, why it is not used, what shade costs."""
    w = texts.words()["mounting"]
    found = []
    if laid.count and surface.is_flat:
        faces = w["and"].join(texts.bearing(group.azimuth) for group in laid.groups)
        words = w[laid.mounting].format(tilt=f"{laid.groups[0].tilt:.0f}", faces=faces)
        if spacing := row_spacing(laid):
            words += w[f"{laid.mounting}_spacing"].format(spacing=texts.number(spacing, 2))
        found.append(words)
    if not laid.count and (reason := texts.reason(laid.reason)):
        found.append(reason)
    if laid.lost_to_shade:
        found.append(w["shade"].format(count=laid.lost_to_shade))
    return found


def row_spacing(laid: SurfaceLayout) -> float | None:
    """Return the median distance between rows, or east-west units, in plan, m; None of a single row."""
    azimuth = np.radians(laid.row_azimuth)
    frame = np.array([[np.sin(azimuth), np.cos(azimuth)], [np.cos(azimuth), -np.sin(azimuth)]])
    along, across = (laid.groups[0].modules.mean(axis=1) @ frame.T).T
    column = (along / _COLUMN_M).round()
    order = np.lexsort([across, column])
    steps = np.diff(across[order])[np.diff(column[order]) == 0]
    return float(np.median(steps)) if len(steps) else None


def _obstacles(scene: Scene) -> _Block:
    """Return the obstacles by kind and source."""
    block, w = _Block(), texts.words()["obstacles"]
    groups: dict[tuple[str, str], list[float | None]] = defaultdict(list)
    for one in scene.roof.obstacles:
        groups[one.kind, one.source].append(one.height)
    if groups:
        block.title(w["title"])
    for (kind, source), heights in list(groups.items())[:6]:
        known = [height for height in heights if height is not None]
        told = _heights(known)
        words = w["row"].format(count=len(heights), kind=texts.kind_of(kind), heights=told, source=w[source])
        block.write(words)
    if len(groups) > 6:
        block.write(texts.words()["more"].format(count=len(groups) - 6))
    return block


def _heights(known: list[float]) -> str:
    w = texts.words()["obstacles"]
    if not known:
        return str(w["unknown"])
    if max(known) < texts.LEAST_HEIGHT:
        return str(w["level"])
    ends = dict.fromkeys(texts.number(height) for height in (min(known), max(known)))
    return f"{'–'.join(ends)} m"


def _legend(scene: Scene) -> _Block:
    """Return the legend, in two columns, of what the plan shows."""
    w, block = texts.words(), _Block()
    block.title(w["legend"]["title"])
    items: list[tuple[str, str]] = []
    for surface in sorted(scene.roof.surfaces, key=lambda one: -one.plane.tilt)[:1]:
        name = w["legend"]["surface" if texts.falls(surface) else "surface_flat"]
        items.append((_swatch(fill=colour_of(surface), stroke=svg.INK, stroke_width=0.6), name))
    ways = max((len(laid.groups) for laid in scene.layout.surfaces), default=0)
    for fill, key in list(zip(MODULES, ("modules", "modules_second"), strict=True))[:ways]:
        items.append((_swatch(fill=fill, stroke=MODULES_EDGE, stroke_width=0.9), w["legend"][key]))
    kinds = {kind for kind, _, _ in edges_of(scene)}
    sample = np.array([[0.0, -5.0], [30.0, -5.0]])
    items += [(svg.line(sample, **EDGES[kind]), w["edges"][kind]) for kind in reversed(EDGES) if kind in kinds]
    areas: dict[str, float] = defaultdict(float)
    for zone in scene.layout.zones:
        areas[style_of(zone)] += zone.area
    for key in (key for key in ZONES if key in areas):
        swatch = _swatch(fill=f"url(#{key})", stroke=svg.FAINT, stroke_width=0.6)
        items.append((swatch, w["zones"][key].format(area=texts.number(areas[key]))))
    sources = {one.source for one in scene.roof.obstacles}
    if "hoydemodell" in sources:
        items.append((_swatch(**OBSTACLE), w["legend"]["obstacle"]))
    if "bilde" in sources:
        items.append((_swatch(**OBSTACLE, stroke_dasharray="4 2.5"), w["legend"]["obstacle_image"]))
    half = (len(items) + 1) // 2
    for n, (swatch, words) in enumerate(items):
        x, y = LEFT + n // half * (RIGHT - LEFT) / 2, block.height + (n % half + 1) * _LINE
        block.parts.append(svg.tag("g", swatch, transform=f"translate({x:g} {y:.1f})"))
        block.parts.append(svg.text(x + 37, y, words, _SMALL, text_anchor="start"))
    block.height += half * _LINE
    return block


def _swatch(**look: Any) -> str:
    return svg.tag("rect", x=0, y=-11, width=30, height=13, **look)


def _warnings(scene: Scene) -> _Block:
    block = _Block()
    if not scene.warnings:
        return block
    block.title(texts.words()["warnings"])
    lines = [
        f"{'– ' if n == 0 else '  '}{line}"
        for warning in scene.warnings
        for n, line in enumerate(wrapped(texts.foreign(warning), _SMALL, RIGHT - LEFT - 14))
    ]
    most = _MOST_LINES if len(scene.roof.surfaces) <= _MANY_SURFACES else _FEWER_LINES
    if len(lines) > most:
        lines = [*lines[: most - 1], "…"]
    for line in lines:
        block.write(line.lstrip(), _SMALL, 16, LEFT + (0 if line.startswith("–") else 9))
    return block
