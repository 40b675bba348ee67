"""Calibration of plants: at once by a job, and for all at night."""

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from sqlalchemy import Connection, Engine

from api.core.settings import Settings
from api.data.plants import measurements, store, weather
from api.data.plants.measurements import HOUR_S, Hours
from api.data.plants.plant import Plant
from api.data.plants.production import planes_of, plant_watts
from api.data.plants.weather import Weather
from api.database.engine import address, make_engine
from api.database.tables import plant as plant_table
from api.jobs.run import Run
from api.plants import calibration_job, nightly
from api.plants.background import Background
from api.plants.calibrate import calibrate
from infra.cli import main
from kernels.plants.correction import Calibration
from kernels.plants.output import clear_sky_watts
from tests.support.plant_weather import publish_forecast
from tests.support.plants import NOON, made_plant
from tiles.clock import Clock
from tiles.store import open_store

FIRST = int(datetime(2026, 4, 1, tzinfo=UTC).timestamp())
SKY = 0.0, [2.3, 2.5, 2.8, 3.1, 3.3, 3.4, 3.5, 3.4, 3.1, 2.7, 2.4, 2.2]
BROKEN = '[["tak", "no number", 30, 180]]'


def clear_days(plant: Plant, part: float, days: int = 20) -> Hours:
    """Return the hours of clear days on which a plant gives a part of what it should."""
    starts = FIRST + HOUR_S * np.arange(24 * days)
    clear = clear_sky_watts(plant.lat, plant.lon, *SKY, planes_of(plant), plant.performance_ratio, starts).sum(axis=0)
    return Hours(starts, np.round(part * clear))


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    clock = Clock.parse("2026-06-20T03:10:00Z!")
    return Settings(store=str(tmp_path / "tiles"), state=tmp_path, clock=clock, database=database_url)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    made = make_engine(address(database_url, Path()))
    yield made
    made.dispose()


def measured(connection: Connection, part: float, days: int = 20, **others: Any) -> Plant:
    """Store a plant with measurements."""
    plant = made_plant(**others)
    store.add(connection, plant)
    measurements.put(connection, plant.id, clear_days(plant, part, days), "upload")
    store.note_data(connection, plant.id, NOON - timedelta(days=1))
    return plant


def calibration_of(engine: Engine, plant: Plant) -> dict[str, Any]:
    with engine.begin() as connection:
        found = store.find(connection, plant.id)
    assert found is not None
    assert found.calibration is not None
    return found.calibration


def test_a_job_calibrates_its_plant(settings: Settings, engine: Engine, tmp_path: Path) -> None:
    with engine.begin() as connection:
        plant = measured(connection, 0.75)
    calibration_job.run(Run("", 1, plant.id.encode(), settings, "job/run", tmp_path / "progress"))
    found = calibration_of(engine, plant)
    assert (found["method"], found["reason"]) == ("klarvaer", "clear_days")
    assert found["factor"] == pytest.approx(0.75, abs=0.01)
    assert found["last"] == FIRST + HOUR_S * (24 * 20 - 1)
    assert (found["altitude_m"], found["turbidity"]) == SKY
    assert orjson.loads(orjson.dumps(found)) == found
    gone = Run("", 1, made_plant().id.encode(), settings, "job/run", tmp_path / "progress")
    calibration_job.run(gone)  # it was deleted meanwhile


