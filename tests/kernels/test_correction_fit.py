"""Learning a correction table: a planted bias, thin bins, monotony, bounds, and whole days kept apart."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.correction import CorrectionTable, at_lead, correct
from kernels.correction_fit import HIGHEST_FACTOR, LOWEST_FACTOR, Pairs, corrected, fit, held_out

ELEVATION = [-1.0, 5.0, 15.0, 30.0, 60.0]
KC = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2]
LEAD = [0.0, 6.0, 24.0, 67.0]
EDGES = (ELEVATION, KC, LEAD)


def made_up(n: int, *, kc: tuple[float, float] = (0.05, 1.1), noise: float = 0.0, seed: int = 0) -> Pairs:
    """Pairs whose forecast is what was observed, spread over all bins."""
    draw = np.random.default_rng(seed)
    sine = draw.uniform(0.02, 0.85, n)
    gcs = 1050 * sine**1.15
    observed = draw.uniform(*kc, n) * gcs
    ghi = observed * np.exp(noise * draw.standard_normal(n))
    lead = draw.integers(0, 66, n) + 0.5
    return Pairs(*(values.astype(np.float32) for values in (ghi, gcs, observed, sine, lead)))


def biased(pairs: Pairs, factor: np.ndarray) -> Pairs:
    return Pairs((pairs.ghi * factor).astype(np.float32), pairs.gcs, pairs.observed, pairs.sine, pairs.lead)


def test_a_bias_of_elevation_and_lead_is_undone_on_pairs_not_seen() -> None:
    def planted(pairs: Pairs) -> np.ndarray:
        return (0.7 + 0.2 * pairs.sine) * (1 - 0.002 * pairs.lead)

    train, other = made_up(60_000, noise=0.1), made_up(20_000, noise=0.1, seed=1)
    table = fit(biased(train, planted(train)), *EDGES)
    got = corrected(table, biased(other, planted(other)))
    for low, high in ((0.02, 0.2), (0.2, 0.5), (0.5, 0.85)):
        for first, last in ((0, 12), (12, 67)):
            here = (other.sine >= low) & (other.sine < high) & (other.lead >= first) & (other.lead < last)
            before = (other.ghi * planted(other))[here].sum() / other.ghi[here].sum() - 1
            after = got[here].sum() / other.ghi[here].sum() - 1
            assert before < -0.1
            assert abs(after) < 0.2 * abs(before)


def test_a_bias_of_the_clear_sky_index_is_undone_too() -> None:
    pairs = made_up(60_000)
    kc = pairs.ghi / pairs.gcs
    dark = biased(pairs, 0.6 + 0.4 * kc)
    got = corrected(fit(dark, *EDGES), dark)
    assert np.abs(got - pairs.ghi).mean() < 0.2 * np.abs(dark.ghi - pairs.ghi).mean()


def test_what_is_right_already_stays_as_it_is() -> None:
    np.testing.assert_allclose(fit(made_up(20_000), *EDGES).factor, 1, atol=1e-5)


def test_no_pairs_at_all_are_the_identity() -> None:
    np.testing.assert_array_equal(fit(made_up(0), *EDGES).factor, 1)


def test_bins_without_pairs_stay_near_one_and_few_pairs_move_little() -> None:
    dull = made_up(20_000, kc=(0.05, 0.35))
    table = fit(biased(dull, np.full(len(dull), 0.5)), *EDGES)
    assert table.factor[1:, 0].min() > 1.8, "where the pairs are, the bias is found"
    np.testing.assert_allclose(table.factor[:, 4:], 1, atol=0.05)
    few = made_up(3)
    assert np.abs(fit(biased(few, np.full(3, 0.5)), *EDGES).factor - 1).max() < 0.4


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 300))
@settings(max_examples=60)
def test_brighter_never_becomes_darker_anywhere_and_factors_stay_within_bounds(seed: int, n: int) -> None:
    pairs = made_up(n, seed=seed)
    noise = np.random.default_rng(seed + 1).choice([0.01, 0.3, 1.0, 3.0, 20.0], n)
    table = fit(biased(pairs, noise), *EDGES)
    assert table.factor.min() >= LOWEST_FACTOR
    assert table.factor.max() <= HIGHEST_FACTOR
    kc = np.linspace(0, 1.6, 200)
    gcs = np.full(kc.size, 600, np.float32)
    for sine in (0.01, 0.2, 0.43, 0.9):
        for lead in (0.5, 10.0, 40.0):
            out = np.empty(kc.size, np.float32)
            correct((kc * 600).astype(np.float32), gcs, np.full(kc.size, sine, np.float32), at_lead(table, lead), out)
            assert np.diff(out).min() >= -1e-2


def test_hours_without_sun_teach_nothing() -> None:
    night = made_up(500)
    dark = Pairs(night.ghi, np.full(500, 4.9, np.float32), night.observed * 3, night.sine, night.lead)
    np.testing.assert_array_equal(fit(dark, *EDGES).factor, 1)


def test_one_class_of_lead_is_enough() -> None:
    pairs = made_up(20_000)
    table = fit(biased(pairs, np.full(len(pairs), 0.8)), ELEVATION, KC, [0.0, 67.0])
    np.testing.assert_allclose(table.factor[1:, 1:5, 0], 1.25, atol=0.03)
    with pytest.raises(ValueError, match="at least two bins"):
        fit(pairs, [0, 60], KC, LEAD)


def test_corrected_is_what_the_forecast_builder_does_hour_by_hour() -> None:
    pairs = made_up(500)
    factor = np.random.default_rng(3).uniform(0.5, 1.5, (4, 6, 3)).astype(np.float32)
    table = CorrectionTable(factor, *(np.array(e) for e in EDGES))
    got = corrected(table, pairs)
    for i in range(0, 500, 7):
        out = np.empty(1, np.float32)
        one = slice(i, i + 1)
        correct(pairs.ghi[one], pairs.gcs[one], pairs.sine[one], at_lead(table, float(pairs.lead[i])), out)
        assert out[0] == got[i]


def test_whole_days_are_held_out_a_third_of_them() -> None:
    days = np.repeat(np.array([20_000, 20_003, 20_004, 20_005, 20_009, 20_010]), [5, 1, 7, 2, 3, 4])
    held = held_out(np.random.default_rng(0).permutation(days))
    shuffled = np.random.default_rng(0).permutation(days)
    assert set(shuffled[held]) == {20_003, 20_009}
    assert set(shuffled[held]).isdisjoint(shuffled[~held])


def test_pairs_of_different_lengths_are_refused() -> None:
    pairs = made_up(5)
    with pytest.raises(ValueError, match=r"sine has shape \(4,\)"):
        Pairs(pairs.ghi, pairs.gcs, pairs.observed, pairs.sine[:4], pairs.lead)
