"""The error of a forecast is its own, and grows with lead."""

from functools import partial

import numpy as np
import pytest

from infra.simulator.forecast_error import forecast_error
from infra.simulator.weather import Weather

CYCLE = 1_434_844_800  # 2015-06-21T00
SOURCES = ("met_nordic", "arome_metcoop")


@pytest.mark.parametrize("source", SOURCES)
def test_each_part_grows_and_stays_within_its_table(source: str) -> None:
    times = CYCLE + 3600.0 * np.arange(67)
    sizes = {"met_nordic": (1.5, 1.5, 0.2, 0.03), "arome_metcoop": (2.5, 2.0, 0.4, 0.035)}[source]
    for cycle in range(CYCLE, CYCLE + 20 * 3600, 3600):
        error = forecast_error(source, cycle, times + (cycle - CYCLE))
        distance = np.hypot(error.east_km, error.north_km)
        lead = np.arange(67)
        for size, (start, growth) in ((distance, sizes[:2]), (np.abs(error.temperature), sizes[2:])):
            assert (np.diff(size) > 0).all()
            assert (size >= 0.5 * (start + growth * lead) - 1e-9).all()
            assert (size <= 1.5 * (start + growth * lead) + 1e-9).all()
        assert (np.abs(error.wind - 1) < 0.5).all()


def test_a_cycle_always_errs_alike_and_cycles_differ() -> None:
    times = np.array([CYCLE + 36_000.0])
    one, again = (forecast_error("met_nordic", CYCLE, times) for _ in range(2))
    np.testing.assert_array_equal(one.east_km, again.east_km)
    signs = {float(np.sign(forecast_error("met_nordic", CYCLE + 3600 * i, times).cloud[0])) for i in range(20)}
    assert signs == {-1.0, 1.0}
    other = forecast_error("arome_metcoop", CYCLE, times)
    assert other.east_km[0] != one.east_km[0]


def test_irradiance_error_grows_with_lead() -> None:
    """Noon of one day, forecast from ever earlier cycles: MAE over the country, in the mean of several days."""
    lat, lon = (axis.ravel() for axis in np.meshgrid(np.linspace(58, 70, 20), np.linspace(5, 25, 20)))
    weather = Weather(lat, lon)
    leads = (1, 12, 48)
    mae = dict.fromkeys(leads, 0.0)
    for day in range(6):
        noon = np.array([CYCLE + 86_400.0 * 3 * day + 11 * 3600])
        true = weather.ghi_hour_mean(noon)
        for lead in leads:
            error_at = partial(forecast_error, "met_nordic", int(noon[0]) - 3600 * lead)
            mae[lead] += float(np.abs(weather.ghi_hour_mean(noon, error_at) - true).mean() / true.mean()) / 6
    assert mae[1] < mae[12] < mae[48]
    assert mae[1] < 0.10
    assert 0.10 < mae[48] < 0.60


def test_unknown_source_is_refused() -> None:
    with pytest.raises(KeyError):
        forecast_error("gfs", CYCLE, np.array([0.0]))
