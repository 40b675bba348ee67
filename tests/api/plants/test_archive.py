"""Forecasts of plants' places are kept by lead, from the tiles that are there."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import Engine

from api.data.plants import store, weather
from api.data.plants.plant import Plant
from api.data.plants.weather import LEADS, Weather
from api.database.engine import address, make_engine
from api.plants.archive import archive
from tests.support.plant_weather import publish_forecast, warmth
from tests.support.plants import NOON, SOILED, made_plant
from tiles.store import Store, open_store

MIDNIGHT = datetime(2026, 6, 20, tzinfo=UTC)
EVERY_H = 6
CYCLES = [MIDNIGHT - timedelta(hours=back) for back in range(72, 0, -EVERY_H)]


@pytest.fixture(scope="module")
def cycles(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with a forecast every six hours of three days, as one of the sources has them."""
    made = open_store(str(tmp_path_factory.mktemp("cycles")))
    for cycle in CYCLES:
        publish_forecast(made, cycle)
    return made


@contextmanager
def engine_of(url: str) -> Iterator[Engine]:
    engine = make_engine(address(url, Path()))
    try:
        yield engine
    finally:
        engine.dispose()


def added(engine: Engine, plant: Plant, calibration: dict[str, Any] | None = None) -> Plant:
    with engine.begin() as connection:
        store.add(connection, plant)
        if calibration:
            store.set_calibration(connection, plant.id, calibration, NOON)
    return plant


def kept(engine: Engine, plant: Plant) -> dict[int, Weather]:
    with engine.begin() as connection:
        return weather.read(connection, plant.id)


def test_each_lead_has_the_newest_forecast_that_was_made_before_it(database_url: str, cycles: Store) -> None:
    lines: list[str] = []
    with engine_of(database_url) as engine:
        plant = added(engine, made_plant())
        first = archive(engine, cycles, MIDNIGHT + timedelta(hours=3), lines.append)
        found = kept(engine, plant)
        yesterday = int((MIDNIGHT - timedelta(days=1)).timestamp())
        for lead in LEADS:
            hours = found[lead].starts[found[lead].starts >= yesterday]
            assert hours.tolist() == [yesterday + 3600 * hour for hour in range(24)], lead
        for lead in LEADS:
            for start, celsius in zip(found[lead].starts.tolist(), found[lead].temp_air.tolist(), strict=True):
                made = datetime.fromtimestamp(start, UTC) - timedelta(hours=lead)
                newest = max(cycle for cycle in CYCLES if cycle <= made)
                assert celsius == pytest.approx(warmth(newest)), (lead, made)
                assert made - newest < timedelta(hours=EVERY_H)
        noon = found[24].ghi[found[24].starts == yesterday + 12 * 3600]
        assert 400 < noon[0] < 700
        assert np.isnan(found[1].factor).all(), "there is no calibration"
        again = archive(engine, cycles, MIDNIGHT + timedelta(hours=4), lines.append)
    assert (first.damaged, again) == (0, (0, 0))
    assert first.hours == sum(one.starts.size for one in found.values())
    assert lines[0] == f"weather: {first.hours} hours kept of 1 plants, from {len(CYCLES)} forecasts"
    assert "59.91" not in " ".join(lines)


def test_factors_are_kept_of_hours_that_the_calibration_did_not_know(database_url: str, cycles: Store) -> None:
    noon = int((MIDNIGHT - timedelta(hours=12)).timestamp())
    with engine_of(database_url) as engine:
        plant = added(engine, made_plant(), {**SOILED, "last": noon})
        archive(engine, cycles, MIDNIGHT + timedelta(hours=3), lambda _: None)
        found = kept(engine, plant)[6]
    known = np.isfinite(found.factor)
    assert found.starts[known].min() == noon + 3600
    assert found.factor[known] == pytest.approx(0.8)
    assert not known[found.ghi == 0].any()


def test_a_forecast_that_is_damaged_or_gone_leaves_its_hours_out(
    database_url: str, cycles: Store, tmp_path: Path
) -> None:
    copied = Path(shutil.copytree(cycles.url, tmp_path / "tiles"))
    gone, broken = (next(copied.glob(f"forecast/{cycle:%Y-%m-%dT%H}")) for cycle in CYCLES[-3:-1])
    shutil.rmtree(gone)
    for shard in broken.glob("*.zarr/temp_air/c/**/*"):
        if shard.is_file():
            shard.write_bytes(bytes(shard.stat().st_size))
    with engine_of(database_url) as engine:
        plant = added(engine, made_plant())
        counted = archive(engine, open_store(str(copied)), MIDNIGHT + timedelta(hours=3), lambda _: None)
        found = kept(engine, plant)
    assert counted.damaged == 2
    yesterday = int((MIDNIGHT - timedelta(days=1)).timestamp())
    assert 0 < (found[1].starts >= yesterday).sum() < 24
    assert (found[48].starts >= yesterday).sum() == 24
