"""The exact truth of one building: walls, planes of its roof, and what stands or lies on them.

    for building in buildings_in(262_000, 6_649_000, 262_500, 6_649_500):
        planes_of(building), objects_of(building)

Coordinates are m in UTM 33, heights m above sea, azimuths degrees clockwise from GRID north.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infra.simulator.buildings.lots import (
    FLAT,
    FORMS,
    GABLE,
    HALL_M,
    HIP,
    LOT_M,
    MATERIALS,
    SHED,
    Lots,
    halls,
    houses,
    rise,
)
from infra.simulator.heights.noise import uniform

Points = NDArray[np.float64]

_FIRST_COLUMN, _FIRST_ROW, _COLUMNS = -6000, 240_000, 60_000  # of the lots' numbers
_OFF_SHARE, _OFF_M = 0.4, 1.0  # outlines that lie beside the walls, and by how much at most


@dataclass(frozen=True)
class Building:
    """One building.

    Parameters
    ----------
    number : int
        In the register, of ten digits: longer than any real one.
    code : int
        Type in the register.
    form : {"flatt", "pulttak", "saltak", "valm", "halvvalm"}
    x, y : float
        Its middle.
    turn : float
        Of its length, anticlockwise from grid east, radians.
    length, width : float
        Between the walls.
    overhang : float
        Of the roof beyond the walls.
    foot, eaves : float
        Heights of the ground it stands on, and of the roof's plane above the lowest wall, m above sea.
    tilt : float
        Degrees.
    material : {"takpapp", "tegl", "betongstein", "metall"}
    newer : bool
        Whether it was built after the surface model, which shows bare ground.
    shift : (float, float)
        By which its published outline lies too far east and north: up to 1 m.
    objects : tuple of (str, float, float, float, float, float or None)
        Kind, middle and sides in its frame (u along the length, v across), and height of a level top above sea; None of
        what is flush with the roof.
    """

    number: int
    code: int
    form: str
    x: float
    y: float
    turn: float
    length: float
    width: float
    overhang: float
    foot: float
    eaves: float
    tilt: float
    material: str
    newer: bool
    shift: tuple[float, float]
    objects: tuple[tuple[str, float, float, float, float, float | None], ...]

    def walls(self) -> Points:
        """Return the corners of the walls, (4, 2), anticlockwise."""
        return self.at(_rectangle(0, 0, self.length, self.width))

    def outline(self) -> Points:
        """Return the corners of the outline that is published, (4, 2)."""
        return self.walls() + self.shift

    def at(self, uv: Points) -> Points:
        """Return places of its frame, (n, 2), in UTM 33."""
        cosine, sine = np.cos(self.turn), np.sin(self.turn)
        return np.column_stack([uv @ (cosine, -sine) + self.x, uv @ (sine, cosine) + self.y])

    def height(self, uv: Points) -> NDArray[np.float64]:
        """Return the roof's height without its objects at places of its frame, (n, 2), m above sea."""
        steep, length, width, *places = (
            np.asarray(each, np.float32)
            for each in (np.tan(np.radians(self.tilt)), self.length, self.width, uv[:, 0], uv[:, 1])
        )
        above, _ = rise(np.array(FORMS.index(self.form)), steep, length, width, places[0], places[1])
        return np.asarray(self.eaves + above, np.float64)


class Plane(NamedTuple):
    """A plane of a roof.

    Parameters
    ----------
    corners : float64 (n, 3)
        Easting, northing, height; anticlockwise, with the overhang.
    tilt : float
        Degrees.
    azimuth : float or None
        Where it falls; None of a flat roof.
    """

    corners: Points
    tilt: float
    azimuth: float | None


class RoofObject(NamedTuple):
    """Something on a roof; `top` is None of what is flush with it.

    `kind` is `pipe`, `takoppbygg`, `ventilasjon`, `overlys` or `solceller`; `corners` (4, 2).
    """

    kind: str
    corners: Points
    top: float | None


