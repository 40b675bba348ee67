"""Which runs `solflis up` starts, by which clock."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from obstore.exceptions import PermissionDeniedError

from catalog.versions import Entry, Index
from dags.workflows import WORKFLOWS
from infra.up import pace
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


def due(name: str, minutes: int) -> str:
    return WORKFLOWS[name].due(BEFORE + timedelta(minutes=minutes))


def test_what_is_due() -> None:
    assert [due("nowcast", m) for m in (0, 15)] == ["2026-06-22T04:00", "2026-06-22T04:15"]
    assert [due("skill", m) for m in (0, 4, 5)] == ["2026-06-20", "2026-06-20", "2026-06-21"]
    assert [due("snow_daily", m) for m in (0, 174, 175)] == ["2026-06-21", "2026-06-21", "2026-06-22"]
    assert [due("correction", m) for m in (0, 25)] == ["2026-06-15", "2026-06-22"]


FIRST = [("nowcast", "2026-06-22T04:00"), ("snow_daily", "2026-06-21")]


def test_at_the_start_the_newest_image_and_the_snow_of_the_last_morning(keeping: Pace, airflow: Airflow) -> None:
    keeping.start()
    keeping.keep()
    assert airflow.started == FIRST


def test_the_store_is_tidied_at_the_start(keeping: Pace, airflow: Airflow) -> None:
    keeping.start()
    keeping.keep()
    assert airflow.triggered.count(("housekeeping", "2026-06-22")) == 1


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


@pytest.mark.parametrize("state", ["queued", "running"])
def test_a_run_that_there_is_already_is_enough(keeping: Pace, airflow: Airflow, state: str) -> None:
    airflow.there[("nowcast", "2026-06-22T04:00")] = {"scheduled__1": "running"}
    airflow.there[("snow_daily", "2026-06-21")] = {"scheduled__1": state}
    keeping.start()
    assert airflow.started == []


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


def test_a_forecast_that_is_published_is_not_built_again(
    keeping: Pace, airflow: Airflow, tmp_path: Path, capsys: Any
) -> None:
    publish(tmp_path, "forecast", "2026-06-22T04")
    keeping.trigger(WORKFLOWS["forecast"])
    assert forecasts(airflow) == []
    assert capsys.readouterr().out == "forecast: 2026-06-22T04 is published already\n"


def test_snow_that_is_published_is_not_built_again(keeping: Pace, airflow: Airflow, tmp_path: Path) -> None:
    publish(tmp_path, "snow_outlook", "2026-06-21")
    keeping.start()
    keeping.keep()
    assert airflow.started == FIRST[:1]


@pytest.mark.parametrize("state", ["failed", "success"])
def test_snow_that_is_not_published_is_built_again(keeping: Pace, airflow: Airflow, tmp_path: Path, state: str) -> None:
    """After a run that failed, and where the store was emptied since."""
    publish(tmp_path, "snow_outlook", "2026-06-20")
    airflow.there[("snow_daily", "2026-06-21")] = {"manual__1": state}
    keeping.start()
    assert airflow.started == FIRST


def test_the_next_morning_has_its_snow(keeping: Pace, airflow: Airflow, clock: Clock) -> None:
    keeping.start()
    airflow.triggered.clear()
    clock.moment = datetime(2026, 6, 22, 7, 10, tzinfo=UTC)
    keeping.keep()
    assert ("snow_daily", "2026-06-22") in airflow.triggered


def test_an_airflow_that_does_not_answer_is_asked_again(keeping: Pace, airflow: Airflow, clock: Clock) -> None:
    airflow.away = True
    keeping.start()
    airflow.away = False
    keeping.keep()
    assert airflow.started == FIRST


@pytest.mark.parametrize("is_real", [False, True])
@pytest.mark.parametrize("bad", [b'{"entries": [', b'{"entries": [{}]}', b"[]", b"\xff"])
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
    keeping.keep()
    assert airflow.started == FIRST


def test_a_store_that_refuses_ends_nothing(keeping: Pace, airflow: Airflow, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionDeniedError("it says")

    with monkeypatch.context() as broken:
        broken.setattr(pace, "read_index", refuse)
        keeping.start()
    assert airflow.started == []
    keeping.keep()
    assert airflow.started == FIRST
