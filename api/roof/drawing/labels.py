"""Places for the plan's labels: none overlaps another, and surfaces have theirs inside where there is room."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon, affinity

from api.reports.metrics import width
from api.roof.drawing import texts
from api.roof.drawing.board import CLEAR, Board, Label, Spot
from api.roof.drawing.scene import Scene
from api.roof.drawing.view import View
from kernels.roof.layout.result import SurfaceLayout
from kernels.roof.roof import Surface

Floats = NDArray[np.float64]

SIZE, SMALL = 15.0, 13.0
"""Font sizes: of surfaces; of dimensions and obstacles."""

RADIUS, ARROW = 10.0, 22.0
"""Of a surface's number; room of its fall arrow."""

PAD, LINE = 5.0, 19.0
OFF = 17.0
"""From an edge to its dimension line."""

_FREE_UP_TO = 1500
"""Modules of a surface up to which its label is first looked for a place beside them."""

_MOST_OBSTACLES, _NAMED_OBSTACLES = 150, 30
"""Obstacles that get a label; from how few on it names the kind."""

_LEAST_SIDE = 0.07
"""Of the longest side: shorter ones have no dimension."""


def place(scene: Scene, view: View) -> list[Label]:
    """Return the labels of surfaces, outer edges and obstacles; what finds no place is left out, but for surfaces."""
    obstacles = [shapely.transform(one.polygon, view.page) for one in scene.roof.obstacles]
    roof = shapely.transform(scene.extent(), view.page)
    board = Board(roof, obstacles)
    outside = []
    for surface, laid in scene.pairs():
        label = _inside(surface, laid, scene, view, obstacles)
        if label is None:
            outside.append(surface)
        else:
            board.add(label)
    for surface in outside:
        board.add(_beside(surface, board, view))
    for start, end, length in _sides(roof, view):
        board.try_each(_along(start, end, length))
    order = sorted(zip(scene.roof.obstacles, obstacles, strict=True), key=lambda pair: -(pair[0].height or 0))
    for one, shape in order[:_MOST_OBSTACLES]:
        words = texts.obstacle(one, named=len(order) <= _NAMED_OBSTACLES)
        board.try_each(_around(words, shape), own=shape)
    return board.labels


def _inside(surface: Surface, laid: SurfaceLayout, scene: Scene, view: View, obstacles: Sequence[Any]) -> Label | None:
    """Return the fullest label that fits into a surface: beside its modules where that needs no shorter one."""
    whole = shapely.transform(surface.polygon, view.page).buffer(-CLEAR)
    near = [one.buffer(2 * CLEAR) for one in obstacles if one.intersects(whole)]
    clear = whole.difference(shapely.union_all(near)) if near else whole
    areas = [clear, whole]
    if 0 < laid.count <= _FREE_UP_TO:
        modules = shapely.union_all(shapely.polygons(view.page(laid.modules)))
        areas.insert(0, clear.difference(modules.buffer(1)))
    for lines, arrow in _forms(surface, laid, scene):
        size = _size(lines, arrow)
        for area in areas:
            spot = _spot(area, *size)
            if spot is not None:
                return Label("surface", spot[0], spot[1], size, lines, number=surface.number, arrow=arrow)
    return None


def _forms(surface: Surface, laid: SurfaceLayout, scene: Scene) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield the texts of a surface's label, the longest first, and whether it has an arrow."""
    fall, arrow = texts.fall(surface), texts.falls(surface)
    yield (fall, texts.modules(laid, scene.kwp(laid))), arrow
    yield (fall,), arrow
    if arrow:
        head, _, tail = fall.partition(" mot ")
        yield (head, tail), arrow
    yield (), arrow
    if arrow:
        yield (), False


def _size(lines: Sequence[str], arrow: bool) -> tuple[float, float]:
    """Return the size of a surface's label: number and arrow to the left of its lines, the first of them bold."""
    if not lines and not arrow:
        return 2 * RADIUS + 2, 2 * RADIUS + 2
    wide = 2 * RADIUS + (ARROW + PAD if arrow else 0)
    if lines:
        wide += PAD + max(width(line, SIZE, bold=n == 0) for n, line in enumerate(lines))
    return wide + 2 * PAD, max(2 * RADIUS, LINE * len(lines)) + 1.2 * PAD


def _spot(area: Any, wide: float, high: float) -> Spot | None:
    """Return the middle of a rectangle in an area, or None: its centroid, or the pole of inaccessibility of the area.

    The area is squeezed so that the rectangle is a square there.
    """
    if area.area < wide * high:
        return None
    square = affinity.scale(area, high / wide, 1.0, origin=(0, 0))
    pole = shapely.maximum_inscribed_circle(square, tolerance=0.5).coords[0]
    for x, y in (area.centroid.coords[0], (pole[0] * wide / high, pole[1])):
        if area.covers(shapely.box(x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)):
            return x, y
    return None


