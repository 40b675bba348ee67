"""All four years of a cell: what agrees with what, what is missing, and what is refused."""

import dataclasses
import functools

import numpy as np
import pytest

from kernels.tmy.calendar import Calendar
from kernels.tmy.cell import CellProducts, Series, TypicalYear, cell_products
from kernels.tmy.sunlight import sky_of, sunlight_at
from kernels.tmy.year_sun import year_sun
from tests.kernels.tmy.archives import CALENDAR, OSLO, TROMSO, series, sky

NO_BIAS = np.zeros(12)
NAMES = ("ensemble", "reanalysis30", "reanalysis18", "solarmodel")
HOURLY = ("ghi", "dni", "dhi", "temp_air", "rel_hum", "wind_speed", "mslp")


@functools.cache
def oslo() -> CellProducts:
    return cell_products(sky(), OSLO, series("oslo"), NO_BIAS)


@functools.cache
def tromso() -> CellProducts:
    dark = np.full(CALENDAR.n_hours, np.nan, np.float32)
    return cell_products(sky(), TROMSO, dataclasses.replace(series("tromso"), ghi_solarmodel=dark), NO_BIAS)


def years(products: CellProducts) -> list[TypicalYear]:
    found = [getattr(products, name) for name in NAMES]
    return [year for year in found if year is not None]


@pytest.mark.parametrize("products", [oslo, tromso])
def test_every_year_closes_within_a_watt_also_when_packed(products) -> None:
    place = OSLO if products is oslo else TROMSO
    sine = sunlight_at(place.lat, place.lon, place.altitude).sine
    for year in years(products()):
        for digits in (9, 1):
            ghi, dni, dhi = (np.round(x, digits) for x in (year.ghi, year.dni, year.dhi))
            assert np.abs(ghi - (dni * sine + dhi)).max() < 1
            assert min(ghi.min(), dni.min(), dhi.min()) >= 0
        assert all(np.isfinite(getattr(year, name)).all() for name in HOURLY)
        assert year.annual_ghi_tmy > 500


def test_periods_and_chosen_years() -> None:
    spans = {"ensemble": (1991, 2020), "reanalysis30": (1991, 2020), "reanalysis18": (2008, 2025)}
    for name, span in {**spans, "solarmodel": (1991, 2020)}.items():
        year = getattr(oslo(), name)
        assert year.period == span
        assert ((year.selected_years >= span[0]) & (year.selected_years <= span[1])).all()
        assert len(set(year.selected_years.tolist())) > 4
        assert year.annual_ghi.size == span[1] - span[0] + 1


def test_sums_are_those_of_the_hours() -> None:
    """Of months in UTC, also where the sun shines at midnight."""
    for products, name, ghi in (
        (oslo(), "reanalysis18", series("oslo").ghi_reanalysis),
        (oslo(), "solarmodel", series("oslo").ghi_solarmodel),
        (tromso(), "reanalysis30", series("tromso").ghi_reanalysis),
    ):
        year = getattr(products, name)
        hours = CALENDAR.hours_of(year.selected_years)
        np.testing.assert_array_equal(year.ghi, ghi[hours])
        assert year.annual_ghi_tmy == pytest.approx(ghi[hours].sum(dtype=np.float64) / 1000)
        for at, calendar_year in enumerate(range(year.period[0], year.period[1] + 1)):
            own = ghi[CALENDAR.hours_of(np.full(12, calendar_year))]
            assert year.annual_ghi[at] == pytest.approx(own.sum(dtype=np.float64) / 1000)
            june = own[24 * 151 : 24 * 181].sum(dtype=np.float64)
            assert year.monthly_ghi[at, 5] == pytest.approx(june / 1000, rel=1e-7)
        chosen = year.monthly_ghi[year.selected_years - year.period[0], np.arange(12)]
        assert chosen.sum() == pytest.approx(year.annual_ghi_tmy)
        assert year.statistics.mean == pytest.approx(year.annual_ghi.mean())
        assert 0.9 < year.annual_ghi_tmy / year.statistics.mean < 1.1


def test_weather_is_the_reanalysis_of_the_chosen_months() -> None:
    archive = series("oslo")
    for year in years(oslo()):
        hours = CALENDAR.hours_of(year.selected_years)
        for name in ("temp_air", "rel_hum", "wind_speed", "mslp"):
            same = getattr(year, name) == getattr(archive, name)[hours]
            assert same.mean() > 0.98, "all but the joins"
            assert same[100:700].all()


