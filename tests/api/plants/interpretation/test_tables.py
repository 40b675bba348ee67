"""Shapes of tables: parts of dates, blanks and decimal commas between columns, changing intervals, devices in turn."""

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest

from api.plants.interpretation.interpret import interpret
from api.plants.reading.read import read
from api.plants.reading.workbook import Sheet, Workbook
from tests.api.plants.interpretation.test_traps import assert_is, read_rows
from tests.support.portals.series import Series, plant, series

HOURS, QUARTERS = series(60), series(15)


def assert_text_is(lines: list[str], one: Series) -> None:
    assert_is(interpret(read("\n".join(lines).encode(), "a.csv"), plant()), one)


def naive(one: Series) -> list[datetime]:
    return [time.replace(tzinfo=None) for time in one.local()]


@pytest.mark.parametrize(
    ("heads", "form"),
    [
        ("Year,Month,Day,Hour,Production (Wh)", "{0.year},{0.month},{0.day},{0.hour}"),
        ("År,Måned,Dag,Time,Minutt,Effekt (W)", "{0.year},{0.month},{0.day},{0.hour},{0.minute}"),
        ("Meter,Jahr,Monat,Tag,Uhrzeit,Energie (Wh)", "7,{0.year},{0.month:02},{0.day:02},{0:%H:%M}"),
    ],
)
def test_dates_in_columns_of_their_parts_are_read(heads: str, form: str) -> None:
    assert_text_is(
        [heads, *(f"{form.format(time)},{wh}" for time, wh in zip(naive(HOURS), HOURS.wh, strict=True))], HOURS
    )


def test_date_that_stands_once_a_day_holds_for_all_rows_below() -> None:
    rows = zip(naive(HOURS), HOURS.wh, strict=True)
    lines = [f"{'' if time.hour else time.strftime('%d.%m.%Y')};{time:%H:%M};{wh}" for time, wh in rows]
    assert_text_is(["Dato;Kl;Produksjon (Wh)", *lines], HOURS)


@pytest.mark.parametrize("above", ["{:%d.%m.%Y}", "Dato: {:%Y-%m-%d}\nKl;Produksjon (Wh)"])
def test_date_above_the_times_of_its_day_is_read(above: str) -> None:
    lines = ["Produksjon (Wh)"]
    for time, wh in zip(naive(HOURS), HOURS.wh, strict=True):
        lines += [*([] if time.hour else [above.format(time)]), f"{time:%H:%M};{wh}"]
    assert_text_is(lines, HOURS)


def test_sheets_that_dates_name_are_days() -> None:
    days: dict[str, list[list[Any]]] = {}
    for time, wh in zip(naive(HOURS), HOURS.wh.tolist(), strict=True):
        days.setdefault(f"{time:%d.%m.%Y}", [["Kl", "Wh"]]).append([f"{time:%H:%M}", wh])
    assert_is(interpret(Workbook("xlsx", tuple(Sheet(name, rows, {}) for name, rows in days.items())), plant()), HOURS)


def test_hours_with_points_are_ranges() -> None:
    rows = zip(naive(HOURS), HOURS.wh, strict=True)
    lines = [f"{time:%d.%m.%Y};{time:%H}.00-{(time.hour + 1) % 24:02}.00;{wh}" for time, wh in rows]
    assert_text_is(["Dato;Kl;Produksjon (Wh)", *lines], HOURS)


@pytest.mark.parametrize("form", ["{0:%Y-%m-%d %H:%M} {1:12.1f} {2:9.1f}", "{0:%Y-%m-%dT%H:%M} {1} {2}"])
def test_columns_with_blanks_between_are_read(form: str) -> None:
    lines = [form.format(time, wh, 500.0) for time, wh in zip(naive(HOURS), HOURS.wh, strict=True)]
    assert_text_is(["Time   Production_Wh   Used_Wh", *lines] if "T" in form else lines, HOURS)


