"""Made-up roofs with known planes, as a height model shows them."""

from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from shapely import Polygon, affinity, box, get_parts, set_precision, union_all

from kernels.roof.edges import edges
from kernels.roof.field import Field
from kernels.roof.partition import Fold
from kernels.roof.roof import Form, Plane, Roof, Surface

Floats = NDArray[np.float64]
Slope = tuple[float, float, float]
"""a, b, c of the height a u + b v + c."""

FORMS: tuple[Form, ...] = ("flatt", "pulttak", "saltak", "valm", "halvvalm", "sammensatt")
Extra = Literal["dormer", "chimney", "tree", "shifted"]
EXTRAS: tuple[Extra, ...] = ("dormer", "chimney", "tree", "shifted")

_MARGIN_M, _OVERHANG_M = 8.0, 0.5


class Part(NamedTuple):
    """A rectangle, and planes of which the lowest is the roof over it."""

    shape: Polygon
    planes: list[Slope]


class MadeRoof(NamedTuple):
    """A roof as heights show it, and the planes that it has."""

    form: Form
    outline: Polygon
    planes: list[tuple[Plane, Polygon]]
    field: Field

    @property
    def roof(self) -> Roof:
        """Gables and hips as an analysis without errors finds them."""
        planes, shapes = zip(*((plane, set_precision(shape, 1e-6)) for plane, shape in self.planes), strict=True)
        folds = [Fold(*pair, convex=True) for pair in combinations(range(len(planes)), 2)]
        surfaces = [
            Surface(n, plane, shape, tuple(e._replace(other=None if e.other is None else e.other + 1) for e in own))
            for n, (plane, shape, own) in enumerate(
                zip(planes, shapes, edges(shapes, np.array(planes), folds), strict=True), 1
            )
        ]
        return Roof(union_all(shapes), tuple(surfaces), (), self.form, 0.0, 8.0)


def made_roof(
    seed: int,
    cell: float,
    noise: float,
    *,
    form: Form | None = None,
    extras: tuple[Extra, ...] | None = None,
    turn: float | None = None,
    samples: int = 1,
) -> MadeRoof:
    """Return a roof that a seed decides, with what is not given: form, extras and turn, degrees counter-clockwise.

    Cells are the mean of `samples` heights on each side.
    """
    draw = np.random.default_rng(seed)
    form = form or FORMS[int(draw.integers(len(FORMS)))]
    length, width = draw.uniform(10, 18), draw.uniform(7, 10)
    rise, eaves = float(np.tan(np.radians(draw.uniform(18, 45)))), draw.uniform(3, 6)
    degrees = draw.uniform(0, 360)
    degrees = degrees if turn is None else turn
    drawn = tuple(one for one in EXTRAS if draw.random() < 0.35)
    extras = drawn if extras is None else extras
    half, side = length / 2 + _OVERHANG_M, width / 2 + _OVERHANG_M
    parts = _parts(form, half, side, rise, draw)
    reach = half + _MARGIN_M
    count, (dx, dy) = int(np.ceil(2 * reach / cell)), draw.uniform(-0.5, 0.5, 2) * cell
    axes = np.array([-reach + cell / 2 + dx, -reach + cell / 2 + dy, cell, 0, 0, cell])
    empty, part = np.zeros((count * samples, count * samples)), cell / samples
    fine = axes - np.array([(cell - part) / 2, (cell - part) / 2, cell - part, 0, 0, cell - part])
    x, y = Field(empty, empty, fine).positions()
    angle = np.radians(degrees)
    u, v = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    z = eaves + np.max([_heights(part, u, v) for part in parts], axis=0)
    z = _with(extras, form, np.where(np.isfinite(z), z, 0.0), u, v, (half, side, eaves, rise), draw)
    z = z.reshape(count, samples, count, samples).mean(axis=(1, 3))
    z += draw.normal(0, noise, z.shape)
    outline = union_all([part.shape.buffer(-_OVERHANG_M, join_style="mitre") for part in parts])
    if "shifted" in extras:
        outline = affinity.translate(outline, *draw.uniform(-0.7, 0.7, 2))
    cosine, sine = np.cos(angle), np.sin(angle)
    planes = [
        (Plane(a * cosine - b * sine, a * sine + b * cosine, eaves + c), affinity.rotate(shape, degrees, (0, 0)))
        for (a, b, c), shape in _truth(parts)
    ]
    return MadeRoof(form, affinity.rotate(outline, degrees, (0, 0)), planes, Field(z, np.zeros_like(z), axes))


