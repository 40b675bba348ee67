"""Published data around a plant: clear sky, and weather of past years."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from api.plants.background import Background
from api.plants.model import TYPICAL_TURBIDITY
from dags.build.forecast import turbidity
from tests.api.conftest import damage
from tests.kernels.tmy.archives import CALENDAR, series
from tests.support.archive import publish_archive
from tests.support.context import context_of
from tests.support.terrain import publish_terrain
from tests.support.tmy import OSLO_CELL
from tiles.grid import NORWAY3KM
from tiles.store import Store, open_store

NOW = datetime(2026, 6, 20, tzinfo=UTC)


@pytest.fixture(scope="module")
def archived(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = open_store(str(tmp_path_factory.mktemp("archived")))
    publish_archive(store, {OSLO_CELL: series("oslo")}, [2024, 2025])
    return store


def test_a_place_of_which_nothing_is_published_has_a_usual_sky_and_no_weather(tmp_path: Path) -> None:
    background = Background(open_store(str(tmp_path)), NOW)
    sky = background.sky(59.91, 10.75)
    assert sky.altitude == 0
    assert sky.turbidity.tolist() == list(TYPICAL_TURBIDITY)
    for values in background.past_weather(59.91, 10.75, np.array([0, 3600])):
        assert np.isnan(values).all()


def test_sky_is_that_of_the_published_turbidity_and_terrain(tmp_path: Path) -> None:
    store = open_store(str(tmp_path))
    turbidity.ensure(context_of(store, "2026-06-20T10:00:00Z!"))
    publish_terrain(store, np.full((100, 100), 123.0), 260_000, 6_645_000)
    background = Background(store, NOW)
    sky = background.sky(59.91, 10.75)
    assert sky.altitude == pytest.approx(123, abs=1)
    assert sky.turbidity.shape == (12,)
    assert sky.turbidity.tolist() != list(TYPICAL_TURBIDITY)
    assert background.sky(63.43, 10.4).altitude == 0, "no terrain is there"


def test_weather_is_that_of_the_archives_years(archived: Store) -> None:
    lat, lon = NORWAY3KM.centre(OSLO_CELL)
    place = int(np.searchsorted(CALENDAR.unix, int(datetime(2024, 12, 31, 10, tzinfo=UTC).timestamp())))
    hours = slice(place, place + 48)
    ghi, temp_air = Background(archived, NOW).past_weather(lat, lon, CALENDAR.unix[hours].astype(np.int64))
    given = series("oslo")
    assert np.allclose(ghi, given.ghi_solarmodel[hours], atol=0.06)
    between = (given.temp_air[hours][:-1] + given.temp_air[hours][1:]) / 2
    inside = np.arange(47) != 13  # the last hour of a year has no next one
    assert np.allclose(temp_air[:-1][inside], between[inside], atol=0.06)
    later = np.array([int(NOW.timestamp())])
    assert np.isnan(Background(archived, NOW).past_weather(lat, lon, later)).all()
    assert np.isnan(Background(archived, NOW).past_weather(lat + 5, lon, later)).all()


def test_a_sky_that_is_damaged_is_a_usual_one(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = open_store(str(tmp_path))
    turbidity.ensure(context_of(store, "2026-06-20T10:00:00Z!"))
    publish_terrain(store, np.full((100, 100), 123.0), 260_000, 6_645_000)
    for manifest in tmp_path.glob("turbidity/*/*.manifest.json"):
        manifest.unlink()
    sky = Background(store, NOW).sky(59.91, 10.75)
    assert sky.turbidity.tolist() == list(TYPICAL_TURBIDITY)
    assert sky.altitude > 100, "what is whole counts"
    assert "turbidity is left out: TileCorrupt" in caplog.text


def test_a_damaged_year_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = open_store(str(tmp_path))
    publish_archive(store, {OSLO_CELL: series("oslo")}, [2025])
    damage(tmp_path, "climate_archive", "ghi_solarmodel")
    start = int(datetime(2025, 6, 1, 12, tzinfo=UTC).timestamp())
    ghi, _ = Background(store, NOW).past_weather(*NORWAY3KM.centre(OSLO_CELL), np.array([start]))
    assert np.isnan(ghi).all()
    assert "climate_archive/2025" in caplog.text
    assert "is left out" in caplog.text
