"""Clear-sky production of a plant, against the same chain of pvlib's functions."""

import numpy as np
import pandas as pd
import pvlib
import pytest

from kernels.plants.output import clear_sky_watts, solar_hours, sun_angles, typical_temperature

START = 1_767_225_600  # 2026-01-01
TURBIDITY = np.array([2.2, 2.4, 2.7, 3.0, 3.2, 3.4, 3.5, 3.4, 3.1, 2.8, 2.4, 2.2])
PLANES = np.array([(35, 180, 6.0), (20, 95, 3.0), (90, 250, 2.0)])
PLACES = [(58.1, 8.0, 20.0), (60.4, 5.3, 40.0), (61.6, 8.3, 900.0), (69.65, 18.96, 10.0)]
HOURS = START + 3600 * np.arange(8760)


def pvlib_hours(lat: float, lon: float, altitude: float, hours: np.ndarray) -> tuple[np.ndarray, pd.DataFrame]:
    """Hour means of pvlib's chain at five minutes, and its sun in the middle of the hours."""
    fine = pd.to_datetime((hours[:, None] + 150 + 300 * np.arange(12)).ravel(), unit="s", utc=True)
    pressure = pvlib.atmosphere.alt2pres(altitude)
    spa = pvlib.solarposition.get_solarposition(fine, lat, lon, pressure=pressure, temperature=10)
    mass = pvlib.atmosphere.get_absolute_airmass(
        pvlib.atmosphere.get_relative_airmass(spa["apparent_zenith"]), pressure
    )
    months = pd.to_datetime(hours, unit="s", utc=True).month.to_numpy() - 1
    extra = pvlib.irradiance.get_extra_radiation(fine)
    ghi = pvlib.clearsky.ineichen(spa["apparent_zenith"], mass, np.repeat(TURBIDITY[months], 12), altitude, extra)[
        "ghi"
    ]
    split = pvlib.irradiance.erbs(ghi, spa["zenith"], fine)
    temps = np.repeat(typical_temperature(lat, altitude, hours), 12)
    watts = []
    for tilt, azimuth, kwp in PLANES:
        poa = pvlib.irradiance.get_total_irradiance(
            tilt, azimuth, spa["apparent_zenith"], spa["azimuth"], split["dni"], ghi, split["dhi"],
            dni_extra=extra, albedo=0.2, model="haydavies",
        )["poa_global"].fillna(0).to_numpy()  # fmt: skip
        dc = pvlib.pvsystem.pvwatts_dc(poa, pvlib.temperature.ross(poa, temps, k=0.0342), 1000 * kwp, -0.004)
        watts.append(0.85 * dc.reshape(-1, 12).mean(axis=1))
    return np.array(watts), pvlib.solarposition.get_solarposition(
        pd.to_datetime(hours + 1800, unit="s", utc=True), lat, lon
    )


@pytest.mark.parametrize("place", PLACES)
def test_clear_sky_watts_agree_with_pvlib(place):
    hours = HOURS[::7]
    expected, _ = pvlib_hours(*place, hours)
    got = clear_sky_watts(*place, TURBIDITY, PLANES, 0.85, hours)
    np.testing.assert_allclose(got.sum(axis=1), expected.sum(axis=1), rtol=0.02)
    assert np.abs(got - expected).mean() < 0.04 * expected.mean()
    assert (got[:, expected.sum(axis=0) == 0] < 1).all()


@pytest.mark.parametrize("place", PLACES)
def test_sun_angles_agree_with_pvlib(place):
    _, spa = pvlib_hours(*place, HOURS[::97])
    elevation, azimuth = sun_angles(*place[:2], HOURS[::97])
    np.testing.assert_allclose(elevation, spa["elevation"], atol=0.02)
    off = (azimuth - spa["azimuth"].to_numpy() + 180) % 360 - 180
    assert np.abs(off * np.cos(np.radians(elevation))).max() < 0.02


def test_hours_with_gaps_give_what_the_whole_year_gives():
    chosen = np.random.default_rng(1).permutation(HOURS.size)[:500]
    whole = clear_sky_watts(*PLACES[1], TURBIDITY, PLANES, 0.85, HOURS)
    np.testing.assert_array_equal(clear_sky_watts(*PLACES[1], TURBIDITY, PLANES, 0.85, HOURS[chosen]), whole[:, chosen])


def test_warm_air_costs_power_and_missing_air_is_missing():
    hours = HOURS[4000:4024]
    cold, warm = (clear_sky_watts(*PLACES[0], TURBIDITY, PLANES, 0.85, hours, np.full(24, t)) for t in (0.0, 30.0))
    assert (cold >= warm).all()
    assert cold.max() > 1.1 * warm.max()
    temps = np.where(np.arange(24) == 12, np.nan, 10.0)
    assert np.isnan(clear_sky_watts(*PLACES[0], TURBIDITY, PLANES, 0.85, hours, temps)[:, 12]).all()


def test_solar_day_changes_at_the_place_s_midnight():
    days = solar_hours(15.0, HOURS[:48]) // 24
    assert (days == START // 86_400 + np.r_[np.zeros(23), np.ones(24), [2]]).all()