@pytest.mark.parametrize("decimals", [1, 3])
def test_decimal_commas_between_commas_are_read(decimals: int) -> None:
    lines = ["Tid,Produksjon (kWh),Forbruk (kWh)"]
    for time, wh in zip(naive(HOURS), HOURS.wh / 1000, strict=True):
        lines.append(f"{time:%Y-%m-%d %H:%M},{f'{wh:.4f},{0.7:.{decimals}f}'.replace('.', ',')}")
    assert_text_is(lines, HOURS)


@pytest.mark.parametrize("unit", ["kW", "kWh"])
def test_interval_may_change_within_a_file(unit: str) -> None:
    half = len(HOURS.wh) // 2
    rows = list(zip(naive(HOURS), QUARTERS.hours().wh / 1000, strict=True))[:half]
    late = QUARTERS.watts / 1000 if unit == "kW" else QUARTERS.wh / 1000
    rows += list(zip(naive(QUARTERS), late, strict=True))[4 * half :]
    lines = [f"{time:%Y-%m-%d %H:%M};{value:.4f}" for time, value in rows]
    assert_text_is([f"Fra;Produksjon ({unit})", *lines], QUARTERS)


def test_inverters_that_are_asked_in_turn_are_added() -> None:
    one, lines = series(5, days=4), ["Time;Inverter;Power (W)"]
    for time, watts in zip(naive(one), one.watts, strict=True):
        for number, share in enumerate((0.45, 0.35, 0.2)):
            lines.append(
                f"{time + timedelta(seconds=3 + 9 * number):%Y-%m-%d %H:%M:%S};WR {number};{share * watts:.1f}"
            )
    found = interpret(read("\n".join(lines).encode(), "a.csv"), plant())
    assert len(found.mapping.kept) == 3
    assert_is(found, one)


@pytest.mark.parametrize("heading", ["Inverter {} (Wh)", "Inverter {}", "Produksjon {} (Wh)", "Tak {} Wh"])
def test_parts_that_letters_name_are_added(heading: str) -> None:
    shares = [0.45, 0.3, 0.25]
    found = read_rows(["Tid", *map(heading.format, "ABC")], HOURS, *((HOURS.wh * share).round(2) for share in shares))
    assert found.hours.wh.sum() == pytest.approx(HOURS.wh.sum(), rel=0.001)


def test_current_in_ampere_is_no_production() -> None:
    heads = ["Tid", "Ipv1 (A)", "Strøm A", "Effekt (W)"]
    assert_is(read_rows(heads, QUARTERS, QUARTERS.watts / 300, QUARTERS.watts / 230, QUARTERS.watts), QUARTERS)


@pytest.mark.parametrize("heading", ["Produksjon {} (Wh)", "{} 2024"])
def test_sheets_of_months_with_headings_of_their_own_are_one_series(heading: str) -> None:
    one = series(60, "2024-05-20", 30)
    months: dict[int, list[list[Any]]] = {}
    for time, wh in zip(naive(one), one.wh.tolist(), strict=True):
        months.setdefault(time.month, []).append([time, wh])
    names = {5: "mai", 6: "juni"}
    sheets = [Sheet(names[m], [["Tid", heading.format(names[m])], *rows], {}) for m, rows in months.items()]
    found = interpret(Workbook("xlsx", tuple(sheets)), plant())
    assert found.hours.wh.sum() == pytest.approx(one.wh.sum(), rel=0.001)


@pytest.mark.parametrize("zeros", [1, 3])
def test_counter_that_shows_nothing_for_a_moment_is_read_over_it(zeros: int) -> None:
    reading = (QUARTERS.counter[:-1] / 1000).round(3)
    reading[500 : 500 + zeros] = 0
    assert_is(read_rows(["Tid", "Total produksjon (kWh)"], QUARTERS, reading), QUARTERS)


