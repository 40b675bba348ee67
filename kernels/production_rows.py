"""From a tile's packed weather to the rows of an answer in one step, by the engines of `production`.

Each crossing into machine code costs a busy process some ten microseconds, more than most of the steps: unpack, an
engine, round, print.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import register_jitable
from numpy.typing import ArrayLike, NDArray

from kernels.atmosphere import pressure_at
from kernels.compiled import BYTES, TABLE, VECTOR, WHOLE, compiled
from kernels.packed import Packed, unpack_into
from kernels.printed import LINES, OUT, Fields, Rows, append_into, require_number, require_text, room_for, tenths_into
from kernels.production import precise_into, profile_of, simplified_into
from kernels.sun import SunTable

NO_DAYS = np.empty(0, np.int64)


class PrintedRows(NamedTuple):
    """Rows of irradiance, and the same rows with production.

    Parameters
    ----------
    irradiance : bytes
        JSON.
    ghi_total, ghi_peak : int
        Sum and largest of the irradiance, tenths of W/m2.
    power : bytes
        JSON.
    total, peak : int
        Sum and largest of the sum over all planes, tenths of a watt.
    days : list of int, twice
        Sums over each day: of the irradiance, and over all planes, tenths.
    """

    irradiance: bytes
    ghi_total: int
    ghi_peak: int
    power: bytes
    total: int
    peak: int
    days: list[list[int]]


def simplified_rows(
    rows: Rows,
    fields: Fields,
    sun: SunTable,
    lat: float,
    lon: float,
    weather: Packed,
    planes: bytes,
    performance_ratio: float,
    temp_coeff: float,
    ends: NDArray[np.int64] = NO_DAYS,
) -> PrintedRows:
    """Append irradiance, and the production of planes, to rows: `simplified`, rounded to tenths.

    Parameters
    ----------
    rows : Rows
        Of n hours; they end with the key of the irradiance.
    fields : Fields
        The first, without a key, is the irradiance. The values are the m planes, the sum of them, and the irradiance.
    sun, lat, lon, performance_ratio, temp_coeff
        As `production.simplified` takes them.
    weather : Packed
        Irradiance, W/m2, and temperature of the air, degrees C.
    planes : bytes
        Float64 (m, 3) as `production.simplified` takes them, from `struct.pack`: it makes them in a third of the time
        that numpy takes for an array.
    ends : int64 (d,)
        Where each day ends, as a count of hours.

    Raises
    ------
    ValueError
        Sizes do not agree, or a number is none.
    """
    out, days = np.empty(room_for(rows, fields, 2), np.uint8), np.empty((2, ends.size), np.int64)
    place, system = (sun.direction, sun.e0, float(lat), float(lon)), (float(performance_ratio), float(temp_coeff))
    sizes = _simplified_rows(*rows, *fields, *weather, *place, planes, *system, ends, days, out)
    return _printed(out, days, *sizes)


def precise_rows(
    rows: Rows,
    fields: Fields,
    sun: SunTable,
    lat: float,
    lon: float,
    altitude: float,
    weather: Packed,
    planes: bytes,
    performance_ratio: float,
    temp_coeff: float,
    horizon: ArrayLike | None = None,
    ends: NDArray[np.int64] = NO_DAYS,
) -> PrintedRows:
    """Append irradiance, and the production of planes, to rows: `precise`, rounded to tenths.

    Parameters
    ----------
    rows, fields, planes, ends
        As `simplified_rows` takes them.
    sun, lat, lon, altitude, performance_ratio, temp_coeff, horizon
        As `production.precise` takes them.
    weather : Packed
        Irradiance, W/m2, temperature of the air, degrees C, and wind at 10 m, m/s.

    Raises
    ------
    ValueError
        Sizes do not agree, or a number is none.
    """
    out, days = np.empty(room_for(rows, fields, 2), np.uint8), np.empty((2, ends.size), np.int64)
    place = (sun.direction, sun.e0, float(lat), float(lon), pressure_at(float(altitude)))
    system = (float(performance_ratio), float(temp_coeff))
    sky = profile_of(horizon)
    sizes = _precise_rows(*rows, *fields, *weather, *place, planes, *system, sky, ends, days, out)
    return _printed(out, days, *sizes)


def _printed(
    out: NDArray[np.uint8],
    days: NDArray[np.int64],
    first: int,
    both: int,
    ghi_total: int,
    ghi_peak: int,
    total: int,
    peak: int,
) -> PrintedRows:
    if first == _DISAGREE:
        raise ValueError("weather, sun and planes do not agree in size")
    require_number(total)
    require_text(both)
    return PrintedRows(
        out[:first].tobytes(), ghi_total, ghi_peak, out[first:both].tobytes(), total, peak, days.tolist()
    )


# Sizes are checked by the loops: outside, each check is 2 us of a busy process.
# Each by itself: of a tuple numba asks anew what types it is of, which takes longer than passing what is in it.
_WEATHER = (BYTES, TABLE, types.int64)
_PLACE = (TABLE, VECTOR, types.float64, types.float64)
_PLANES = BYTES
_DISAGREE = -2
_DAYS = (WHOLE, types.Array(types.int64, 2, "C"))
_SYSTEM = (types.float64, types.float64)


@register_jitable
def _print_into(lines, ghi, watts, ends, days, out):  # type: ignore[no-untyped-def]
    m, n = watts.shape
    tenths = np.empty((m + 3, n), np.int64)
    total, peak = tenths_into(watts, tenths[: m + 1])
    ghi_total, ghi_peak = tenths_into(ghi, tenths[m + 1 :])
    if total < 0 or ghi_total < 0:
        return -1, -1, -1, -1, -1, -1
    begin = 0
    for day in range(ends.size):
        end = min(max(begin, ends[day]), n)
        days[0, day], days[1, day] = tenths[m + 2, begin:end].sum(), tenths[m, begin:end].sum()
        begin = end
    text, row_ends, keys, places = lines
    first = append_into(text, row_ends, keys, places[:1], tenths, out)
    if first < 0:
        return -1, -1, ghi_total, ghi_peak, total, peak
    size = append_into(text, row_ends, keys, places, tenths, out[first:])
    return first, first + size if size >= 0 else -1, ghi_total, ghi_peak, total, peak


@register_jitable
def _sizes_agree(k, values, units, start, direction, e0, planes):  # type: ignore[no-untyped-def]
    n = e0.size
    # First against its length: of a start out of all measure the product would wrap around.
    series = 0 <= start <= len(values) and n > 0 and len(values) == 2 * k * (start + n)
    series = series and units.shape[0] >= k and units.shape[1] == 2
    return series and direction.shape[0] == n and direction.shape[1] == 3 and len(planes) % (3 * 8) == 0


@register_jitable
def _planes_of(planes):  # type: ignore[no-untyped-def]
    numbers = np.frombuffer(planes, np.float64)
    return numbers.reshape((numbers.size // 3, 3))


@compiled(*LINES, *_WEATHER, *_PLACE, _PLANES, *_SYSTEM, *_DAYS, OUT)
def _simplified_rows(  # type: ignore[no-untyped-def]
    text, row_ends, keys, places, values, units, start, direction, e0, lat, lon, planes, ratio, coeff, ends, days, out
):
    if not _sizes_agree(2, values, units, start, direction, e0, planes):
        return _DISAGREE, _DISAGREE, 0, 0, 0, 0
    facing = _planes_of(planes)
    weather, watts = np.empty((2, e0.size)), np.empty((len(facing), e0.size))
    unpack_into(values, units, start, weather)
    simplified_into((direction, e0, lat, lon), (weather[0], weather[1]), facing, (ratio, coeff), watts)
    return _print_into((text, row_ends, keys, places), weather[:1], watts, ends, days, out)


@compiled(*LINES, *_WEATHER, *_PLACE, types.float64, _PLANES, *_SYSTEM, VECTOR, *_DAYS, OUT)
def _precise_rows(  # type: ignore[no-untyped-def]
    text, row_ends, keys, places, values, units, start, direction, e0, lat, lon, air, planes, ratio, coeff, sky, ends,
    days, out
):  # fmt: skip
    if not _sizes_agree(3, values, units, start, direction, e0, planes):
        return _DISAGREE, _DISAGREE, 0, 0, 0, 0
    facing = _planes_of(planes)
    weather, watts = np.empty((3, e0.size)), np.empty((len(facing), e0.size))
    unpack_into(values, units, start, weather)
    place, system = (direction, e0, lat, lon, air), (ratio, coeff)
    precise_into(place, (weather[0], weather[1], weather[2]), facing, system, sky, watts)
    return _print_into((text, row_ends, keys, places), weather[:1], watts, ends, days, out)
