"""When a nowcast is due: while an image shows something, at the moment at which it is scanned."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from catalog.sources import geostationary
from catalog.sources.meteosat import STEEPEST_VIEW_DEG
from kernels import sun
from tiles.grid import FORECAST
from tiles.products.nowcast import LOWEST_SUN_DEG, is_daylight

QUARTER = timedelta(minutes=15)


def highest_sun(nominal: datetime) -> float:
    """Degrees above the horizon, over the places that the satellite sees, when its scan passes the south of them."""
    lat, lon = np.meshgrid(*FORECAST.axes, indexing="ij")
    seen = geostationary.zenith(lat, lon) <= STEEPEST_VIEW_DEG
    scanned = nominal.timestamp() + float(geostationary.scanned_after_s(FORECAST.lats[0], 10.0))
    return float(sun.elevation(lat[seen], lon[seen], round(scanned)).max())


@pytest.mark.parametrize("day", ["2026-01-31", "2026-03-02", "2026-06-21"])
def test_the_first_and_the_last_image_of_a_day_are_those_that_show_something(day: str) -> None:
    midnight = datetime.fromisoformat(day).replace(tzinfo=UTC)
    due = [midnight + k * QUARTER for k in range(96) if is_daylight(midnight + k * QUARTER)]
    assert due == [due[0] + k * QUARTER for k in range(len(due))]
    for shown, hidden in ((due[0], due[0] - QUARTER), (due[-1], due[-1] + QUARTER)):
        assert highest_sun(shown) > LOWEST_SUN_DEG > highest_sun(hidden)
