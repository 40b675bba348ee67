"""Grids: a position finds its cell, a cell its centre, and the nearest cell is the nearest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiles.grid import (
    FORECAST,
    HORIZON,
    NORWAY3KM,
    SENORGE1KM,
    TERRAIN10,
    TERRAIN50,
    TERRAIN250,
    OutsideGrid,
    RegularGrid,
    UtmGrid,
    distance_km,
)

GRIDS = {
    "forecast": FORECAST,
    "norway3km": NORWAY3KM,
    "senorge1km": SENORGE1KM,
    "horizon": HORIZON,
    "terrain10": TERRAIN10,
}
lats, lons = st.floats(57, 72), st.floats(4, 32)


@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)
@given(data=st.data())
def test_the_centre_of_a_cell_lies_in_that_cell(grid, data):
    cell = (data.draw(st.integers(0, grid.shape[0] - 1)), data.draw(st.integers(0, grid.shape[1] - 1)))
    assert grid.cell_at(*grid.centre(cell)) == cell


@given(lats, lons)
def test_every_covered_position_has_a_forecast_cell_no_farther_than_its_size(lat, lon):
    i, j = FORECAST.cell_at(lat, lon)
    centre = FORECAST.centre((i, j))
    assert abs(centre[0] - lat) <= 0.015 + 1e-9
    assert abs(centre[1] - lon) <= 0.015 + (1e-9 if lon < 31.99 else 0.01)


def test_known_forecast_cells():
    assert FORECAST.cell_at(57, 4) == (0, 0)
    assert FORECAST.cell_at(72, 32) == (500, 933)
    assert FORECAST.cell_at(59.91, 10.75) == (97, 225)
    assert FORECAST.centre((97, 225)) == (59.91, 10.75)
    with pytest.raises(OutsideGrid):
        FORECAST.cell_at(56.9, 10)


def test_the_snow_grid_is_the_authoritys():
    """Centres are floor(x / 1000) * 1000 + 500 in EPSG:25833 (science.md section 7)."""
    pyproj = pytest.importorskip("pyproj")
    to_utm = pyproj.Transformer.from_crs(4326, 25833, always_xy=True)
    row, col = SENORGE1KM.cell_at(60.6, 7.5)
    x, y = to_utm.transform(7.5, 60.6)
    assert (SENORGE1KM.axes[1][col], SENORGE1KM.axes[0][row]) == (x // 1000 * 1000 + 500, y // 1000 * 1000 + 500)


def test_three_kilometre_cells_hold_whole_snow_cells():
    rows, cols = NORWAY3KM.axes
    snow_rows, snow_cols = SENORGE1KM.axes
    assert rows[0] == snow_rows[:3].mean()
    assert cols[0] == snow_cols[:3].mean()


def test_cells_of_a_terrain_level_hold_five_by_five_of_the_one_before_and_cover_the_same():
    for fine, coarse in ((TERRAIN10, TERRAIN50), (TERRAIN50, TERRAIN250)):
        for fine_axis, coarse_axis in zip(fine.axes, coarse.axes, strict=True):
            np.testing.assert_allclose(fine_axis.reshape(-1, 5).mean(axis=1), coarse_axis)
    assert TERRAIN250.n_y * 250 == HORIZON.n_y * 100
    assert TERRAIN250.n_x * 250 == HORIZON.n_x * 100


SMALL = {
    "degrees": RegularGrid(lat0=69.0, lon0=18.0, step=0.03, n_lat=40, n_lon=50),
    "utm": UtmGrid(x0=600_000, y0=7_700_000, size=3000, n_y=30, n_x=30),
}


@pytest.mark.parametrize("grid", SMALL.values(), ids=SMALL)
@settings(max_examples=60)
@given(data=st.data())
def test_nearest_agrees_with_brute_force(grid, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    mask = rng.random(grid.shape) < data.draw(st.sampled_from([0.005, 0.1, 0.9]))
    middle = grid.centre((grid.shape[0] // 2, grid.shape[1] // 2))
    lat = middle[0] + data.draw(st.floats(-0.4, 0.4))
    lon = middle[1] + data.draw(st.floats(-0.8, 0.8))
    max_km = data.draw(st.sampled_from([0.5, 3.0, 6.0, 30.0]))
    away = {(int(r), int(c)): distance_km(lat, lon, *grid.centre((int(r), int(c)))) for r, c in np.argwhere(mask)}
    best = min(away.values(), default=np.inf)
    found = grid.nearest(lat, lon, mask, max_km)
    if best > max_km:
        assert found is None
    else:
        assert found is not None
        assert found[1] == pytest.approx(best, abs=1e-9)
        assert mask[found[0]]
