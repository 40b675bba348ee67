"""The synthetic truth is one function of place and time, and physically sane."""

from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pvlib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infra.simulator import relief
from infra.simulator.weather import true_hour_mean_ghi, truth

OSLO, BERGEN, TROMSO, FINSE = (59.91, 10.75), (60.39, 5.32), (69.65, 18.96), (60.60, 7.50)
PLACES = np.array([OSLO, BERGEN, TROMSO, FINSE])


def unix(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def hours(first: str, n: int) -> np.ndarray:
    return unix(first) + 3600 * np.arange(n)


@pytest.fixture(scope="module")
def year() -> dict[str, np.ndarray]:
    """Every hour of 2021 at the four places."""
    return truth(PLACES[:, 0], PLACES[:, 1], hours("2021-01-01", 8760))


@settings(max_examples=25)
@given(
    lat=st.floats(50, 72),
    lon=st.floats(0, 42),
    time=st.integers(unix("1990-01-01"), unix("2050-12-31")),
)
def test_any_place_and_date_is_sane(lat: float, lon: float, time: int) -> None:
    weather = truth(lat, lon, time + np.arange(0, 86400, 7200))
    for name, values in weather.items():
        assert values.shape == (12,), name
        assert values.dtype == np.float32, name
        assert np.isfinite(values).all(), name
    assert ((weather["cloud"] >= 0) & (weather["cloud"] <= 1)).all()
    assert (weather["ghi"] >= 0).all()
    assert (weather["ghi"] <= weather["ghi_clear"]).all()
    assert (weather["ghi_clear"] < 1100).all()
    assert ((weather["temp_air"] > -40) & (weather["temp_air"] < 40)).all()
    assert ((weather["wind_speed"] >= 0) & (weather["wind_speed"] < 40)).all()
    assert ((weather["relative_humidity"] > 0.1) & (weather["relative_humidity"] <= 1)).all()
    speed = np.hypot(weather["wind_east"], weather["wind_north"])
    np.testing.assert_allclose(speed, weather["wind_speed"], rtol=1e-5)


def test_a_place_does_not_depend_on_its_company() -> None:
    lat, lon = np.meshgrid(np.linspace(57, 72, 90), np.linspace(4, 32, 70), indexing="ij")
    times = hours("2015-08-24T05:00", 3)
    grid = truth(lat, lon, times)
    assert grid["ghi"].shape == (3, 90, 70)
    for i, j in ((0, 0), (44, 33), (89, 69)):
        point = truth(lat[i, j], lon[i, j], int(times[1]))
        for name, values in grid.items():
            np.testing.assert_allclose(values[1, i, j], point[name][0], rtol=1e-3, atol=2e-3, err_msg=name)


def test_clear_sky_is_pvlibs_own(year: dict[str, np.ndarray]) -> None:
    times = pd.to_datetime(hours("2021-01-01", 8760), unit="s", utc=True)
    lat, lon = OSLO
    altitude = float(relief.ground(np.array([lat]), np.array([lon])).altitude[0])
    sky = pvlib.location.Location(lat, lon, altitude=altitude).get_clearsky(times)["ghi"].to_numpy()
    ours = year["ghi_clear"][:, 0]
    assert abs(ours.sum() / sky.sum() - 1) < 0.01
    assert np.abs(ours - sky).max() < 12


def test_hour_means_are_means_of_the_hour() -> None:
    starts = hours("2015-03-21T05:00", 14)
    fine = truth(*BERGEN, (starts[:, None] + np.arange(30, 3600, 60)).ravel())["ghi"].reshape(14, 60).mean(axis=1)
    means = true_hour_mean_ghi(*BERGEN, starts)
    np.testing.assert_allclose(means, fine, rtol=0.03, atol=2)


@pytest.mark.parametrize(("lat", "lon"), [(44.9, 10.0), (60.0, 71.0), (float("nan"), 10.0)])
def test_outside_the_maps_is_refused(lat: float, lon: float) -> None:
    with pytest.raises(ValueError, match="covers 45-82 N"):
        truth(lat, lon, 0)
