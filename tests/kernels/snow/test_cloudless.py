"""The cloudless days against pvlib's sky at every five minutes."""

from typing import Any

import numpy as np
import pandas as pd
import pvlib
import pytest
from numpy.typing import NDArray

from kernels.snow.cloudless import cloudless_days

OSLO, TROMSO, VARDO = (59.91, 10.75, 100.0), (69.65, 18.96, 60.0), (70.37, 31.11, 10.0)
TURBIDITY = np.array([2.2, 2.3, 2.7, 3.0, 3.2, 3.4, 3.5, 3.3, 2.9, 2.6, 2.3, 2.2])
PLANES = [(0.0, 180.0), (30.0, 180.0), (45.0, 90.0), (60.0, 270.0), (90.0, 0.0), (90.0, 200.0)]


def pvlib_days(lat: float, lon: float, altitude: float) -> NDArray[np.float64]:
    """Of the middle days of months: Ineichen & Perez, isotropic sky, albedo 0.2; (planes, 12, 24)."""
    place, means = pvlib.location.Location(lat, lon, altitude=altitude), np.empty((len(PLANES), 12, 24))
    for month in range(12):
        day = (pd.Period(f"2001-{month + 1:02d}").days_in_month + 1) // 2
        times = pd.date_range(f"2001-{month + 1:02d}-{day:02d} 00:02:30", periods=288, freq="5min", tz="UTC")
        sun = place.get_solarposition(times, temperature=10)
        sky = place.get_clearsky(times, solar_position=sun, linke_turbidity=TURBIDITY[month])
        for number, plane in enumerate(PLANES):
            angles = *plane, sun["apparent_zenith"], sun["azimuth"]
            poa = pvlib.irradiance.get_total_irradiance(*angles, sky["dni"], sky["ghi"], sky["dhi"], albedo=0.2)
            means[number, month] = poa["poa_global"].fillna(0.0).to_numpy().reshape(24, 12).mean(axis=1)
    return means


@pytest.mark.parametrize("place", [OSLO, TROMSO, VARDO])
def test_it_is_the_sky_of_pvlib(place: tuple[float, float, float]) -> None:
    """Hours within 2 % and 3 W/m2."""
    got, expected = cloudless_days(*place, TURBIDITY, PLANES, 1.0), pvlib_days(*place)
    assert (expected.max(axis=(1, 2)) > 100).all()
    np.testing.assert_allclose(got, expected, rtol=0.02, atol=3.0)


def test_a_share_is_one_of_every_hour_and_planes_do_not_disturb_each_other() -> None:
    together = cloudless_days(*TROMSO, TURBIDITY, PLANES, 0.5)
    alone = [cloudless_days(*TROMSO, TURBIDITY, [plane], 1.0)[0] for plane in PLANES]
    np.testing.assert_allclose(together, np.stack(alone) / 2, rtol=1e-12)


@pytest.mark.parametrize(
    ("place", "turbidity", "planes", "share", "message"),
    [
        (OSLO, TURBIDITY[:4], PLANES, 0.5, "turbidity has shape"),
        (OSLO, TURBIDITY, [30.0, 180.0], 0.5, r"not \(m, 2\)"),
        (OSLO, TURBIDITY, PLANES, 1.1, r"0 to 1, not 1\.1"),
        ((59.91, 10.75, np.nan), TURBIDITY, PLANES, 0.5, "altitude"),
    ],
)
def test_what_is_no_plane_or_place_is_refused(
    place: Any, turbidity: object, planes: object, share: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        cloudless_days(*place, turbidity, planes, share)
