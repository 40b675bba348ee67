"""Questions and findings of files that leave something open, or lack something."""

from datetime import timedelta
from typing import Any

import numpy as np
import orjson
import pytest

from api.core.errors import ApiError
from api.plants.check import check
from api.plants.interpretation.answers import NOTHING_SAID, Answers
from api.plants.interpretation.interpret import Interpretation, interpret
from api.plants.interpretation.mapping import Mapping
from api.plants.reading.read import read
from api.plants.reading.workbook import Sheet, Workbook
from tests.api.plants.interpretation.test_traps import FORM, assert_is, read_rows
from tests.support.portals.series import Series, plant, series

QUARTERS, HOURS = series(15), series(60)


def found_in(lines: list[str], answers: Answers = NOTHING_SAID, **given: Any) -> Interpretation:
    return interpret(read("\n".join(lines).encode(), "a.csv"), plant(), answers, **given)


def table(one: Series, zone: str = "Europe/Oslo") -> list[str]:
    times = one.local(zone)
    return ["Tid;Produksjon (Wh)", *(f"{time:{FORM}};{wh}" for time, wh in zip(times, one.wh, strict=True))]


def codes(found: Interpretation) -> set[str]:
    return {one["kode"] for one in check(found.hours, plant(), found.role).findings}


def test_unit_behind_several_columns_is_of_all_of_them() -> None:
    parts = [(HOURS.wh * share).round(2) for share in (0.6, 0.4)]
    assert_is(read_rows(["Tid", "Inverter 1", "Inverter 2", "Unit"], HOURS, *parts, ["Wh"] * len(HOURS.wh)), HOURS)


@pytest.mark.parametrize(("unit", "factor"), [("kJ", 3.6), ("MJ", 0.0036)])
def test_joules_of_any_size_are_read(unit: str, factor: float) -> None:
    assert_is(read_rows(["Tid", f"Energi ({unit})"], QUARTERS, (QUARTERS.wh * factor).round(5)), QUARTERS)


def test_inverters_in_different_units_are_asked_about() -> None:
    heads = ["Tid", "Inverter 1 (kWh)", "Inverter 2 (Wh)"]
    found = read_rows(heads, HOURS, (HOURS.wh * 0.0006).round(4), (HOURS.wh * 0.4).round(1))
    assert any("annen enhet" in question for question in found.questions)


@pytest.mark.parametrize(
    "heads", [("Anlegg 1 (Wh)", "Anlegg 2 (Wh)"), ("Produksjon 2023 (Wh)", "Produksjon 2024 (Wh)")]
)
def test_columns_of_several_plants_or_years_are_asked_about(heads: tuple[str, str]) -> None:
    assert read_rows(["Tid", *heads], HOURS, HOURS.wh * 0.6, HOURS.wh * 0.5).questions


def test_rows_of_several_plants_are_asked_about() -> None:
    lines = ["Tid;Adresse;Produksjon (Wh)"]
    for time, wh in zip(HOURS.local(), HOURS.wh, strict=True):
        lines += [f"{time:{FORM}};{place};{wh * share:.1f}" for place, share in (("Storgata 1", 0.6), ("Lia 2", 0.5))]
    assert any("flere anlegg" in question for question in found_in(lines).questions)


def test_sheets_of_inverters_are_added() -> None:
    sheets = tuple(
        Sheet(name, [["Tid", "Energi (Wh)"], *([time.replace(tzinfo=None), wh * share] for time, wh in rows)], {})
        for name, share in (("WR 1", 0.6), ("WR 2", 0.4))
        for rows in [list(zip(HOURS.local(), HOURS.wh.tolist(), strict=True))]
    )
    assert_is(interpret(Workbook("xlsx", sheets), plant()), HOURS)


@pytest.mark.parametrize("missing", ["interval", "inverter"])
def test_hours_of_which_something_is_missing_are_a_finding(missing: str) -> None:
    first, second = ([f"{wh * share:.2f}" for wh in QUARTERS.wh] for share in (0.6, 0.4))
    for place in range(2, len(second), 9):
        second[place] = ""
        first[place] = "" if missing == "interval" else first[place]
    found = read_rows(["Tid", "Inverter 1 (Wh)", "Inverter 2 (Wh)"], QUARTERS, first, second)
    assert codes(found) == {"dekning"}


def test_cells_that_nobody_can_read_are_asked_about() -> None:
    values = [f"({wh})" if place % 20 == 13 else str(wh) for place, wh in enumerate(HOURS.wh)]
    found = read_rows(["Tid", "Produksjon (Wh)"], HOURS, values)
    assert any("verken tall eller tomme" in question for question in found.questions)


def test_column_that_is_neither_energy_nor_power_cannot_be_chosen() -> None:
    lines = ["Tid;Produksjon (Wh);Strøm (A)", *(f"{line};1" for line in table(HOURS)[1:])]
    with pytest.raises(ApiError, match="verken energi eller effekt"):
        found_in(lines, Answers(column="3"))


def test_saved_reading_counts_in_its_season_alone() -> None:
    winter, summer = series(60, "2024-01-08", 20), series(60, "2024-06-03", 1)
    first = found_in(table(winter, "+01:00"))
    remembered = [(first.fingerprint, first.mapping)]
    assert found_in(table(series(60, "2024-02-05", 2), "+01:00"), remembered=remembered).source == "lagret tolkning"
    assert found_in(table(summer, "+01:00"), remembered=remembered).source == "regelbasert"


