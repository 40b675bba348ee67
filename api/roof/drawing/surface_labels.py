"""Places for the labels of surfaces: on free parts of the roof, then outside it, then small."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy import ndimage

from api.reports.metrics import width
from api.roof.drawing import texts
from api.roof.drawing.board import CLEAR, Board, Label, Spot
from api.roof.drawing.scene import Scene
from api.roof.drawing.view import PLAN, View
from kernels.roof.layout.result import SurfaceLayout
from kernels.roof.roof import Surface

SIZE = 15.0
"""Font size."""

RADIUS, ARROW = 10.0, 22.0
"""Of a surface's number; room of its fall arrow."""

PAD, LINE = 5.0, 19.0

_FREE_UP_TO = 1500
"""Modules of a surface up to which places between them are looked for."""

_STEP, _STEP_OUTSIDE = 4.0, 14.0
"""Between places that are tried inside and outside the roof."""

_REACH, _MOST_PLACES = 260.0, 80
"""Longest way from a label outside the roof to its surface; places that are tried with a leader line."""

_MOST_OUTSIDE = 8
"""Surfaces of a roof up to which those with modules and without room have their text outside it."""

_AROUND = range(10, 200, 10)
"""From a tiny surface to its number."""

_OFF_ROOF, _INTO = 8.0, 12.0
"""From the roof to a label outside it; from the surface's edge to the end of its leader line."""


class _Form(NamedTuple):
    """What a label says."""

    lines: tuple[str, ...]
    arrow: bool

    @property
    def size(self) -> tuple[float, float]:
        """Width and height: number and arrow to the left of the lines, the first of them bold."""
        if not self.lines and not self.arrow:
            return 2 * RADIUS + 2, 2 * RADIUS + 2
        wide = 2 * RADIUS + (ARROW + PAD if self.arrow else 0)
        if self.lines:
            wide += PAD + max(width(line, SIZE, bold=n == 0) for n, line in enumerate(self.lines))
        return wide + 2 * PAD, max(2 * RADIUS, LINE * len(self.lines)) + 1.2 * PAD

    def at(self, spot: Spot, number: int, to: Spot | None = None) -> Label:
        """Return the label of a surface with its middle at a spot."""
        return Label("surface", spot[0], spot[1], self.size, self.lines, number=number, arrow=self.arrow, to=to)


_Pair = tuple[Surface, SurfaceLayout]


def place_inside(board: Board, scene: Scene, view: View) -> list[_Pair]:
    """Add labels with text to surfaces with room for it beside modules and obstacles; return the other surfaces."""
    left = []
    for surface, laid in scene.pairs():
        area = _free(surface, laid, board, view)
        label = _fitting(surface.number, area, _forms(surface, laid, scene))
        if label is None:
            left.append((surface, laid))
        else:
            board.add(label)
    return left


def place_outside(board: Board, left: Sequence[_Pair], scene: Scene, view: View) -> None:
    """Add labels of the other surfaces: outside the roof with a leader line, else number and arrow on the surface."""
    for surface, laid in left:
        whole = shapely.transform(surface.polygon, view.page)
        label = None
        if laid.count and len(scene.roof.surfaces) <= _MOST_OUTSIDE:
            label = _outside(surface, whole, next(_forms(surface, laid, scene)), board)
        label = label or _small(surface, whole, _free(surface, laid, board, view), board)
        board.add(label or _somewhere(surface, whole, board))


def _forms(surface: Surface, laid: SurfaceLayout, scene: Scene) -> Iterator[_Form]:
    """Yield the texts of a surface's label, the longest first."""
    fall, arrow = texts.fall(surface), texts.falls(surface)
    yield _Form((fall, texts.modules(laid, scene.kwp(laid))), arrow)
    yield _Form((fall,), arrow)
    if arrow:
        head, _, tail = fall.partition(" mot ")
        yield _Form((head, tail), arrow)


def _free(surface: Surface, laid: SurfaceLayout, board: Board, view: View) -> Any:
    """Return the part of a surface on the sheet that has no modules and no obstacles; of a large one, no room."""
    area = shapely.transform(surface.polygon, view.page).buffer(-CLEAR)
    taken = [one.buffer(2 * CLEAR) for one in board.obstacles if one.intersects(area)]
    if laid.count > _FREE_UP_TO:
        taken.append(shapely.transform(laid.free, view.page))
    elif laid.count:
        taken.append(shapely.union_all(shapely.polygons(view.page(laid.modules))).buffer(1))
    return area.difference(shapely.union_all(taken)) if taken else area


def _fitting(number: int, area: Any, forms: Iterator[_Form], taken: Board | None = None) -> Label | None:
    """Return the first of some labels that fits into an area, where it is farthest from the area's edge."""
    if area.is_empty:
        return None
    x0, y0, x1, y1 = area.bounds
    xs, ys = np.arange(x0, x1, _STEP), np.arange(y0, y1, _STEP)
    shapely.prepare(area)
    inside = shapely.contains_xy(area, *np.meshgrid(xs, ys))
    for form in forms:
        for spot in _spots(inside, xs, ys, form.size):
            label = form.at(spot, number)
            if area.covers(label.box) and not (taken and taken.touches(label)):
                return label
    return None


