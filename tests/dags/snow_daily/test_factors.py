"""What the snow of a morning leaves of production."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest

from catalog.verify import verify
from catalog.versions import read_index
from dags.build.borders import municipality
from dags.build.snow import snow_factors
from kernels.snow.cover import SnowWeather, cover
from kernels.snow.panel import Panel
from tests.support.snow_authority import Days, FakeAuthority, no_snow, snowy
from tests.support.snow_morning import CLOCK, day, factors, said_of
from tests.support.tmy import OSLO_CELL
from tiles.clock import Clock
from tiles.grid import NORWAY3KM
from tiles.products.snow_factors import GEOMETRIES
from tiles.store import Store


def test_bare_ground_leaves_all_and_snow_takes_some(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.values = lambda days, point: (snowy if point[0] > 200_000 else no_snow)(days, point)
    build()
    made = factors(store)
    assert made.municipality.values.tolist() == [301, 4601]
    assert (made.factor.sel(municipality=4601) == 1).all()
    assert (made.factor.sel(municipality=301) < 0.5).all()
    told = said_of(store, "snow_factors", "2026-11-23")
    assert [row[:2] + row[5:] for row in told["municipalities"]] == [[301, "Oslo", 1], [4601, "Bergen", 2]]
    lat, lon = NORWAY3KM.centre(OSLO_CELL)
    assert told["municipalities"][0][2:5] == [pytest.approx(lat, abs=1e-4), pytest.approx(lon, abs=1e-4), 120]
    assert told["geometries"][:5] == [[10, 0], [10, 90], [10, 180], [10, 270], [20, 0]]
    assert verify(store, "snow_factors", "2026-11-23", report=lambda _: None) == []


def test_factors_are_of_yesterday_and_nine_days_ahead_in_order(store: Store, fake: FakeAuthority, build: Any) -> None:
    def falls_on_the_26th(days: Days, point: Any) -> dict[str, Any]:
        fell = np.where(days == day("2026-11-26"), 20.0, 0.0)
        lies = np.where(days >= day("2026-11-26"), 20.0, 0.0)
        return no_snow(days, point) | {
            "swe": lies, "snow_depth": 8 * lies, "new_snow": fell, "new_snow_depth": 8 * fell, "temp_air": fell - 25,
        }  # fmt: skip

    fake.values = falls_on_the_26th
    build()
    told = said_of(store, "snow_factors", "2026-11-23")["days"]
    assert told == [str(date(2026, 11, 22) + timedelta(days=n)) for n in range(10)]
    factor = factors(store).factor.sel(municipality=301)
    south_30 = factor.values[10]
    assert (south_30[:4] == 1).all()
    assert (south_30[4:] < 0.3).all()
    steep, flat = factor.values[18], factor.values[2]
    assert (steep >= flat).all()


@pytest.mark.parametrize("origin", ["live", "simulated"])
def test_factors_are_simulated_if_any_input_is(store: Store, fake: FakeAuthority, build: Any, origin: str) -> None:
    fake.data_origin = origin
    build()
    told = said_of(store, "snow_factors", "2026-11-23")
    assert told["data_origin"] == origin  # the borders are real ones
    assert [source["name"] for source in told["sources"]] == ["nve_gts", "kartverket"]
    assert ("NLOD" in told["licence"]) == (origin == "live")
    outlook_entry = read_index(store, "snow_outlook").entries[-1]
    assert outlook_entry.data_origin == origin


def test_factors_are_simulated_if_the_borders_are(
    store: Store, fake: FakeAuthority, build: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = municipality.read
    monkeypatch.setattr(municipality, "read", lambda *given: replace(real(*given), data_origin="simulated"))
    fake.data_origin = "live"
    build()
    assert said_of(store, "snow_outlook", "2026-11-23")["data_origin"] == "live"
    assert said_of(store, "snow_factors", "2026-11-23")["data_origin"] == "simulated"


def test_factors_are_of_roofs_in_the_light_of_their_own_plane() -> None:
    days = np.arange(20_000, 20_040)
    fell = np.where(np.arange(40) % 9 == 2, 12.0, 0.0)
    weather = SnowWeather(fell, 8 * fell, np.full(40, 200.0), np.where(np.arange(40) % 9 < 5, -6.0, 1.5))
    light = np.linspace(5.0, 400.0, 24)[:, None, None] * np.linspace(0.0, 1.0, 24)[None, None, :] * np.ones((24, 12, 1))
    made = snow_factors.factors(days, [weather], light, 10.0)

    def left(plane: int, mounting: str, of: int) -> Any:
        tilt = float(GEOMETRIES[plane][0])
        return 1 - cover(days, weather, light[of], Panel(tilt, mounting=mounting), 10.0).loss

    for plane in range(len(GEOMETRIES)):
        np.testing.assert_allclose(made[plane], left(plane, "roof", plane), atol=1e-9)
    assert any(not np.allclose(made[p], left(p, "rack", p)) for p in range(24))
    assert any(not np.allclose(made[p], left(p, "roof", 0)) for p in range(24))


def test_days_without_data_have_no_factor() -> None:
    weather = SnowWeather(*(np.array([0.0, np.nan, 0.0]) for _ in range(4)))
    other = SnowWeather(*(np.array([0.0, np.nan, np.nan]) for _ in range(4)))
    made = snow_factors.factors(np.arange(20_000, 20_003), [weather, other], np.full((24, 12, 24), 100.0), 10.0)
    assert made.shape == (24, 3)
    assert np.isnan(made[:, 1]).all()
    np.testing.assert_array_equal(made[:, [0, 2]], 1.0)


def test_reference_cells_are_low_lie_on_land_and_are_spread(store: Store) -> None:
    from dags.build.cells import land_share
    from dags.build.climate import normals as climate

    entry = read_index(store, "municipality").entries[-1]
    by_cell = municipality.read(store, entry)
    share = land_share(store, Clock.parse(CLOCK))
    found = snow_factors.reference_cells(by_cell.number, share)
    assert list(found) == sorted(by_cell.names)
    lat, lon = NORWAY3KM.positions
    height = climate.altitude(lat, lon)
    for number in (301, 4601, 4620, 5501, 3420):
        cells, of_it = found[number], by_cell.number == number
        assert 1 <= len(set(cells)) == len(cells) <= 9
        assert all(of_it[cell] and share[cell] >= 0.5 for cell in cells)
        highest = max(height[cell] for cell in cells)
        of_land = height[of_it & (share >= 0.5)]
        assert np.count_nonzero(of_land <= highest) >= of_land.size / 3 * 0.5
        assert highest <= np.sort(of_land)[-(-of_land.size // 3) - 1]
    spread = np.array(found[4620])
    assert np.ptp(spread, axis=0).max() >= 3
