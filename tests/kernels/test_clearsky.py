"""The clear-sky kernel against pvlib's Ineichen at 5-minute middles."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pvlib
import pytest

from kernels import clearsky, sun

# Polar night and midnight sun, sun along the horizon, high and turbid places.
PLACES = [
    (57.0, 4.0, 0.0, 3.0),
    (59.91, 10.75, 100.0, 3.2),
    (60.60, 7.50, 1250.0, 2.2),
    (63.0, 10.0, 2400.0, 6.0),
    (66.56, 15.0, 0.0, 3.0),
    (69.65, 18.96, 10.0, 2.5),
    (72.0, 32.0, 300.0, 5.0),
]
BOUND = 1.0  # W/m2
BOUND_EXACT = 0.7


@dataclass
class Reference:
    """Hours from 12 five-minute middles by pvlib."""

    ghi: np.ndarray  # with pvlib's default E0 (Spencer's series)
    exact: np.ndarray  # with E0 from the SPA's distance
    sine: np.ndarray  # mean of the apparent elevation's sine while it is positive
    highest: np.ndarray  # highest true elevation, degrees


def reference(lat: float, lon: float, altitude: float, linke: float, hours: pd.DatetimeIndex) -> Reference:
    seconds = np.add.outer(hours.as_unit("s").asi8, np.arange(150, 3600, 300)).ravel()
    middles = pd.to_datetime(seconds, unit="s", utc=True)
    pressure = pvlib.atmosphere.alt2pres(altitude)
    spa = pvlib.solarposition.get_solarposition(middles, lat, lon, altitude=altitude, pressure=pressure)
    mass = pvlib.atmosphere.get_absolute_airmass(
        pvlib.atmosphere.get_relative_airmass(spa["apparent_zenith"], "kastenyoung1989"), pressure
    )
    share = pvlib.clearsky.ineichen(
        spa["apparent_zenith"], mass, linke, altitude=altitude, dni_extra=1.0, perez_enhancement=False
    )["ghi"]
    spencer, nrel = (
        (share * pvlib.irradiance.get_extra_radiation(middles, method=method)).to_numpy().reshape(-1, 12).mean(1)
        for method in ("spencer", "nrel")
    )
    sine = np.sin(np.deg2rad(spa["apparent_elevation"].to_numpy().reshape(-1, 12)))
    up = sine > 0
    mean_sine = np.where(up, sine, 0).sum(1) / np.maximum(up.sum(1), 1)
    return Reference(spencer, nrel, mean_sine, spa["elevation"].to_numpy().reshape(-1, 12).max(1))


def every_hour(
    lat: float, lon: float, altitude: float, linke: float, hours: pd.DatetimeIndex, n_sub: int = 4
) -> tuple[np.ndarray, np.ndarray]:
    cell = clearsky.prepare([lat], [lon], altitude, linke)
    ghi, sine = np.full((2, len(hours), 1), np.nan, np.float32)
    for i, start in enumerate(hours.as_unit("s").asi8):
        clearsky.hour_mean(cell, int(start), ghi[i], sine[i], n_sub)
    return ghi[:, 0], sine[:, 0]


@pytest.mark.parametrize(("lat", "lon", "altitude", "linke"), PLACES)
def test_hour_means_agree_with_pvlib_in_every_hour_of_a_year(
    lat: float, lon: float, altitude: float, linke: float
) -> None:
    hours = pd.date_range("2026-01-01", "2026-12-31 23:00", freq="1h", tz="UTC")[::5]
    expected = reference(lat, lon, altitude, linke, hours)
    ghi, sine = every_hour(lat, lon, altitude, linke, hours)
    assert np.abs(ghi - expected.ghi).max() < BOUND
    # Most of that is Spencer's E0; with the true distance of the sun it falls away.
    assert np.abs(ghi - expected.exact).max() < BOUND_EXACT
    assert (ghi[expected.highest < -1] == 0).all()
    assert (sine[expected.highest < -1] == 0).all()
    assert (ghi >= 0).all()
    # In an hour of sunrise or sunset the sunlit part is only sampled; elsewhere the mean is sharp.
    error = np.abs(sine - expected.sine)
    assert error[expected.ghi > 0].max() < np.sin(np.deg2rad(0.6))
    assert error[expected.ghi > 60].max() < np.sin(np.deg2rad(0.05))


def test_polar_night_midnight_sun_and_the_horizon() -> None:
    midwinter = pd.date_range("2026-12-21", periods=24, freq="1h", tz="UTC")
    ghi, sine = every_hour(71.2, 25.8, 0, 3, midwinter)
    assert (ghi == 0).all()
    assert (sine == 0).all()
    midsummer = pd.date_range("2026-06-21", periods=24, freq="1h", tz="UTC")
    ghi, sine = every_hour(71.2, 25.8, 0, 3, midsummer)
    assert (ghi > 10).all()
    # A centre 0.4 degrees below the horizon is seen by refraction, and gives next to nothing.
    noon = pd.DatetimeIndex(["2026-12-21T10:00Z"])
    assert -0.56 < sun.elevation(66.9, 15.0, noon.as_unit("s").asi8 + 1800)[0] < 0
    ghi, sine = every_hour(66.9, 15.0, 0, 3, noon)
    assert 0 < ghi[0] < 0.5
    assert 0 < sine[0] < np.sin(np.deg2rad(0.6))


def test_any_split_into_parts_gives_the_same_bits() -> None:
    rng = np.random.default_rng(5)
    cells = clearsky.prepare(
        rng.uniform(57, 72, 999), rng.uniform(4, 32, 999), rng.uniform(0, 2000, 999), rng.uniform(2, 6, 999)
    )
    whole, parts = np.empty((2, 999), np.float32), np.empty((2, 999), np.float32)
    start = int(pd.Timestamp("2026-02-20T06:00Z").timestamp())
    clearsky.hour_mean(cells, start, whole[0], whole[1])
    for a, b in ((0, 1), (1, 700), (700, 999)):
        clearsky.hour_mean(cells.part(a, b), start, parts[0, a:b], parts[1, a:b])
    assert len(cells.part(1, 700)) == 699
    assert (whole == parts).all()
    assert 0 < (whole[0] > 0).sum() < 999


@pytest.mark.parametrize(
    "wrong",
    [
        {"altitude": np.nan},
        {"altitude": 12_000.0},
        {"linke_turbidity": 0.0},
        {"linke_turbidity": np.nan},
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
