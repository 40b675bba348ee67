"""The figures of the verification, by hand."""

import numpy as np
import pytest

from kernels.verification import Sums, smart_persistence, sums

NAN = np.nan


def of(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def one_group(forecast: np.ndarray, observed: np.ndarray, gcs: np.ndarray, *reference: np.ndarray) -> Sums:
    return sums(forecast, observed, gcs, np.zeros(len(gcs), int), 1, *reference)


def figures(of: Sums) -> list[float]:
    return [float(figure[0]) for figure in (of.mae(), of.nmae(), of.bias(), of.rmse(), of.skill())]


def test_figures_by_hand() -> None:
    total = one_group(of(110, 80, 300), of(100, 100, 250), of(500, 500, 500), of(140, 100, 250))
    assert total.count[0] == 3
    assert figures(total) == pytest.approx([80 / 3, 80 / 450, 40 / 3, np.sqrt(1000), 1 - np.sqrt(3000 / 1600)])


def test_night_and_what_is_missing_do_not_count() -> None:
    total = one_group(of(10, 10, NAN, 10, 10), of(0, NAN, 10, 30, 20), of(4.9, 100, 100, 100, NAN))
    assert total.count[0] == 1
    assert total.bias()[0] == -20
    assert np.isnan(total.skill()[0])


def test_place_without_daylight_has_no_figures_rather_than_zero_or_infinity() -> None:
    assert np.isnan(figures(one_group(of(0, 0), of(0, 0), of(0, 0), of(0, 0)))).all()


def test_error_relative_to_next_to_nothing_is_missing() -> None:
    dull = one_group(of(50, 60), of(9, 9), of(100, 100))
    assert np.isnan(dull.nmae()[0])
    assert dull.mae()[0] == 46


def test_skill_is_of_the_pairs_that_the_reference_has() -> None:
    total = one_group(of(110, 900), of(100, 100), of(500, 500), of(120, NAN))
    assert total.compared[0] == 1
    assert total.skill()[0] == pytest.approx(0.5)


def test_groups_and_sums_add_up() -> None:
    draw = np.random.default_rng(0)
    forecast, observed, reference = draw.uniform(0, 800, (3, 300)).astype(np.float32)
    rows = forecast, observed, np.full(300, 700, np.float32), draw.integers(0, 4, 300)
    together = sums(*rows, 6, reference)
    assert together.count.tolist()[4:] == [0, 0]
    halves = [sums(*(v[part] for v in rows), 6, reference[part]) for part in (slice(0, 100), slice(100, 300))]
    np.testing.assert_allclose((Sums.zero((6,)) + halves[0] + halves[1]).rmse(), together.rmse())
    squares = np.bincount(rows[3], (forecast - observed).astype(float) ** 2) / np.bincount(rows[3])
    np.testing.assert_allclose(together.rmse()[:4], np.sqrt(squares), rtol=1e-5)
    everything = Sums(*(getattr(together, n).reshape(2, 3) for n in Sums.__dataclass_fields__)).over(1).over(0)
    assert everything.count == 300


def test_smart_persistence_keeps_the_index_of_the_day_before() -> None:
    got = smart_persistence(of(200, 3, NAN, 0), of(400, 4, 400, 400), of(410, 400, 400, 400))
    np.testing.assert_allclose(got, of(205, NAN, NAN, 0))
