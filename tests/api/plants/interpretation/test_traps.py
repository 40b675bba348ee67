"""Traps of real files: units in odd places, wrong columns, signs, counters, rows that are no data."""

from typing import Any

import numpy as np
import pytest

from api.plants.interpretation.counters import power_stamp
from api.plants.interpretation.interpret import Interpretation, interpret
from api.plants.reading.read import read
from api.plants.reading.workbook import Sheet, Workbook
from tests.support.portals.series import Series, plant, series

FORM = "%Y-%m-%d %H:%M"
HALF_HOURS, QUARTERS, HOURS = series(30), series(15), series(60)


def read_rows(heads: list[str], one: Series, *columns: object, above: str = "", name: str = "a.csv") -> Interpretation:
    """Return the interpretation of a table with times in its first column."""
    times = [time.strftime(FORM) for time in one.local()]
    lines = [";".join(map(str, row)) for row in zip(times, *columns, strict=True)]
    text = "\n".join([*([above] if above else []), ";".join(heads), *lines])
    return interpret(read(text.encode(), name), plant(), file_name=name)


def assert_is(found: Interpretation, one: Series, share: float = 1.0) -> None:
    """Assert that hours are those of a series."""
    truth = one.hours()
    assert not found.questions
    assert found.hours.wh.sum() == pytest.approx(share * truth.wh.sum(), rel=0.005)
    _, ours, true = np.intersect1d(found.hours.starts, truth.starts, return_indices=True)
    assert np.abs(found.hours.wh[ours] - share * truth.wh[true]).max() < 0.02 * truth.wh.max()


@pytest.mark.parametrize("above", ["Enhet: kWh", "Energi [kWh]", "Anlegg på 9,5 kW;Enhet;kWh"])
def test_unit_of_a_title_is_read(above: str) -> None:
    one = QUARTERS
    assert_is(read_rows(["Tid", "Verdi"], one, (one.wh / 1000).round(4), above=above), one)


def test_unit_of_the_file_name_is_read() -> None:
    one = QUARTERS
    found = read_rows(["Tid", "Verdi"], one, one.watts.round(1), name="eksport_W.csv")
    assert found.mapping.unit == "W"
    assert_is(found, one)


def test_unit_behind_each_number_is_read() -> None:
    one = QUARTERS
    assert_is(read_rows(["Tid", "Verdi"], one, [f"{w:.1f} W" for w in one.watts]), one)


@pytest.mark.parametrize(("unit", "factor"), [("Ws", 3600), ("J", 3600), ("MWh", 1e-6)])
def test_rare_units_are_read(unit: str, factor: float) -> None:
    one = QUARTERS
    assert_is(read_rows(["Tid", f"Energi ({unit})"], one, [f"{wh * factor:.9f}" for wh in one.wh]), one)


def test_kw_of_hours_is_the_same_energy_as_kwh() -> None:
    one = HOURS
    for unit in ("kW", "kWh"):
        assert_is(read_rows(["Tid", f"Produksjon ({unit})"], one, (one.wh / 1000).round(4)), one)


def test_numbers_of_another_language_are_read() -> None:
    one = QUARTERS
    for text in ("{:,.1f}", "{:.3e}"):
        assert_is(read_rows(["Tid", "Energy (Wh)"], one, [text.format(wh) for wh in one.wh]), one)


def test_irradiance_theory_and_direct_current_are_not_taken_for_production() -> None:
    one = QUARTERS
    heads = ["Tid", "Innstråling (W/m²)", "Forventet produksjon (W)", "DC-effekt (W)", "Effekt (W)", "Temp (°C)"]
    watts = one.watts.round(1)
    found = read_rows(heads, one, watts / 10, watts * 1.2, watts * 1.04, watts, watts / 200)
    assert found.columns == ["Effekt (W)"]
    assert_is(found, one)


def test_direct_current_alone_is_asked_about() -> None:
    one = QUARTERS
    found = read_rows(["Tid", "DC-effekt (W)"], one, one.watts.round(1))
    assert ["likestrøm" in question for question in found.questions] == [True]


def test_phases_alone_are_added() -> None:
    one = QUARTERS
    third = (one.watts / 3).round(2)
    found = read_rows(["Tid", "Effekt L1 (W)", "Effekt L2 (W)", "Effekt L3 (W)"], one, third, third, third)
    assert_is(found, one)


@pytest.mark.parametrize("place", [1, 3])
def test_inverters_and_their_total_are_not_added(place: int) -> None:
    one = QUARTERS
    columns = [one.watts * 0.4, one.watts * 0.6]
    heads = ["Vekselretter 1 (W)", "Vekselretter 2 (W)"]
    columns.insert(place - 1, one.watts)
    heads.insert(place - 1, "Totalt (W)")
    assert_is(read_rows(["Tid", *heads], one, *(column.round(1) for column in columns)), one)


