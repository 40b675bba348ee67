"""Which of several columns, labels or records are the production, and which repeat it or are another's."""

from typing import Any

import numpy as np
import orjson
import pytest

from api.plants.interpretation.answers import Answers
from api.plants.interpretation.interpret import interpret
from api.plants.reading.read import read
from tests.api.plants.interpretation.test_traps import FORM, assert_is, read_rows
from tests.support.portals.series import plant, series

QUARTERS, HOURS = series(15), series(60)
FACTORS = (1.0, 0.97, 1.03)


def test_energy_of_the_day_before_is_not_read() -> None:
    day = QUARTERS.starts // 86_400
    yesterday = np.array([5.1, 30.2, 22.9, 8.4, 30.2, 17.0, 21.8, 12.6, 30.1, 25.5, 4.0])[day - day[0]]
    found = read_rows(["Tid", "Generation yesterday (kWh)", "AC power (W)"], QUARTERS, yesterday, QUARTERS.watts)
    assert_is(found, QUARTERS)


@pytest.mark.parametrize(("labels", "total"), [(("SN1", "SN2"), "Gesamt"), (("SN1",), "Hele anlegget")])
def test_rows_of_devices_and_of_their_sum_are_not_added(labels: tuple[str, ...], total: str) -> None:
    lines = ["Time;Device;Energy (Wh)"]
    shares = dict(zip(labels, np.array([0.45, 0.35, 0.2][: len(labels)]), strict=True))
    for time, wh in zip(HOURS.local(), HOURS.wh, strict=True):
        parts = {label: wh * share / sum(shares.values()) for label, share in shares.items()}
        lines += [f"{time:{FORM}};{label};{part:.3f}" for label, part in (parts | {total: wh}).items()]
    assert_is(interpret(read("\n".join(lines).encode(), "a.csv"), plant()), HOURS)


def test_labels_that_name_a_quantity_tell_rows_apart_better_than_numbers() -> None:
    lines = ["table;time;value;field"]
    for time, wh in zip(HOURS.local(), HOURS.wh, strict=True):
        lines += [f"0;{time:{FORM}};{wh};inverter_power", f"1;{time:{FORM}};{max(wh - 700, 0)};grid_power_minus"]
    assert_is(interpret(read("\n".join(lines).encode(), "a.csv"), plant()), HOURS)


@pytest.mark.parametrize("inside", [[{"id": 1, "volt": 400.5}, {"id": 2, "volt": 410.5}], ["ok", "ok", "ok"]])
@pytest.mark.parametrize("time", ["iso", "unix"])
def test_number_of_a_record_counts_once_whatever_lists_are_inside(inside: list[Any], time: str) -> None:
    stamps = [one.isoformat() for one in HOURS.local()] if time == "iso" else HOURS.starts.tolist()
    rows = zip(stamps, HOURS.wh.tolist(), strict=True)
    records = [{"ts": stamp, "production_wh": wh, "inside": inside} for stamp, wh in rows]
    assert_is(interpret(read(orjson.dumps(records), "a.json"), plant()), HOURS)


def test_phases_of_one_device_are_added_and_those_of_another_are_not() -> None:
    phases = [QUARTERS.watts / 3 * factor for factor in FACTORS]
    heads = ["Tid", "PV inverter L1 (W)", "PV inverter L2 (W)", "PV inverter L3 (W)", "Grid L1 (W)"]
    assert_is(read_rows(heads, QUARTERS, *phases, 500 - phases[0]), QUARTERS)
    twice = read_rows(["Tid", "PV on output L1 (W)", "PV inverter L1 (W)"], QUARTERS, QUARTERS.watts, QUARTERS.watts)
    assert_is(twice, QUARTERS)


@pytest.mark.parametrize("names", [("Roof East", "Roof West"), ("A1", "A2", "A3"), ("122001", "122002")])
def test_parts_that_places_or_numbers_name_are_added(names: tuple[str, ...]) -> None:
    parts = [QUARTERS.watts * factor / len(names) for factor in (0.9, 1.1, 1.0)[: len(names)]]
    found = read_rows(["Tid", *names], QUARTERS, *(part.round(1) for part in parts), above="Power (W)")
    assert found.hours.wh.sum() == pytest.approx(QUARTERS.wh.sum(), rel=0.005)
    assert len(found.mapping.values) == len(names)


def test_power_is_read_where_the_counter_beside_it_has_whole_kwh() -> None:
    counter = np.floor(QUARTERS.counter[:-1] / 1000)
    found = read_rows(
        ["Tid", "Total energy (kWh)", "Total active power (kW)"], QUARTERS, counter, QUARTERS.watts / 1000
    )
    assert_is(found, QUARTERS)


def test_charger_of_the_sun_is_no_battery() -> None:
    found = read_rows(
        ["Tid", "Solar Charger [278] PV power (W)", "Grid L1 (W)"], QUARTERS, QUARTERS.watts, 500 - QUARTERS.watts
    )
    assert_is(found, QUARTERS)