def test_counter_of_rows_that_name_the_begin_of_their_hour_is_read_at_its_end() -> None:
    reading = (HOURS.counter[1:] / 1000).round(3)
    found = read_rows(["start", "sum (kWh)"], HOURS, reading)
    assert (found.mapping.quantity, found.mapping.stamp) == ("teller", "start")
    assert_is(found, HOURS)


@pytest.mark.parametrize("mark", ["{}*", "{} E", "{} (est.)", "{}#"])
def test_marks_of_quality_behind_numbers_are_passed_over(mark: str) -> None:
    values = [mark.format(wh) if place % 3 else str(wh) for place, wh in enumerate(HOURS.wh)]
    assert_is(read_rows(["Tid", "Produksjon (Wh)"], HOURS, values), HOURS)


def test_numbers_with_units_of_several_sizes_are_read() -> None:
    values = [f"{w / 1000:.2f} kW" if w >= 1000 else f"{w:.0f} W" for w in QUARTERS.watts]
    assert_is(read_rows(["Tid", "Effekt"], QUARTERS, values), QUARTERS)


def test_minus_of_typesetters_is_a_minus() -> None:
    values = [f"{w:.0f}" if w else "\u22124" for w in QUARTERS.watts]
    found = read_rows(["Tid", "Effekt (W)"], QUARTERS, values)
    assert np.nanmin(found.hours.wh) == pytest.approx(-4.0)


def test_power_under_snow_is_not_taken_for_energy() -> None:
    one = series(15, "2024-12-01", 28)
    found = read_rows(["Tid", "Effekt (kW)"], one, (one.watts * 0.22 / 1000).round(3))
    assert (found.mapping.unit, found.changes) == ("kW", [])
    assert any("kWp" in question for question in found.questions)


def test_midnight_may_be_written_as_a_date_alone() -> None:
    lines = [
        f"{time:%Y-%m-%d}{time: %H:%M};{wh}".replace(" 00:00", "")
        for time, wh in zip(naive(HOURS), HOURS.wh, strict=True)
    ]
    assert_text_is(["Tid;Produksjon (Wh)", *lines], HOURS)


def test_offset_before_a_comma_is_no_number() -> None:
    lines = [f"{time:%Y-%m-%d %H:%M:%S} +0200,{wh:.0f}" for time, wh in zip(naive(HOURS), HOURS.wh, strict=True)]
    assert_text_is(["Date/Time,Energy Produced (Wh)", *lines], HOURS)


def test_sheet_that_repeats_hours_of_another_is_not_added() -> None:
    rows: list[list[Any]] = [[time, wh] for time, wh in zip(naive(HOURS), HOURS.wh.tolist(), strict=True)]
    heads: list[Any] = ["Tid", "Energi (Wh)"]
    sheets = (Sheet("2024", [heads, *rows], {}), Sheet("juni 2024", [heads, *rows[:150]], {}))
    assert_is(interpret(Workbook("xlsx", sheets), plant()), HOURS)


def test_counter_of_the_day_that_jumps_past_the_day_before_is_read() -> None:
    dim, jump = QUARTERS.today[:96] / 40_000, (QUARTERS.today[96:192] / 1000).copy()
    jump[:40] = 0
    reading = np.concatenate([dim, jump, QUARTERS.today[192:] / 1000]).round(3)
    found = read_rows(["Tid", "E-Day (kWh)"], QUARTERS, reading)
    assert found.hours.starts.size == len(HOURS.wh) - 0


@pytest.mark.parametrize("unit", ["", " (kW)"])
def test_numbers_of_several_sizes_are_written_in_the_unit_of_their_heading(unit: str) -> None:
    values = [f"{w / 1000:.2f} kW" if w >= 1000 else f"{w:.0f} W" for w in QUARTERS.watts]
    found = read_rows(["Tid", f"Effekt{unit}"], QUARTERS, values)
    assert found.mapping.unit == ("kW" if unit else "W")
    assert_is(found, QUARTERS)
