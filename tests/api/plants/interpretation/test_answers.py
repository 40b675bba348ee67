"""Questions and their answers, corrections that the caller refuses, and files of a format that was confirmed before."""

from dataclasses import replace

import numpy as np
import pytest

from api.core.errors import ApiError
from api.plants.interpretation.answers import Answers
from api.plants.interpretation.apply import Hours
from api.plants.interpretation.interpret import Interpretation, interpret
from api.plants.interpretation.mapping import Mapping
from api.plants.reading.read import read
from tests.support.portals.series import Series, plant, series

ISO = "%Y-%m-%d %H:%M"


def table(
    one: Series, heading: str, values: np.ndarray, *, form: str = ISO, ends: bool = False, zone: str = "Europe/Oslo"
) -> str:
    """Return a table of times and values."""
    times = one.local(zone, ends=ends)
    rows = [f"{time.strftime(form)};{value:.3f}" for time, value in zip(times, values, strict=True)]
    return "\n".join([heading, *rows])


def read_table(text: str, answers: Answers | None = None, **others: object) -> Interpretation:
    """Return the interpretation of a text."""
    return interpret(read(text.encode(), "a.csv"), plant(), answers or Answers(), **others)


def dull(minutes: int = 15) -> Series:
    """Return three days of thick clouds, in which hours differ by chance."""
    one = series(minutes, "2024-12-03", 3)
    hour = one.starts // 3600 - one.starts[0] // 3600
    clouds = np.random.default_rng(3).uniform(0.1, 0.9, int(hour.max()) + 1)[hour]
    return one._replace(wh=one.wh * clouds * 0.3)


def total(found: Interpretation) -> float:
    """Return the energy that was read, Wh."""
    return float(found.hours.wh.sum())


def test_unit_is_asked_in_dull_days_and_read_as_answered() -> None:
    one = dull()
    text = table(one, "Tid;Verdi", one.watts)
    assert any("Enheten er ikke oppgitt" in question for question in read_table(text).questions)
    found = read_table(text, Answers(unit="W", zone="Europe/Oslo", stamp="start"))
    assert (found.mapping.unit, found.mapping.quantity, found.questions) == ("W", "effekt", [])
    assert total(found) == pytest.approx(one.wh.sum(), rel=1e-3)


def test_unit_of_a_counter_is_answered_without_making_it_energy() -> None:
    one = series(15)
    found = read_table(table(one, "Tid;Verdi", one.counter[:-1] / 1000), Answers(unit="kWh"))
    assert found.mapping.quantity == "teller"
    assert total(found) == pytest.approx(one.wh[:-1].sum(), rel=0.01)


@pytest.mark.parametrize("zone", ["Europe/Oslo", "UTC", "+01:00"])
@pytest.mark.parametrize("stamp", ["start", "slutt"])
def test_zone_and_stamp_are_read_as_answered(zone: str, stamp: str) -> None:
    one = dull(60)
    text = table(one, "Tid;Produksjon (Wh)", one.wh, zone=zone, ends=stamp == "slutt")
    found = read_table(text, Answers(zone=zone, stamp=stamp))
    assert (found.mapping.zone, found.mapping.stamp) == (zone, stamp)
    _, ours, true = np.intersect1d(found.hours.starts, one.starts, return_indices=True)
    assert len(true) == len(one.starts) == len(found.hours.starts)
    assert np.abs(found.hours.wh[ours] - one.wh[true]).max() < 0.001


def test_two_plants_side_by_side_are_asked_about_and_read_as_answered() -> None:
    one = series(15)
    rows = [f"{time.strftime(ISO)};{w:.1f};{w * 0.9:.1f}" for time, w in zip(one.local(), one.watts, strict=True)]
    text = "\n".join(["Tid;Anlegg A (W);Anlegg B (W)", *rows])
    assert any("Flere kolonner" in question for question in read_table(text).questions)
    for answer in ("Anlegg B (W)", "3"):
        assert total(read_table(text, Answers(column=answer))) == pytest.approx(0.9 * one.wh.sum(), rel=1e-3)
    assert total(read_table(text, Answers(column="2+3"))) == pytest.approx(1.9 * one.wh.sum(), rel=1e-3)
    with pytest.raises(ApiError, match=r"ingen kolonne som heter Anlegg C. Den har: Anlegg A \(W\), Anlegg B \(W\)"):
        read_table(text, Answers(column="Anlegg C"))


