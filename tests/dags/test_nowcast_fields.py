"""What was seen, carried to the moments of an hour: in the right direction, from the nearest image, to the edges."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from catalog.sources import geostationary
from catalog.sources.meteosat import Image
from dags.build.forecast.nowcast_fields import Carried, Hours, Sky
from dags.build.forecast.nowcast_motion import Motion
from tiles.grid import RegularGrid

NOMINAL = datetime(2026, 6, 21, 10, 15, tzinfo=UTC)
STEP = 0.1
LATS, LONS = np.arange(55, 70, STEP), np.arange(0, 30, STEP)
GRID = RegularGrid(lat0=60.0, lon0=10.0, step=0.25, n_lat=12, n_lon=24)
EAST, NORTH = 0.5 / 3600, -0.2 / 3600  # degrees a second
MOTION = Motion(
    np.full((LATS.size, LONS.size), NORTH / STEP, np.float32),
    np.full((LATS.size, LONS.size), EAST / STEP, np.float32),
    3,
)
STILL = Motion(np.zeros_like(MOTION.row_speed), np.zeros_like(MOTION.row_speed), 0)


def pattern(lat, lon, moment):
    """A wave that travels with the motion; moments count from the nominal time."""
    since = moment - NOMINAL.timestamp()
    return 0.6 + 0.3 * np.sin(3 * (lon - EAST * since)) * np.cos(2 * (lat - NORTH * since))


def sky(minutes_before=0, values=pattern):
    nominal = NOMINAL - timedelta(minutes=minutes_before)
    scanned = nominal.timestamp() + geostationary.scanned_after_s(LATS, 15.0)
    index = np.broadcast_to(values(LATS[:, None], LONS, scanned[:, None]), (LATS.size, LONS.size))
    seen = np.ones(index.shape, bool)
    image = Image(nominal, scanned, LATS, LONS, index.astype(np.float32), seen, {"url": "x"}, "simulated")
    return Sky(image, index.astype(np.float32))


def even(value):
    return lambda lat, lon, moment: np.full((LATS.size, LONS.size), value)


@pytest.mark.parametrize("hours", [-0.1, 0.2, 1.0, 2.0, 3.5])
def test_a_travelling_sky_is_where_it_must_be(hours):
    """The rows of an image are scanned within half a minute of each other, each counts from its own moment."""
    moment = NOMINAL.timestamp() + 715 + hours * 3600
    index = Carried([sky()], MOTION, GRID).index_at(moment)
    np.testing.assert_allclose(index, pattern(*np.meshgrid(*GRID.axes, indexing="ij"), moment), atol=0.006)


def test_each_moment_is_of_the_image_seen_nearest_to_it():
    skies = [sky(30, even(0.2)), sky(15, even(0.4)), sky(0, even(0.6))]
    carried = Carried(skies, MOTION, GRID)
    seen_at = NOMINAL.timestamp() + 717
    for minutes, expected in ((-60, 0.2), (-23, 0.2), (-22, 0.4), (-8, 0.4), (-7, 0.6), (0, 0.6), (180, 0.6)):
        np.testing.assert_allclose(carried.index_at(seen_at + minutes * 60), expected, atol=1e-6)


def test_an_hour_that_has_begun_is_partly_what_was_seen():
    """Of the hour from ten: its first quarter is nearest to what was seen at 10:12, the others to 10:27."""
    skies = [sky(30, even(0.2)), sky(15, even(0.4)), sky(0, even(0.6))]
    hour = Hours(Carried(skies, STILL, GRID), GRID, NOMINAL).hour(int(NOMINAL.timestamp()) - 900)
    np.testing.assert_allclose(hour.satellite / hour.clearsky, (0.4 + 0.6 + 0.6 + 0.6) / 4, atol=0.005)


def test_what_comes_from_beyond_the_image_is_not_known():
    near_edge = RegularGrid(lat0=60.0, lon0=0.5, step=0.25, n_lat=4, n_lon=8)
    carried = Carried([sky()], MOTION, near_edge)
    index = carried.index_at(NOMINAL.timestamp() + 715 + 2 * 3600)
    lons = near_edge.lons
    assert np.isnan(index[:, lons < 0.9]).all(), "a degree further west two hours before"
    assert np.isfinite(index[:, lons > 1.1]).all()
    outside = Carried([sky()], MOTION, RegularGrid(lat0=71.0, lon0=10.0, step=0.25, n_lat=2, n_lon=2))
    assert np.isnan(outside.index_at(NOMINAL.timestamp() + 715)).all()
