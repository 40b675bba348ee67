"""Hours of a plant in the database."""

import threading
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.data.plants import measurements, store
from api.data.plants.measurements import HOUR_S, Hours, Stored
from tests.support.plants import hours_from, made_plant, writing

NEW_YEAR = datetime(2025, 12, 31, 22, tzinfo=UTC)


def test_hours_over_a_new_year_are_read_as_they_were_stored(database_url: str) -> None:
    plant, hours = made_plant(), hours_from(NEW_YEAR, [0, 10.4, 4_000_000_000, 3])
    with writing(database_url) as connection:
        store.add(connection, plant)
        assert measurements.put(connection, plant.id, hours, "upload") == Stored(4, 0)
    with writing(database_url) as connection:
        found = measurements.read(connection, plant.id)
        assert found.starts.tolist() == hours.starts.tolist()
        assert found.wh.tolist() == [0, 10, 4_000_000_000, 3]
        summary = measurements.summary(connection, plant.id)
        assert summary == (4, 4_000_000_013, hours.starts[0], hours.starts[-1])
        assert measurements.hours_by_plant(connection) == {plant.id: 4}
        second, last = int(hours.starts[1]), int(hours.starts[3])
        assert measurements.read(connection, plant.id, second, last).wh.tolist() == [10, 4_000_000_000]
        assert measurements.read(connection, made_plant().id).starts.size == 0
        assert measurements.summary(connection, made_plant().id) == (0, 0, None, None)


def test_an_hour_that_comes_again_replaces_the_old_one(database_url: str) -> None:
    plant = made_plant()
    with writing(database_url) as connection:
        store.add(connection, plant)
        measurements.put(connection, plant.id, hours_from(NEW_YEAR, [1, 2, 3]), "upload")
        again = hours_from(NEW_YEAR + timedelta(hours=2), [30, 40])
        assert measurements.put(connection, plant.id, again, "api") == Stored(2, 1)
        assert measurements.put(connection, plant.id, again, "api") == Stored(2, 2)
        assert measurements.read(connection, plant.id).wh.tolist() == [1, 2, 30, 40]
        assert measurements.count_by_origin(connection, plant.id) == {"upload": 2, "api": 2}
        assert measurements.summary(connection, plant.id).wh == 73


def test_two_writers_of_one_month_lose_nothing(database_url: str) -> None:
    plant = made_plant()
    with writing(database_url) as connection:
        store.add(connection, plant)

    def write(number: int) -> None:
        with writing(database_url) as connection:
            measurements.put(connection, plant.id, hours_from(NEW_YEAR + timedelta(days=number), [number] * 24), "api")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with writing(database_url) as connection:
        assert measurements.summary(connection, plant.id)[:2] == (96, 24 * (1 + 2 + 3 + 4))


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.dictionaries(st.integers(0, 3000), st.integers(0, 10_000), min_size=1, max_size=80))
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_what_is_stored_is_read(database_url: str, values: dict[int, int]) -> None:
    plant, first = made_plant(), int(NEW_YEAR.timestamp())
    hours = np.array(sorted(values), np.int64)
    sent = Hours(first + HOUR_S * hours, np.array([values[hour] for hour in sorted(values)], np.float64))
    with writing(database_url) as connection:
        store.add(connection, plant)
        measurements.put(connection, plant.id, sent, "upload")
        found = measurements.read(connection, plant.id)
    assert found.starts.tolist() == sent.starts.tolist()
    assert found.wh.tolist() == sent.wh.tolist()
    packed = measurements.unpack(measurements.pack(sent))
    assert (packed.starts.tolist(), packed.wh.tolist()) == (sent.starts.tolist(), sent.wh.tolist())
