"""What stands beside the plan: figures, table of surfaces, obstacles, legend and warnings."""

import numpy as np
import shapely

from api.reports import svg
from api.reports.metrics import wrapped
from api.roof.drawing import texts
from api.roof.drawing.block import LEFT, LINE, RIGHT, SIZE, SMALL, Block
from api.roof.drawing.legend import legend
from api.roof.drawing.obstacles import obstacles
from api.roof.drawing.scene import Scene
from api.roof.drawing.view import HEIGHT, PLAN
from kernels.roof.layout.result import SurfaceLayout
from kernels.roof.roof import Surface

_BOTTOM = HEIGHT - 78
# Right ends of the table's columns; the first is the number's middle.
_ENDS = (LEFT + 14, LEFT + 92, LEFT + 148, LEFT + 218, LEFT + 277, LEFT + 326, RIGHT)
_UNSURE = 0.7
_MOST_LINES, _FEWER_LINES, _MANY_SURFACES = 20, 8, 8
"""Of warnings: usually, and beside a table of many surfaces."""
_COLUMN_M = 0.2
"""Along the row, within which modules stand behind each other."""


def column(scene: Scene, letters: frozenset[str] = frozenset()) -> str:
    """Return the column; a table that is too long ends with the sum of its smallest surfaces.

    Parameters
    ----------
    scene : Scene
    letters : frozenset of str
        That stand for kinds of obstacles in the plan.
    """
    blocks = [_figures(scene), Block(), obstacles(scene, letters), legend(scene), _warnings(scene)]
    room = _BOTTOM - PLAN[1] - sum(block.height + 14 for block in blocks if block.parts) - 14
    if scene.roof.surfaces:
        blocks[1] = _table(scene, room)
    y, found = PLAN[1] - 14, ""
    for block in blocks:
        if block.parts:
            found += svg.tag("g", "".join(block.parts), transform=f"translate(0 {y:.1f})")
            y += block.height + 14
    return found


def _figures(scene: Scene) -> Block:
    w, layout, module = texts.words()["figures"], scene.layout, scene.module
    block = Block()
    block.height += 32
    for x, value, unit in (
        (LEFT, texts.number(layout.count, 0), w["module_one" if layout.count == 1 else "modules"]),
        (LEFT + 200, texts.kwp(layout.kwp), w["kwp"]),
    ):
        words = svg.tag("tspan", value, font_size=38, font_weight=600) + svg.tag("tspan", f" {unit}", font_size=18)
        block.parts.append(svg.tag("text", words, x=x, y=block.height, fill=svg.INK))
    block.height += 8
    size = f"{module.length * 1000:.0f}", f"{module.width * 1000:.0f}"
    block.write(w["module"].format(wp=f"{module.wp:g}".replace(".", ","), length=size[0], width=size[1]))
    around = shapely.get_coordinates(shapely.minimum_rotated_rectangle(scene.extent()))
    sides = sorted(np.hypot(*np.diff(around[:3], axis=0).T), reverse=True)
    long, wide = (texts.number(side) for side in sides[:2])
    if not scene.roof.surfaces:
        block.write(w["outline"].format(long=long, wide=wide))
        return block
    form, height = texts.words()["forms"][scene.roof.form], texts.number(scene.roof.height)
    block.write(w["form"].format(form=form, height=height, long=long, wide=wide))
    areas = (layout.gross_area, layout.usable_area, layout.module_area)
    gross, usable, modules = (texts.number(area) for area in areas)
    block.write(w["area"].format(gross=gross, usable=usable, modules=modules))
    return block


def _table(scene: Scene, room: float) -> Block:
    w = texts.words()["table"]
    block = Block()
    block.title(w["title"])
    _row(block, w["heads"], SMALL, fill=svg.FAINT)
    pairs = sorted(scene.pairs(), key=lambda pair: -pair[0].area)
    notes = {surface.number: _notes(surface, laid) for surface, laid in pairs}
    rest = room - block.height - 2 * LINE - 26
    if sum(LINE + 16 * len(notes[surface.number]) for surface, _ in pairs) > rest:
        notes = {number: [] for number in notes}
    shown = len(pairs) if len(pairs) * LINE <= rest else max(1, int(rest // LINE) - 1)
    for surface, laid in sorted(pairs[:shown], key=lambda pair: pair[0].number):
        _row(block, _cells(surface, laid, scene))
        for note in notes[surface.number]:
            block.write(note, SMALL, 16, LEFT + 30, fill=svg.FAINT)
    if pairs[shown:]:
        name = w["rest"].format(count=len(pairs) - shown)
        area, count = sum(s.area for s, _ in pairs[shown:]), sum(laid.count for _, laid in pairs[shown:])
        power = texts.kwp(count * scene.module.wp / 1000)
        _row(block, ["…", texts.number(area), name, "", texts.number(count, 0), power, ""])
    sums = [w["sum"], texts.number(scene.layout.gross_area), "", "", texts.number(scene.layout.count, 0)]
    block.parts.append(svg.line(np.array([[LEFT, block.height + 6], [RIGHT, block.height + 6]]), svg.FAINT, 0.6))
    block.height += 4
    _row(block, [*sums, texts.kwp(scene.layout.kwp), ""], font_weight=600)
    if any(surface.confidence < _UNSURE for surface in scene.roof.surfaces):
        block.write(texts.words()["unsure"], SMALL, fill=svg.VERMILLION, font_weight=600)
    return block


def _row(block: Block, cells: list[str], size: float = SIZE, **look: object) -> None:
    block.height += LINE
    for n, (x, words) in enumerate(zip(_ENDS, cells, strict=True)):
        anchor = "end" if n else "middle"
        block.parts.append(svg.text(x, block.height, words, size, **{"text_anchor": anchor, **look}) if words else "")


def _cells(surface: Surface, laid: SurfaceLayout, scene: Scene) -> list[str]:
    mark = "! " if surface.confidence < _UNSURE else ""
    return [
        str(surface.number), texts.number(surface.area), f"{texts.number(surface.plane.tilt)}°",
        texts.bearing(surface.plane.azimuth) if texts.falls(surface) else "–",
        texts.number(laid.count, 0), texts.kwp(scene.kwp(laid)), f"{mark}{100 * surface.confidence:.0f} %",
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
    if laid.lost_to_shade and (laid.count or laid.reason is None or laid.reason.key != "shade"):
        found.append(w["shade_one" if laid.lost_to_shade == 1 else "shade"].format(count=laid.lost_to_shade))
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


def _warnings(scene: Scene) -> Block:
    block = Block()
    if not scene.warnings or not scene.roof.surfaces:  # then they are in the plan
        return block
    block.title(texts.words()["warnings"])
    lines = [
        f"{'– ' if n == 0 else '  '}{line}"
        for warning in scene.warnings
        for n, line in enumerate(wrapped(texts.foreign(warning), SMALL, RIGHT - LEFT - 14))
    ]
    most = _MOST_LINES if len(scene.roof.surfaces) <= _MANY_SURFACES else _FEWER_LINES
    if len(lines) > most:
        lines = [*lines[: most - 1], "…"]
    for line in lines:
        block.write(line.lstrip(), SMALL, 16, LEFT + (0 if line.startswith("–") else 9))
    return block
