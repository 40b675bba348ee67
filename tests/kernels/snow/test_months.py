"""Months of snow against pandas, and what a month without enough days, or without light, comes to."""

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from kernels.snow.cover import Cover
from kernels.snow.days import month_lengths, months_since_epoch
from kernels.snow.months import Months, monthly
from tests.kernels.snow.winters import Floats, eight_hours

SOILING = 1.5
LENGTHS = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])


def days_between(first: str, last: str) -> NDArray[np.int64]:
    return np.arange(np.datetime64(first), np.datetime64(last) + 1).astype(np.int64)


def cover_of(days: NDArray[np.int64], missing: float = 0.0) -> Cover:
    """Snow at random, more of it in winter; no two years are alike."""
    rng = np.random.default_rng(days.size)
    winter = np.clip(0.5 + np.cos(2 * np.pi * (days / 365.2425 - 0.05)), 0, 1)
    coverage = np.where(rng.random(days.size) < winter, rng.random(days.size) ** 0.5, 0.0)
    return Cover(coverage, np.minimum(1.0, 1.3 * coverage), rng.random(days.size) < missing)


def light() -> Floats:
    """Brighter by the month, dark in December."""
    return np.arange(12.0)[:, None] * eight_hours() / 8 * (np.arange(12) != 11)[:, None]


def reference(days: NDArray[np.int64], snow: Cover, first_year: int) -> pd.DataFrame:
    """As pandas has it: by year and month, then by month."""
    dates = pd.to_datetime(days, unit="D")
    frame = pd.DataFrame({"loss": snow.loss, "snowy": snow.coverage > 0.1, "length": dates.days_in_month}, dates)
    frame = frame[~snow.missing & (dates.year >= first_year)]
    years = frame.groupby([frame.index.year, frame.index.month]).agg(
        loss=("loss", "mean"), snowy=("snowy", "mean"), length=("length", "first"), count=("loss", "size")
    )
    years = years[years["count"] >= 0.9 * years["length"]]
    years["covered"] = years["snowy"] * years["length"]
    by_month = years.groupby(level=1)
    quantiles = {f"p{q}": by_month["loss"].quantile(q / 100) for q in (10, 50, 90)}
    return pd.DataFrame({"n": by_month.size(), **by_month[["loss", "snowy", "covered"]].mean(), **quantiles}).reindex(
        range(1, 13)
    )


def assert_agrees(got: Months, expected: pd.DataFrame) -> None:
    np.testing.assert_array_equal(got.n_years, expected["n"].fillna(0))
    pairs = {"mean": "loss", "median": "p50", "p10": "p10", "p90": "p90"}
    for ours, theirs in pairs.items():
        np.testing.assert_allclose(getattr(got, ours), 100 * expected[theirs], rtol=1e-10, atol=1e-10, err_msg=ours)
    np.testing.assert_allclose(got.covered_days, expected["covered"], rtol=1e-10, atol=1e-10)
    soiling = np.where(got.poa > 0, SOILING / 100, 0)
    loss = 100 * (1 - (1 - expected["loss"]) * (1 - soiling * (1 - expected["snowy"])))
    np.testing.assert_allclose(got.incl_soiling, loss, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    ("first", "last", "first_year", "missing"),
    [
        ("1957-09-01", "2026-08-31", 1957, 0.0),
        ("1957-09-01", "2026-08-31", 1991, 0.07),
        ("1990-09-01", "2026-08-31", 1991, 0.0),
        ("1990-09-01", "2026-11-22", 1991, 0.02),
        ("1968-09-01", "1971-02-27", 1960, 0.1),
        ("2015-02-03", "2015-03-31", 2015, 0.0),
    ],
)
def test_months_are_those_of_pandas(first: str, last: str, first_year: int, missing: float) -> None:
    days = days_between(first, last)
    snow = cover_of(days, missing)
    assert_agrees(monthly(days, snow, light(), first_year, SOILING), reference(days, snow, first_year))


def test_a_series_that_ends_early_has_fewer_of_the_later_months() -> None:
    """Up to 27 March, 27 of 31 days are too few; up to the 28th they are enough. September begins a year before."""
    for last, marches in (("2026-03-27", 2), ("2026-03-28", 3)):
        days = days_between("2023-09-01", last)
        got = monthly(days, cover_of(days), light(), 2023, SOILING)
        assert got.n_years.tolist() == [3, 3, marches, 2, 2, 2, 2, 2, 3, 3, 3, 3]


def test_years_count_from_the_first_on() -> None:
    days = days_between("1990-09-01", "1993-08-31")
    got = monthly(days, cover_of(days), light(), 1991, SOILING)
    assert got.n_years.tolist() == [3] * 8 + [2] * 4


