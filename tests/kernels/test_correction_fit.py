"""Learning a correction table: a planted bias, thin bins, monotony, bounds, and whole days kept apart."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from kernels.correction import CorrectionTable, at_lead, correct
from kernels.correction_fit import HIGHEST_FACTOR, LOWEST_FACTOR, Pairs, corrected, fit, held_out

EDGES = [-1.0, 5.0, 15.0, 30.0, 60.0], [0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2], [0.0, 6.0, 24.0, 67.0]
"""Elevation in degrees, clear-sky index, lead in hours."""


def made_up(n: int, *, kc: tuple[float, float] = (0.05, 1.1), noise: float = 0.0, seed: int = 0) -> Pairs:
    """Pairs whose forecast is what was observed, spread over all bins."""
    draw = np.random.default_rng(seed)
    sine = draw.uniform(0.02, 0.85, n)
    gcs = 1050 * sine**1.15
    observed = draw.uniform(*kc, n) * gcs
    ghi = observed * np.exp(noise * draw.standard_normal(n))
    lead = draw.integers(0, 66, n) + 0.5
    return Pairs(*(values.astype(np.float32) for values in (ghi, gcs, observed, sine, lead)))


def biased(pairs: Pairs, factor: ArrayLike) -> Pairs:
    return Pairs((pairs.ghi * factor).astype(np.float32), pairs.gcs, pairs.observed, pairs.sine, pairs.lead)


def test_bias_of_elevation_and_lead_is_undone_on_pairs_not_seen() -> None:
    train, other = (made_up(n, noise=0.1, seed=seed) for seed, n in enumerate((30_000, 10_000)))
    train, dark = (biased(p, (0.7 + 0.2 * p.sine) * (1 - 0.002 * p.lead)) for p in (train, other))
    got = corrected(fit(train, *EDGES), dark)
    group = np.digitize(other.sine, [0.2, 0.5]) * 2 + (other.lead >= 12)
    truth, before, after = (np.bincount(group, values) for values in (other.ghi, dark.ghi, got))
    assert (before / truth - 1 < -0.1).all()
    assert (np.abs(after - truth) < 0.2 * (truth - before)).all()


def test_what_is_right_already_stays_as_it_is_and_no_pairs_are_the_identity() -> None:
    np.testing.assert_allclose(fit(made_up(20_000), *EDGES).factor, 1, atol=1e-5)
    np.testing.assert_array_equal(fit(made_up(0), *EDGES).factor, 1)


def test_bins_without_pairs_stay_near_one_and_few_pairs_move_little() -> None:
    table = fit(biased(made_up(20_000, kc=(0.05, 0.35)), 0.5), *EDGES)
    assert table.factor[1:, 0].min() > 1.8, "where the pairs are, the bias is found"
    np.testing.assert_allclose(table.factor[:, 4:], 1, atol=0.05)
    assert np.abs(fit(biased(made_up(3), 0.5), *EDGES).factor - 1).max() < 0.4


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 300))
@settings(max_examples=30)
def test_brighter_never_becomes_darker_anywhere_and_factors_stay_within_bounds(seed: int, n: int) -> None:
    noise = np.random.default_rng(seed + 1).choice([0.01, 0.3, 1.0, 3.0, 20.0], n)
    table = fit(biased(made_up(n, seed=seed), noise), *EDGES)
    assert table.factor.min() >= LOWEST_FACTOR
    assert table.factor.max() <= HIGHEST_FACTOR
    ghi, out = np.linspace(0, 960, 200, dtype=np.float32), np.empty(200, np.float32)
    for sine in (0.01, 0.2, 0.43, 0.9):
        for lead in (0.5, 10.0, 40.0):
            correct(ghi, np.full_like(ghi, 600), np.full_like(ghi, sine), at_lead(table, lead), out)
            assert np.diff(out).min() >= -1e-2


def test_hours_without_sun_teach_nothing() -> None:
    night = made_up(500)
    dark = Pairs(night.ghi, np.full(500, 4.9, np.float32), night.observed * 3, night.sine, night.lead)
    np.testing.assert_array_equal(fit(dark, *EDGES).factor, 1)


def test_one_class_of_lead_is_enough() -> None:
    pairs = biased(made_up(20_000), 0.8)
    np.testing.assert_allclose(fit(pairs, *EDGES[:2], [0.0, 67.0]).factor[1:, 1:5, 0], 1.25, atol=0.03)
    with pytest.raises(ValueError, match="at least two bins"):
        fit(pairs, [0, 60], *EDGES[1:])


def test_corrected_is_what_the_forecast_builder_does_hour_by_hour() -> None:
    pairs, out = made_up(70), np.empty(70, np.float32)
    factor = np.random.default_rng(3).uniform(0.5, 1.5, (4, 6, 3)).astype(np.float32)
    table = CorrectionTable(factor, *(np.array(edges) for edges in EDGES))
    for one in (slice(i, i + 1) for i in range(70)):
        correct(pairs.ghi[one], pairs.gcs[one], pairs.sine[one], at_lead(table, float(pairs.lead[one][0])), out[one])
    np.testing.assert_array_equal(corrected(table, pairs), out)


def test_a_third_of_whole_days_is_held_out() -> None:
    days = np.repeat(np.array([20_000, 20_003, 20_004, 20_005, 20_009, 20_010]), [5, 1, 7, 2, 3, 4])
    days = np.random.default_rng(0).permutation(days)
    np.testing.assert_array_equal(held_out(days), np.isin(days, [20_003, 20_009]))


def test_pairs_of_different_lengths_are_refused() -> None:
    pairs = made_up(5)
    with pytest.raises(ValueError, match=r"sine has shape \(4,\)"):
        Pairs(pairs.ghi, pairs.gcs, pairs.observed, pairs.sine[:4], pairs.lead)
