"""Meters at the grid, which call "production" what a house leaves over, and inverters, which name it all."""

from datetime import datetime

import numpy as np
import pytest

from api.plants.interpretation.answers import Answers
from api.plants.interpretation.interpret import Interpretation, interpret
from api.plants.reading.read import read
from tests.support.portals.series import plant, series

DAYS = series(60, "2024-06-03", 20)
LOAD = np.where(np.arange(len(DAYS.wh)) % 24 > 15, 1800.0, 700.0)
FED_IN, BOUGHT = np.maximum(DAYS.wh - LOAD, 0), np.maximum(LOAD - DAYS.wh, 0)


def found_in(heading: str, *columns: np.ndarray, column: str | None = None) -> Interpretation:
    """Return the interpretation of columns beside Norwegian times, given in Wh and written in kWh."""
    return of_rows(heading, ((time, *values) for time, *values in zip(times(), *columns, strict=True)), column)


def of_rows(heading: str, rows: object, column: str | None = None) -> Interpretation:
    lines = (";".join(f"{one / 1000:.3f}" if isinstance(one, float) else str(one) for one in row) for row in rows)
    return interpret(read("\n".join([heading, *lines]).encode(), "a.csv"), plant(), Answers(column=column))


def times() -> list[datetime]:
    return [time.replace(tzinfo=None) for time in DAYS.local()]


def test_production_of_a_grid_meter_is_feed_in() -> None:
    found = found_in("Fra;KWH 60 Forbruk;KWH 60 Produksjon", BOUGHT, FED_IN)
    assert (found.role, found.mapping.values) == ("feed_in", (2,))
    assert any("levert til nettet" in question for question in found.questions)


def test_production_of_a_grid_meter_in_rows_of_its_own_is_feed_in() -> None:
    rows = [
        (time, kind, float(value))
        for time, *pair in zip(times(), BOUGHT, FED_IN, strict=True)
        for kind, value in zip(("Forbruk", "Produksjon"), pair, strict=True)
    ]
    found = of_rows("Fra;Type;Volum (kWh)", rows)
    assert (found.role, found.mapping.kept) == ("feed_in", ("Produksjon",))


@pytest.mark.parametrize(
    ("heading", "columns", "read_column"),
    [
        ("Tid;Forbruk (kWh);Produksjon (kWh)", (LOAD, DAYS.wh), 2),
        ("Tid;Produksjon (kWh);Kjøpt fra nett (kWh);Solgt til nett (kWh)", (DAYS.wh, BOUGHT, FED_IN), 1),
    ],
)
def test_production_of_an_inverter_beside_consumption_is_production(
    heading: str, columns: tuple[np.ndarray, ...], read_column: int
) -> None:
    found = found_in(heading, *columns)
    assert (found.role, found.mapping.values, found.questions) == ("production", (read_column,), [])


def test_feed_in_stays_feed_in_when_the_caller_names_its_column() -> None:
    heading = "Innmatet energi (kWh)"
    assert found_in(f"Tid;{heading}", FED_IN, column=heading).role == "feed_in"


@pytest.mark.parametrize("answer", ["2+3", "2 3"])
def test_columns_may_be_named_with_a_plus_that_became_a_blank(answer: str) -> None:
    heading = "Tid;Omformer A (kWh);Omformer B (kWh);Annet (kWh)"
    assert found_in(heading, DAYS.wh / 2, DAYS.wh / 2, DAYS.wh, column=answer).mapping.values == (1, 2)


def test_columns_that_say_the_same_are_not_asked_about() -> None:
    assert not found_in("Tid;Produksjon (Wh);Produksjon (kWh)", 1000 * DAYS.wh, DAYS.wh).questions


@pytest.mark.parametrize(
    ("heading", "row"),
    [("Dato;Time;kWh", "{:%d.%m.%Y};{:%H}-{:%H}"), ("Tid;kWh", "{:%d.%m.%Y %H:%M}-{:%H:%M}")],
    ids=["hours of the day", "in one cell"],
)
def test_ranges_of_an_hour_are_read_by_their_begin(heading: str, row: str) -> None:
    until = [*times()[1:], times()[0]]
    rows = (
        (row.format(time, *([time] if row.count("{") == 3 else []), end), float(wh))
        for time, end, wh in zip(times(), until, DAYS.wh, strict=True)
    )
    found = of_rows(heading, rows)
    assert not found.questions
    assert found.hours.wh.sum() == pytest.approx(DAYS.wh.sum(), rel=1e-3)
    assert found.hours.starts[0] == DAYS.starts[0]


def test_file_with_a_row_or_two_has_too_few() -> None:
    for rows in (0, 1, 2, 11):
        with pytest.raises(Exception, match="færre enn 12 verdier"):
            of_rows("Tid;kWh", list(zip(times(), DAYS.wh, strict=True))[:rows])


@pytest.mark.parametrize(
    ("above", "heading", "name"),
    [
        ("", "Tid;Verdi (kWh)", "innmating_juni.csv"), ("Innmating til nettet", "Tid;Produksjon (kWh)", "a.csv"),
        ("", "Tid;1-0:2.8.0*255 (kWh)", "a.csv"), ("", "Fra;KWH 60 Produksjon", "a.csv"),
    ],
)  # fmt: skip
def test_title_file_or_register_that_names_feed_in_is_asked_about(above: str, heading: str, name: str) -> None:
    lines = [f"{time};{wh / 1000:.3f}" for time, wh in zip(times(), FED_IN, strict=True)]
    found = interpret(read("\n".join([above, heading, *lines]).encode(), name), plant(), file_name=name)
    assert found.role == "feed_in"
    assert any("levert til nettet" in question for question in found.questions)


def test_output_of_an_inverter_with_a_battery_is_asked_about() -> None:
    charge = np.minimum(DAYS.wh, 1500.0)
    heading = "Tid;AC output (kWh);Battery charge (kWh)"
    assert any("etter batteriet" in question for question in found_in(heading, DAYS.wh - charge, charge).questions)
    assert not found_in(heading.replace("AC output", "PV production"), DAYS.wh, charge).questions


def test_metering_point_and_what_is_earned_betray_the_grid_meter() -> None:
    rows = zip(times(), FED_IN.tolist(), strict=True)
    found = of_rows("Målepunkt;Fra;Produksjon (kWh)", (("707057500012345678", time, wh) for time, wh in rows))
    assert found.role == "feed_in"
    assert found_in("from;production;profit", FED_IN, FED_IN * 0.7).role == "feed_in"


def test_rows_of_two_metering_points_are_asked_about() -> None:
    pairs = zip(times(), FED_IN.tolist(), BOUGHT.tolist(), strict=True)
    rows = [(f"70705750001234567{i}", time, wh) for time, *both in pairs for i, wh in enumerate(both)]
    assert any("flere målepunkter" in question for question in of_rows("Id;Fra;Mengde (kWh)", rows).questions)


def test_consumption_in_another_unit_is_compared_as_what_it_is() -> None:
    counter = np.cumsum(DAYS.wh)
    found = found_in("Tid;Cumulative production (kWh);Total consumption power (kW)", counter, LOAD)
    assert found.role == "production"
