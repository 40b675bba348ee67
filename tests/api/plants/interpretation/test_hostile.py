"""Tables of any cells: an interpretation or a refusal comes of each, and never another error."""

import random
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.core.errors import ApiError
from api.plants.interpretation.interpret import interpret
from api.plants.interpretation.stamp_text import NUMERIC_CLOCKS, numeric_second
from api.plants.interpretation.times import stamps_of
from api.plants.reading.workbook import Sheet, Workbook
from tests.support.portals.series import plant

_PIECES = [
    "", "0", "1", "12", "-3", "1,5", "1.234,5", "nan", "inf", "-", "24:00", "25:61", "31.02.2024", "2024-02-30 10:00",
    "2024-06-01", "01/02/03", "20240601", "1717365600", "Tid", "Dato", "Produksjon (kWh)", "kWh", "W", "SN 1", "Sum",
    "13.45", "00-01", "2024-06-01T00:00:00Z", "2024-06-01 00:00:00 CEST+0200", "Mar 5, 2024", "1. juni 2024 kl. 10.00",
]  # fmt: skip
CELLS = st.one_of(
    st.sampled_from(_PIECES),
    st.text(max_size=12),
    st.floats(),
    st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1)),
    st.dates(date(1900, 1, 1), date(2200, 1, 1)),
    st.times(),
    st.timedeltas(timedelta(days=-1), timedelta(days=2)),
)


def outcome(rows: list[list[Any]], delimiter: str = ";") -> str:
    """Return the refusal of a table, empty where it is read."""
    try:
        found = interpret(Workbook("csv", (Sheet("", rows, {}),), "utf-8", delimiter), plant())
    except ApiError as refusal:
        return refusal.text("nb")
    assert (found.hours.starts % 3600 == 0).all()
    assert (np.diff(found.hours.starts) > 0).all()
    assert found.description
    return ""


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(CELLS, max_size=6), max_size=40))
def test_any_cells_are_read_or_refused(rows: list[list[Any]]) -> None:
    outcome(rows)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(CELLS, min_size=1, max_size=3), min_size=15, max_size=40), st.sampled_from(_PIECES))
def test_any_cells_beside_stamps_are_read_or_refused(rows: list[list[Any]], heading: str) -> None:
    begin = datetime(2024, 6, 1, 8)
    table = [[(begin + timedelta(minutes=15 * n)).strftime("%Y-%m-%d %H:%M"), *row] for n, row in enumerate(rows)]
    outcome([["Tid", heading], *table])


@pytest.mark.parametrize("seed", range(40))
def test_damaged_tables_are_read_or_refused(seed: int) -> None:
    rng = random.Random(seed)
    begin = datetime(2024, 6, 1)
    rows: list[list[Any]] = [["Tid", "Vekselretter", "Produksjon (kWh)", "Forbruk (kWh)"]]
    rows += [
        [f"{begin + timedelta(hours=n // 2):%d.%m.%Y %H:%M}", f"WR {n % 2}", f"{n % 24 / 10}", "0,4"]
        for n in range(400)
    ]
    for _ in range(rng.randrange(1, 200)):
        row = rng.choice(rows)
        if row:
            row[rng.randrange(len(row))] = rng.choice([*_PIECES, time(1), 3.5, float("nan"), float("inf"), 1e300])
        if rng.random() < 0.2 and row:
            row.pop()
    outcome(rows)


def test_table_without_rows_is_refused() -> None:
    for rows in ([], [["Tid", "Produksjon"]]):
        assert "færre enn 12 verdier" in outcome(rows)
    assert "ingen kolonne med dato" in outcome([["Produksjon"], *([number] for number in range(40))])


def test_table_of_few_values_is_refused() -> None:
    rows = [[f"2024-06-01 {hour:02}:00", "1"] for hour in range(5)]
    assert "færre enn 12 verdier" in outcome([["Tid", "Produksjon (kWh)"], *rows])


