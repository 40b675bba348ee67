"""Which runs `solflis up` starts, by which clock."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from catalog.versions import Entry, Index
from dags.workflows import WORKFLOWS
from infra.up.pace import Pace
from tiles.store import open_store

BEFORE = datetime(2026, 6, 22, 4, 15, tzinfo=UTC)
"""A Monday morning before the daily and weekly runs."""


@dataclass
class Clock:
    moment: datetime = BEFORE
    is_real: bool = False

    def now(self) -> datetime:
        return self.moment


@dataclass
class Airflow:
    there: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    triggered: list[tuple[str, str]] = field(default_factory=list)
    away: bool = False

    @property
    def started(self) -> list[tuple[str, str]]:
        """What was triggered, but forecasts and the housekeeping of the day."""
        return [(dag, key) for dag, key in self.triggered if dag not in ("forecast", "housekeeping")]

    def runs(self, dag: str, key: str) -> dict[str, str]:
        if self.away:
            raise TimeoutError
        return self.there.get((dag, key), {})

    def trigger(self, dag: str, key: str) -> str:
        self.triggered.append((dag, key))
        return key


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def airflow() -> Airflow:
    return Airflow()


@pytest.fixture
def keeping(clock: Clock, airflow: Airflow, tmp_path: Path) -> Any:
    return Pace(settings(clock, tmp_path), airflow)  # type: ignore[arg-type]


def settings(clock: Clock, folder: Path, simulated: tuple[str, ...] = ("met_nordic",)) -> Any:
    return SimpleNamespace(clock=clock, store=str(folder), forecast_source="met_nordic", simulated_sources=simulated)


FIRST = [("nowcast", "2026-06-22T04:00"), ("snow_daily", "2026-06-21")]


def test_what_becomes_due_is_triggered_once(keeping: Pace, airflow: Airflow, clock: Clock) -> None:
    keeping.start()
    airflow.triggered.clear()
    clock.moment += timedelta(minutes=30)
    for _ in range(3):
        keeping.keep()
    assert sorted(airflow.started) == [
        ("correction", "2026-06-22"),
        ("nowcast", "2026-06-22T04:30"),
        ("skill", "2026-06-21"),
    ]


def test_where_the_clock_is_real_the_schedules_do_it(keeping: Pace, airflow: Airflow, clock: Clock) -> None:
    clock.is_real = True
    keeping.start()
    clock.moment += timedelta(days=8)
    keeping.keep()
    assert airflow.started == FIRST


def publish(folder: Path, product: str, version: str) -> None:
    entry = Entry(product, version, "a", BEFORE, BEFORE, BEFORE, 1, "p", "m", "source", "simulated", (), BEFORE)
    open_store(str(folder)).put(f"{product}/index.json", Index((entry,)).to_bytes())


def forecasts(airflow: Airflow) -> list[str]:
    return [key for dag, key in airflow.triggered if dag == "forecast"]


def test_the_forecast_of_each_hour_is_triggered_once(keeping: Pace, airflow: Airflow, clock: Clock) -> None:
    assert keeping.trigger(WORKFLOWS["forecast"]) == "2026-06-22T04"
    clock.moment += timedelta(minutes=45)
    for _ in range(3):
        keeping.start()
        keeping.keep()
    assert forecasts(airflow) == ["2026-06-22T04", "2026-06-22T05"]


def test_a_real_source_has_the_cycle_of_an_hour_some_time_after_it(
    airflow: Airflow, clock: Clock, tmp_path: Path
) -> None:
    keeping = Pace(settings(clock, tmp_path, simulated=()), airflow)  # type: ignore[arg-type]
    assert keeping.trigger(WORKFLOWS["forecast"]) == "2026-06-22T03"


def test_an_airflow_that_does_not_answer_is_asked_again(keeping: Pace, airflow: Airflow, clock: Clock) -> None:
    airflow.away = True
    keeping.start()
    airflow.away = False
    keeping.keep()
    assert airflow.started == FIRST


def test_at_the_start_the_newest_image_and_the_snow_of_the_last_morning_and_a_tidy_store(
    keeping: Pace, airflow: Airflow, clock: Clock
) -> None:
    keeping.start()
    keeping.keep()
    assert airflow.started == FIRST
    assert airflow.triggered.count(("housekeeping", "2026-06-22")) == 1
    clock.moment = datetime(2026, 6, 22, 7, 10, tzinfo=UTC)
    keeping.keep()
    assert ("snow_daily", "2026-06-22") in airflow.triggered, "the next morning"


def test_what_is_published_is_not_built_again(keeping: Pace, airflow: Airflow, tmp_path: Path, capsys: Any) -> None:
    publish(tmp_path, "snow_outlook", "2026-06-21")
    publish(tmp_path, "forecast", "2026-06-22T04")
    keeping.start()
    keeping.keep()
    assert airflow.started == FIRST[:1]
    assert forecasts(airflow) == []
    assert "forecast: 2026-06-22T04 is published already\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("state", "again"), [("queued", []), ("running", []), ("failed", FIRST[1:]), ("success", FIRST[1:])]
)
def test_what_is_under_way_is_enough_and_what_ended_without_publishing_is_built_again(
    keeping: Pace, airflow: Airflow, tmp_path: Path, state: str, again: list[tuple[str, str]]
) -> None:
    publish(tmp_path, "snow_outlook", "2026-06-20")
    airflow.there[FIRST[0]] = {"scheduled__1": "running"}
    airflow.there[FIRST[1]] = {"manual__1": state}
    keeping.start()
    assert airflow.started == again


@pytest.mark.parametrize(("bad", "is_real"), [(b'{"entries": [', False), (b'{"entries": [{}]}', True), (b"[]", False)])
def test_an_index_that_cannot_be_read_ends_nothing(
    keeping: Pace, airflow: Airflow, clock: Clock, tmp_path: Path, capsys: Any, bad: bytes, is_real: bool
) -> None:
    clock.is_real = is_real
    open_store(str(tmp_path)).put("snow_outlook/index.json", bad)
    keeping.start()
    keeping.keep()
    assert airflow.started == FIRST[:1]
    assert capsys.readouterr().out.count("snow_daily: neither published nor triggered") == 1
    open_store(str(tmp_path)).put("snow_outlook/index.json", Index(()).to_bytes())
    keeping.keep()
    assert airflow.started == FIRST
