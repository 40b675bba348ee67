"""All four years of a cell: what agrees with what, what is missing, and what is refused."""

import functools
from dataclasses import replace

import numpy as np
import pytest

from kernels.tmy.calendar import Calendar
from kernels.tmy.cell import CellProducts, Series, TypicalYear, cell_products
from kernels.tmy.sunlight import sky_of, sunlight_at
from tests.kernels.tmy.archives import CALENDAR, OSLO, TROMSO, series, sky

NO_BIAS = np.zeros(12)
PERIODS = {
    "ensemble": (1991, 2020),
    "reanalysis30": (1991, 2020),
    "reanalysis18": (2008, 2025),
    "solarmodel": (1991, 2020),
}
WEATHER = ("temp_air", "rel_hum", "wind_speed", "mslp")


@functools.cache
def products(name: str) -> CellProducts:
    """The solar model does not reach Tromsø."""
    archive = series(name)
    if name == "oslo":
        return cell_products(sky(), OSLO, archive, NO_BIAS)
    return cell_products(sky(), TROMSO, replace(archive, ghi_solarmodel=archive.ghi_solarmodel * np.nan), NO_BIAS)


def years(name: str) -> dict[str, TypicalYear]:
    found = {product: getattr(products(name), product) for product in PERIODS}
    return {product: year for product, year in found.items() if year is not None}


@pytest.mark.parametrize(("name", "place"), [("oslo", OSLO), ("tromso", TROMSO)])
def test_every_year_closes_within_a_watt_also_when_packed(name: str, place: object) -> None:
    sine = sunlight_at(place.lat, place.lon, place.altitude).sine  # type: ignore[attr-defined]
    for year in years(name).values():
        for digits in (9, 1):
            ghi, dni, dhi = (np.round(x, digits) for x in (year.ghi, year.dni, year.dhi))
            assert np.abs(ghi - (dni * sine + dhi)).max() < 1
            assert min(ghi.min(), dni.min(), dhi.min()) >= 0
        assert all(np.isfinite(getattr(year, weather)).all() for weather in WEATHER)


def test_years_are_chosen_from_their_periods() -> None:
    for product, year in years("oslo").items():
        assert year.period == PERIODS[product]
        first, last = year.period
        assert ((year.selected_years >= first) & (year.selected_years <= last)).all()
        assert len(set(year.selected_years.tolist())) > 4
        assert year.annual_ghi.size == last - first + 1
        assert 0.9 < year.annual_ghi_tmy / year.statistics.mean < 1.1


@pytest.mark.parametrize(
    ("name", "product", "source"),
    [
        ("oslo", "reanalysis18", "ghi_reanalysis"),
        ("oslo", "solarmodel", "ghi_solarmodel"),
        ("tromso", "reanalysis30", "ghi_reanalysis"),
    ],
)
def test_sums_are_those_of_the_hours(name: str, product: str, source: str) -> None:
    """Of months in UTC, also where the sun shines at midnight."""
    year, ghi = years(name)[product], getattr(series(name), source).astype(float) / 1000
    first, last = year.period
    own = np.array([ghi[CALENDAR.hours_of(np.full(12, y))] for y in range(first, last + 1)])
    np.testing.assert_array_equal(year.ghi, getattr(series(name), source)[CALENDAR.hours_of(year.selected_years)])
    np.testing.assert_allclose(year.annual_ghi, own.sum(axis=1), rtol=1e-7)
    np.testing.assert_allclose(year.monthly_ghi[:, 5], own[:, 24 * 151 : 24 * 181].sum(axis=1), rtol=1e-7)
    assert year.annual_ghi_tmy == pytest.approx(year.ghi.sum(dtype=float) / 1000)
    assert year.monthly_ghi[year.selected_years - first, np.arange(12)].sum() == pytest.approx(year.annual_ghi_tmy)
    assert year.statistics.mean == pytest.approx(year.annual_ghi.mean())


