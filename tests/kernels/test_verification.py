"""The figures of the verification, by hand."""

import numpy as np
import pytest

from kernels.verification import Sums, smart_persistence, sums

NAN = np.nan


def of(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def test_figures_by_hand() -> None:
    total = sums(of(110, 80, 300), of(100, 100, 250), of(500, 500, 500), np.zeros(3, int), 1, of(140, 100, 250))
    assert total.count[0] == 3
    assert total.mae()[0] == pytest.approx((10 + 20 + 50) / 3)
    assert total.nmae()[0] == pytest.approx(80 / 450)
    assert total.bias()[0] == pytest.approx(40 / 3)
    assert total.rmse()[0] == pytest.approx(np.sqrt((100 + 400 + 2500) / 3))
    assert total.skill()[0] == pytest.approx(1 - np.sqrt(3000 / 1600))


def test_night_and_what_is_missing_do_not_count() -> None:
    forecast, observed = of(10, 10, NAN, 10, 10), of(0, NAN, 10, 30, 20)
    total = sums(forecast, observed, of(4.9, 100, 100, 100, NAN), np.zeros(5, int), 1)
    assert total.count[0] == 1
    assert total.bias()[0] == -20


def test_a_place_without_daylight_has_no_figures_rather_than_zero_or_infinity() -> None:
    dark = sums(of(0, 0), of(0, 0), of(0, 0), np.zeros(2, int), 1, of(0, 0))
    for figure in (dark.nmae(), dark.mae(), dark.bias(), dark.rmse(), dark.skill()):
        assert np.isnan(figure).all()


def test_an_error_relative_to_next_to_nothing_is_missing() -> None:
    dull = sums(of(50, 60), of(9, 9), of(100, 100), np.zeros(2, int), 1)
    assert np.isnan(dull.nmae()[0])
    assert dull.mae()[0] == 46


def test_skill_is_of_the_pairs_that_the_reference_has() -> None:
    total = sums(of(110, 900), of(100, 100), of(500, 500), np.zeros(2, int), 1, of(120, NAN))
    assert total.compared[0] == 1
    assert total.skill()[0] == pytest.approx(0.5)
    assert np.isnan(sums(of(110), of(100), of(500), np.zeros(1, int), 1).skill()[0])


def test_groups_and_sums_add_up() -> None:
    draw = np.random.default_rng(0)
    forecast, observed, reference = (draw.uniform(0, 800, 300).astype(np.float32) for _ in range(3))
    gcs, group = np.full(300, 700, np.float32), draw.integers(0, 4, 300)
    together = sums(forecast, observed, gcs, group, 6, reference)
    assert together.count.tolist()[4:] == [0, 0]
    half = [sums(*(v[part] for v in (forecast, observed, gcs, group)), 6, reference[part])
            for part in (slice(0, 100), slice(100, 300))]  # fmt: skip
    added = Sums.zero((6,)) + half[0] + half[1]
    np.testing.assert_allclose(added.rmse(), together.rmse())
    for g in range(4):
        error = (forecast - observed)[group == g].astype(float)
        assert together.rmse()[g] == pytest.approx(np.sqrt((error**2).mean()), rel=1e-5)
    everything = Sums(*(getattr(together, n).reshape(2, 3) for n in Sums.__dataclass_fields__)).over(1).over(0)
    assert everything.count == 300


def test_smart_persistence_keeps_the_index_of_the_day_before() -> None:
    got = smart_persistence(of(200, 3, NAN, 0), of(400, 4, 400, 400), of(410, 400, 400, 400))
    np.testing.assert_allclose(got, of(205, NAN, NAN, 0))