def test_inverters_without_a_total_are_added() -> None:
    one = QUARTERS
    heads = ["Tid", "SN 123456 Produksjon (W)", "SN 123463 Produksjon (W)"]
    assert_is(read_rows(heads, one, (one.watts / 2).round(1), (one.watts / 2).round(1)), one)


@pytest.mark.parametrize("inverters", [2, 5])
def test_rows_of_inverters_under_each_other_are_added(inverters: int) -> None:
    one = HALF_HOURS
    lines = ["Tid;Inverter;Energi (Wh)"]
    for time, wh in zip(one.local(), one.wh, strict=True):
        lines += [f"{time.strftime(FORM)};WR {number};{wh / inverters:.2f}" for number in range(inverters)]
    lines += [f"Sum;;{one.wh.sum():.1f}", f"Maks;;{one.wh.max():.1f}"]
    assert_is(interpret(read("\n".join(lines).encode(), "a.csv"), plant()), one)


def test_rows_of_inverters_that_nothing_tells_apart_are_asked_about() -> None:
    one = HALF_HOURS
    lines = ["Tid;Energi (Wh)"]
    for time, wh in zip(one.local(), one.wh, strict=True):
        lines += [f"{time.strftime(FORM)};{wh * share:.2f}" for share in (0.4, 0.6)]
    found = interpret(read("\n".join(lines).encode(), "a.csv"), plant())
    assert any("står flere ganger" in question for question in found.questions)


def test_production_with_a_minus_is_taken_for_feed_in_and_asked_about() -> None:
    one = QUARTERS
    found = read_rows(["Tid", "Effekt (W)"], one, -one.watts.round(1))
    assert found.role == "feed_in"
    assert found.hours.wh.sum() == pytest.approx(one.wh.sum(), rel=0.001)
    assert any("levert til nettet" in question for question in found.questions)


def test_total_energy_and_power_say_the_same_and_are_not_added() -> None:
    one = QUARTERS
    heads = ["Tid", "Total yield (kWh)", "Daily yield (kWh)", "Power (W)"]
    found = read_rows(heads, one, (one.counter[:-1] / 1000).round(3), (one.today / 1000).round(3), one.watts.round(1))
    assert_is(found, one)


def test_counter_beside_power_tells_which_end_its_stamps_are() -> None:
    one = QUARTERS
    reading, before = one.counter[:-1] / 1000, np.concatenate(([0.0], one.watts[:-1]))
    assert power_stamp(one.starts, one.watts, reading, one.step_s) == "start"
    assert power_stamp(one.starts, before, reading, one.step_s) == "slutt"
    assert power_stamp(one.starts, np.full(len(reading), 500.0), reading, one.step_s) is None


def test_counter_is_read_over_gaps_and_resets() -> None:
    one = QUARTERS
    reading = one.counter[:-1] / 1000
    reading[500:] -= reading[500]
    texts = [f"{value:.3f}" for value in reading]
    for gap in (slice(40, 46), slice(700, 703)):
        texts[gap] = ["unavailable"] * len(texts[gap])
    found = read_rows(["Tid", "state"], one, texts, above="sensor.pv_energy kWh")
    assert found.mapping.quantity == "teller"
    assert found.hours.wh.sum() == pytest.approx(one.wh.sum(), rel=0.005)


@pytest.mark.parametrize("missing", ["", "--", "NaN", "N/A", "null"])
def test_missing_values_are_missing_and_not_nought(missing: str) -> None:
    one = HOURS
    texts = [f"{wh:.1f}" for wh in one.wh]
    texts[60:66] = [missing] * 6
    found = read_rows(["Tid", "Produksjon (Wh)"], one, texts)
    absent = set(one.starts[60:66].tolist())
    assert not absent & set(found.hours.starts.tolist())
    assert len(found.hours.starts) == len(one.starts) - 6


def test_rows_that_stand_twice_count_once_and_newest_may_stand_first() -> None:
    one = HOURS
    lines = [f"{time.strftime(FORM)};{wh}" for time, wh in zip(one.local(), one.wh, strict=True)]
    doubled = [*lines[:100], *lines[80:]]
    for order in (doubled, doubled[::-1]):
        text = "\n".join(["Tid;Produksjon (Wh)", *order, "", "Sum;99999"])
        assert_is(interpret(read(text.encode(), "a.csv"), plant()), one)


def test_comments_between_rows_are_passed_over() -> None:
    one = HOURS
    lines = [f"{time:%d.%m.%Y};{time:%H:%M};{wh}" for time, wh in zip(one.local(), one.wh, strict=True)]
    lines[50:50] = ["# omstart av logger", f"{one.local()[50]:%d.%m.%Y %H:%M};omstart", "--- slutt ---"]
    assert_is(interpret(read("\n".join(["Dato;Klokke;Wh", *lines]).encode(), "a.csv"), plant()), one)


