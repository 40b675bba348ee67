"""The body made of what a hand-made chain gives: nothing is divided by nothing."""

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from api.data.location import Location
from api.data.surfaces import Surface
from api.data.typical_year import Place
from api.data.versions import Version
from api.pv import answer
from api.pv.calculation import LEAN, Floats, Result, SnowLoss
from api.pv.ground import BARE_GROUND
from api.pv.query import PvQuery
from api.pv.service import Inputs
from kernels.pv.plant import Produced
from kernels.pv.years import PlantYears
from tests.support.tmy import OSLO_CELL, provenance

ENTRY: Any = SimpleNamespace(product="ens_tmy30", version="1991-2025", data_origin="simulated", path="x")


NOTHING = Produced(*(np.zeros((1, 12)) for _ in range(6)))


def inputs(**more: Any) -> Inputs:
    """A plant in Oslo, of which nothing was read."""
    tile: Any = SimpleNamespace(manifest=SimpleNamespace(provenance=provenance("ens_tmy30", "x")))
    version = Version(ENTRY, tile)
    known = SimpleNamespace(elevation=80.0, weights={"reanalysis": 0.4, "solarmodel": 0.6})
    found: Any = SimpleNamespace(place=Place(OSLO_CELL, 0.49), stats=version, known=known)
    location = Location(found, version, None, None, with_horizon=True)
    return Inputs(PvQuery(lat=60.0, lon=10.0, **more), location, BARE_GROUND, None)


def result_of(shaded: Produced, lean: Floats | None = None) -> Result:
    known = dict.fromkeys(("p50", "p75", "p90"), shaded.out)
    surfaces = (Surface(1.0, 35.0, 0.0),) * len(shaded.out)
    return Result(surfaces, PlantYears(shaded, shaded, {**known, "p95": None, LEAN: lean}, 0.0))


def body(result: Result, **more: Any) -> Any:
    return answer.body(inputs(**more), result)


def assert_numbers(part: Any) -> None:
    """No NaN, no infinity, no minus zero."""
    if isinstance(part, dict | list):
        for one in part.values() if isinstance(part, dict) else part:
            assert_numbers(one)
    elif isinstance(part, float):
        assert math.isfinite(part)
        assert part != 0 or math.copysign(1, part) > 0


@pytest.mark.parametrize("snow", [None, SnowLoss(np.ones((1, 12)), 35)])
def test_a_plant_that_never_gets_light(snow: SnowLoss | None) -> None:
    made = body(result_of(NOTHING)._replace(snow=snow), maxpower=1.0)
    assert_numbers(made)
    annual = made["annual"]
    assert (annual["e_kwh"], annual["performance_ratio"], annual["specific_yield_kwh_kwp"]) == (0, 0, 0)
    assert set(annual["losses_pct"].values()) == {0.0}
    assert {month["snow_loss_pct"] for month in made["monthly"]} == {0}
    assert "(0.0 % of the production)" in made["warnings"][1]


KWH = arrays(np.float64, st.tuples(st.integers(1, 4), st.just(12)), elements=st.floats(0, 1e5))


@given(KWH, st.floats(0, 1))
def test_what_is_the_same_is_printed_the_same(ac: Floats, kept: float) -> None:
    plant = Produced(*(np.ones_like(ac) for _ in range(4)), ac, kept * ac)
    result = result_of(plant, lean=0.0 * ac)
    made = body(result, confidence="p90")
    annual, e_kwh = made["annual"], made["annual"]["e_kwh"]
    assert made["side_by_side"] == dict.fromkeys(("unshaded_kwh", "shaded_kwh", "shaded_snow_kwh"), e_kwh)
    assert annual["percentiles_kwh"] == {"p50": e_kwh, "p75": e_kwh, "p90": e_kwh, "p95": None}
    assert annual["e_std_kwh"] == e_kwh  # of a year without any sun
    assert made["monthly_unshaded_kwh"] == [month["e_kwh"] for month in made["monthly"]]
    # What the limit took is what an answer without one has more.
    free = body(result_of(replace(plant, out=ac)))["annual"]["e_kwh"]
    assert round(1000 * (e_kwh + annual["clipped_kwh"])) == round(1000 * free)


def test_known_losses_take_known_energy() -> None:
    out = np.stack([np.full(12, 100.0), np.full(12, 300.0)])
    parts = np.zeros((2, 12))
    parts[:, 0], parts[0, 1], parts[1, 2], parts[:, 3] = 1.0, 0.5, 0.25, (0.1, 0.2)
    plant = Produced(*(out for _ in range(4)), out * 1.25, out)
    result = result_of(plant, lean=out / 2)._replace(snow=SnowLoss(parts, 35))
    made = body(result)
    months = made["monthly"]
    assert [month["e_kwh"] for month in months[:5]] == [0, 350, 325, 330, 400]
    assert [month["snow_loss_pct"] for month in months[:5]] == [100, 12.5, 18.75, 17.5, 0]
    assert [month["clipped_kwh"] for month in months] == [100.0] * 12
    assert [array["e_kwh"] for array in made["arrays"]] == [1040, 3165]
    annual, year = made["annual"], 4205
    losses = annual.pop("losses_pct")
    assert (losses["snow"], losses["clipping"]) == (round(100 * (1 - year / 4800), 3), 20)
    assert annual == {
        "e_kwh": year,
        "specific_yield_kwh_kwp": year / 2,
        "poa_kwh_m2": 2400,
        "performance_ratio": round(year / 4800, 4),
        "e_std_kwh": year / 2,
        "clipped_kwh": 1200,
        "percentiles_kwh": {"p50": year, "p75": year, "p90": year, "p95": None},
    }
    beside = made["side_by_side"]
    assert beside == {"unshaded_kwh": 4800, "shaded_kwh": 4800, "shaded_snow_kwh": year}
    assert made["monthly_unshaded_kwh"] == [400.0] * 12
