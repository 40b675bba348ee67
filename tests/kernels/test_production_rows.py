"""In one step as in many: unpack, an engine, round, print."""

import json
from dataclasses import replace
from itertools import pairwise

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
VALUES = np.random.default_rng(1).integers((0, 9000, 0), (9000, 13000, 2000), (HOURS, 3)).T.astype("<u2")
THREE, FEW = (Packed(VALUES[:n].tobytes(), UNITS, FIRST) for n in (3, 2))
PLANES = [(30.0, 135.0, 5.0), (90.0, 225.0, 80_000.0)]
BYTES = np.array(PLANES).tobytes()
HEADS = ",".join(f'{{"hour":{hour},"ghi_wm2":}}' for hour in range(HOURS - FIRST))
ROWS = Rows.of(f"[{HEADS}]".encode())
ENDS = np.array([5, 20, HOURS - FIRST])
GHI = (b"", 3, 1)
FIELDS = Fields.of([GHI, (b',"a_W":', 0, 1), (b',"b_W":', 1, 1), (b',"total_W":', 2, 1), (b',"total_kWh":', 2, 4)])
PLACE, SYSTEM = (60.0, 10.0), (0.85, -0.004)
RING = np.full(720, 30.0)


def in_many_steps(ghi: np.ndarray, watts: np.ndarray) -> PrintedRows:
    tenths, total, peak = whole_tenths(watts)
    ghi_tenths, ghi_total, ghi_peak = whole_tenths(ghi[np.newaxis])
    assert min(total, ghi_total) > 0
    values = np.vstack((tenths, ghi_tenths[:1]))
    irradiance = append_fields(ROWS, Fields.of([GHI]), values)
    power = append_fields(ROWS, FIELDS, values)
    days = [[int(row[a:b].sum()) for a, b in pairwise((0, *ENDS))] for row in (ghi_tenths[0], tenths[-1])]
    return PrintedRows(irradiance, ghi_total, ghi_peak, power, total, peak, days)


def test_simplified_rows_are_what_many_steps_print() -> None:
    ghi, temp_air = unpack(FEW, 2)
    expected = in_many_steps(ghi, simplified(SUN, *PLACE, ghi, temp_air, PLANES, *SYSTEM))
    assert simplified_rows(ROWS, FIELDS, SUN, *PLACE, FEW, BYTES, *SYSTEM, ENDS) == expected
    rows = json.loads(expected.power)
    assert list(rows[0]) == ["hour", "ghi_wm2", "a_W", "b_W", "total_W", "total_kWh"]
    light = [{"hour": hour, "ghi_wm2": value} for hour, value in enumerate(np.round(ghi, 1).tolist())]
    assert [{name: row[name] for name in ("hour", "ghi_wm2")} for row in rows] == light
    assert json.loads(expected.irradiance) == light


@pytest.mark.parametrize("horizon", [None, RING], ids=["open", "hilly"])
def test_precise_rows_are_what_many_steps_print(horizon: np.ndarray | None) -> None:
    weather = unpack(THREE, 3)
    expected = in_many_steps(weather[0], precise(SUN, *PLACE, 300.0, *weather, PLANES, *SYSTEM, horizon=horizon))
    assert precise_rows(ROWS, FIELDS, SUN, *PLACE, 300.0, THREE, BYTES, *SYSTEM, horizon, ENDS) == expected


@pytest.mark.parametrize(
    "change",
    [
        {"rows": Rows.of(b"[{},{}]")},
        {"fields": Fields.of([GHI, (b"", 5, 1)])},
        {"sun": SUN.part(1)},
        {"sun": replace(SUN, direction=SUN.direction[:, :2].copy())},
        {"planes": BYTES[:-1]},
        {"weather": Packed(FEW.values[2:], UNITS, FIRST)},
        {"weather": Packed(FEW.values[: 2 * 2 * len(SUN.e0)], UNITS, 2**62)},
        {"weather": Packed(FEW.values, UNITS[:1], FIRST)},
        {"weather": THREE},
    ],
)
def test_sizes_that_do_not_agree_are_refused(change: dict[str, object]) -> None:
    good = {"rows": ROWS, "fields": FIELDS, "sun": SUN, "lat": 60.0, "lon": 10.0, "weather": FEW, "planes": BYTES}
    with pytest.raises(ValueError, match="do not agree"):
        simplified_rows(*(good | change).values(), *SYSTEM)


def test_precise_rows_without_wind_or_with_another_horizon_are_refused() -> None:
    with pytest.raises(ValueError, match="do not agree"):
        precise_rows(ROWS, FIELDS, SUN, *PLACE, 0.0, FEW, BYTES, *SYSTEM)
    with pytest.raises(ValueError, match="horizon has shape"):
        precise_rows(ROWS, FIELDS, SUN, *PLACE, 0.0, THREE, BYTES, *SYSTEM, np.zeros(360))


@pytest.mark.parametrize("offset", [np.nan, -100.0], ids=["none", "negative irradiance, of which nothing is produced"])
def test_number_that_is_none_is_refused(offset: float) -> None:
    weather = Packed(FEW.values, UNITS + np.array([(0.0, offset), (0.0, 0.0), (0.0, 0.0)]), FIRST)
    with pytest.raises(ValueError, match="none, negative"):
        simplified_rows(ROWS, FIELDS, SUN, *PLACE, weather, BYTES, *SYSTEM)
