"""The choice of a year for each month."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.tmy.finkelstein_schafer import typical_years


def test_of_the_five_nearest_the_most_usual_irradiance_wins() -> None:
    scores = np.tile(np.arange(30) / 100, (12, 1))
    ghi = np.tile(np.where(np.arange(30) < 15, 40.0, 60.0)[:, None], (1, 12))
    ghi[3] = 49.0
    ghi[5] = 50.0  # nearest of all, but the sixth by its score
    assert (typical_years(scores, ghi, 1991) == 1994).all()


def test_polar_night_is_chosen_by_score_then_the_earliest_year() -> None:
    scores = np.full((12, 30), 0.5)
    scores[:, [7, 20]] = 0.1
    assert (typical_years(scores, np.zeros((30, 12)), 1991) == 1998).all()


@given(seed=st.integers(0, 2**32 - 1), years=st.integers(1, 30))
@settings(max_examples=50)
def test_it_is_what_the_rule_says(seed: int, years: int) -> None:
    draw = np.random.default_rng(seed)
    scores, ghi = draw.integers(0, 6, (12, years)) / 10, draw.integers(0, 5, (years, 12)).astype(float)
    got = typical_years(scores, ghi, 2000)
    for month in range(12):
        five = sorted(range(years), key=lambda y: (scores[month, y], y))[:5]
        away = [abs(ghi[y, month] - ghi.mean(axis=0)[month]) for y in range(years)]
        assert got[month] - 2000 == min(five, key=lambda y: (away[y], scores[month, y], y))