def _spots(inside: NDArray[np.bool_], xs: Any, ys: Any, size: tuple[float, float]) -> Iterator[Spot]:
    """Yield middles of rectangles whose places of a grid are all inside, the best of them first."""
    wide, high = (int(np.ceil(length / _STEP)) + 1 for length in size)
    if inside.shape[0] < high or inside.shape[1] < wide:
        return
    sums = np.pad(inside.astype(np.int64).cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    count = sums[high:, wide:] - sums[:-high, wide:] - sums[high:, :-wide] + sums[:-high, :-wide]
    fits = count == wide * high
    if not fits.any():
        return
    depth = ndimage.distance_transform_edt(np.pad(fits, 1))[1:-1, 1:-1]
    middle = np.argwhere(inside).mean(axis=0) - (np.array([high, wide]) - 1) / 2
    places = np.argwhere(fits)
    rank = np.hypot(*(places - middle).T) - 4 * np.minimum(depth[fits], 6)
    for row, column in places[np.argsort(rank)[:20]]:
        yield xs[column] + (wide - 1) * _STEP / 2, ys[row] + (high - 1) * _STEP / 2


def _outside(surface: Surface, whole: Any, form: _Form, board: Board) -> Label | None:
    """Return a label near a surface outside the roof, whose leader line crosses no other surface."""
    wide, high = form.size
    left, top, right, bottom = PLAN
    across = np.arange(left + wide / 2, right - wide / 2, _STEP_OUTSIDE)
    down = np.arange(top + high / 2, bottom - high / 2, _STEP_OUTSIDE)
    x, y = (part.ravel() for part in np.meshgrid(across, down))
    boxes = shapely.box(x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
    far = shapely.distance(boxes, whole)
    taken = shapely.union_all([board.roof, *board.dimensions, *board.witnesses])
    near = np.flatnonzero((far < _REACH) & (shapely.distance(boxes, taken) > _OFF_ROOF))
    core = whole.buffer(-_INTO)
    core = whole.representative_point() if core.is_empty else core
    others = board.roof.difference(whole.buffer(1))
    for n in near[np.argsort(far[near])][:_MOST_PLACES]:
        to = shapely.shortest_line(shapely.Point(x[n], y[n]), core).coords[-1]
        label = form.at((float(x[n]), float(y[n])), surface.number, to)
        if not board.touches(label) and label.leader.intersection(others).length < CLEAR:
            return label
    return None


def _small(surface: Surface, whole: Any, free: Any, board: Board) -> Label | None:
    """Return number and arrow, or the number alone, beside the modules, else on them."""
    forms = [_Form((), arrow=True)] if texts.falls(surface) else []
    forms.append(_Form((), arrow=False))
    for area in (free, whole.buffer(-CLEAR)):
        if label := _fitting(surface.number, area, iter(forms), board):
            return label
    labels = (forms[-1].at(spot, surface.number) for spot in _spine(whole))
    return next((label for label in labels if not board.touches(label)), None)


def _spine(shape: Any) -> list[Spot]:
    """Return places along the middle of a long and thin shape that are inside it, the middle one first."""
    ring = shapely.get_coordinates(shapely.minimum_rotated_rectangle(shape))[:4]
    _, second = sorted(((ring[1] - ring[0]), (ring[2] - ring[1])), key=lambda side: float(np.hypot(*side)))
    if np.hypot(*second) < 3 * RADIUS:
        return []
    steps = sorted(np.linspace(-0.4, 0.4, 17), key=abs)
    spots = [tuple((ring.mean(axis=0) + step * second).tolist()) for step in steps]
    return [spot for spot in spots if shape.contains(shapely.Point(spot))]


def _somewhere(surface: Surface, whole: Any, board: Board) -> Label:
    """Return the number of a tiny surface on it or near it, where it lies on no other label."""
    to = whole.representative_point().coords[0]
    form = _Form((), arrow=False)
    outward = np.arctan2(*np.subtract(to, board.roof.centroid.coords[0])[::-1])
    turns = outward + np.array([sign * step * np.pi / 12 for step in range(13) for sign in (1, -1)])
    spots = [to, *((to[0] + far * np.cos(turn), to[1] + far * np.sin(turn)) for far in _AROUND for turn in turns)]
    labels = [form.at(spot, surface.number, to if n else None) for n, spot in enumerate(spots)]
    clear = (label for label in labels if not board.touches(label))
    # a leader line may cross another label where nothing else is left
    apart = (label for label in labels if not board.touches(label._replace(to=None)))
    return next(clear, None) or next(apart, labels[0])