def planes_of(building: Building) -> tuple[Plane, ...]:
    """Return the planes of a roof; those that fall to both sides of its length come first."""
    form, o = FORMS.index(building.form), building.overhang
    u, v, quarter = building.length / 2, building.width / 2, building.width / 4
    long, wide = u + o, v + o
    if form in (FLAT, SHED):
        parts = {1: [(-long, -wide), (long, -wide), (long, wide), (-long, wide)]}
    elif form == GABLE:
        parts = {0: [(-long, 0), (long, 0), (long, wide), (-long, wide)]}
    elif form == HIP:
        ridge = u - v
        parts = {
            0: [(-ridge, 0), (ridge, 0), (long, wide), (-long, wide)],
            2: [(ridge, 0), (long, -wide), (long, wide)],
        }
    else:
        ridge, low = u - quarter, quarter + o
        side = [(-ridge, 0), (ridge, 0), (long, low), (long, wide), (-long, wide), (-long, low)]
        parts = {0: side, 2: [(ridge, 0), (long, -low), (long, low)]}
    if form not in (FLAT, SHED):  # half a turn about the middle
        parts |= {plane + 1: [(-a, -b) for a, b in corners] for plane, corners in tuple(parts.items())}
    turn = float(np.degrees(building.turn))
    falls = (-turn, 180 - turn, 90 - turn, 270 - turn)
    found = []
    for plane, corners in sorted(parts.items()):
        uv = np.array(corners, np.float64)
        xyz = np.column_stack([building.at(uv), building.height(uv)])
        found.append(Plane(xyz, building.tilt, None if form == FLAT else falls[plane] % 360))
    return tuple(found)


def objects_of(building: Building) -> tuple[RoofObject, ...]:
    """Return what stands on a roof or lies in it."""
    return tuple(
        RoofObject(kind, building.at(_rectangle(u, v, along, across)), top)
        for kind, u, v, along, across, top in building.objects
    )


def _rectangle(u: float, v: float, along: float, across: float) -> Points:
    a, b = along / 2, across / 2
    return np.array([(u - a, v - b), (u + a, v - b), (u + a, v + b), (u - a, v + b)])


def buildings_in(west: float, south: float, east: float, north: float) -> list[Building]:
    """Return the buildings whose published outlines touch a box, from the south-west, row by row; halls come last."""
    found = []
    for size, make in ((LOT_M, houses), (HALL_M, halls)):
        # an outline may lie a metre outside of its lot
        (i, k), (j, m) = (
            (np.floor((low - 1) / size), np.floor((high + 1) / size)) for low, high in ((west, east), (south, north))
        )
        lots = make(np.arange(i, k + 1, dtype=np.int64), np.arange(j, m + 1, dtype=np.int64))
        found += [building_on(lots, row, column) for row, column in np.argwhere(lots.settled).tolist()]
    return [one for one in found if _touches(one.outline(), west, south, east, north)]


def _touches(corners: Points, west: float, south: float, east: float, north: float) -> bool:
    (left, low), (right, high) = corners.min(axis=0), corners.max(axis=0)
    return bool(left <= east and right >= west and low <= north and high >= south)


def building_on(lots: Lots, row: int, column: int) -> Building:
    """Return the building of a settled lot, by its place in the arrays."""
    at = row, column
    i, j = int(lots.columns[column]), int(lots.rows[row])
    number = 1_000_000_000 + (j - _FIRST_ROW) * _COLUMNS + i - _FIRST_COLUMN
    if lots.size == HALL_M:
        number += 5_000_000_000 + (_FIRST_ROW - _FIRST_ROW // 3) * _COLUMNS
    eaves = float(lots.foot[at] + lots.eaves[at])
    off, towards = _OFF_M * float(uniform(151, i, j)), 2 * np.pi * float(uniform(152, i, j))
    off *= float(uniform(150, i, j)) < _OFF_SHARE
    objects = []
    for item in lots.items:
        if item.there[at]:
            u, v, along, across = (float(each[at]) for each in (item.u, item.v, item.along, item.across))
            top = None if item.top is None else eaves + float(item.top[at])
            objects.append((item.kind, u, v, along, across, top))
    return Building(
        number, int(lots.code[at]), FORMS[lots.form[at]], (i + 0.5) * lots.size, (j + 0.5) * lots.size,
        float(lots.turn[at]), float(lots.length[at]), float(lots.width[at]), float(lots.overhang[at]),
        float(lots.foot[at]), eaves, float(np.degrees(np.arctan(lots.steep[at]))), MATERIALS[lots.material[at]],
        bool(lots.newer[at]), (off * float(np.cos(towards)), off * float(np.sin(towards))), tuple(objects),
    )  # fmt: skip


def building_at(x: float, y: float) -> Building | None:
    """Return the building within whose roof a place is."""
    for building in buildings_in(x - 1, y - 1, x + 1, y + 1):
        cosine, sine = np.cos(building.turn), np.sin(building.turn)
        east, north = x - building.x, y - building.y
        u, v = east * cosine + north * sine, north * cosine - east * sine
        if abs(u) <= building.length / 2 + building.overhang and abs(v) <= building.width / 2 + building.overhang:
            return building
    return None
