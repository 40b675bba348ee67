"""Rows and columns as JSON."""

from typing import Any

import numpy as np
import orjson
import pytest

from api.forecast.body import _numbers
from api.forecast.models import PvArray
from api.forecast.production.answer import print_power
from api.forecast.production.plant import Plant
from api.forecast.rows import Layout, Table, as_columns, number_texts
from kernels.packed import Packed, unpack
from kernels.printed import Fields, Rows, append_fields, whole_tenths
from tiles.product import CORRUPT
from tiles.products.registry import PRODUCTS

STAMPS = ["2026-06-01T00:00:00Z", "2026-06-01T01:00:00Z", "2026-06-01T02:00:00Z"]
TABLE = Table({"hour": range(3), "timestamp": STAMPS}, "ghi_wm2")
GHI = np.array([0.0, 12.3, 1361.0])
WATTS = np.array([[0.0, 1234.56, 6000.0], [0.04, 99.94, 80000.0]])


def with_production(names: list[str], layout: Layout) -> Any:
    arrays = [PvArray(name=name, kwp=1, tilt_deg=1, azimuth_deg=1) for name in names]
    irradiance = TABLE.render(number_texts(GHI), layout)
    return orjson.loads(print_power(Plant(60, 10, arrays, 0.85, -0.004), WATTS, irradiance, layout).series)


@pytest.mark.parametrize("name", ["sør", 'a"b', "{}", "%b", "後ろ", "\\"])
def test_rows_hold_every_field_in_order(name: str) -> None:
    rows = with_production([name, "vest"], "rows")
    fields = ["hour", "timestamp", "ghi_wm2", f"{name}_W", "vest_W", "total_W", "total_kWh"]
    assert [list(row) for row in rows] == [fields] * 3
    powers = [(0.0, 0.0, 0.0, 0.0), (1234.6, 99.9, 1334.5, 1.3345), (6000.0, 80000.0, 86000.0, 86.0)]
    assert [tuple(row.values()) for row in rows] == [
        (hour, STAMPS[hour], GHI[hour], *powers[hour]) for hour in range(3)
    ]
    in_columns = with_production([name, "vest"], "columns")
    assert in_columns == as_columns(rows)
    assert list(in_columns) == fields


def test_an_hour_that_is_none_is_no_answer() -> None:
    with pytest.raises(ValueError, match="none, negative"):
        print_power(Plant(60, 10, [], 0.85, -0.004), np.array([[1.0, np.nan]]), b"[{}]", "rows")


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_a_table_of_one_row(layout: Layout) -> None:
    rendered = orjson.loads(Table({"time": ["x"]}, "ghi_wm2").render([b"1.5"], layout))
    assert rendered == ([{"time": "x", "ghi_wm2": 1.5}] if layout == "rows" else {"time": ["x"], "ghi_wm2": [1.5]})


def test_numbers_of_another_count_are_refused() -> None:
    with pytest.raises(ValueError, match="extended slice"):
        TABLE.render([b"1", b"2"])


def test_numbers_are_read_back_as_they_were() -> None:
    numbers = np.round(np.random.default_rng(1).uniform(0, 1e6, (3, 500)), 1)
    assert [float(text) for text in number_texts(numbers)] == numbers.ravel().tolist()
    assert number_texts(np.array([[0.1, 100.0], [0.0001, 7.0]]).T) == [b"0.1", b"0.0001", b"100.0", b"7.0"]


def test_what_a_row_lacks_is_null_in_its_column() -> None:
    assert as_columns([{"a": 1}, {"a": 2, "b": "x"}]) == {"a": [1, 2], "b": [None, "x"]}
    assert as_columns([]) == {}


@pytest.mark.parametrize(("product", "name"), [("forecast", "ghi"), ("forecast", "ghi_v1"), ("day", "ghi")])
def test_irradiance_is_printed_alike_with_and_without_production(product: str, name: str) -> None:
    variable = PRODUCTS[product].variable(name)
    packed = np.arange(CORRUPT, dtype="<u2")
    units = np.array([(variable.scale, variable.offset)])
    tenths, *_ = whole_tenths(unpack(Packed(packed.tobytes(), units), 1))
    rows = Rows.of(b"[" + b",".join([b"{}"] * CORRUPT) + b"]")
    with_production = append_fields(rows, Fields.of([(b"", 0, 1)]), tenths)
    assert with_production[2:-2].split(b"},{") == list(_numbers(variable.scale, variable.offset))