def test_at_night_plants_with_new_measurements_are_calibrated_and_a_failure_stops_no_other(
    settings: Settings, engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    with engine.begin() as connection:
        broken = measured(connection, 0.75, created_at=NOON - timedelta(days=9))
        healthy, few = measured(connection, 1.02), measured(connection, 0.7, days=4)
        store.add(connection, made_plant())
        connection.execute(sa.update(plant_table).where(plant_table.c.id == broken.id).values(arrays=BROKEN))
    lines: list[str] = []
    with caplog.at_level(logging.ERROR, "solflis.plants"):
        assert nightly.run(settings, lines.append) == 1
    assert lines[-1] == "calibration: 3 plants: 1 failed, 2 ingen"
    assert f"plant {broken.id} is not calibrated: " in caplog.text
    assert "no number" not in caplog.text
    assert calibration_of(engine, healthy)["reason"] == "within_tolerance"
    assert calibration_of(engine, few)["reason"] == "few_clear_days"
    assert nightly.run(settings, lines.append) == 1
    assert lines[-1] == "calibration: 1 plants: 1 failed"
    assert nightly.run(settings, lines.append, everybody=True) == 1
    assert lines[-1] == "calibration: 3 plants: 1 failed, 2 ingen"


def test_hours_are_modelled_with_the_shortest_lead_and_before_that_with_the_climate_archive(
    settings: Settings, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant = made_plant()
    noon = FIRST + 12 * HOUR_S + 24 * HOUR_S * np.arange(4)

    def forecasts(days: slice, ghi: float) -> Weather:
        n = noon[days].size
        return Weather(noon[days], np.full(n, ghi), np.full(n, 10.0), np.full(n, np.nan))

    def past(_: Background, __: float, ___: float, starts: Any) -> tuple[Any, Any]:
        return np.where(starts <= noon[1], 100.0, np.nan), np.full(starts.size, 10.0)

    given: list[Any] = []
    monkeypatch.setattr(Background, "past_weather", past)
    monkeypatch.setattr("api.plants.calibrate.fit", lambda *args: given.append(args) or Calibration())
    with engine.begin() as connection:
        store.add(connection, plant)
        measurements.put(connection, plant.id, Hours(noon, np.full(4, 1000.0)), "api")
        weather.put(connection, plant.id, 6, forecasts(slice(1, 2), 200.0))
        weather.put(connection, plant.id, 24, forecasts(slice(1, 3), 300.0))
    calibrate(engine, Background(open_store(settings.store), NOON), plant.id, NOON)
    measured, clear, modelled, starts, *_ = given[0]
    assert measured.tolist() == [1000] * 4
    assert (clear > 5000).all()
    expected = plant_watts(plant, starts[:3], np.array([100.0, 200.0, 300.0]), np.full(3, 10.0)).sum(axis=0)
    assert modelled[:3] == pytest.approx(expected, rel=1e-6)
    assert np.isnan(modelled[3])


def test_the_command_keeps_forecasts_then_calibrates_and_stores_nothing_when_dry(
    settings: Settings, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.observing.logs.install", lambda _: None)
    publish_forecast(open_store(settings.store), datetime(2026, 6, 18, tzinfo=UTC))
    with engine.begin() as connection:
        plant = measured(connection, 0.75)
    environment = {
        "SOLFLIS_STATE": str(settings.state), "SOLFLIS_STORE": settings.store, "SOLFLIS_CLOCK": "2026-06-20T03:10:00Z!",
        "SOLFLIS_DATABASE": settings.database,
    }  # fmt: skip
    runner = CliRunner(env=environment)
    dry = runner.invoke(main, ["plants", "calibrate", "--dry-run"])
    assert dry.exit_code == 0, dry.output
    first, last = dry.stdout.splitlines()
    assert first.startswith(f"{plant.id}: none -> klarvaer 0.7")
    assert last == "calibration: 1 plants: 1 klarvaer; nothing is stored"
    with engine.begin() as connection:
        found = store.find(connection, plant.id)
        assert found is not None
        assert found.calibration is None
        assert not any(one.starts.size for one in weather.read(connection, plant.id).values())
    real = runner.invoke(main, ["plants", "calibrate"])
    assert real.exit_code == 0, real.output
    kept, counts = real.stdout.splitlines()
    assert kept == "weather: 24 hours kept of 1 plants, from 1 forecasts"
    assert counts == "calibration: 1 plants: 1 klarvaer"
    assert "59.91" not in real.output
    assert calibration_of(engine, plant)["factor"] == pytest.approx(0.75, abs=0.01)
    with engine.begin() as connection:
        connection.execute(sa.update(plant_table).values(arrays=BROKEN, data_at=NOON + timedelta(days=1)))
    failed = runner.invoke(main, ["plants", "calibrate"])
    assert failed.exit_code == 1
    assert "1 plants could not be calibrated" in failed.output
