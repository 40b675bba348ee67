"""What is in an answer: that it adds up, multiplies up, and is the chain's on the year that it says."""

import re
from math import prod

import pytest

from api.data.location import SIMULATED
from tests.api.conftest import Api, require_documented
from tests.api.pv.conftest import production, pv
from tests.support.horizon import OSLO
from tests.support.tmy import TROMSO

STAGES = ("horizon", "aoi", "spectral", "temperature_irradiance", "system", "clipping", "snow")
FOUR = "5:35:-90,3:20:90,0.05:90:180,12:0:0"
PERCENTILES = ("p50", "p75", "p90", "p95")
PLANTS: tuple[dict[str, object], ...] = (
    {"peakpower": 0.05},
    {"arrays": FOUR},
    {"arrays": "0.07:12:33,0.11:47:-71,0.13:88:140", "maxpower": 0.1, "tech": "CdTe", "loss": 7.3},
)


def thousandths(value: float) -> int:
    whole = round(value * 1000)
    assert value == whole / 1000, f"{value} has more than three decimals"
    return whole


async def test_it_has_the_contract_s_fields(api: Api) -> None:
    asked = await api.ask(pv(optimize="slope"))
    await require_documented(api, "GET /api/pv/calc", asked)
    assert "optimum" not in await production(api)
    assert asked.json["tmy"] == {
        "cell_id": "N3-066-112", "product": "ens_tmy30", "cell_distance_km": 0.49, "elevation_m": 123.4,
        "product_years": [1991, 2020], "confidence": "p50", "data_origin": "simulated",
    }  # fmt: skip


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"arrays": FOUR, "maxpower": 9},
        {"arrays": FOUR, "horizon": 0, "tech": "CdTe", "mounting": "building", "loss": 0},
        {"peakpower": 100000, "maxpower": 0.05, "confidence": "p95"},
        {"peakpower": 0.05, "angle": 90, "aspect": 180, "loss": 60, "tech": "CIS"},
    ],
)
async def test_months_surfaces_and_losses_make_the_year(api: Api, more: dict[str, object]) -> None:
    answer = await production(api, **more)
    annual, months, arrays = answer["annual"], answer["monthly"], answer["arrays"]
    for name in ("e_kwh", "poa_kwh_m2", "clipped_kwh"):
        assert sum(thousandths(month[name]) for month in months) == thousandths(annual[name]), name
    assert sum(thousandths(array["e_kwh"]) for array in arrays) == thousandths(annual["e_kwh"])
    kwp = sum(array["kwp"] for array in arrays)
    weighted = sum(array["kwp"] * array["poa_kwh_m2"] for array in arrays) / kwp
    assert annual["poa_kwh_m2"] == pytest.approx(weighted, abs=0.02)
    assert annual["specific_yield_kwh_kwp"] == pytest.approx(annual["e_kwh"] / kwp, abs=0.0006)
    ratio = annual["e_kwh"] / (kwp * annual["poa_kwh_m2"])
    assert annual["performance_ratio"] == pytest.approx(ratio, abs=0.00006)

    losses = annual["losses_pct"]
    total = 100 * (1 - prod(1 - losses[stage] / 100 for stage in STAGES))
    assert losses["total"] == pytest.approx(total, abs=0.0006)
    assert losses["system"] == pytest.approx(answer["inputs"]["loss"])
    # From the light of the unshaded planes to what leaves the plant.
    ideal = kwp * annual["poa_kwh_m2"] / (1 - losses["horizon"] / 100)
    assert 100 * (1 - annual["e_kwh"] / ideal) == pytest.approx(losses["total"], abs=0.01)

    assert sum(answer["monthly_unshaded_kwh"]) == pytest.approx(answer["side_by_side"]["unshaded_kwh"], abs=1e-6)
    beside = answer["side_by_side"]
    assert beside["shaded_kwh"] == beside["shaded_snow_kwh"] == annual["e_kwh"]
    assert beside["unshaded_kwh"] >= beside["shaded_kwh"]
    assert all(month["snow_loss_pct"] == 0 for month in months)
    assert annual["percentiles_kwh"][answer["inputs"]["confidence"]] == annual["e_kwh"]


@pytest.mark.parametrize("more", PLANTS)
@pytest.mark.parametrize("place", [OSLO, TROMSO])
async def test_a_percentile_is_to_the_last_digit_the_energy_of_the_answer_to_it(
    api: Api, place: tuple[float, float], more: dict[str, object]
) -> None:
    answers = {name: (await production(api, place, confidence=name, **more))["annual"] for name in PERCENTILES}
    energies = {name: annual["e_kwh"] for name, annual in answers.items()}
    assert sorted(energies.values(), reverse=True) == list(energies.values())
    for annual in answers.values():
        assert annual["percentiles_kwh"] == energies
        assert annual["e_std_kwh"] == answers["p50"]["e_std_kwh"]
    # GHI of p90 is 92/112 of that of p50: losses differ between the years, so the production is not exactly so.
    ratio = energies["p90"] / energies["p50"]
    assert ratio == pytest.approx(0.92 / 1.12, rel=0.05)
    assert abs(ratio - 0.92 / 1.12) > 1e-4


async def test_a_limit_takes_what_is_above_it_and_says_what_it_cannot_see(api: Api) -> None:
    free, cut, high = [
        (await production(api, peakpower=10, **more)) for more in ({}, {"maxpower": 5}, {"maxpower": 100})
    ]
    taken = free["annual"]["e_kwh"] - cut["annual"]["e_kwh"]
    assert cut["annual"]["clipped_kwh"] == pytest.approx(taken, abs=0.02)
    assert cut["annual"]["losses_pct"]["clipping"] == pytest.approx(100 * taken / free["annual"]["e_kwh"], abs=0.001)
    assert high["annual"]["e_kwh"] == free["annual"]["e_kwh"] > cut["annual"]["e_kwh"]
    assert free["warnings"] == [SIMULATED]
    said = re.fullmatch(
        r"Hourly means hide shorter peaks: under a sky that is now clear, now dull, the limit would take up to "
        r"(\d+\.\d+) kWh a year more \((\d+\.\d) % of the production\)\.",
        cut["warnings"][0],
    )
    assert said
    assert float(said[2]) == pytest.approx(100 * float(said[1]) / cut["annual"]["e_kwh"], abs=0.06)
    assert "up to 0.000 kWh" in high["warnings"][0]


async def test_an_optimum_is_repeated_and_is_what_was_calculated(api: Api) -> None:
    asked: dict[str, object] = {"peakpower": 3, "angle": 10, "aspect": 40.25}
    plain = await production(api, **asked)
    slope = await production(api, **asked, optimize="slope")
    both = await production(api, **asked, optimize="both")
    assert slope["optimum"]["aspect"] == 40.25
    for best in (slope, both):
        inputs = best["inputs"]
        assert (inputs["peakpower"], inputs["angle"], inputs["aspect"]) == (3, 10, 40.25)
        [array] = best["arrays"]
        assert {name: array[name] for name in ("angle", "aspect")} == best["optimum"]
        again = await production(api, peakpower=3, **best["optimum"])
        assert again["annual"] == best["annual"]
    assert plain["annual"]["e_kwh"] < slope["annual"]["e_kwh"] < both["annual"]["e_kwh"]
    for away in (-3, 3):
        beside = await production(api, peakpower=3, aspect=40.25, angle=slope["optimum"]["angle"] + away)
        assert beside["annual"]["e_kwh"] < slope["annual"]["e_kwh"]
    assert both["optimum"] == {name: round(value, 1) for name, value in both["optimum"].items()}