def test_the_ensemble_lies_between_both() -> None:
    both = oslo()
    assert both.solarmodel is not None
    expected = 0.4 * both.reanalysis30.annual_ghi + 0.6 * both.solarmodel.annual_ghi
    np.testing.assert_allclose(both.ensemble.annual_ghi, expected, rtol=0.004)
    assert (both.ensemble.annual_ghi <= expected + 1e-6).all()
    lost = expected.sum() - both.ensemble.annual_ghi.sum()
    assert lost == pytest.approx(both.dropped, rel=0.02)
    assert (both.applied == 0).all()


def test_where_the_solar_model_does_not_reach_the_ensemble_is_the_reanalysis() -> None:
    assert tromso().solarmodel is None
    ensemble, alone = tromso().ensemble, tromso().reanalysis30
    lost = alone.annual_ghi.sum() - ensemble.annual_ghi.sum()
    assert lost == pytest.approx(tromso().dropped, rel=0.02), "29 February is not in the sums of years"
    np.testing.assert_allclose(ensemble.annual_ghi, alone.annual_ghi, rtol=0.006)


def test_a_bias_is_taken_off_the_ensemble_alone() -> None:
    bias = np.array([0, 1, 3, 5, 8, 8, 8, 8, 5, 3, 1, 0], float)
    got = cell_products(sky(), OSLO, series("oslo"), bias)
    np.testing.assert_allclose(got.applied[1:-1], -bias[1:-1], rtol=1e-9)
    hours = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) * 24
    shift = (got.ensemble.monthly_ghi - oslo().ensemble.monthly_ghi).mean(axis=0) * 1000 / hours
    np.testing.assert_allclose(shift, -bias, atol=0.15)
    np.testing.assert_array_equal(got.reanalysis30.ghi, oslo().reanalysis30.ghi)


def test_the_same_bytes_come_out_every_time() -> None:
    again = cell_products(sky(), OSLO, series("oslo"), NO_BIAS)
    for one, other in zip(years(oslo()), years(again), strict=True):
        for name in (*HOURLY, "selected_years", "monthly_ghi"):
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("temp_air", np.nan, "temp_air is missing at 2010-05-30T08:00Z, and 3 hours like it"),
        ("ghi_reanalysis", np.nan, "ghi_reanalysis is missing at 2010-05-30T08:00Z"),
        ("ghi_solarmodel", np.nan, "ghi_solarmodel is missing at 2010-05-30T08:00Z"),
        ("mslp", np.nan, "mslp is missing"),
        ("ghi_reanalysis", -5.0, "ghi_reanalysis is -5 at 2010-05-30T08:00Z"),
    ],
)
def test_a_cell_that_lacks_an_hour_is_refused(name: str, value: float, sentence: str) -> None:
    values = getattr(series("oslo"), name).copy()
    start = int((np.datetime64("2010-05-30T08:00") - np.datetime64("1991-01-01T00:00")) // np.timedelta64(1, "h"))
    values[start : start + 3] = value
    with pytest.raises(ValueError, match=sentence):
        cell_products(sky(), OSLO, dataclasses.replace(series("oslo"), **{name: values}), NO_BIAS)


def test_the_solar_model_need_not_go_beyond_its_period() -> None:
    values = series("oslo").ghi_solarmodel.copy()
    values[CALENDAR.until(2020) :] = np.nan
    got = cell_products(sky(), OSLO, dataclasses.replace(series("oslo"), ghi_solarmodel=values), NO_BIAS)
    assert got.solarmodel is not None
    assert got.solarmodel.ghi.tobytes() == years(oslo())[3].ghi.tobytes()


def test_another_length_is_refused() -> None:
    short = dataclasses.replace(series("oslo"), mslp=np.zeros(10, np.float32))
    with pytest.raises(ValueError, match=r"mslp has shape \(10,\), not \(306816,\)"):
        cell_products(sky(), OSLO, short, NO_BIAS)


def test_an_archive_of_other_years_is_refused() -> None:
    for years, sentence in (((1992, 2025), "begins with 1992, not with 1991"), ((1991, 2020), "2025 is not in the")):
        calendar = Calendar(*years)
        flat = Series(*(np.ones((6, calendar.n_hours), np.float32)))
        with pytest.raises(ValueError, match=sentence):
            cell_products(sky_of(calendar), OSLO, flat, NO_BIAS)


def test_what_all_cells_share_is_small() -> None:
    shared = [sky().direction, sky().e0, *year_sun(), CALENDAR.slots]
    assert sum(a.nbytes for a in shared) < 12e6