def test_a_series_before_the_first_year_has_none() -> None:
    days = days_between("1970-09-01", "1972-08-31")
    got = monthly(days, cover_of(days), light(), 1991, SOILING)
    assert not got.n_years.any()
    assert np.isnan([got.mean, got.median, got.p10, got.p90, got.covered_days, got.incl_soiling, got.ns3031]).all()


def test_where_all_is_missing_there_is_no_year_and_no_loss_is_made_up() -> None:
    days = days_between("1990-09-01", "2020-08-31")
    got = monthly(days, cover_of(days)._replace(missing=np.ones(days.size, bool)), light(), 1991, SOILING)
    assert not got.n_years.any()
    assert np.isnan([got.mean, got.median, got.p10, got.p90, got.covered_days, got.incl_soiling, got.ns3031]).all()
    assert np.isnan(got.annual[:2]).all()
    np.testing.assert_allclose(got.annual.poa, (light().sum(axis=1) * LENGTHS).sum() / 1000)


def test_missing_days_are_not_days_without_loss() -> None:
    """Three of 31, at most, all of them with other snow than the rest."""
    days = days_between("2020-01-01", "2020-01-31")
    some = np.arange(31) < 3
    snow = Cover(np.where(some, 0.0, 0.5), np.where(some, 0.0, 0.5), some)
    got = monthly(days, snow, eight_hours(), 2020, 0.0)
    assert got.n_years[0] == 1
    assert got.mean[0] == 50
    assert got.covered_days[0] == 31


def test_soiling_is_of_days_without_snow_and_fives_are_rounded_up() -> None:
    """June 2021: 12 of 30 days with snow, that takes a fifth; then 100 (1 - 0.92 (1 - 0.02 * 0.6)) = 9.104 %."""
    days = days_between("2021-06-01", "2021-06-30")
    coverage = np.where(np.arange(30) < 12, 0.2, 0.1)
    got = monthly(days, Cover(coverage, coverage * (coverage > 0.1), np.zeros(30, bool)), eight_hours(), 2021, 2.0)
    np.testing.assert_allclose([got.mean[5], got.covered_days[5], got.incl_soiling[5]], [8, 12, 9.104], rtol=1e-12)
    assert got.ns3031[5] == 10


@pytest.mark.parametrize(("loss", "fives"), [(0.0, 0), (0.05, 5), (0.0500001, 10), (0.15, 15), (1.0, 100), (0.001, 5)])
def test_a_whole_five_stays(loss: float, fives: float) -> None:
    days = days_between("2021-01-01", "2021-01-31")
    snow = Cover(np.ones(31), np.full(31, loss), np.zeros(31, bool))
    assert monthly(days, snow, eight_hours(), 2021, 0.0).ns3031[0] == fives


def test_the_year_is_weighted_by_irradiation_of_which_a_polar_night_has_none() -> None:
    days = days_between("1990-09-01", "2020-08-31")
    snow, sun = cover_of(days), light()
    got = monthly(days, snow, sun, 1991, SOILING)
    poa = sun.sum(axis=1) * LENGTHS / 1000
    np.testing.assert_allclose(got.poa, poa)
    assert poa[0] == poa[11] == 0
    np.testing.assert_allclose(got.annual.incl_soiling, np.average(got.incl_soiling, weights=poa))
    np.testing.assert_allclose(got.annual.lost_kwh_m2, (poa * got.incl_soiling).sum() / 100)
    np.testing.assert_allclose(got.annual.poa, poa.sum())


def test_without_any_light_nothing_is_lost() -> None:
    days = days_between("2020-09-01", "2022-08-31")
    snow = cover_of(days)._replace(loss=np.zeros(days.size))
    got = monthly(days, snow, np.zeros((12, 24)), 2020, SOILING)
    assert got.annual == (0, 0, 0)
    assert not np.concatenate([got.mean, got.p90, got.incl_soiling, got.ns3031]).any()


def test_a_cover_of_other_days_is_refused() -> None:
    days = days_between("2021-01-01", "2021-01-31")
    with pytest.raises(ValueError, match="not of these 30 days"):
        monthly(days[1:], cover_of(days), eight_hours(), 2021, 1.0)


def test_months_of_days_are_those_of_the_calendar_also_with_days_left_out() -> None:
    days = days_between("1899-12-20", "2101-03-05")
    kept = days[np.random.default_rng(3).random(days.size) < 0.02]
    for some in (days, kept, kept[:1]):
        dates = some.astype("datetime64[D]").astype("datetime64[M]").astype(int)
        np.testing.assert_array_equal(months_since_epoch(some), dates)
    months = np.arange(-70 * 12, 140 * 12)
    expected = pd.PeriodIndex.from_ordinals(months, freq="M").days_in_month
    np.testing.assert_array_equal(month_lengths(months), expected)
