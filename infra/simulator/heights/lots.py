"""Where houses stand: towns are squares of streets, each turned its own way, and along the streets lie lots.

Everything is asked place by place: which square, which lot, what its number makes of it. So any window at any
resolution shows the same houses, however many there are.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infra.simulator.heights.land import distance_to_towns
from infra.simulator.heights.noise import Axis, Field, Whole, mixed, uniform

SQUARE_M = 420.0
_ROOM_M = 10.0  # no house so near the edge of its square
_STREET_M, _LOT_M, _DEPTH_M = 9.0, 25.0, 31.0
_LOTS_TO_A_CROSSING = 7
_ROW_M = _STREET_M + 2 * _DEPTH_M
_BLOCK_M = _STREET_M + _LOTS_TO_A_CROSSING * _LOT_M
# Shares of squares with houses: in a town, around it, anywhere.
_IN_TOWN, _AROUND, _ANYWHERE = 1.0, 0.35, 0.02
_CITY_M = 2500.0  # a town that reaches so far has blocks in its middle

Doubles = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Lots:
    """The lot of each of n places among houses; all arrays (n,).

    Parameters
    ----------
    settled : bool
        Whether the place lies on a lot, not on a street.
    number : int64
        The lot's own, the same for all its places.
    x, y : float64
        The lot's middle, m in UTM 33.
    along, across : float32
        The place seen from there, m along the street and away from it.
    village : bool
        Whether it belongs to a place that has a name, not to houses in the wild.
    central : float32
        0 at the edge of a town to 1 in its middle, where that town is a city.
    """

    settled: NDArray[np.bool_]
    number: Whole
    x: Doubles
    y: Doubles
    along: Field
    across: Field
    village: NDArray[np.bool_]
    central: Field


def among_houses(x: Axis, y: Axis) -> NDArray[np.bool_]:
    """Return which places of a grid lie in a square that has houses, bool (rows, columns)."""
    i, j = _squares(x), _squares(y)
    has, *_ = _share(*np.meshgrid(np.arange(i[0], i[-1] + 1), np.arange(j[0], j[-1] + 1)))
    return np.asarray(has[np.ix_(j - j[0], i - i[0])])


def lots(x: Doubles, y: Doubles) -> Lots:
    """Return the lots of places among houses.

    Parameters
    ----------
    x, y : float64 (n,)
        m in UTM 33.
    """
    i, j = _squares(x), _squares(y)
    corner = int(i.min()), int(j.min())
    columns, rows = np.meshgrid(np.arange(corner[0], i.max() + 1), np.arange(corner[1], j.max() + 1))
    _, village, central = _share(columns, rows)
    turn = np.pi * uniform(71, columns, rows)
    # what is known of a place's square is looked up
    at = j - corner[1], i - corner[0]
    cosine, sine = np.cos(turn)[at], np.sin(turn)[at]
    east, north = (x - (i + 0.5) * SQUARE_M).astype(np.float32), (y - (j + 0.5) * SQUARE_M).astype(np.float32)
    u, v = east * cosine + north * sine, north * cosine - east * sine
    block, row = np.floor(u / _BLOCK_M), np.floor(v / _ROW_M)
    from_crossing, from_street = u - block * _BLOCK_M - _STREET_M, v - row * _ROW_M - _STREET_M
    lot, side = np.floor(from_crossing / _LOT_M), np.floor(from_street / _DEPTH_M)
    along, across = from_crossing - (lot + 0.5) * _LOT_M, from_street - (side + 0.5) * _DEPTH_M
    middle_u, middle_v = u - along, v - across
    middle_east, middle_north = middle_u * cosine - middle_v * sine, middle_v * cosine + middle_u * sine
    room = SQUARE_M / 2 - _ROOM_M
    within = np.maximum(np.abs(middle_east), np.abs(middle_north)) < room
    return Lots(
        within & (from_crossing >= 0) & (from_street >= 0),
        mixed(72, i, j, (block * 8 + lot).astype(np.int64), (row * 2 + side).astype(np.int64)).astype(np.int64),
        x - east + middle_east,
        y - north + middle_north,
        along,
        across,
        village[at],
        central[at],
    )


def _squares(place: Doubles) -> Whole:
    return np.asarray(np.floor(np.asarray(place) / SQUARE_M).astype(np.int64))


def _share(columns: Whole, rows: Whole) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Field]:
    """Return which squares have houses, which belong to a named place, and how central they are in a city."""
    away, reach = distance_to_towns((columns + 0.5) * SQUARE_M, (rows + 0.5) * SQUARE_M)
    near = away / np.maximum(reach, 1)
    village = near < 2
    share = np.where(near < 1, _IN_TOWN, np.where(village, _AROUND, _ANYWHERE))
    central = np.where(reach >= _CITY_M, np.clip(1 - away / np.minimum(0.4 * reach, _CITY_M), 0, 1), 0)
    return uniform(70, columns, rows) < share, village, central.astype(np.float32)