@pytest.mark.parametrize("form", ["%H:%M", "%H.%M", "%H%M", "%H%M%S", "kl. %H.%M", "%I:%M %p"])
def test_times_beside_dates_are_read_in_any_form(form: str) -> None:
    one = QUARTERS
    lines = [f"{time:%d.%m.%Y};{time.strftime(form)};{w}" for time, w in zip(one.local(), one.watts, strict=True)]
    assert_is(interpret(read("\n".join(["Dato;Klokkeslett;Effekt (W)", *lines]).encode(), "a.csv"), plant()), one)


@pytest.mark.parametrize(
    "form",
    [
        "%Y-%m-%dT%H:%M:%S", "%d.%m.%y %H:%M", "%d. %B %Y %H:%M", "%b %d, %Y %I:%M %p", "%a %d.%m.%Y %H:%M",
        "%Y%m%d %H%M", "%d/%m/%Y %H:%M:%S.000",
    ],
)  # fmt: skip
def test_stamps_are_read_in_any_form(form: str) -> None:
    one = QUARTERS
    lines = [f'"{time.strftime(form)}";{w}' for time, w in zip(one.local(), one.watts, strict=True)]
    assert_is(interpret(read("\n".join(["Tid;Effekt (W)", *lines]).encode(), "a.csv"), plant()), one)


def test_moment_of_the_export_is_no_stamp() -> None:
    one = QUARTERS
    made = ["2024-07-01 12:00"] * len(one.wh)
    times = [time.strftime(FORM) for time in one.local()]
    lines = [";".join(row) for row in zip(made, times, map(str, one.watts.tolist()), strict=True)]
    assert_is(interpret(read("\n".join(["Eksportert;Tid;Effekt (W)", *lines]).encode(), "a.csv"), plant()), one)


@pytest.mark.parametrize(
    ("above", "zone"),
    [
        ("Tidssone: UTC", "UTC"), ("Tidssone: UTC+01:00", "+01:00"), ("Time zone: Europe/Oslo", "Europe/Oslo"),
        ("(UTC+01:00) Amsterdam, Berlin, Oslo", "Europe/Oslo"),
    ],
)  # fmt: skip
def test_zone_of_a_title_is_read(above: str, zone: str) -> None:
    one = series(60, "2024-05-28", 2)
    times = [time.strftime(FORM) for time in one.local(zone)]
    lines = [f"{time};{wh}" for time, wh in zip(times, one.wh, strict=True)]
    found = interpret(read("\n".join([above, "Fra;Produksjon (Wh)", *lines]).encode(), "a.csv"), plant())
    assert found.mapping.zone == zone
    assert_is(found, one)


def test_description_says_how_the_file_was_read() -> None:
    one = QUARTERS
    found = read_rows(["Fra", "Produksjon (kWh)"], one, (one.wh / 1000).round(4))
    assert found.description == (
        "Kolonnen «Produksjon (kWh)» er lest som energi i kWh for hvert intervall på 15 minutter. "
        "Tidspunktene er lest som norsk tid med sommertid, ved starten av intervallet."
    )


def test_numbers_of_days_that_nobody_formatted_are_stamps() -> None:
    one = QUARTERS
    days = [25569 + (time.timestamp() + 7200) / 86_400 for time in one.local()]
    lines = [f"{day:.6f};{w}" for day, w in zip(days, one.watts, strict=True)]
    assert_is(interpret(read("\n".join(["Tid;Effekt (W)", *lines]).encode(), "a.csv"), plant()), one)


def test_short_years_may_stand_first() -> None:
    one = QUARTERS
    lines = [f"{time:%y-%m-%d %H:%M};{w}" for time, w in zip(one.local(), one.watts, strict=True)]
    assert_is(interpret(read("\n".join(["Tid;Effekt (W)", *lines]).encode(), "a.csv"), plant()), one)


def test_numbers_of_rows_are_no_counter() -> None:
    one = QUARTERS
    lines = [
        f"{n + 1};{time.strftime(FORM)};{w}" for n, (time, w) in enumerate(zip(one.local(), one.watts, strict=True))
    ]
    found = interpret(read("\n".join(lines).encode(), "a.csv"), plant())
    assert found.mapping.values == (2,)
    assert_is(found, one)


def test_sheet_of_consumption_with_the_same_headings_is_left_out() -> None:
    one = HOURS
    rows = [[time.replace(tzinfo=None), wh] for time, wh in zip(one.local(), one.wh.tolist(), strict=True)]
    load = [[time, 700.0] for time, _ in rows]
    heads: list[Any] = ["Tid", "Verdi (Wh)"]
    sheets = (Sheet("Forbruk", [heads, *load], {}), Sheet("Produksjon", [heads, *rows], {}))
    assert_is(interpret(Workbook("xlsx", sheets), plant()), one)
