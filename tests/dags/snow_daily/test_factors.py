"""What the snow of a morning leaves of production."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest

from catalog.versions import read_index
from dags.build.borders import municipality
from dags.build.cells import land_share
from dags.build.climate import normals
from dags.build.snow import snow_factors
from tests.support.snow_authority import Days, FakeAuthority, day, no_snow, said_of, snowy
from tests.support.snow_morning import CLOCK, factors
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
    oslo, walls = made.factor.sel(municipality=301).values, np.array([tilt == 90 for tilt, _ in GEOMETRIES])
    assert (oslo[~walls] < 0.5).all()
    assert (oslo[walls] == 1).all()
    told = said_of(store, "snow_factors", "2026-11-23")
    assert [row[:2] + row[5:] for row in told["municipalities"]] == [[301, "Oslo", 1], [4601, "Bergen", 2]]
    lat, lon = NORWAY3KM.centre(OSLO_CELL)
    assert told["municipalities"][0][2:5] == [pytest.approx(lat, abs=1e-4), pytest.approx(lon, abs=1e-4), 120]
    assert told["geometries"][:5] == [[10, 0], [10, 90], [10, 180], [10, 270], [20, 0]]


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


@pytest.mark.parametrize(
    ("before", "origin", "borders", "factors_are"),
    [
        (None, "live", "live", "live"),
        (None, "simulated", "live", "simulated"),
        (None, "live", "simulated", "simulated"),
        ("simulated", "live", "live", "simulated"),
    ],
)
def test_factors_are_simulated_if_any_input_is(
    store: Store, fake: FakeAuthority, build: Any, monkeypatch: pytest.MonkeyPatch,
    before: str | None, origin: str, borders: str, factors_are: str,
) -> None:  # fmt: skip
    """The morning before is an input too: its observations are taken over."""
    real = municipality.read
    monkeypatch.setattr(municipality, "read", lambda *given: replace(real(*given), data_origin=borders))
    if before:
        fake.data_origin = before
        build("2026-11-22")
    fake.data_origin = origin
    build()
    told = said_of(store, "snow_factors", "2026-11-23")
    assert told["data_origin"] == factors_are
    assert [source["name"] for source in told["sources"]] == ["nve_gts", "kartverket"]
    assert ("NLOD" in told["licence"]) == (factors_are == "live" or borders == "simulated")
    assert said_of(store, "snow_outlook", "2026-11-23")["data_origin"] == (before or origin)


def test_reference_cells_are_low_lie_on_land_and_are_spread(store: Store) -> None:
    by_cell = municipality.read(store, read_index(store, "municipality").entries[-1])
    share = land_share(store, Clock.parse(CLOCK))
    found = snow_factors.reference_cells(by_cell.number, share)
    assert list(found) == sorted(by_cell.names)
    height = normals.altitude(*NORWAY3KM.positions)
    for number in (301, 4601, 4620, 5501, 3420):
        cells, of_it = found[number], by_cell.number == number
        assert 1 <= len(set(cells)) == len(cells) <= 9
        assert all(of_it[cell] and share[cell] >= 0.5 for cell in cells)
        of_land = np.sort(height[of_it & (share >= 0.5)])
        assert max(height[cell] for cell in cells) <= of_land[-(-of_land.size // 3) - 1], "of its lowest third"
    assert np.ptp(np.array(found[4620]), axis=0).max() >= 3
