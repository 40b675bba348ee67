"""Made-up roofs with known planes, as a height model shows them."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from shapely import Polygon, affinity

from kernels.roof.field import Field
from kernels.roof.roof import Form

FORMS: tuple[Form, ...] = ("flatt", "pulttak", "saltak", "valm", "halvvalm", "sammensatt")
_MARGIN_M = 8.0


@dataclass
class MadeRoof:
    """A roof: `planes` have tilt, azimuth (degrees) and polygon in plan, m."""

    form: Form
    outline: Polygon
    planes: list[tuple[float, float, Polygon]]
    field: Field
    obstacles: list[Polygon]


Extra = Literal["dormer", "chimney", "tree", "shifted", "box"]


def made_roof(
    seed: int,
    cell: float,
    noise: float,
    *,
    form: Form | None = None,
    extras: tuple[Extra, ...] | None = None,
    turn: float | None = None,
) -> MadeRoof:
    """Return a roof that a seed decides; `extras` None draws them too."""
    draw = np.random.default_rng(seed)
    form = form or FORMS[int(draw.integers(len(FORMS)))]
    length, width = draw.uniform(10, 18), draw.uniform(7, 10)
    tilt = np.radians(draw.uniform(18, 45))
    eaves, over = draw.uniform(3, 6), 0.5
    degrees = draw.uniform(0, 360) if turn is None else turn
    drawn = ("dormer", "chimney", "tree", "shifted")
    added: tuple[str, ...] = tuple(one for one in drawn if draw.random() < 0.35) if extras is None else extras
    half, side = length / 2 + over, width / 2 + over
    rise = float(np.tan(tilt))
    parts = _parts(form, half, side, rise, draw)
    offset = draw.uniform(-0.5, 0.5, 2)

    def surface(u: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
        z = np.full(u.shape, -np.inf)
        for rectangle, planes in parts:
            inside = (np.abs(u - rectangle[0]) <= rectangle[2]) & (np.abs(v - rectangle[1]) <= rectangle[3])
            roof = np.min([a * u + b * v + c for a, b, c in planes], axis=0)
            z = np.maximum(z, np.where(inside, eaves + roof, -np.inf))
        return z

    angle = np.radians(degrees)
    reach = half + _MARGIN_M
    side_cells = int(np.ceil(2 * reach / cell))
    axes = np.array([-reach + cell / 2 + offset[0] * cell, -reach + cell / 2 + offset[1] * cell, cell, 0, 0, cell])
    empty = np.zeros((side_cells, side_cells))
    x, y = Field(empty, empty, axes).positions()
    u, v = x * np.cos(angle) + y * np.sin(angle), -x * np.sin(angle) + y * np.cos(angle)
    top = surface(u, v)
    obstacles: list[Polygon] = []
    z = np.where(np.isfinite(top), top, 0.0)
    if "dormer" in added and form == "saltak":
        middle, depth = draw.uniform(-half / 3, half / 3), side * 0.55
        inside = (np.abs(u - middle) < 1.2) & (v < -side + 0.8 + depth) & (v > -side + 0.8) & np.isfinite(top)
        z = np.where(inside, np.maximum(z, eaves + rise * (0.8 + depth) - 0.1), z)
        obstacles.append(
            Polygon(
                [
                    (middle - 1.2, -side + 0.8),
                    (middle + 1.2, -side + 0.8),
                    (middle + 1.2, -side + 0.8 + depth),
                    (middle - 1.2, -side + 0.8 + depth),
                ]
            )
        )
    if "chimney" in added:
        a, b = draw.uniform(-half / 2, half / 2), draw.uniform(-side / 2, side / 2)
        inside = (np.abs(u - a) < 0.4) & (np.abs(v - b) < 0.4) & np.isfinite(top)
        z = np.where(inside, z + 1.0, z)
    if "tree" in added:
        a = draw.uniform(-half, half)
        off = np.hypot(u - a, v - (side + 1.2))
        z = np.maximum(z, np.where(off < 2.5, 9.0 - 1.5 * off, 0))
    z = z + draw.normal(0, noise, z.shape) if noise else z
    outline = Polygon(
        [
            (-half + over, -side + over),
            (half - over, -side + over),
            (half - over, side - over),
            (-half + over, side - over),
        ]
    )
    if form == "sammensatt":
        boxes = [
            Polygon(
                [
                    (r[0] - r[2] + over, r[1] - r[3] + over),
                    (r[0] + r[2] - over, r[1] - r[3] + over),
                    (r[0] + r[2] - over, r[1] + r[3] - over),
                    (r[0] - r[2] + over, r[1] + r[3] - over),
                ]
            )
            for r, _ in parts
        ]
        outline = boxes[0].union(boxes[1])
    if "shifted" in added:
        outline = affinity.translate(outline, *draw.uniform(-0.7, 0.7, 2))

    def placed(shape: Polygon) -> Polygon:
        return affinity.rotate(shape, degrees, origin=(0, 0))

    planes = [(t, (azimuth - degrees) % 360, placed(shape)) for t, azimuth, shape in _truth(parts, eaves)]
    return MadeRoof(form, placed(outline), planes, Field(z, np.zeros_like(z), axes), [placed(one) for one in obstacles])


Plane = tuple[float, float, float]
Rectangle = tuple[float, float, float, float]


def _parts(
    form: Form, half: float, side: float, rise: float, draw: np.random.Generator
) -> list[tuple[Rectangle, list[Plane]]]:
    """Return rectangles (middle u, v, half length, half width) with planes a u + b v + c whose lowest is the roof."""
    whole = (0.0, 0.0, half, side)
    gable = [(0.0, rise, rise * side), (0.0, -rise, rise * side)]
    if form == "flatt":
        return [(whole, [(0.0, 0.0, 0.0)])]
    if form == "pulttak":
        return [(whole, [(0.0, 0.4 * rise, 0.4 * rise * side)])]
    if form == "saltak":
        return [(whole, gable)]
    ends = [(rise, 0.0, rise * half), (-rise, 0.0, rise * half)]
    if form == "valm":
        return [(whole, gable + ends)]
    if form == "halvvalm":
        lift = rise * side * draw.uniform(0.45, 0.55)
        return [(whole, gable + [(a, b, c + lift) for a, b, c in ends])]
    wing = 0.75 * side
    u, v = half - wing, side + 0.45 * half
    across = [(rise, 0.0, rise * (wing - u)), (-rise, 0.0, rise * (wing + u))]
    return [(whole, gable), ((u, (v - side) / 2, wing, (v + side) / 2), across)]


def _truth(parts: list[tuple[Rectangle, list[Plane]]], eaves: float) -> list[tuple[float, float, Polygon]]:
    """Return tilt, azimuth and polygon of each plane, the frame unturned: v is north."""
    found = []
    for k, (r, planes) in enumerate(parts):
        box = Polygon(
            [
                (r[0] - r[2], r[1] - r[3]),
                (r[0] + r[2], r[1] - r[3]),
                (r[0] + r[2], r[1] + r[3]),
                (r[0] - r[2], r[1] + r[3]),
            ]
        )
        for n, (a, b, c) in enumerate(planes):
            shape = box
            for m, (d, e, f) in enumerate(planes):
                if m != n:
                    shape = shape.intersection(_lower(a - d, b - e, c - f))
            for j, (s, others) in enumerate(parts):
                if j != k:
                    higher = Polygon(
                        [
                            (s[0] - s[2], s[1] - s[3]),
                            (s[0] + s[2], s[1] - s[3]),
                            (s[0] + s[2], s[1] + s[3]),
                            (s[0] - s[2], s[1] + s[3]),
                        ]
                    )
                    for d, e, f in others:
                        higher = higher.intersection(_lower(a - d, b - e, c - f))
                    shape = shape.difference(higher)
            if isinstance(shape, Polygon) and shape.area > 0.5:
                found.append(
                    (float(np.degrees(np.arctan(np.hypot(a, b)))), float(np.degrees(np.arctan2(-a, -b)) % 360), shape)
                )
            elif shape.area > 0.5:
                found += [
                    (float(np.degrees(np.arctan(np.hypot(a, b)))), float(np.degrees(np.arctan2(-a, -b)) % 360), part)
                    for part in shape.geoms
                    if part.area > 0.5
                ]
    return found


def _lower(a: float, b: float, c: float) -> Polygon:
    """Return the half plane a u + b v + c <= 0, to 200 m."""
    steep = np.hypot(a, b)
    if steep == 0:
        return Polygon([(-200, -200), (200, -200), (200, 200), (-200, 200)]) if c <= 0 else Polygon()
    normal, along = np.array([a, b]) / steep, np.array([-b, a]) / steep
    foot = -c / steep * normal
    return Polygon(
        [foot + 400 * along, foot - 400 * along, foot - 400 * along - 400 * normal, foot + 400 * along - 400 * normal]
    )
