"""Months of snow against pandas, and what a month without enough days, or without light, comes to."""

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from kernels.snow.cover import Cover, cover
from kernels.snow.days import SnowWeather
from kernels.snow.months import Months, monthly, monthly_loss
from kernels.snow.panel import Panel
from tests.kernels.snow.winters import eight_hours

SOILING = 1.5
LENGTHS = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
LIGHT = np.arange(12.0)[:, None] * eight_hours() / 8 * (np.arange(12) != 11)[:, None]
"""Brighter by the month, dark in December and January."""
OVER_YEARS = ("mean", "median", "p10", "p90", "covered_days", "incl_soiling")


def days_between(first: str, last: str) -> NDArray[np.int64]:
    return np.arange(np.datetime64(first), np.datetime64(last) + 1).astype(np.int64)


def cover_of(days: NDArray[np.int64], missing: float = 0.0) -> Cover:
    """Snow at random, more of it in winter; no two years are alike."""
    rng = np.random.default_rng(days.size)
    winter = np.clip(0.5 + np.cos(2 * np.pi * (days / 365.2425 - 0.05)), 0, 1)
    coverage = np.where(rng.random(days.size) < winter, rng.random(days.size) ** 0.5, 0.0)
    return Cover(coverage, np.minimum(1.0, 1.3 * coverage), rng.random(days.size) < missing)


def month_of(first: str, coverage: NDArray[np.float64], loss: NDArray[np.float64], soiling: float = 0.0) -> Months:
    """Sum up days of one month."""
    days = np.datetime64(first).astype(np.int64) + np.arange(coverage.size)
    return monthly(days, Cover(coverage, loss, np.zeros(coverage.size, bool)), eight_hours(), int(first[:4]), soiling)


def reference(days: NDArray[np.int64], snow: Cover, first_year: int) -> pd.DataFrame:
    """As pandas has it: by year and month, then by month."""
    dates = pd.to_datetime(days, unit="D")
    frame = pd.DataFrame({"loss": snow.loss, "snowy": snow.coverage > 0.1, "length": dates.days_in_month}, dates)
    frame = frame[~snow.missing & (dates.year >= first_year)]
    by_year = frame.groupby([frame.index.year, frame.index.month])
    years = by_year.mean()[by_year.size() >= 0.9 * by_year["length"].first()]
    years["covered_days"] = years["snowy"] * years["length"]
    by_month = years.groupby(level=1)
    made = by_month.mean().assign(n_years=by_month.size()).reindex(range(1, 13))
    for name, q in {"p10": 0.1, "median": 0.5, "p90": 0.9}.items():
        made[name] = 100 * by_month["loss"].quantile(q)
    soiling = np.where(LIGHT.any(axis=1), SOILING / 100, 0)
    made["incl_soiling"] = 100 * (1 - (1 - made["loss"]) * (1 - soiling * (1 - made["snowy"])))
    return made.assign(mean=100 * made["loss"])


@pytest.mark.parametrize(
    ("first", "last", "first_year", "missing"),
    [
        ("1957-09-01", "2026-08-31", 1957, 0.0),
        ("1957-09-01", "2026-08-31", 1991, 0.07),
        ("1990-09-01", "2026-11-22", 1991, 0.02),
        ("1968-09-01", "1971-02-27", 1960, 0.1),
        ("2015-02-03", "2015-03-31", 2015, 0.0),
        # 27 of 31 days are too few, 28 are enough.
        ("2023-09-01", "2026-03-27", 2023, 0.0),
        ("2023-09-01", "2026-03-28", 2023, 0.0),
    ],
)
def test_months_are_those_of_pandas(first: str, last: str, first_year: int, missing: float) -> None:
    days = days_between(first, last)
    snow = cover_of(days, missing)
    got, expected = monthly(days, snow, LIGHT, first_year, SOILING), reference(days, snow, first_year)
    np.testing.assert_array_equal(got.n_years, expected["n_years"].fillna(0))
    for name in OVER_YEARS:
        np.testing.assert_allclose(getattr(got, name), expected[name], rtol=1e-10, atol=1e-10, err_msg=name)


