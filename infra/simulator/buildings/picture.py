"""The aerial picture of the simulated land: grass, roads, trees, roofs, and what lies on them."""

import numpy as np
from numpy.typing import NDArray

from infra.simulator.buildings.lots import FLAT, LOT_M, MATERIALS, MODULE_M, Flags
from infra.simulator.buildings.roof_cells import RoofCells, roof_cells
from infra.simulator.heights import ground, surface
from infra.simulator.heights.land import near_towns
from infra.simulator.heights.noise import Axis, Field, uniform

_GRASS, _ROAD, _CROWN, _SEA = (104, 128, 72), (126, 126, 124), (48, 74, 40), (44, 66, 88)
_ROOFS = {"takpapp": (92, 92, 94), "tegl": (158, 82, 58), "betongstein": (98, 90, 88), "metall": (138, 146, 152)}
_THINGS = {
    "pipe": (120, 70, 60),
    "takoppbygg": (190, 186, 178),
    "ventilasjon": (205, 208, 210),
    "overlys": (34, 40, 50),
}
_MODULE, _FRAME = (24, 34, 66), (172, 178, 188)
_ROAD_EVERY, _ROAD_M = 4, 5.0  # lots between two roads; width
_SUN_DEGREES = 35.0  # above the horizon, in the south
_RIDGE_M, _FRAME_M = 0.12, 0.04
_DISTURBED_M, _DISTURBANCE = 0.2, 0.12  # texture: squares of this size, and how much brighter or darker


def picture(x: Axis, y: Axis, pixel: float) -> NDArray[np.uint8]:
    """Return red, green and blue at places of a grid, (rows, columns, 3), row 0 in the SOUTH.

    Parameters
    ----------
    x, y : float64 (columns,), (rows,)
        m in UTM 33, ascending.
    pixel : float
        m: lines are at least as wide.
    """
    below = ground.heights(x, y, max(pixel, 1.0))
    parts = roof_cells(x, y)
    settled = np.logical_or(*(part.settled for part in parts))
    rgb = np.empty((*below.shape, 3), np.float32)
    rgb[:] = _GRASS
    rgb[_roads(x, y)] = _ROAD
    rgb[(surface.trees(x, y, surface.share_of_trees(x, y, below, settled)) > 0) & (below > 0)] = _CROWN
    rgb[~(below > 0)] = _SEA
    for part in parts:
        rgb[part.cells] = _colours(part, pixel)
    squares = (np.round(axis / _DISTURBED_M).astype(np.int64) for axis in (x[None, :], y[:, None]))
    rgb *= (1 + _DISTURBANCE * (uniform(197, *squares) - np.float32(0.5)))[..., None]
    return np.clip(rgb, 0, 255).astype(np.uint8)


def _roads(x: Axis, y: Axis) -> Flags:
    """Return where roads are: along the edges of every fourth lot in and around towns."""
    east, north = (np.abs((axis / LOT_M + _ROAD_EVERY / 2) % _ROAD_EVERY - _ROAD_EVERY / 2) for axis in (x, y))
    road = np.minimum(east[None, :], north[:, None]) * LOT_M < _ROAD_M / 2
    return np.asarray(road & (near_towns(x, y) < 2))


def _colours(part: RoofCells, pixel: float) -> Field:
    """Return the colours of cells under roofs, (n, 3)."""
    lots, lot = part.lots, part.lot
    looks = np.array([_ROOFS[name] for name in MATERIALS], np.float32)
    _, plane = part.rise()
    turn = lots.turn[lot]
    falls = np.choose(plane, [-turn, np.pi - turn, np.pi / 2 - turn, 1.5 * np.pi - turn])
    tilt, sun = np.arctan(lots.steep[lot]), np.radians(_SUN_DEGREES)
    shade = np.cos(tilt) * np.sin(sun) - np.sin(tilt) * np.cos(sun) * np.cos(falls)
    rgb = looks[lots.material[lot]] * (0.55 + 0.6 * np.clip(shade, 0, 1))[:, None]
    # where another plane is a line's width away
    line = max(_RIDGE_M, 0.6 * pixel) / 2
    for du, dv in ((line, 0), (-line, 0), (0, line), (0, -line)):
        beside = part._replace(u=part.u + np.float32(du), v=part.v + np.float32(dv))
        rgb[(beside.rise()[1] != plane) & (lots.form[lot] != FLAT)] *= np.float32(0.8)
    for item in lots.items:
        under = part.under(item)
        rgb[under] = _modules(part, pixel)[under] if item.kind == "solceller" else _THINGS[item.kind]
    return np.asarray(rgb)


def _modules(part: RoofCells, pixel: float) -> Field:
    """Return the colours of existing panels at cells: dark modules of 1 x 1.7 m with light frames."""
    item, lot = next(item for item in part.lots.items if item.kind == "solceller"), part.lot
    slope = np.hypot(1, part.lots.steep[lot])  # along it a module is as long as it is
    frame = max(_FRAME_M, 0.4 * pixel)
    along = part.u - item.u[lot] + item.along[lot] / 2, MODULE_M[0]
    across = (part.v - item.v[lot] + item.across[lot] / 2) * slope, MODULE_M[1]
    edges = [np.abs((place + size / 2) % size - size / 2) < frame for place, size in (along, across)]
    return np.where(np.logical_or(*edges)[:, None], np.array(_FRAME, np.float32), np.array(_MODULE, np.float32))
