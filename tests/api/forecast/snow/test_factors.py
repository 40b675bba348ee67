"""Which municipality, plane and day answer: against rules written out by hand."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.forecast.snow.factors import Factors, open_factors
from tests.support.snow_factors import ALL, DAYS, OSLO, made_up, publish_factors
from tiles.chunked import ChunkedTile
from tiles.grid import distance_km
from tiles.products.registry import product
from tiles.products.snow_factors import GEOMETRIES
from tiles.store import open_store


def opened(folder: Path, **made: object) -> Factors:
    """Publish, and open as the API does."""
    store = open_store(str(folder))
    entry = publish_factors(store, **made)  # type: ignore[arg-type]
    return open_factors(entry, ChunkedTile(store, product("snow_factors"), entry.manifest))


@pytest.fixture(scope="module")
def factors(tmp_path_factory: pytest.TempPathFactory) -> Factors:
    return opened(tmp_path_factory.mktemp("factors"))


@given(lat=st.floats(57, 72), lon=st.floats(4, 32))
@settings(max_examples=200, deadline=None)
def test_the_nearest_is_the_nearest_by_true_distance(factors: Factors, lat: float, lon: float) -> None:
    away = [distance_km(lat, lon, *one[2:]) for one in ALL]
    near = factors.near(lat, lon)
    assert near.km == away[near.row] <= min(away) + 1e-6
    assert near.within_reach == (near.km <= 60)


@pytest.mark.parametrize(
    ("plane", "nearest"),
    [
        ((30, 180), (30, 180)),
        ((30, 350), (30, 0)),
        ((30, 360), (30, 0)),
        ((30, 314), (30, 270)),
        ((30, 316), (30, 0)),
        ((38, 100), (45, 90)),
        ((90, 225.1), (90, 270)),
        # a plane between two takes the first
        ((15, 180), (10, 180)),
        ((30, 45), (30, 0)),
        # tilt comes first: the azimuth of the other tilt would be nearer, were there any
        ((24, 224), (20, 180)),
    ],
)
def test_the_nearest_plane(factors: Factors, plane: tuple[float, float], nearest: tuple[int, int]) -> None:
    [number] = factors.geometries_of(np.array([plane], np.float64))
    assert factors.geometries[number] == nearest


def test_a_day_begins_at_six(factors: Factors) -> None:
    start = datetime(2026, 5, 29, tzinfo=UTC)
    hours = [start + timedelta(hours=hour) for hour in range(24 * 13)]
    found = factors.day_of(np.array([int(hour.timestamp()) for hour in hours]))
    for hour, day in zip(hours, found.tolist(), strict=True):
        belongs = (hour - timedelta(hours=6)).date()
        inside = date(2026, 5, 30) <= belongs <= date(2026, 6, 8)
        assert (factors.dates[day] if day < DAYS else None) == (belongs.isoformat() if inside else None), hour


def test_who_knows_nothing_is_not_there(tmp_path: Path) -> None:
    table = made_up(3)
    table[0], table[1, :, 2] = np.nan, np.nan
    factors = opened(tmp_path, table=table)
    assert [one.name for one in factors.municipalities] == ["Bergen", "Trondheim"]
    assert factors.near(*OSLO[2:]).km > 280
    assert np.flatnonzero(~factors.known[0]).tolist() == [2, DAYS]
    assert factors.known[1, :DAYS].all()
    assert (factors.table[0, :, 2] == 1).all()
    assert np.allclose(factors.table[0, :, 3:DAYS], table[1, :, 3:])
    assert factors.table.shape == (2, len(GEOMETRIES), DAYS + 1)


@pytest.mark.parametrize(
    "told",
    [
        {"days": []},
        {"sources": []},
        {"days": ["2026-05-30", *[f"2026-06-0{day}" for day in range(1, 10)]]},
        {"municipalities": [[*OSLO, 1.0, 9]]},
        {"geometries": [[10, 0]]},
    ],
)
def test_a_version_that_does_not_say_what_it_holds_is_not_opened(tmp_path: Path, told: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="build it anew"):
        opened(tmp_path, told=told)
