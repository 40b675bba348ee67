"""Years of one place, brighter and darker, and what each stage of a plant takes."""

import numpy as np
import pytest

from kernels.pv.plant import System
from kernels.pv.years import STAGES, PlantYears, plant_years, stage_losses, years_of
from tests.kernels.pv.years import site

PLANES = [(35.0, 180.0, 6.0), (60.0, 90.0, 3.0)]
KWP = np.array([6.0, 3.0])


def in_years(horizon: str = "hills") -> PlantYears:
    where = site(horizon=horizon)
    sums = {"dull": 0.8 * where.ghi_kwh_m2, "plain": where.ghi_kwh_m2, "unknown": None, "dark": 0.0}
    return plant_years(years_of(where, sums), "plain", PLANES, System(ac_max=4.0))


def test_darker_year_gives_less_and_year_without_sum_gives_nothing_known() -> None:
    made = in_years()
    dull, plain = made.out["dull"], made.out["plain"]
    assert dull is not None
    assert plain is made.shaded.out
    assert 0.6 < dull.sum() / plain.sum() < 1.0
    assert made.out["unknown"] is made.out["dark"] is None


def test_year_without_sum_cannot_be_the_one_asked_for() -> None:
    with pytest.raises(ValueError, match="p50"):
        plant_years(years_of(site(), {"p50": None}), "p50", PLANES, System())


def test_open_place_is_calculated_once() -> None:
    made = in_years("open")
    assert made.unshaded is made.shaded
    assert in_years("hills").unshaded.out.sum() > in_years("hills").shaded.out.sum()


def test_stages_multiply_up_to_what_is_delivered() -> None:
    made = in_years()
    delivered = 0.9 * made.shaded.out
    losses = stage_losses(KWP, made, delivered)
    assert tuple(losses) == STAGES
    assert losses["snow"] == pytest.approx(10)
    assert losses["system"] == pytest.approx(14)
    left = np.prod([1 - lost / 100 for lost in losses.values()])
    assert left == pytest.approx(delivered.sum() / (KWP @ made.unshaded.poa.sum(axis=1)))


def test_stage_that_gets_nothing_loses_nothing() -> None:
    made = in_years()
    nothing = type(made.shaded)(*(np.zeros((2, 12)) for _ in range(6)))
    assert set(stage_losses(KWP, made._replace(shaded=nothing, unshaded=nothing), nothing.out).values()) == {0.0}
