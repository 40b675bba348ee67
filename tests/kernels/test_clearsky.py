"""The clear-sky kernel against pvlib's Ineichen at 5-minute middles."""

import numpy as np
import pandas as pd
import pvlib
import pytest

from kernels import clearsky, sun

# Polar night and midnight sun, sun along the horizon, high and turbid places.
PLACES = [
    (57.0, 4.0, 0.0, 3.0),
    (60.60, 7.50, 1250.0, 2.2),
    (63.0, 10.0, 2400.0, 6.0),
    (69.65, 18.96, 10.0, 2.5),
    (72.0, 32.0, 300.0, 5.0),
]
Place = tuple[float, float, float, float]


def reference(
    lat: float, lon: float, altitude: float, linke: float, hours: pd.DatetimeIndex
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of 12 five-minute middles: GHI, mean sine while the sun is up, and highest true elevation in degrees."""
    seconds = np.add.outer(hours.as_unit("s").asi8, np.arange(150, 3600, 300)).ravel()
    middles = pd.to_datetime(seconds, unit="s", utc=True)
    pressure = pvlib.atmosphere.alt2pres(altitude)
    spa = pvlib.solarposition.get_solarposition(middles, lat, lon, altitude=altitude, pressure=pressure)
    relative = pvlib.atmosphere.get_relative_airmass(spa["apparent_zenith"], "kastenyoung1989")
    mass = pvlib.atmosphere.get_absolute_airmass(relative, pressure)
    e0 = pvlib.irradiance.get_extra_radiation(middles, method="nrel")
    sky = {"altitude": altitude, "dni_extra": e0, "perez_enhancement": False}
    clear = pvlib.clearsky.ineichen(spa["apparent_zenith"], mass, linke, **sky)["ghi"]
    ghi, elevation, highest = (
        values.to_numpy().reshape(-1, 12) for values in (clear, spa["apparent_elevation"], spa["elevation"])
    )
    sine = np.maximum(np.sin(np.deg2rad(elevation)), 0)
    return ghi.mean(1), sine.sum(1) / np.maximum((sine > 0).sum(1), 1), highest.max(1)


def every_hour(place: Place, hours: pd.DatetimeIndex) -> tuple[np.ndarray, np.ndarray]:
    cell = clearsky.prepare([place[0]], [place[1]], *place[2:])
    ghi, sine = np.full((2, len(hours), 1), np.nan, np.float32)
    for i, start in enumerate(hours.as_unit("s").asi8):
        clearsky.hour_mean(cell, int(start), ghi[i], sine[i], 4)
    return ghi[:, 0], sine[:, 0]


@pytest.mark.parametrize("place", PLACES)
def test_hour_means_agree_with_pvlib_through_the_year(place: Place) -> None:
    hours = pd.date_range("2026-01-01", "2026-12-31 23:00", freq="1h", tz="UTC")[::13]
    expected_ghi, expected_sine, highest = reference(*place, hours)
    ghi, sine = every_hour(place, hours)
    assert np.abs(ghi - expected_ghi).max() < 0.7
    assert (ghi[highest < -1] == 0).all()
    assert (sine[highest < -1] == 0).all()
    assert (ghi >= 0).all()
    # In an hour of sunrise or sunset the sunlit part is only sampled; elsewhere the mean is sharp.
    error = np.rad2deg(np.abs(sine - expected_sine))
    assert error[expected_ghi > 0].max() < 0.6
    assert error[expected_ghi > 60].max() < 0.05


def test_sun_just_below_the_horizon_gives_next_to_nothing() -> None:
    """A centre 0.4 degrees below the horizon is seen by refraction."""
    noon = pd.DatetimeIndex(["2026-12-21T10:00Z"])
    assert -0.56 < sun.elevation(66.9, 15.0, noon.as_unit("s").asi8 + 1800)[0] < 0
    ghi, sine = every_hour((66.9, 15.0, 0, 3), noon)
    assert 0 < ghi[0] < 0.5
    assert 0 < sine[0] < np.sin(np.deg2rad(0.6))


def test_any_split_into_parts_gives_the_same_bits() -> None:
    rng = np.random.default_rng(5)
    cells = clearsky.prepare(*rng.uniform((57, 4, 0, 2), (72, 32, 2000, 6), (999, 4)).T)
    whole, parts = np.empty((2, 999), np.float32), np.empty((2, 999), np.float32)
    start = int(pd.Timestamp("2026-02-20T06:00Z").timestamp())
    clearsky.hour_mean(cells, start, whole[0], whole[1])
    for a, b in ((0, 1), (1, 700), (700, 999)):
        clearsky.hour_mean(cells.part(a, b), start, parts[0, a:b], parts[1, a:b])
    np.testing.assert_array_equal(whole, parts)
    assert 0 < (whole[0] > 0).sum() < 999


@pytest.mark.parametrize(
    "wrong",
    [
        {"altitude": np.nan},
        {"linke_turbidity": 0.0},
        {"lat": [np.inf]},
    ],
)
def test_missing_or_absurd_places_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="must be"):
        clearsky.prepare(**({"lat": [60.0], "lon": [10.0], "altitude": 0.0, "linke_turbidity": 3.0} | wrong))


def test_output_of_the_wrong_size_is_refused() -> None:
    cells = clearsky.prepare([60.0, 61.0], [10.0, 10.0], 0.0, 3.0)
    with pytest.raises(ValueError, match="out_ghi has shape"):
        clearsky.hour_mean(cells, 0, np.empty(1, np.float32), np.empty(2, np.float32))