def _parts(form: Form, half: float, side: float, rise: float, draw: np.random.Generator) -> list[Part]:
    whole = box(-half, -side, half, side)
    gable = [(0.0, rise, rise * side), (0.0, -rise, rise * side)]
    ends = [(rise, 0.0, rise * half), (-rise, 0.0, rise * half)]
    lift = rise * side * draw.uniform(0.45, 0.55)
    simple: dict[Form, list[Slope]] = {
        "flatt": [(0.0, 0.0, 0.0)],
        "pulttak": [(0.0, 0.4 * rise, 0.4 * rise * side)],
        "saltak": gable,
        "valm": gable + ends,
        "halvvalm": gable + [(a, b, c + lift) for a, b, c in ends],
    }
    if form in simple:
        return [Part(whole, simple[form])]
    wing = 0.75 * side
    u, end = half - wing, side + 0.9 * half
    across = [(rise, 0.0, rise * (wing - u)), (-rise, 0.0, rise * (wing + u))]
    return [Part(whole, gable), Part(box(u - wing, -side, half, end), across)]


def _heights(part: Part, u: Floats, v: Floats) -> Floats:
    west, south, east, north = part.shape.bounds
    inside = (u >= west) & (u <= east) & (v >= south) & (v <= north)
    return np.where(inside, np.min([a * u + b * v + c for a, b, c in part.planes], axis=0), -np.inf)


def _with(extras: Any, form: Form, z: Floats, u: Floats, v: Floats, sizes: Any, draw: np.random.Generator) -> Floats:
    """Return heights with what stands on a roof and beside it."""
    half, side, eaves, rise = sizes
    if "dormer" in extras and form == "saltak":
        middle, depth = draw.uniform(-half / 3, half / 3), side * 0.55
        inside = (np.abs(u - middle) < 1.2) & (v < 0.8 + depth - side) & (v > 0.8 - side)
        z = np.where(inside, np.maximum(z, eaves + rise * (0.8 + depth) - 0.1), z)
    if "chimney" in extras:
        a, b = draw.uniform(-half / 2, half / 2), draw.uniform(-side / 2, side / 2)
        z = np.where((np.abs(u - a) < 0.4) & (np.abs(v - b) < 0.4), z + 1.0, z)
    if "tree" in extras:
        off = np.hypot(u - draw.uniform(-half, half), v - (side + 1.2))
        z = np.maximum(z, np.where(off < 2.5, 9.0 - 1.5 * off, 0))
    return z


def _truth(parts: list[Part]) -> list[tuple[Slope, Polygon]]:
    """Return planes and where each is the roof; v is north."""
    found = []
    for part in parts:
        for plane in part.planes:
            shape = part.shape
            for lower in part.planes:
                shape = shape.intersection(_lower(plane, lower))
            for other in (other for other in parts if other is not part):
                hidden = other.shape
                for higher in other.planes:
                    hidden = hidden.intersection(_lower(plane, higher))
                shape = shape.difference(hidden)
            found += [(plane, piece) for piece in get_parts(shape) if piece.area > 0.5]
    return found


def _lower(one: Slope, other: Slope) -> Polygon:
    """Return where a plane is not above another, within 200 m."""
    a, b, c = (p - q for p, q in zip(one, other, strict=True))
    steep = np.hypot(a, b)
    if steep == 0:
        return box(-200, -200, 200, 200) if c <= 0 else Polygon()
    normal, along = np.array([a, b]) / steep, np.array([-b, a]) / steep
    foot = -c / steep * normal
    return Polygon(
        [foot + 400 * along, foot - 400 * along, foot - 400 * along - 400 * normal, foot + 400 * along - 400 * normal]
    )