def test_table_every_third_hour_is_refused() -> None:
    rows = [[f"2024-06-{1 + n // 8:02} {n % 8 * 3:02}:00", str(n % 8)] for n in range(80)]
    assert "én verdi hver 3. time" in outcome([["Tid", "Produksjon (kWh)"], *rows])


def test_table_of_nothing_but_nought_is_refused_unless_it_says_that_it_is_production() -> None:
    rows = [[f"2024-06-01 {hour:02}:00", "0"] for hour in range(24)]
    assert "ingen kolonne som kan være produksjon" in outcome([["Tid", "Verdi (kWh)"], *rows])
    assert not outcome([["Tid", "Produksjon (kWh)"], *rows])


BEGIN = datetime(2024, 6, 1, 8)
MOMENTS = [BEGIN + timedelta(hours=number) for number in range(20)]


@pytest.mark.parametrize(
    "rows",
    [
        [[moment, 1.0] for moment in (*MOMENTS, datetime(9999, 12, 31, 23, 59, 59, 900_000))],
        [[moment.date(), moment.time(), 1.0] for moment in MOMENTS] + [[BEGIN.date(), 1e308, 1.0]],
        [[moment.date(), float(moment.hour), 1.0] for moment in MOMENTS] + [[BEGIN.date(), 1e308, 1.0]],
        [[moment.date(), moment.hour + 0.3, 1.0] for moment in MOMENTS] + [[BEGIN.date(), 1e308, 1.0]],
    ],
)
def test_numbers_and_moments_without_end_beside_stamps_are_no_crash(rows: list[list[Any]]) -> None:
    outcome([["Dato", *["Tid"] * (len(rows[0]) - 2), "Produksjon (kWh)"], *rows])


def test_repeated_stamps_without_any_number_are_refused() -> None:
    assert "produksjon" in outcome([[moment.strftime("%d.%m.%Y %H:%M")] for moment in MOMENTS for _ in range(2)])


@pytest.mark.parametrize("number", [1e308, float("inf"), float("nan"), -1.0])
def test_numbers_that_are_no_time_of_day_are_none(number: float) -> None:
    assert stamps_of([time(1), number], "clock").valid.tolist() == [True, False]
    assert [numeric_second(number, style) for style in NUMERIC_CLOCKS] == [-1] * len(NUMERIC_CLOCKS)


def timed(minutes: int, *columns: Any) -> list[list[Any]]:
    """Return rows of a month with more columns behind their stamps."""
    begin = datetime(2024, 6, 1)
    count = 30 * 1440 // minutes
    return [[f"{begin + timedelta(minutes=minutes * n):%Y-%m-%d %H:%M}", *columns] for n in range(count)]


def test_tables_of_labels_without_numbers_are_refused() -> None:
    rows = [[*row, name, "x"] for row in timed(60) for name in "AB"]
    assert "ingen kolonne som kan være produksjon" in outcome([["Tid", "Enhet", "Kode"], *rows])


@pytest.mark.timeout(20)
@pytest.mark.parametrize("heading", [f"Effekt ({' ' * 100_000}x", "(" * 100_000, "1" * 100_000, "a " * 50_000])
def test_long_headings_cost_little(heading: str) -> None:
    outcome([["Tid", heading], *timed(60, "1.5")])


@pytest.mark.timeout(20)
def test_long_cells_and_rows_cost_no_memory() -> None:
    rows = timed(1, "OK", "1.5")
    rows[500][1] = "x" * 200_000
    outcome([["Tid", "Status", "Produksjon (kW)"], *rows])
    parts = [["2024", "6", "1", "0", str(n % 60), "1"] for n in range(100_000)]
    parts[500] += ["1"] * 9_000
    outcome([["year", "month", "day", "hour", "minute", "kWh"], *parts])


@pytest.mark.timeout(30)
def test_many_columns_of_units_of_several_sizes_cost_little() -> None:
    outcome([["Tid", *(f"Effekt {n}" for n in range(300))], *timed(15, *["900 W", "1.2 kW"] * 150)])