def _beside(surface: Surface, board: Board, view: View) -> Label:
    """Return a number on a surface that is long and thin, else a label outside the roof with a line to the surface.

    Where all is taken, a number is somewhere near.
    """
    shape = shapely.transform(surface.polygon, view.page)
    for x, y in _spine(shape):
        label = Label("surface", x, y, _size((), False), (), number=surface.number)
        if board.has_room(label):
            return label
    to = shapely.maximum_inscribed_circle(shape, tolerance=0.5).coords[0]
    middle = board.roof.centroid.coords[0]
    outward = math.atan2(to[1] - middle[1], to[0] - middle[0])
    for lines, arrow, most in (((texts.fall(surface),), texts.falls(surface), 160), ((), False, 400)):
        for x, y in _fan(to, outward, range(30, most, 15)):
            label = Label("surface", x, y, _size(lines, arrow), lines, 0.0, surface.number, arrow, to)
            if not label.box.buffer(6).intersects(board.roof) and board.has_room(label):
                return label
    for x, y in _fan(to, outward, range(0, 300, 4)):
        label = Label("surface", x, y, _size((), False), (), number=surface.number, to=None if (x, y) == to else to)
        if not board.touches(label):
            return label
    return label


def _spine(shape: Any) -> list[Spot]:
    """Return places along the middle of a long and thin shape that are inside it, the middle one first."""
    ring = shapely.get_coordinates(shapely.minimum_rotated_rectangle(shape))[:4]
    _, second = sorted(((ring[1] - ring[0]), (ring[2] - ring[1])), key=lambda side: float(np.hypot(*side)))
    if np.hypot(*second) < 3 * RADIUS:
        return []
    steps = sorted(np.linspace(-0.4, 0.4, 17), key=abs)
    spots = [tuple((ring.mean(axis=0) + step * second).tolist()) for step in steps]
    return [spot for spot in spots if shape.contains(shapely.Point(spot))]


def _fan(middle: Spot, direction: float, distances: range) -> Iterator[Spot]:
    """Yield places around a middle, the nearest first, of each distance those in a direction (radians) first."""
    turns = [sign * step * math.pi / 12 for step in range(13) for sign in (1, -1)]
    for far in distances:
        for turn in turns if far else (0.0,):
            yield middle[0] + far * math.cos(direction + turn), middle[1] + far * math.sin(direction + turn)


def _sides(roof: Any, view: View) -> list[tuple[Spot, Spot, float]]:
    """Return the sides of the roof's outer edge with their lengths, m, the longest first; (start, end, length)."""
    found = []
    for part in shapely.get_parts(roof):
        ring = shapely.orient_polygons(Polygon(part.exterior)).exterior.simplify(2.5)
        corners = _merged(np.array(ring.coords))
        found += [(tuple(a), tuple(b), math.dist(a, b) / view.scale) for a, b in pairwise(corners.tolist())]
    longest = max((side[2] for side in found), default=0.0)
    return sorted((side for side in found if side[2] >= _LEAST_SIDE * longest), key=lambda side: -side[2])


def _merged(ring: Floats) -> Floats:
    """Return a closed ring without a corner where its ends meet on one straight line."""
    before, first, after = ring[-2], ring[0], ring[1]
    along = after - before
    off = abs(along[0] * (first - before)[1] - along[1] * (first - before)[0]) / np.hypot(*along)
    return np.vstack([ring[1:-1], ring[1]]) if off < CLEAR and len(ring) > 4 else ring


def _along(start: Spot, end: Spot, length: float) -> Iterator[Label]:
    """Yield places for a side's length outside it, with a dimension line, then without."""
    words = texts.number(length)
    size = width(words, SMALL) + 6, SMALL + 2
    long = math.dist(start, end)
    if long < size[0] + 8:
        return
    angle = math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))
    upright = (angle + 91) % 180 - 91  # from -91 to 89: all vertical ones are read from the right
    # shapely's counter-clockwise is clockwise where y points downwards: outside is to the right of the way
    out = (end[1] - start[1]) / long, -(end[0] - start[0]) / long
    ends = np.array([start, end])
    for lined in (True, False):
        for off in (OFF, OFF + 16) if lined else (10.0, OFF, OFF + 16):
            line = tuple((ends + off * np.array(out)).ravel().tolist()) if lined else ()
            for share in (0.5, 0.35, 0.65):
                x, y = (ends[0] + share * (ends[1] - ends[0]) + off * np.array(out)).tolist()
                yield Label("dimension", x, y, size, (words,), upright, side=line)


def _around(words: str, shape: Any) -> Iterator[Label]:
    """Yield places for an obstacle's label: on it, then around it, ever farther off with a leader line."""
    if not words:
        return
    wide, high = width(words, SMALL) + 4, SMALL + 1
    x0, y0, x1, y1 = shape.bounds
    middle = shape.representative_point().coords[0]
    inside = Label("obstacle", middle[0], middle[1], (wide, high), (words,))
    if shape.covers(inside.box):
        yield inside
    for gap in (3.0, 12.0, 24.0, 40.0, 60.0):
        right, left = x1 + gap + wide / 2, x0 - gap - wide / 2
        below, above = y1 + gap + high / 2, y0 - gap - high / 2
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        sides = [(right, y), (left, y), (x, above), (x, below)]
        corners = [(right, above), (right, below), (left, above), (left, below)]
        for spot in sides + corners:
            yield Label("obstacle", spot[0], spot[1], (wide, high), (words,), to=middle if gap > 3 else None)
