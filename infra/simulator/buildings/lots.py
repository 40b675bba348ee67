"""Which building stands on which lot, and its exact shape: functions of the lot's number alone, as arrays.

A house stands in the middle of a lot of 26 m, a hall in the middle of 3 x 3 lots. In the frame of a building u runs
along its length and v across it, from its middle, m; heights are above its eaves at the wall.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infra.simulator.heights import ground
from infra.simulator.heights.land import near_towns
from infra.simulator.heights.noise import Field, Whole, uniform
from infra.simulator.heights.wetland import wet

FORMS = ("flatt", "pulttak", "saltak", "valm", "halvvalm")
FLAT, SHED, GABLE, HIP, HALF_HIP = range(len(FORMS))
MATERIALS = ("takpapp", "tegl", "betongstein", "metall")
LOT_M, HALL_M = 26.0, 78.0  # squares, in whose middle a building stands, turned its own way
OVERHANG_M = 0.5
MODULE_M = (1.0, 1.7)  # of existing solar panels, upright
_LOTS = 3  # to a side of a hall's square
_IN_TOWN, _AROUND, _ANYWHERE = 0.88, 0.30, 0.004  # shares of lots with a house
_HALLS, _HALL_ZONE, _HALL_TOWN_M = 0.05, (0.75, 1.25), 1500.0  # share, distance in a town's reach, its least reach
_CITY_M = 2500.0  # a town that reaches so far has blocks in its middle
_BLOCK_M = 18.0
_SHARES = {FLAT: 0.16, HIP: 0.30, HALF_HIP: 0.38, GABLE: 0.90, SHED: 1.0}  # of houses, added up
_HIGHEST_FARM = 600.0
_GROUND_CELL_M = 13.0  # of the ground on which a building is level: the same at any resolution
_NEWER = 0.05
_DORMER_D = (1.0, 2.6)  # from the eaves: its front, and where its level top meets the roof
_CHIMNEY_M, _OVER_ROOF_M, _FROM_RIDGE_M = 0.6, 1.0, 0.8
_WINDOW_M = (0.8, 1.2)

Flags = NDArray[np.bool_]


class Item(NamedTuple):
    """Something on the roofs of lots: a rectangle in the building's frame.

    Parameters
    ----------
    kind : str
    there : bool array
    u, v : float32 array
        Its middle, m.
    along, across : float32 array
        Its sides along u and v, seen from above, m.
    top : float32 array or None
        Height of its level top, m above the eaves; None of what is flush with the roof.
    """

    kind: str
    there: Flags
    u: Field
    v: Field
    along: Field
    across: Field
    top: Field | None


@dataclass(frozen=True)
class Lots:
    """Buildings of lots, arrays (rows, columns) but for the lots' numbers.

    Parameters
    ----------
    columns, rows : int64 (columns,), (rows,)
        Numbers of the lots: their middle is at (number + 0.5) `size`.
    size : float
        Of a lot, m.
    settled : bool
        Whether there is a building; the other arrays say nothing where there is none.
    foot : float32
        Height of the building's ground, m above sea.
    turn : float32
        Of its length, anticlockwise from grid east, radians, 0 to pi.
    length, width : float32
        Between the walls, m.
    form : int64
        Index of `FORMS`.
    steep : float32
        Tangent of the roof's tilt.
    eaves : float32
        Height of the roof's lower edge at the wall, m above `foot`.
    overhang : float32
        Of the roof beyond the walls, m.
    code : int64
        Type of building in the register.
    newer : bool
        Whether it was built after the surface model.
    material : int64
        Index of `MATERIALS`.
    items : list of Item
    """

    columns: Whole
    rows: Whole
    size: float
    settled: Flags
    foot: Field
    turn: Field
    length: Field
    width: Field
    form: Whole
    steep: Field
    eaves: Field
    overhang: Field
    code: Whole
    newer: Flags
    material: Whole
    items: list[Item]


class _Draw:
    """Numbers of 0 to 1 that depend on a lot and a seed alone."""

    def __init__(self, columns: Whole, rows: Whole) -> None:
        self.columns, self.rows = columns[None, :], rows[:, None]

    def __call__(self, seed: int, low: float = 0.0, high: float = 1.0) -> Field:
        span = np.float32(high - low)
        return np.asarray(np.float32(low) + span * uniform(seed, self.columns, self.rows))


def houses(columns: Whole, rows: Whole) -> Lots:
    """Return the houses and blocks of lots of 26 m, given by their numbers along each axis."""
    draw, x, y = _Draw(columns, rows), (columns + 0.5) * LOT_M, (rows + 0.5) * LOT_M
    foot, near = ground.heights(x, y, _GROUND_CELL_M), near_towns(x, y)
    share = np.where(near < 1, _IN_TOWN, np.where(near < 2, _AROUND, _ANYWHERE * (foot < _HIGHEST_FARM)))
    settled = (foot > 0) & (draw(70) < share) & ~np.logical_or(*wet(x, y))
    settled &= ~_of_halls(columns, rows)
    central = np.clip(1 - near_towns(x, y, _CITY_M) / 0.4, 0, 1)
    block, kind = draw(71) < 0.5 * central, draw(72)
    length, width = (np.where(block, _BLOCK_M, draw(*sides)) for sides in ((73, 9.5, 14.5), (74, 7, 9.5)))
    edges = np.array(list(_SHARES.values()), np.float32)[:-1]
    form = np.where(block, FLAT, np.array(list(_SHARES))[np.searchsorted(edges, kind, side="right")])
    steep = np.where(form == FLAT, 0, np.where(form == SHED, draw(170, 0.1, 0.35), draw(75, 0.45, 0.85)))
    eaves = np.where(block, draw(76, 15, 25), draw(77, 4, 8.5))
    rise = steep * width * np.where(form == SHED, 1, 0.5)
    eaves = np.where(form == FLAT, eaves, np.minimum(eaves - 1.2, 9 - rise))
    farm, which = near >= 2, draw(171)
    code = np.select(
        [block & (which < 0.2), block & (eaves < 18), block, farm & (which < 0.5), farm, which < 0.1],
        [311, 142, 143, 241, 113, 121], 111,
    )  # fmt: skip
    material = np.where(form == FLAT, 0, 1 + (3 * draw(172)).astype(np.int64))
    overhang = np.where(block, np.float32(0), np.float32(OVERHANG_M))
    turn = draw(78, 0, np.pi)
    items = _items(draw, form, steep, turn, length, width)
    return Lots(
        columns, rows, LOT_M, settled, foot, turn, length, width, form, steep.astype(np.float32), eaves, overhang,
        code, draw(173) < _NEWER, material, items,
    )  # fmt: skip


def halls(columns: Whole, rows: Whole) -> Lots:
    """Return the large flat halls at the edges of towns, of squares of 78 m given by their numbers along each axis."""
    draw, x, y = _Draw(columns, rows), (columns + 0.5) * HALL_M, (rows + 0.5) * HALL_M
    foot, near = ground.heights(x, y, _GROUND_CELL_M), near_towns(x, y, _HALL_TOWN_M)
    zone = (near > _HALL_ZONE[0]) & (near < _HALL_ZONE[1])
    settled = zone & (foot > 0) & (draw(270) < _HALLS) & ~np.logical_or(*wet(x, y))
    length, width, turn = draw(273, 36, 60), draw(274, 24, 40), draw(278, 0, np.pi)
    none, form = np.zeros_like(foot), np.full(foot.shape, FLAT)
    code = np.where(draw(271) < 0.6, 231, 211)
    return Lots(
        columns, rows, HALL_M, settled, foot, turn, length, width, form, none, draw(277, 6, 10), none,
        code, np.zeros(foot.shape, bool), form, _items(draw, form, none, turn, length, width),
    )  # fmt: skip


def _of_halls(columns: Whole, rows: Whole) -> Flags:
    i, j = columns // _LOTS, rows // _LOTS
    found = halls(np.arange(i[0], i[-1] + 1), np.arange(j[0], j[-1] + 1)).settled
    return np.asarray(found[np.ix_(j - j[0], i - i[0])])


def _items(draw: _Draw, form: Whole, steep: Field, turn: Field, length: Field, width: Field) -> list[Item]:
    """Return what stands on roofs or lies in them; things of one roof never overlap."""
    flat, gable, shed = form == FLAT, form == GABLE, form == SHED
    south = np.where(np.cos(turn) > 0, -1, 1)  # the side of v that faces south
    panels = ((gable | shed) & (draw(180) < 0.15)) | (flat & (draw(180) < 0.1))
    side = np.where(shed, -1, np.where(panels, -south, np.where(draw(181) < 0.5, -1, 1)))
    bare = ~(shed & panels)  # of a shed roof's one plane panels leave nothing

    def at(from_eaves: Any) -> Field:
        return _single(side * (width / 2 - from_eaves))

    def item(kind: str, there: Flags, u: Any, v: Any, along: Any, across: Any, top: Any) -> Item:
        long, wide = (_single(np.broadcast_to(side, form.shape)) for side in (along, across))
        return Item(kind, there, _single(u), _single(v), long, wide, None if top is None else _single(top))

    cosine = 1 / np.hypot(1, steep)
    chimney_v = at(width / 2 - _FROM_RIDGE_M)
    chimney_u = draw(182, -0.5, 0.5)
    chimney_top = rise(form, steep, length, width, chimney_u, chimney_v)[0] + np.float32(_OVER_ROOF_M)
    found = [item("pipe", ~flat & bare & (draw(183) < 0.6), chimney_u, chimney_v, _CHIMNEY_M, _CHIMNEY_M, chimney_top)]
    front, back = _DORMER_D
    dormer_v, dormer_top = at((front + back) / 2), steep * back
    found.append(item("takoppbygg", gable & (draw(184) < 0.2), -length / 4, dormer_v, 2.4, back - front, dormer_top))
    for k in range(3):
        u = (k - 1) * length / 3 + draw(185 + k, -0.5, 0.5)
        there, tall = flat & (draw(188 + k) < 0.6), draw(191 + k, 0.8, 1.5)
        found.append(item("ventilasjon", there, u, -width / 4, 1.6, 1.2, tall))
    windows = (gable | (form == HALF_HIP) | shed) & bare & (draw(194) < 0.3)
    for k in range(2):
        along, across = _WINDOW_M[0], _WINDOW_M[1] * cosine
        found.append(item("overlys", windows, 0.2 * length + 1.6 * k, at(1.6), along, across, None))
    count, deep = np.floor(length / MODULE_M[0] - 1.5), 2 * MODULE_M[1] * cosine
    place = np.where(flat, width / 4, np.where(shed, -1, south) * (width / 2 - 0.4 - deep / 2))
    found.append(item("solceller", panels, np.zeros(form.shape), place, count * MODULE_M[0], deep, None))
    return found


def _single(values: Any) -> Field:
    return np.asarray(values, np.float32)


def rise(form: Whole, steep: Field, length: Field, width: Field, u: Field, v: Field) -> tuple[Field, NDArray[np.int64]]:
    """Return how high roofs are above their eaves at places of their frames, m, and which plane is there.

    Planes fall towards +v (0), -v (1), +u (2) and -u (3); arrays broadcast.
    """
    eaves, gable = width / 2 - np.abs(v), length / 2 - np.abs(u)
    gable = np.select([form == HIP, form == HALF_HIP], [gable, gable + width / 4], np.float32(np.inf))
    above = np.where(form == SHED, v + width / 2, np.minimum(eaves, gable))
    plane = np.where(gable < eaves, np.where(u > 0, 2, 3), np.where((v > 0) & (form != SHED), 0, 1))
    return np.asarray((steep * above).astype(np.float32)), plane