def test_where_all_is_missing_no_loss_is_made_up() -> None:
    days = days_between("1990-09-01", "2020-08-31")
    got = monthly(days, cover_of(days, missing=1.0), LIGHT, 1991, SOILING)
    assert np.isnan([got.mean, got.ns3031]).all()
    assert np.isnan(got.annual[:2]).all()
    np.testing.assert_allclose(got.annual.poa, (LIGHT.sum(axis=1) * LENGTHS).sum() / 1000)


@pytest.mark.parametrize(("loss", "fives"), [(0.0, 0), (0.05, 5), (0.0500001, 10), (0.15, 15), (1.0, 100), (0.001, 5)])
def test_a_whole_five_stays(loss: float, fives: float) -> None:
    assert month_of("2021-01-01", np.ones(31), np.full(31, loss)).ns3031[0] == fives


def test_the_year_is_weighted_by_irradiation_of_which_a_polar_night_has_none() -> None:
    days, poa = days_between("1990-09-01", "2020-08-31"), LIGHT.sum(axis=1) * LENGTHS / 1000
    got = monthly(days, cover_of(days), LIGHT, 1991, SOILING)
    np.testing.assert_allclose(got.poa, poa)
    assert poa[0] == poa[11] == 0
    expected = np.average(got.incl_soiling, weights=poa), (poa * got.incl_soiling).sum() / 100, poa.sum()
    np.testing.assert_allclose(got.annual, expected)


def test_without_any_light_nothing_is_lost() -> None:
    days = days_between("2020-09-01", "2022-08-31")
    got = monthly(days, cover_of(days)._replace(loss=np.zeros(days.size)), np.zeros((12, 24)), 2020, SOILING)
    assert got.annual == (0, 0, 0)
    assert not np.concatenate([got.mean, got.p90, got.incl_soiling, got.ns3031]).any()


def test_a_cover_of_other_days_is_refused() -> None:
    days = days_between("2021-01-01", "2021-01-31")
    with pytest.raises(ValueError, match="not of these 30 days"):
        monthly(days[1:], cover_of(days), LIGHT, 2021, 1.0)


def test_the_snow_is_followed_from_the_september_before_the_first_year() -> None:
    """What fell before it is left out, and what falls in that autumn lies on the modules in January."""
    days, panel = days_between("1988-09-01", "1992-08-31"), Panel(30.0)
    rng = np.random.default_rng(3)
    cold = SnowWeather(rng.gamma(0.3, 10, days.size), *rng.gamma(0.3, 60, (2, days.size)), np.full(days.size, -9.0))
    begin = int(np.searchsorted(days, np.datetime64("1990-09-01").astype(np.int64)))
    counted, of = days[begin:], SnowWeather(*(values[begin:] for values in cold))
    expected = monthly(counted, cover(counted, of, LIGHT, panel, 10.0), LIGHT, 1991, SOILING)
    got = monthly_loss(days, cold, LIGHT, panel, 10.0, 1991, SOILING)
    assert got.annual == expected.annual
    np.testing.assert_array_equal(got.mean, expected.mean)
    assert got.mean[1] > 0


def test_soiling_is_of_days_without_snow_and_fives_are_rounded_up() -> None:
    """June 2021: 12 of 30 days with snow, that takes a fifth; then 100 (1 - 0.92 (1 - 0.02 * 0.6)) = 9.104 %."""
    coverage = np.where(np.arange(30) < 12, 0.2, 0.1)
    got = month_of("2021-06-01", coverage, coverage * (coverage > 0.1), soiling=2.0)
    numbers = [got.mean[5], got.covered_days[5], got.incl_soiling[5], got.ns3031[5]]
    np.testing.assert_allclose(numbers, [8, 12, 9.104, 10], rtol=1e-12)