def test_column_that_is_called_consumption_is_production_where_the_owner_says_so() -> None:
    lines = [f"{time:{FORM}};{wh}" for time, wh in zip(HOURS.local(), HOURS.wh, strict=True)]
    content = "\n".join(["Tid;Consumption (Wh)", *lines]).encode()
    assert interpret(read(content, "a.csv"), plant()).role == "consumption"
    assert interpret(read(content, "a.csv"), plant(), Answers(column="Consumption (Wh)")).role == "production"


@pytest.mark.parametrize("scale", [1, 10**3, 10**6, 10**9])
def test_unix_time_is_read_in_any_unit(scale: int) -> None:
    lines = [f"{start * scale},{wh}" for start, wh in zip(HOURS.starts.tolist(), HOURS.wh, strict=True)]
    assert_is(interpret(read("\n".join(["time,Energy (Wh)", *lines]).encode(), "a.csv"), plant()), HOURS)


def test_stamps_that_are_marked_as_summer_time_are_read() -> None:
    lines = [f"{time:%Y-%m-%d %H:%M:%S} DST,{wh}" for time, wh in zip(HOURS.local(), HOURS.wh, strict=True)]
    assert_is(interpret(read("\n".join(["Time,Energy (Wh)", *lines]).encode(), "a.csv"), plant()), HOURS)


@pytest.mark.parametrize(
    "heading",
    [
        "Min produksjon (Wh)", "Solproduksjon levert (Wh)", "Produksjon i bygg A (Wh)", "AC-Abgabe (Wh)",
        "Energy per min (Wh)", "Production peak hours (Wh)", "Inverter exported energy (Wh)", "Grid-tied inverter (Wh)",
    ],
)  # fmt: skip
def test_heading_with_a_word_of_two_meanings_is_production(heading: str) -> None:
    assert_is(read_rows(["Tid", heading], HOURS, HOURS.wh), HOURS)


@pytest.mark.parametrize("heading", ["Solar energy exported to grid (Wh)", "Eksportert PV produksjon (Wh)"])
def test_export_of_the_sun_is_feed_in(heading: str) -> None:
    assert read_rows(["Tid", heading], HOURS, HOURS.wh).role == "feed_in"


@pytest.mark.parametrize("beside", ["Varmepumpe (Wh)", "Charger (Wh)", "Regn"])
def test_what_runs_at_night_beside_the_sun_makes_no_grid_meter(beside: str) -> None:
    night = np.where(HOURS.wh > 500, 0.0, 800.0)
    assert_is(read_rows(["Tid", "Solproduksjon (Wh)", beside], HOURS, HOURS.wh, night), HOURS)


@pytest.mark.parametrize("sensor", ["Frekvens", "Nettspenning"])
def test_sensor_that_is_alike_for_two_inverters_drops_none_of_them(sensor: str) -> None:
    lines = [f"Tid;Enhet;Produksjon (Wh);{sensor}"]
    for place, (time, wh) in enumerate(zip(HOURS.local(), HOURS.wh, strict=True)):
        lines += [
            f"{time:{FORM}};{name};{wh * part:.2f};{50 + place % 7}" for name, part in (("AB12C", 0.6), ("DE34F", 0.4))
        ]
    assert_is(interpret(read("\n".join(lines).encode(), "a.csv"), plant()), HOURS)


def test_two_devices_with_the_same_numbers_are_asked_about() -> None:
    lines = ["Tid;Enhet;Produksjon (Wh)"]
    for time, wh in zip(HOURS.local(), HOURS.wh, strict=True):
        lines += [f"{time:{FORM}};{name};{wh / 2:.2f}" for name in ("Øst", "Vest")]
    found = interpret(read("\n".join(lines).encode(), "a.csv"), plant())
    assert any("er like" in question for question in found.questions)


def test_hours_of_the_day_are_no_devices() -> None:
    lines = [
        f"{time:{FORM}};{time.hour};{wh}"
        for time, wh in zip(HOURS.local(), HOURS.wh, strict=True)
        if 4 < time.hour < 20
    ]
    found = interpret(read("\n".join(["Tidspunkt;Time;Produksjon (Wh)", *lines]).encode(), "a.csv"), plant())
    assert found.hours.wh.sum() == pytest.approx(HOURS.wh.sum(), rel=0.02)


def test_power_and_energy_of_the_same_inverters_raise_no_question() -> None:
    heads = ["Tid", "Inverter 1 (kW)", "Inverter 2 (kW)", "Inverter 1 (kWh)", "Inverter 2 (kWh)"]
    parts = [(HOURS.wh * share / 1000).round(4) for share in (0.6, 0.4)]
    assert_is(read_rows(heads, HOURS, *parts, *parts), HOURS)
