"""From a tile's packed weather to the rows of an answer in one step, by the engines of `production`.

Each crossing into machine code costs a busy process some ten microseconds, more than most of the steps: unpack, an
engine, round, print.
"""

import numpy as np
from numba import types
from numba.extending import register_jitable
from numpy.typing import ArrayLike, NDArray

from kernels.atmosphere import pressure_at
from kernels.compiled import BYTES, TABLE, VECTOR, compiled
from kernels.packed import Packed, require_series, unpack_into
from kernels.printed import Rows, append_into, require_number, tenths_into, text_of
from kernels.production import ALBEDO, planes_of, precise_into, profile_of, simplified_into
from kernels.sizes import require_size
from kernels.sun import SunTable


def simplified_rows(
    rows: Rows,
    sun: SunTable,
    lat: float,
    lon: float,
    weather: Packed,
    planes: ArrayLike,
    performance_ratio: float,
    temp_coeff: float,
) -> tuple[bytes, int, int]:
    """Append the production of planes to rows: `simplified`, rounded to tenths of a watt.

    Parameters
    ----------
    rows : Rows
        Their fields refer to the m planes and, last, to the sum of them.
    sun, lat, lon, planes, performance_ratio, temp_coeff
        As `production.simplified` takes them.
    weather : Packed
        Irradiance, W/m2, and temperature of the air, degrees C.

    Returns
    -------
    text : bytes
    total, peak : int
        Sum and largest of the sum over all planes, tenths of a watt.

    Raises
    ------
    ValueError
        Sizes do not agree, or a number is none.
    """
    n, planes = require_series(weather, 2), planes_of(planes)
    require_size(n, e0=sun.e0)
    out = rows.buffer(n)
    place, system = (sun.direction, sun.e0, float(lat), float(lon)), (float(performance_ratio), float(temp_coeff))
    return _text(out, *_simplified_rows(*rows, *weather, place, planes, system, out))


def precise_rows(
    rows: Rows,
    sun: SunTable,
    lat: float,
    lon: float,
    altitude: float,
    weather: Packed,
    planes: ArrayLike,
    performance_ratio: float,
    temp_coeff: float,
    horizon: ArrayLike | None = None,
) -> tuple[bytes, int, int]:
    """Append the production of planes to rows: `precise`, rounded to tenths of a watt.

    Parameters
    ----------
    rows : Rows
        Their fields refer to the m planes and, last, to the sum of them.
    sun, lat, lon, altitude, planes, performance_ratio, temp_coeff, horizon
        As `production.precise` takes them.
    weather : Packed
        Irradiance, W/m2, temperature of the air, degrees C, and wind at 10 m, m/s.

    Returns
    -------
    text : bytes
    total, peak : int
        Sum and largest of the sum over all planes, tenths of a watt.

    Raises
    ------
    ValueError
        Sizes do not agree, or a number is none.
    """
    n, planes = require_series(weather, 3), planes_of(planes)
    require_size(n, e0=sun.e0)
    out = rows.buffer(n)
    place = (sun.direction, sun.e0, float(lat), float(lon), pressure_at(float(altitude)))
    system = (float(performance_ratio), float(temp_coeff), ALBEDO)
    return _text(out, *_precise_rows(*rows, *weather, place, planes, system, profile_of(horizon), out))


def _text(out: NDArray[np.uint8], size: int, total: int, peak: int) -> tuple[bytes, int, int]:
    require_number(total)
    return text_of(out, size), total, peak


_ROWS = (BYTES, BYTES, types.Array(types.int64, 2, "C", readonly=True))
_WEATHER = (BYTES, TABLE, types.int64)
_PLACE = (TABLE, VECTOR, types.float64, types.float64)
_OUT = types.Array(types.uint8, 1, "C")


@register_jitable
def _print_into(json, keys, fields, watts, out):  # type: ignore[no-untyped-def]
    tenths = np.empty((len(watts) + 1, watts.shape[1]), np.int64)
    total, peak = tenths_into(watts, tenths)
    return append_into(json, keys, fields, tenths, out) if total >= 0 else -1, total, peak


@compiled(*_ROWS, *_WEATHER, types.Tuple(_PLACE), TABLE, types.UniTuple(types.float64, 2), _OUT)
def _simplified_rows(json, keys, fields, values, units, first, place, planes, system, out):  # type: ignore[no-untyped-def]
    n = place[1].size
    weather, watts = np.empty((2, n)), np.empty((len(planes), n))
    unpack_into(values, units, first, weather)
    simplified_into(place, (weather[0], weather[1]), planes, system, watts)
    return _print_into(json, keys, fields, watts, out)


@compiled(
    *_ROWS, *_WEATHER, types.Tuple((*_PLACE, types.float64)), TABLE, types.UniTuple(types.float64, 3), VECTOR, _OUT
)
def _precise_rows(json, keys, fields, values, units, first, place, planes, system, horizon, out):  # type: ignore[no-untyped-def]
    n = place[1].size
    weather, watts = np.empty((3, n)), np.empty((len(planes), n))
    unpack_into(values, units, first, weather)
    precise_into(place, (weather[0], weather[1], weather[2]), planes, system, horizon, watts)
    return _print_into(json, keys, fields, watts, out)
