"""Forecasts of a plant's place, kept by lead."""

from datetime import UTC, datetime, timedelta

import numpy as np
import sqlalchemy as sa

from api.data.plants import store, weather
from api.data.plants.measurements import HOUR_S
from api.data.plants.weather import LEADS, Weather
from api.database.tables import plant_weather
from tests.support.plants import made_plant, writing

NEW_YEAR = datetime(2025, 12, 31, 22, tzinfo=UTC)


def forecasts(start: datetime, ghi: list[float], factor: float = np.nan) -> Weather:
    n = len(ghi)
    starts = int(start.timestamp()) + HOUR_S * np.arange(n)
    return Weather(starts, np.array(ghi), np.linspace(-30, 30, n), np.full(n, factor))


def test_forecasts_over_a_new_year_are_read_as_they_were_stored(database_url: str) -> None:
    plant, given = made_plant(), forecasts(NEW_YEAR, [0, 0.1, 999.9, 1200], 0.8)
    with writing(database_url) as connection:
        store.add(connection, plant)
        weather.put(connection, plant.id, 6, given)
        weather.put(connection, plant.id, 24, forecasts(NEW_YEAR, [5]))
        assert connection.scalar(sa.select(sa.func.count()).select_from(plant_weather)) == 3
    with writing(database_url) as connection:
        found = weather.read(connection, plant.id)
        assert set(found) == set(LEADS)
        for values, expected in zip(found[6], given, strict=True):
            assert np.allclose(values, expected, atol=1e-9)
        assert np.isnan(found[24].factor).all()
        assert found[1].starts.size == 0
        later = weather.read(connection, plant.id, int(given.starts[1]), (6,))
        assert later[6].ghi.round(1).tolist() == [0.1, 999.9, 1200]


def test_an_hour_that_comes_again_replaces_the_old_one(database_url: str) -> None:
    plant = made_plant()
    with writing(database_url) as connection:
        store.add(connection, plant)
        for _ in range(2):
            weather.put(connection, plant.id, 1, forecasts(NEW_YEAR, [1, 2, 3]))
            weather.put(connection, plant.id, 1, forecasts(NEW_YEAR + timedelta(hours=2), [30, 40]))
        assert weather.read(connection, plant.id)[1].ghi.tolist() == [1, 2, 30, 40]


def test_nothing_is_left_of_a_plant_that_is_deleted_and_nothing_is_stored_of_it(database_url: str) -> None:
    plant = made_plant()
    with writing(database_url) as connection:
        store.add(connection, plant)
        weather.put(connection, plant.id, 1, forecasts(NEW_YEAR, [1]))
        store.delete(connection, [plant.id])
        weather.put(connection, plant.id, 1, forecasts(NEW_YEAR, [1]))
        assert connection.scalar(sa.select(sa.func.count()).select_from(plant_weather)) == 0
