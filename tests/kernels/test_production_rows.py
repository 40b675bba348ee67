"""In one step as in many: unpack, an engine, round, print."""

import json
from dataclasses import replace

import numpy as np
import pytest

from kernels.packed import Packed, unpack
from kernels.printed import Fields, Rows, append_fields, whole_tenths
from kernels.production import precise, simplified
from kernels.production_rows import PrintedRows, precise_rows, simplified_rows
from kernels.sun import sun_table

HOURS, FIRST = 30, 7
SUN = sun_table(1_781_308_800 + 3600 * np.arange(FIRST, HOURS) + 1800)
UNITS = np.array([(0.1, 0.0), (0.01, -100.0), (0.01, 0.0)])
PACKED = np.random.default_rng(1).integers((0, 9000, 0), (9000, 13000, 2000), (HOURS, 3)).T.astype("<u2")
PLANES = [(30.0, 135.0, 5.0), (90.0, 225.0, 80_000.0)]
BYTES = np.array(PLANES).tobytes()
HEADS = ",".join(f'{{"hour":{hour},"ghi_wm2":}}' for hour in range(HOURS - FIRST))
ROWS = Rows.of(f"[{HEADS}]".encode())
GHI = (b"", 3, 1)
FIELDS = Fields.of([GHI, (b',"a_W":', 0, 1), (b',"b_W":', 1, 1), (b',"total_W":', 2, 1), (b',"total_kWh":', 2, 4)])
PLACE, SYSTEM = (60.0, 10.0), (0.85, -0.004)


def packed(variables: int) -> Packed:
    return Packed(PACKED[:variables].tobytes(), UNITS, FIRST)


def in_many_steps(ghi: np.ndarray, watts: np.ndarray) -> PrintedRows:
    tenths, total, peak = whole_tenths(watts)
    ghi_tenths, ghi_total, ghi_peak = whole_tenths(ghi[np.newaxis])
    assert min(total, ghi_total) > 0
    values = np.vstack((tenths, ghi_tenths[:1]))
    irradiance = append_fields(ROWS, Fields.of([GHI]), values)
    return PrintedRows(irradiance, ghi_total, ghi_peak, append_fields(ROWS, FIELDS, values), total, peak)


def test_simplified() -> None:
    ghi, temp_air = unpack(packed(2), 2)
    expected = in_many_steps(ghi, simplified(SUN, *PLACE, ghi, temp_air, PLANES, *SYSTEM))
    assert simplified_rows(ROWS, FIELDS, SUN, *PLACE, packed(2), BYTES, *SYSTEM) == expected
    rows = json.loads(expected.power)
    assert [list(row) for row in rows] == [["hour", "ghi_wm2", "a_W", "b_W", "total_W", "total_kWh"]] * len(ghi)
    assert [row["ghi_wm2"] for row in rows] == np.round(ghi, 1).tolist()
    assert json.loads(expected.irradiance) == [{name: row[name] for name in ("hour", "ghi_wm2")} for row in rows]


@pytest.mark.parametrize("horizon", [None, np.full(720, 30.0)], ids=["open", "hilly"])
def test_precise(horizon: np.ndarray | None) -> None:
    weather = unpack(packed(3), 3)
    expected = in_many_steps(weather[0], precise(SUN, *PLACE, 300.0, *weather, PLANES, *SYSTEM, horizon=horizon))
    assert precise_rows(ROWS, FIELDS, SUN, *PLACE, 300.0, packed(3), BYTES, *SYSTEM, horizon) == expected


def test_sizes_are_checked() -> None:
    few, two = packed(2), Rows.of(b"[{},{}]")
    for rows, fields, sun, weather, planes in (
        (two, FIELDS, SUN, few, BYTES),
        (ROWS, Fields.of([GHI, (b"", 5, 1)]), SUN, few, BYTES),
        (ROWS, FIELDS, SUN.part(1), few, BYTES),
        (ROWS, FIELDS, replace(SUN, direction=SUN.direction[1:]), few, BYTES),
        (ROWS, FIELDS, replace(SUN, direction=SUN.direction[:, :2].copy()), few, BYTES),
        (ROWS, FIELDS, SUN, few, BYTES[8:]),
        (ROWS, FIELDS, SUN, few, BYTES[:-1]),
        (ROWS, FIELDS, SUN, Packed(few.values[2:], UNITS, FIRST), BYTES),
        (ROWS, FIELDS, SUN, Packed(few.values, UNITS, FIRST + 1), BYTES),
        (ROWS, FIELDS, SUN, Packed(few.values, UNITS, -1), BYTES),
        (ROWS, FIELDS, SUN, Packed(few.values[: 2 * 2 * len(SUN.e0)], UNITS, 2**62), BYTES),
        (ROWS, FIELDS, SUN, Packed(few.values, UNITS[:1], FIRST), BYTES),
        (ROWS, FIELDS, SUN, Packed(few.values, UNITS[:, :1].copy(), FIRST), BYTES),
        (ROWS, FIELDS, SUN, packed(3), BYTES),
    ):
        with pytest.raises(ValueError, match="do not agree"):
            simplified_rows(rows, fields, sun, *PLACE, weather, planes, *SYSTEM)
    with pytest.raises(ValueError, match="do not agree"):
        precise_rows(ROWS, FIELDS, SUN, *PLACE, 0.0, few, BYTES, *SYSTEM)
    with pytest.raises(ValueError, match="horizon has shape"):
        precise_rows(ROWS, FIELDS, SUN, *PLACE, 0.0, packed(3), BYTES, *SYSTEM, np.zeros(360))


@pytest.mark.parametrize("offset", [np.nan, -100.0], ids=["none", "negative irradiance, of which nothing is produced"])
def test_a_number_that_is_none_is_refused(offset: float) -> None:
    weather = Packed(packed(2).values, UNITS + np.array([(0.0, offset), (0.0, 0.0), (0.0, 0.0)]), FIRST)
    with pytest.raises(ValueError, match="none, negative"):
        simplified_rows(ROWS, FIELDS, SUN, *PLACE, weather, BYTES, *SYSTEM)