def test_weather_is_the_reanalysis_of_the_chosen_months() -> None:
    for year in years("oslo").values():
        for weather in WEATHER:
            same = getattr(year, weather) == getattr(series("oslo"), weather)[CALENDAR.hours_of(year.selected_years)]
            assert same.mean() > 0.98, "all but the joins"
            assert same[100:700].all()


@pytest.mark.parametrize(("name", "tolerance"), [("oslo", 0.004), ("tromso", 0.006)])
def test_ensemble_lies_between_both_and_is_the_reanalysis_without_a_solar_model(name: str, tolerance: float) -> None:
    found = years(name)
    alone, got = found["reanalysis30"].annual_ghi, found["ensemble"].annual_ghi
    assert ("solarmodel" in found) == (name == "oslo")
    expected = 0.4 * alone + 0.6 * found["solarmodel"].annual_ghi if name == "oslo" else alone
    np.testing.assert_allclose(got, expected, rtol=tolerance)
    assert (got <= expected + 1e-6).all()
    lost = (expected - got).sum()
    assert lost == pytest.approx(products(name).dropped, rel=0.02), "29 February is not in the sums of years"
    assert (products(name).applied == 0).all()


def test_bias_is_taken_off_the_ensemble_alone() -> None:
    bias = np.array([0, 1, 3, 5, 8, 8, 8, 8, 5, 3, 1, 0], float)
    got = cell_products(sky(), OSLO, series("oslo"), bias)
    np.testing.assert_allclose(got.applied[1:-1], -bias[1:-1], rtol=1e-9)
    hours = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) * 24
    shift = (got.ensemble.monthly_ghi - products("oslo").ensemble.monthly_ghi).mean(axis=0) * 1000 / hours
    np.testing.assert_allclose(shift, -bias, atol=0.15)
    np.testing.assert_array_equal(got.reanalysis30.ghi, products("oslo").reanalysis30.ghi)


def test_solar_model_need_not_go_beyond_its_period() -> None:
    """And the same bytes come out every time."""
    values = series("oslo").ghi_solarmodel.copy()
    values[CALENDAR.until(2020) :] = np.nan
    again = cell_products(sky(), OSLO, replace(series("oslo"), ghi_solarmodel=values), NO_BIAS)
    for product, year in years("oslo").items():
        for name in ("ghi", "dni", "dhi", *WEATHER, "selected_years", "monthly_ghi"):
            assert getattr(getattr(again, product), name).tobytes() == getattr(year, name).tobytes()


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("temp_air", np.nan, "temp_air is missing at 2010-05-30T08:00Z, and 3 hours like it"),
        ("ghi_solarmodel", np.nan, "ghi_solarmodel is missing at 2010-05-30T08:00Z"),
        ("ghi_reanalysis", -5.0, "ghi_reanalysis is -5 at 2010-05-30T08:00Z"),
    ],
)
def test_cell_that_lacks_an_hour_is_refused(name: str, value: float, sentence: str) -> None:
    values = getattr(series("oslo"), name).copy()
    start = int(np.searchsorted(CALENDAR.unix, np.datetime64("2010-05-30T08:00", "s").astype(np.int64)))
    values[start : start + 3] = value
    with pytest.raises(ValueError, match=sentence):
        cell_products(sky(), OSLO, replace(series("oslo"), **{name: values}), NO_BIAS)


def test_another_length_is_refused() -> None:
    short = replace(series("oslo"), mslp=np.zeros(10, np.float32))
    with pytest.raises(ValueError, match=r"mslp has shape \(10,\), not \(306816,\)"):
        cell_products(sky(), OSLO, short, NO_BIAS)


@pytest.mark.parametrize(
    ("span", "sentence"),
    [((1992, 2025), "begins with 1992, not with 1991"), ((1991, 2020), "2025 is not in the")],
)
def test_archive_of_other_years_is_refused(span: tuple[int, int], sentence: str) -> None:
    calendar = Calendar(*span)
    with pytest.raises(ValueError, match=sentence):
        cell_products(sky_of(calendar), OSLO, Series(*np.ones((6, calendar.n_hours), np.float32)), NO_BIAS)
