"""Tables in JSON."""

import random
from typing import Any

import orjson
import pytest

from api.core.errors import ApiError
from api.plants.reading.read import read
from tests.api.plants.reading.checked import check, refusal, rows_of

TIMES = ["2025-06-01 12:00", "2025-06-01 13:00"]
RECORDS = [{"date": TIMES[0], "value": 1}, {"date": TIMES[1], "value": 2.5}]
ROWS = [["date", "value"], [TIMES[0], 1.0], [TIMES[1], 2.5]]


def sheets(value: Any) -> list[tuple[str, list[list[Any]], dict[str, str]]]:
    workbook = read(orjson.dumps(value), "a.json")
    assert (workbook.kind, workbook.delimiter) == ("json", "")
    check(workbook)
    return [(sheet.name, sheet.rows, sheet.context) for sheet in workbook.sheets]


def rows(value: Any) -> list[list[Any]]:
    ((_, found, _),) = sheets(value)
    return found


@pytest.mark.parametrize("keys", [(), ("a",), ("a", "b", "c")])
def test_lists_of_records_are_found_at_any_depth(keys: tuple[str, ...]) -> None:
    value: Any = RECORDS
    for key in reversed(keys):
        value = {"unit": "Wh", key: value}
    assert sheets(value) == [(".".join(keys), ROWS, {"unit": "Wh"} if keys else {})]


def test_nested_records_become_columns() -> None:
    value = [{"t": "a", "ac": {"p": 1, "q": {"x": 2}}, "ok": True}, {"t": "b", "ac": {"p": None}, "n": [3, 4]}]
    assert rows(value) == [
        ["t", "ac.p", "ac.q.x", "ok", "n.0", "n.1"],
        ["a", 1.0, 2.0, "true", "", ""],
        ["b", "", "", "", 3.0, 4.0],
    ]


def test_parallel_lists_become_columns() -> None:
    assert rows({"unit": "Wh", "x": {"date": TIMES, "value": [1, 2.5], "tags": ["a", "b", "c"]}}) == ROWS


def test_keys_that_are_times_become_a_column() -> None:
    assert rows(dict(zip(TIMES, (1, 2.5), strict=True))) == [["time", "value"], *ROWS[1:]]
    assert rows({"0": 1, "300": 2}) == [["key", "value"], [0.0, 1.0], [300.0, 2.0]]
    assert rows({"2025-06-01": {"p": 1}, "2025-06-02": {"p": 2}}) == [
        ["time", "p"],
        ["2025-06-01", 1.0],
        ["2025-06-02", 2.0],
    ]


def test_lists_of_lists_are_rows_with_the_names_beside_them() -> None:
    body = [list(row) for row in ROWS[1:]]
    assert rows(ROWS) == ROWS
    assert rows({"columns": ["date", "value"], "rows": body}) == ROWS
    assert rows({"series": [{"name": "p", "columns": ["date", "value"], "values": body}]}) == ROWS


def test_labels_of_a_chart_stand_beside_its_series() -> None:
    chart = {"labels": TIMES, "datasets": [{"label": "Ut", "data": [1, 2]}, {"label": "Inn", "data": [3, 4]}]}
    assert rows(chart) == [["labels", "Ut", "Inn"], [TIMES[0], 1.0, 3.0], [TIMES[1], 2.0, 4.0]]


def test_meters_become_one_table_with_their_label() -> None:
    meters = [{"type": kind, "unit": "Wh", "values": RECORDS} for kind in ("Production", "FeedIn")]
    ((name, found, context),) = sheets({"energyDetails": {"timeUnit": "HOUR", "meters": meters}})
    assert name == "energyDetails.meters.values"
    assert found[0] == ["type", "date", "value"]
    assert found[1:] == [[kind, *row] for kind in ("Production", "FeedIn") for row in ROWS[1:]]
    assert context == {"timeUnit": "HOUR", "unit": "Wh"}


def test_lists_under_different_keys_become_one_table() -> None:
    found = rows({"production": RECORDS, "consumption": RECORDS})
    assert found == [
        ["series", "date", "value"],
        *[[kind, *row] for kind in ("production", "consumption") for row in ROWS[1:]],
    ]


def test_inverters_within_records_become_rows() -> None:
    value = [{"t": time, "p": 9 + n, "inv": [{"id": 1, "p": 4}, {"id": 2, "p": 5}]} for n, time in enumerate(TIMES)]
    found = rows(value)
    assert found[0] == ["t", "parent.p", "id", "p"]
    assert found[1] == [TIMES[0], 9.0, 1.0, 4.0]
    assert len(found) == 5


def test_tables_of_other_columns_are_sheets_of_their_own() -> None:
    assert [name for name, *_ in sheets({"a": RECORDS, "b": [{"x": 1, "y": 2}]})] == ["a", "b"]


def test_lines_of_json_are_records() -> None:
    lines = b"\n".join(map(orjson.dumps, RECORDS))
    assert rows_of(lines) == ROWS
    assert rows_of(lines + b'\n{"date": "2025') == ROWS


def test_marks_encodings_and_nan_are_read() -> None:
    text = '\n[{"date": "på", "value": NaN}, {"date": "b", "value": -Infinity}]'
    expected = [["date", "value"], ["på", ""], ["b", ""]]
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252"):
        assert rows_of(text.encode(encoding)) == expected


@pytest.mark.parametrize("value", [{}, [], [{}], {"a": 1}, [[]], {"a": []}, [[[]]], {"error": {"code": 5}}])
def test_json_without_a_table_is_refused(value: Any) -> None:
    assert "liste" in refusal(orjson.dumps(value)) or value in ([], {})


def test_any_json_is_read_or_refused() -> None:
    rng = random.Random(7)

    def made(depth: int) -> Any:
        kind = rng.randrange(8 if depth < 6 else 4)
        if kind < 4:
            return rng.choice((None, True, 1, -2.5, 1e308, "", "a", TIMES[0], "1", " \0x "))
        if kind < 6:
            return [made(depth + 1) for _ in range(rng.randrange(5))]
        keys = rng.choice((("a", "b", "c"), TIMES, ("0", "300"), ("", "a.b", "values")))
        return {key: made(depth + 1) for key in keys[: rng.randrange(4)]}

    read_at_all = 0
    for _ in range(3000):
        content = orjson.dumps([made(0), made(0)])
        try:
            workbook = read(content, "")
        except ApiError:
            refusal(content)
        else:
            check(workbook)
            read_at_all += 1
    assert read_at_all > 500


def test_columns_whose_cells_are_numbered_are_one_table() -> None:
    assert rows({"date": dict(zip("01", TIMES, strict=True)), "value": {"0": 1, "1": 2.5}}) == ROWS
