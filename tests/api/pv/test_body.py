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

from api.pv import answer
from api.pv.calculation import Floats, Result
from api.pv.ground import BARE_GROUND
from api.pv.query import PvQuery, understood
from api.pv.snow import Taken
from api.pv.surfaces import Surface
from kernels.pv.plant import Produced
from tests.support.tmy import METHOD, SOURCES


def every_month(kwh: float) -> Produced:
    """A surface that gets and gives the same in all months and at every stage."""
    return Produced(*(np.full((1, 12), kwh) for _ in range(6)))


NOTHING = every_month(0)


def chosen() -> Any:
    entry = SimpleNamespace(product="ens_tmy30", version="1991-2025", data_origin="simulated", path="x")
    version = SimpleNamespace(entry=entry, name="x", method=METHOD, generator="by hand", sources=SOURCES)
    place = SimpleNamespace(cell_id="N3-066-112", distance_km=0.49)
    known = SimpleNamespace(elevation=80.0, weights={"reanalysis": 0.4, "solarmodel": 0.6})
    return SimpleNamespace(
        found=SimpleNamespace(place=place, stats=version, known=known),
        version=version,
        horizon=None,
        horizons=None,
        snow=None,
        ground=BARE_GROUND,
        origin="simulated",
    )


def result_of(shaded: Produced, unshaded: Produced | None = None, lean: Floats | None = None) -> Result:
    known = dict.fromkeys(("p50", "p75", "p90"), shaded.out)
    surfaces = (Surface(1.0, 35.0, 0.0),) * len(shaded.out)
    return Result(surfaces, shaded, unshaded or shaded, {**known, "p95": None}, lean, 0.0)


def body(shaded: Produced, unshaded: Produced | None = None, **more: Any) -> Any:
    return answer.body(understood(PvQuery(lat=60.0, lon=10.0, **more)), chosen(), result_of(shaded, unshaded))


def assert_numbers(part: Any) -> None:
    """No NaN, no infinity, no minus zero."""
    if isinstance(part, dict | list):
        for one in part.values() if isinstance(part, dict) else part:
            assert_numbers(one)
    elif isinstance(part, float):
        assert math.isfinite(part)
        assert part != 0 or math.copysign(1, part) > 0


def test_a_plant_that_never_gets_light() -> None:
    made = body(NOTHING, maxpower=1.0)
    assert_numbers(made)
    annual = made["annual"]
    assert (annual["e_kwh"], annual["performance_ratio"], annual["specific_yield_kwh_kwp"]) == (0, 0, 0)
    assert set(annual["losses_pct"].values()) == {0.0}
    assert "(0.0 % of the production)" in made["warnings"][1]


def test_terrain_that_takes_all() -> None:
    full = every_month(10)
    made = body(NOTHING, full)
    assert_numbers(made)
    losses = made["annual"]["losses_pct"]
    assert (losses["horizon"], losses["aoi"], losses["total"]) == (100, 0, 100)
    assert made["side_by_side"] == {"unshaded_kwh": 120, "shaded_kwh": 0, "shaded_snow_kwh": 0}


def test_what_is_printed_adds_up_where_what_is_rounded_would_not() -> None:
    thirds = every_month(10 / 3)
    made = body(thirds)
    assert [month["e_kwh"] for month in made["monthly"]] == [3.333] * 12
    assert made["annual"]["e_kwh"] == 39.996


KWH = arrays(np.float64, st.tuples(st.integers(1, 4), st.just(12)), elements=st.floats(0, 1e5))


