"""The history of snow, every day since 1957: what a year adds, what is left out; and the albedo made of it."""

from datetime import UTC, date, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import catalog
from catalog.versions import read_index
from dags.areas import Area
from dags.build.snow import albedo, snow_history
from dags.build.snow.yearly import last_day
from tests.support.archive import publish_land
from tests.support.context import context_of
from tests.support.snow_authority import URL, Days, FakeAuthority, day, no_snow, nothing, said_of
from tests.support.tmy import OSLO_CELL
from tiles.grid import NORWAY3KM
from tiles.store import Store

OSLO_AREA = Area("Oslo", *NORWAY3KM.centre((OSLO_CELL[0], OSLO_CELL[1] + 1)), side_km=6.0)
"""Nine cells of one block."""
FIRST = date(1957, 9, 1)


def years(days: Days, point: Any) -> dict[str, Any]:
    """Snow that tells its day and its place."""
    tells = (days - days.min() * 0) % 5000 + point[0] % 7
    return no_snow(days, point) | {"swe": tells, "snow_depth": 2 * tells, "temp_air": days % 400 / 10}


@pytest.fixture
def store(store: Store) -> Store:
    publish_land(store)
    return store


@pytest.fixture
def fake(fake: FakeAuthority, monkeypatch: pytest.MonkeyPatch) -> FakeAuthority:
    monkeypatch.setattr(snow_history, "land_of", lambda _: np.ones((1550, 1195)))
    fake.values = years
    return fake


def build(store: Store, *, year: int = 2026, run: str = "a run") -> list[str]:
    said: list[str] = []
    clock, addresses = f"{year}-10-15T02:00:00Z!", {"nve_gts": URL, "kartverket": "http://borders"}
    snow_history.build(context_of(store, clock, (OSLO_AREA,), run=run, addresses=addresses, report=said.append))
    return said


def opened(store: Store, version: str = "1957-2026") -> Any:
    return catalog.open("snow_history", version=version, store=store.url)


def oslo_of(store: Store, version: str = "1957-2026") -> Any:
    return opened(store, version).swe.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]).values


def middle_of(cell: Any) -> tuple[float, float]:
    return NORWAY3KM.x0 + 3000 * cell[1] + 1500, NORWAY3KM.y0 + 3000 * cell[0] + 1500


def expected(last: str = "2026-08-31", point: Any = None) -> Any:
    days = np.arange(day("1957-09-01"), day(last) + 1)
    return years(days, point or middle_of(OSLO_CELL))["swe"]


@pytest.mark.parametrize(
    ("now", "last"),
    [
        ("2026-09-01T05:59", 2025),
        ("2026-09-01T06:00", 2026),
    ],
)
def test_the_last_31_august_is_observed_on_the_morning_after(now: str, last: int) -> None:
    assert last_day(datetime.fromisoformat(now).replace(tzinfo=UTC)) == date(last, 8, 31)


def test_every_day_since_1957_of_every_cell_that_has_data_with_its_gaps(store: Store, fake: FakeAuthority) -> None:
    beside = (OSLO_CELL[0], OSLO_CELL[1] + 1)

    def gappy(days: Days, point: Any) -> dict[str, Any]:
        values = nothing(days, point) if point == middle_of(beside) else years(days, point)
        return values | {"swe": np.where(days % 100 == 0, np.nan, values["swe"])}

    fake.values = gappy
    said = build(store)
    assert fake.asked_days() == {(FIRST, date(2026, 8, 31))}
    data = opened(store)
    days = data.time.values.astype("datetime64[D]").astype(str)
    assert (days.size, days[0], days[-1]) == (25_202, "1957-09-01", "2026-08-31")
    assert np.count_nonzero(np.isfinite(data.snow_depth.isel(time=0).values)) == 8
    assert np.isnan(data.snow_row.values[beside])
    oslo = data.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]).load()
    gaps = np.isnan(oslo.swe.values)
    assert np.count_nonzero(gaps) == 252
    np.testing.assert_allclose(oslo.swe.values[~gaps], expected()[~gaps])
    assert (float(oslo.altitude), float(oslo.snow_row), float(oslo.snow_column)) == (120, 199, 337)
    entry = read_index(store, "snow_history").entries[-1]
    assert (entry.data_origin, entry.source) == ("simulated", "nve_gts")
    assert any("9 cells; 0 requests to nve_gts" in line for line in said)


def test_days_of_another_snow_cell_are_not_taken_over(store: Store, fake: FakeAuthority, monkeypatch: Any) -> None:
    build(store, year=2025)
    fake.forget()
    morning = SimpleNamespace(snow_cells=lambda _: {OSLO_CELL: (200, 338)})
    known = snow_history.Days.named.func
    monkeypatch.setattr(snow_history.Days, "named", property(lambda maker: [*known(maker), morning]))
    build(store)
    point = (int(NORWAY3KM.x0) + 338_500, int(NORWAY3KM.y0) + 200_500)
    assert [call.points for call in fake.calls if call.first == FIRST] == [(point,)]
    assert int(opened(store).snow_row.values[OSLO_CELL]) == 200
    np.testing.assert_allclose(oslo_of(store), expected(point=point))


def lying(depth_mm: int) -> Any:
    """An authority in whose history snow lies in every January, and before 1991 always."""

    def values(days: Days, point: Any) -> dict[str, Any]:
        january = days.astype("datetime64[D]").astype("datetime64[M]").astype(int) % 12 == 0
        return no_snow(days, point) | {"snow_depth": np.where(january | (days < day("1991-01-01")), depth_mm, 0.0)}

    return values


@pytest.mark.parametrize(
    ("depth_mm", "january"), [(300, 0.6), pytest.param(10, 0.2, id="a centimetre is no snow", marks=pytest.mark.slow)]
)
def test_albedo_is_bright_in_months_with_snow_and_years_before_1991_do_not_count(
    store: Store, fake: FakeAuthority, depth_mm: int, january: float
) -> None:
    fake.values = lying(depth_mm)
    build(store)
    entry = albedo.build(context_of(store, "2026-11-24T00:00:00Z!"))
    assert (entry.version, entry.data_origin, entry.source) == ("1957-2026", "simulated", "nve_gts")
    found = catalog.open("albedo", store=store.url).albedo.load()
    np.testing.assert_allclose(found[:, OSLO_CELL[0], OSLO_CELL[1]], [january] + [0.2] * 11, atol=1e-4)
    assert int(np.isfinite(found.values).any(axis=0).sum()) == 9
    assert "share of days" in said_of(store, "albedo", "1957-2026")["method"]


def test_albedo_without_a_history_of_snow_says_what_to_build(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="solflis build snow_history"):
        albedo.build(context_of(tmp_path / "empty"))
