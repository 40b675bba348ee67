"""The synthetic truth is one function of place and time, and physically sane."""

from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pvlib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infra.simulator import relief
from infra.simulator.clearsky import sun_at
from infra.simulator.weather import SUBSTEPS, true_hour_mean_ghi, truth

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


def test_known_values_do_not_drift() -> None:
    """The truth is the same in every process; who changes the weather raises `files._WEATHER_VERSION`."""
    expected = {
        "ghi": 350.49,
        "ghi_clear": 426.99,
        "cloud": 0.50,
        "temp_air": 19.50,
        "wind_speed": 2.37,
        "wind_east": 2.36,
        "wind_north": -0.17,
        "relative_humidity": 0.67,
        "mslp": 1010.06,
    }
    weather = truth(*OSLO, unix("2015-06-23T16:00"))
    assert set(weather) == set(expected)
    for name, value in expected.items():
        assert weather[name].item() == pytest.approx(value, rel=2e-3, abs=0.006), name


def test_night_is_zero(year: dict[str, np.ndarray]) -> None:
    times = pd.to_datetime(hours("2021-01-01", 8760), unit="s", utc=True)
    for place, (lat, lon) in enumerate(PLACES):
        elevation = pvlib.solarposition.get_solarposition(times, lat, lon)["apparent_elevation"].to_numpy()
        assert (year["ghi"][elevation < -0.6, place] == 0).all()
        assert (year["ghi"][elevation > 3, place] > 0).all()


def test_clear_sky_is_pvlibs_own(year: dict[str, np.ndarray]) -> None:
    times = pd.to_datetime(hours("2021-01-01", 8760), unit="s", utc=True)
    lat, lon = OSLO
    altitude = float(relief.ground(np.array([lat]), np.array([lon])).altitude[0])
    sky = pvlib.location.Location(lat, lon, altitude=altitude).get_clearsky(times)["ghi"].to_numpy()
    ours = year["ghi_clear"][:, 0]
    assert abs(ours.sum() / sky.sum() - 1) < 0.01
    assert np.abs(ours - sky).max() < 12


def test_relief_is_pvlibs_altitude_map() -> None:
    lat, lon = (
        np.array([60 + 7 / 24, 61 + 15 / 24]),
        np.array([7 + 11 / 24, 8 + 7 / 24]),
    )  # centres of the map's cells
    expected = [pvlib.location.lookup_altitude(*place) for place in zip(lat, lon, strict=True)]
    np.testing.assert_allclose(relief.ground(lat, lon).altitude, expected, atol=0.1)
    assert min(expected) > 900


def test_hour_means_are_means_of_the_hour() -> None:
    starts = hours("2015-03-21T05:00", 14)
    fine = truth(*BERGEN, (starts[:, None] + np.arange(30, 3600, 60)).ravel())["ghi"].reshape(14, 60).mean(axis=1)
    means = true_hour_mean_ghi(*BERGEN, starts)
    np.testing.assert_allclose(means, fine, rtol=0.03, atol=2)
    assert SUBSTEPS == 6


def test_summer_winter_north_south_height(year: dict[str, np.ndarray]) -> None:
    june, december = slice(151 * 24, 181 * 24), slice(334 * 24, 364 * 24)
    oslo, bergen, tromso, finse = range(4)
    assert (year["ghi"][june].mean(axis=0) > 8 * year["ghi"][december].mean(axis=0)).all()
    assert (year["temp_air"][june].mean(axis=0) > year["temp_air"][december].mean(axis=0) + 5).all()
    assert year["ghi_clear"][:, tromso].sum() < year["ghi_clear"][:, oslo].sum()
    assert year["temp_air"][:, tromso].mean() < year["temp_air"][:, oslo].mean()
    assert year["temp_air"][:, finse].mean() < year["temp_air"][:, bergen].mean() - 4
    assert year["ghi"][:, bergen].sum() < year["ghi"][:, oslo].sum(), "the west coast is cloudier"
    assert (year["ghi"][december, tromso] < 1).all(), "polar night"
    assert 600 < year["ghi"][:, oslo].sum() / 1000 < 1000, "kWh/m2 a year"


def test_sky_is_clear_broken_and_overcast(year: dict[str, np.ndarray]) -> None:
    cloud = year["cloud"]
    assert 0.5 < cloud.mean() < 0.8
    assert (cloud < 0.1).mean() > 0.08
    assert (cloud > 0.95).mean() > 0.2
    # clouds last: the next hour is like this one, three days on is not
    anomaly = cloud[:, 0] - cloud[:, 0].mean()
    alike = [float(np.mean(anomaly[lag:] * anomaly[:-lag]) / anomaly.var()) for lag in (1, 72)]
    assert alike[0] > 0.7
    assert abs(alike[1]) < 0.35


def test_transmission_is_not_the_kernels_cloud_formula(year: dict[str, np.ndarray]) -> None:
    """At one cloud fraction the share let through varies, so that a model of fraction alone errs."""
    lit = year["ghi_clear"] > 100
    share = year["ghi"][lit] / year["ghi_clear"][lit]
    overcast = share[year["cloud"][lit] > 0.99]
    assert np.percentile(overcast, 90) - np.percentile(overcast, 10) > 0.15


def test_turbidity_follows_the_months() -> None:
    noon = truth(*OSLO, [unix(f"2021-{month:02}-15T11:00") for month in range(1, 13)])["ghi_clear"]
    assert noon.argmax() == 5
    assert (np.diff(noon[:6]) > 0).all()


@pytest.mark.parametrize(("lat", "lon"), [(44.9, 10.0), (60.0, 71.0), (float("nan"), 10.0)])
def test_outside_the_maps_is_refused(lat: float, lon: float) -> None:
    with pytest.raises(ValueError, match="covers 45-82 N"):
        truth(lat, lon, 0)


@pytest.mark.parametrize(("apart_s", "within"), [(600.0, 1e-9), (21_600.0, 1e-8)])
def test_the_sun_of_many_moments_is_spas_own(apart_s: float, within: float) -> None:
    """Long series are interpolated between nodes of SPA; short ones are SPA itself."""
    times = unix("2003-12-20") + 1234.0 + apart_s * np.arange(3000)
    many = sun_at(times)
    for at in (0, 1, 1234, 2999):
        one = sun_at(times[at : at + 1])
        assert many.declination[at] == pytest.approx(one.declination[0], abs=within)
        assert many.extra[at] == pytest.approx(one.extra[0], abs=1e-5)
        turn = (many.greenwich[at] - one.greenwich[0]) / (2 * np.pi)
        assert turn == pytest.approx(round(turn), abs=within)