@given(KWH, st.floats(0, 1))
def test_what_is_the_same_is_printed_the_same(ac: Floats, kept: float) -> None:
    plant = Produced(*(np.ones_like(ac) for _ in range(4)), ac, kept * ac)
    result = result_of(plant, lean=0.0 * ac)
    asked = understood(PvQuery(lat=60.0, lon=10.0, confidence="p90"))
    made = answer.body(asked, chosen(), result)
    annual, e_kwh = made["annual"], made["annual"]["e_kwh"]
    assert made["side_by_side"] == dict.fromkeys(("unshaded_kwh", "shaded_kwh", "shaded_snow_kwh"), e_kwh)
    assert annual["percentiles_kwh"] == {"p50": e_kwh, "p75": e_kwh, "p90": e_kwh, "p95": None}
    assert annual["e_std_kwh"] == e_kwh  # of a year without any sun
    pictured = answer.for_picture(made, result)["monthly_unshaded_kwh"]
    assert pictured == [month["e_kwh"] for month in made["monthly"]]
    # What the limit took is what an answer without one has more.
    free = answer.body(asked, chosen(), result_of(replace(plant, out=ac)))["annual"]["e_kwh"]
    assert round(1000 * (e_kwh + annual["clipped_kwh"])) == round(1000 * free)


def test_known_losses_take_known_energy() -> None:
    one, other = np.full(12, 100.0), np.full(12, 300.0)
    out = np.stack([one, other])
    parts = np.zeros((2, 12))
    parts[:, 0], parts[0, 1], parts[1, 2], parts[:, 3] = 1.0, 0.5, 0.25, (0.1, 0.2)
    plant = Produced(*(out for _ in range(4)), out * 1.25, out)
    result = replace(result_of(plant, lean=out / 2), snow=Taken(parts, 35))
    made = answer.body(understood(PvQuery(lat=60.0, lon=10.0, snowloss="1")), chosen(), result)
    assert_numbers(made)
    months = made["monthly"]
    assert [month["e_kwh"] for month in months[:5]] == [0, 350, 325, 330, 400]
    assert [month["snow_loss_pct"] for month in months[:5]] == [100, 12.5, 18.75, 17.5, 0]
    assert [month["clipped_kwh"] for month in months] == [100.0] * 12
    assert [array["e_kwh"] for array in made["arrays"]] == [1040, 3165]
    annual, year = made["annual"], 4205
    assert annual["e_kwh"] == sum(month["e_kwh"] for month in months) == year
    assert annual["losses_pct"]["snow"] == round(100 * (1 - year / 4800), 3)
    assert annual["losses_pct"]["clipping"] == 20
    assert annual["percentiles_kwh"] == {"p50": year, "p75": year, "p90": year, "p95": None}
    assert annual["e_std_kwh"] == year / 2
    assert annual["clipped_kwh"] == 1200
    assert annual["specific_yield_kwh_kwp"] == year / 2
    beside = made["side_by_side"]
    assert beside == {"unshaded_kwh": 4800, "shaded_kwh": 4800, "shaded_snow_kwh": year}
    assert answer.for_picture(made, result)["monthly_unshaded_kwh"] == [400.0] * 12


def test_snow_on_what_gives_nothing_takes_nothing() -> None:
    result = replace(result_of(NOTHING), snow=Taken(np.ones((1, 12)), 35))
    made = answer.body(understood(PvQuery(lat=60.0, lon=10.0, snowloss="1")), chosen(), result)
    assert_numbers(made)
    assert {month["snow_loss_pct"] for month in made["monthly"]} == {0}
    assert made["annual"]["losses_pct"]["snow"] == 0


def test_what_statistics_do_not_know_is_null_and_nothing_else_is() -> None:
    made = body(every_month(1))
    assert made["annual"]["percentiles_kwh"]["p95"] is None
    assert made["annual"]["e_std_kwh"] is None
    assert made["annual"]["percentiles_kwh"]["p50"] == 12


@pytest.mark.parametrize(("horizons", "words"), [(None, "no horizon is published"), ("v", "no horizon is built")])
def test_why_there_is_no_horizon(horizons: str | None, words: str) -> None:
    one = chosen()
    one.horizons = horizons
    asked = understood(PvQuery(lat=60.0, lon=10.0))
    result = Result(
        (Surface(1.0, 35.0, 0.0),), NOTHING, NOTHING, dict.fromkeys(("p50", "p75", "p90", "p95")), None, 0.0
    )
    made = answer.body(asked, one, result)
    assert words in made["method"]["horizon"]
    assert words in made["warnings"][0]
    assert made["warnings"][0].startswith("The production is unshaded")
