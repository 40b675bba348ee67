"""Rows and columns as JSON."""

from typing import Any

import numpy as np
import orjson
import pytest

from api.forecast.rows import Table, as_columns, number_texts

STAMPS = ["2026-06-01T00:00:00Z", "2026-06-01T01:00:00Z", "2026-06-01T02:00:00Z"]
TABLE = Table({"hour": range(3), "timestamp": STAMPS}, "ghi_wm2")
GHI = np.array([0.0, 12.3, 1361.0])


def rendered(*args: Any) -> Any:
    return orjson.loads(orjson.dumps(TABLE.render(*args)))


@pytest.mark.parametrize("name", ["sør", 'a"b', "{}", "%b", "後ろ", "\\"])
def test_rows_hold_every_column_in_order(name: str) -> None:
    columns = [("ghi_wm2", number_texts(GHI)), (name, number_texts(GHI * 2))]
    rows = rendered(columns)
    assert [list(row) for row in rows] == [["hour", "timestamp", "ghi_wm2", name]] * 3
    assert rows == [
        {"hour": hour, "timestamp": STAMPS[hour], "ghi_wm2": GHI[hour], name: GHI[hour] * 2} for hour in range(3)
    ]
    in_columns = rendered(columns, "columns")
    assert in_columns == as_columns(rows)
    assert list(in_columns) == list(rows[0])


def test_a_table_of_one_row() -> None:
    table = Table({"time": ["x"]}, "ghi_wm2")
    assert orjson.loads(orjson.dumps(table.render([("ghi_wm2", [b"1.5"])]))) == [{"time": "x", "ghi_wm2": 1.5}]


def test_a_column_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="extended slice"):
        TABLE.render([("ghi_wm2", [b"1", b"2"])])


def test_numbers_are_read_back_as_they_were() -> None:
    numbers = np.round(np.random.default_rng(1).uniform(0, 1e6, (3, 500)), 1)
    assert [float(text) for text in number_texts(numbers)] == numbers.ravel().tolist()
    assert number_texts(np.array([[0.1, 100.0], [0.0001, 7.0]]).T) == [b"0.1", b"0.0001", b"100.0", b"7.0"]


def test_what_a_row_lacks_is_null_in_its_column() -> None:
    assert as_columns([{"a": 1}, {"a": 2, "b": "x"}]) == {"a": [1, 2], "b": [None, "x"]}
    assert as_columns([]) == {}