def test_daily_sums_of_several_inverters_are_refused_as_such() -> None:
    days = [
        f"{20 + day % 10}.0{4 + day // 10}.2024 00:00:0{device};{20 + day}" for day in range(20) for device in (0, 1)
    ]
    with pytest.raises(ApiError, match="én verdi per døgn"):
        found_in(["Tid;Produksjon (kWh)", *days])


def test_sums_of_days_between_rows_with_times_are_left_out() -> None:
    lines = table(HOURS)
    for place in range(len(lines) - 1, 24, -24):
        lines.insert(place, f"{lines[place].split(' ')[0]};{30_000}")
    assert_is(found_in(lines), HOURS)


def test_counter_that_begins_with_nothing_is_read_from_its_first_reading_on() -> None:
    reading = (QUARTERS.counter[:-1] / 1000).round(3)
    reading[:30] = 0
    found = read_rows(["Tid", "Total produksjon (kWh)"], QUARTERS, reading)
    assert found.hours.wh.max() < 1.2 * QUARTERS.hours().wh.max()


@pytest.mark.parametrize("short", [1, 60])
def test_stamps_just_before_the_end_are_ends(short: int) -> None:
    times = [time - timedelta(seconds=short) for time in QUARTERS.local(ends=True)]
    lines = [f"{time:%Y-%m-%d %H:%M:%S};{wh}" for time, wh in zip(times, QUARTERS.wh, strict=True)]
    found = found_in(["Tid;Produksjon (Wh)", *lines])
    assert found.mapping.stamp == "slutt"
    assert found.hours.wh.sum() == pytest.approx(QUARTERS.wh.sum(), rel=0.001)


def test_stamps_in_the_middle_of_hours_are_read_as_such() -> None:
    times = [time + timedelta(minutes=30) for time in HOURS.local()]
    lines = [f"{time:{FORM}};{wh}" for time, wh in zip(times, HOURS.wh, strict=True)]
    assert_is(found_in(["Tid (midt i timen);Produksjon (Wh)", *lines]), HOURS)


@pytest.mark.parametrize("name", ["Tak W.csv", "Haus W 2024.csv"])
def test_letter_of_a_name_is_no_unit_where_it_cannot_be(name: str) -> None:
    found = read_rows(["Tid", "Verdi"], HOURS, (HOURS.wh / 1000).round(4), name=name)
    assert found.hours.wh.sum() == pytest.approx(HOURS.wh.sum(), rel=0.001)


@pytest.mark.parametrize(
    "form",
    [
        "%d.%m.%Y %H:%M Uhr", "den %d %B %Y %H:%M", "%d/%m/%Y à %H:%M", "%H:%M %d.%m.%Y", "%a %b %d %H:%M:%S %Y",
        "%Y-%m-%dT%H:%M:%S+02:00[Europe/Oslo]", "%a %b %d %Y %H:%M:%S GMT+0200 (Central European Summer Time)",
        "%Y-%m-%d %H:%M (UTC+2)", "%Y-%m-%dT%H:%M:%SZ/2024-06-30T00:00:00Z",
    ],
)  # fmt: skip
def test_stamps_of_other_languages_and_programs_are_read(form: str) -> None:
    times = HOURS.local("UTC" if "Z/" in form else "Europe/Oslo")
    lines = [f'"{time.strftime(form)}";{wh}' for time, wh in zip(times, HOURS.wh, strict=True)]
    assert_is(found_in(["Tid;Produksjon (Wh)", *lines]), HOURS)


def test_table_that_pandas_has_split_is_read() -> None:
    split = {"columns": ["Produksjon (Wh)"], "index": [f"{time:{FORM}}" for time in HOURS.local()]}
    content = orjson.dumps(split | {"data": [[wh] for wh in HOURS.wh.tolist()]})
    assert_is(interpret(read(content, "a.json"), plant()), HOURS)


def test_negative_production_is_told_as_a_change() -> None:
    found = read_rows(["Tid", "Effekt (W)"], QUARTERS, -QUARTERS.watts.round(1))
    assert [change["kode"] for change in found.changes] == ["negative"]
    assert np.nanmin(found.hours.wh) >= 0


def test_counter_that_was_saved_before_seasons_were_is_read_at_its_moments() -> None:
    saved = Mapping(0, (0,), "ymd", "fil", "slutt", 900, (1,), "kWh", "teller").to_json()
    del saved["seasons"]
    assert Mapping.from_json(saved | {"stamp": "start"}).stamp == "slutt"


def test_error_names_the_column_that_is_neither_energy_nor_power() -> None:
    lines = ["Tid;Produksjon (Wh);Spenning (V)", *(f"{line};230" for line in table(HOURS)[1:])]
    with pytest.raises(ApiError, match=r"Spenning \(V\) er i V"):
        found_in(lines, Answers(column="2+3"))


def test_point_of_a_mark_of_quality_is_no_decimal_mark() -> None:
    values = [f"{wh / 1000:.3f}(est.)" for wh in HOURS.wh]
    assert_is(read_rows(["Tid", "Produksjon (kWh)"], HOURS, values), HOURS)


def test_battery_that_is_never_used_raises_no_question() -> None:
    charge = ["" if place == 7 else "0" for place in range(len(HOURS.wh))]
    assert not read_rows(["Tid", "AC output (Wh)", "Battery charge (Wh)"], HOURS, HOURS.wh, charge).questions