def test_order_of_dates_is_read_as_answered() -> None:
    one = series(60, "2024-05-06", 1)
    text = table(one, "Time;Production (Wh)", one.wh, form="%d/%m/%Y %H:%M")
    assert any("dag/måned" in question for question in read_table(text).questions)
    assert read_table(text, Answers(order="dmy")).hours.starts[0] == one.starts[0]
    first = read_table(text, Answers(order="mdy")).hours.starts[0]
    assert str(np.datetime64(int(first), "s"))[:10] == "2024-06-04"


def _peak(hours: Hours) -> int:
    return int(hours.starts[np.argmax(hours.wh)])


def test_clock_that_is_an_hour_wrong_is_corrected_unless_the_caller_refuses() -> None:
    one = series(15)
    late = one._replace(starts=one.starts + 3600)
    text = table(late, "Starttid;Produksjon (Wh)", one.wh)
    found = read_table(text)
    assert [change["kode"] for change in found.changes] == ["tid"]
    assert "flyttet -1 t" in found.changes[0]["tekst"]
    assert _peak(found.hours) == _peak(one.hours())
    kept = read_table(text, correct=False)
    assert not kept.changes
    assert _peak(kept.hours) == _peak(late.hours())


def test_unit_that_cannot_be_true_is_corrected_unless_the_caller_refuses() -> None:
    one = series(15)
    text = table(one, "Tid;Produksjon (kWh)", one.wh)
    found = read_table(text)
    assert [change["kode"] for change in found.changes] == ["enhet"]
    assert total(found) == pytest.approx(one.wh.sum(), rel=1e-3)
    assert total(read_table(text, correct=False)) == pytest.approx(1000 * one.wh.sum(), rel=1e-3)


def test_half_of_a_plant_that_is_registered_is_asked_about_and_not_corrected() -> None:
    one = series(30)
    found = read_table(table(one, "Tid;Produksjon (kWh)", 2 * one.wh / 1000))
    assert not found.changes
    assert any("anleggets kWp" in question for question in found.questions)
    assert total(found) == pytest.approx(2 * one.wh.sum(), rel=1e-3)


def test_confirmed_format_is_read_as_before() -> None:
    one = series(15)
    first = read_table(table(one, "Tid;Verdi", one.watts), Answers(unit="W", zone="Europe/Oslo"))
    stored = Mapping.from_json(first.mapping.to_json())
    assert stored == first.mapping
    later = series(15, "2024-07-01")
    found = read_table(table(later, "Tid;Verdi", later.watts), remembered=[(first.fingerprint, stored)])
    assert (found.source, found.mapping, found.questions) == ("lagret tolkning", stored, [])
    assert total(found) == pytest.approx(later.wh.sum(), rel=1e-3)


def test_confirmed_format_is_not_used_where_it_fits_no_longer() -> None:
    one = series(15)
    first = read_table(table(one, "Tid;Verdi", one.watts), Answers(unit="W"))
    known = [(first.fingerprint, first.mapping)]
    hourly = series(60)
    for text in (
        table(hourly, "Tid;Verdi", hourly.watts),  # another interval
        table(one, "Tid;Verdi", one.wh / 1000),  # another unit
        table(one, "Tid;Verdi", one.watts, zone="UTC"),
    ):
        found = read_table(text, remembered=known)
        assert found.source == "regelbasert"
        assert total(found) == pytest.approx(one.wh.sum(), rel=0.05)
    wider = "\n".join(f"{line};x" for line in table(one, "Tid;Verdi", one.watts).splitlines())
    assert read_table(wider, remembered=known).source == "regelbasert"


def test_confirmed_format_is_not_used_against_an_answer() -> None:
    one = series(15)
    text = table(one, "Tid;Verdi", one.watts)
    first = read_table(text)
    wrong = replace(first.mapping, unit="kWh", quantity="energi")
    found = read_table(text, Answers(unit="W"), remembered=[(first.fingerprint, wrong)])
    assert (found.source, found.mapping.unit) == ("regelbasert", "W")
