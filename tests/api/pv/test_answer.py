"""What is in an answer: that it adds up, multiplies up, and is the chain's on the year that it says."""

import re
from math import prod

import pytest

from api.pv.told import SIMULATED
from tests.api.conftest import Api
from tests.api.pv.conftest import production, pv
from tests.support.horizon import OSLO
from tests.support.tmy import QUAY, TROMSO

STAGES = ("horizon", "aoi", "spectral", "temperature_irradiance", "system", "clipping", "snow")
FOUR = "5:35:-90,3:20:90,0.05:90:180,12:0:0"
DECEMBER, JANUARY = 11, 0
PERCENTILES = ("p50", "p75", "p90", "p95")


def thousandths(value: float) -> int:
    whole = round(value * 1000)
    assert value == whole / 1000, f"{value} has more than three decimals"
    return whole


HIDDEN = re.compile(
    r"Hourly means hide shorter peaks: under a sky that is now clear, now dull, the limit would take up to "
    r"(\d+\.\d+) kWh a year more \((\d+\.\d) % of the production\)\."
)


def hidden(warning: str) -> tuple[float, float]:
    """What a limit would take more, kWh and %."""
    found = HIDDEN.fullmatch(warning)
    assert found, warning
    return float(found[1]), float(found[2])


async def test_it_has_the_contract_s_fields(api: Api) -> None:
    answer = await production(api, optimize="slope")
    assert list(answer) == [
        "inputs", "tmy", "arrays", "monthly", "annual", "side_by_side", "method", "warnings", "optimum",
    ]  # fmt: skip
    assert list(answer["tmy"]) == [
        "cell_id", "product", "cell_distance_km", "elevation_m", "product_years", "confidence", "data_origin",
    ]  # fmt: skip
    assert (answer["tmy"]["elevation_m"], answer["tmy"]["product_years"]) == (123.4, [1991, 2020])
    assert (answer["tmy"]["cell_id"], answer["tmy"]["product"]) == ("N3-066-112", "ens_tmy30")
    assert [list(array) for array in answer["arrays"]] == [["kwp", "angle", "aspect", "e_kwh", "poa_kwh_m2"]]
    assert [month["month"] for month in answer["monthly"]] == list(range(1, 13))
    assert list(answer["annual"]) == [
        "e_kwh", "specific_yield_kwh_kwp", "poa_kwh_m2", "performance_ratio", "e_std_kwh", "clipped_kwh", "losses_pct",
        "percentiles_kwh",
    ]  # fmt: skip
    assert list(answer["annual"]["losses_pct"]) == [*STAGES, "total"]
    assert list(answer["annual"]["percentiles_kwh"]) == ["p50", "p75", "p90", "p95"]
    assert "optimum" not in await production(api)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"arrays": FOUR, "maxpower": 9},
        {"arrays": FOUR, "horizon": 0, "tech": "CdTe", "mounting": "building"},
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

    beside = answer["side_by_side"]
    assert beside["shaded_kwh"] == beside["shaded_snow_kwh"] == annual["e_kwh"]
    assert beside["unshaded_kwh"] >= beside["shaded_kwh"]
    assert all(month["snow_loss_pct"] == 0 for month in months)
    assert annual["percentiles_kwh"][answer["inputs"]["confidence"]] == annual["e_kwh"]


async def test_a_percentile_is_a_year_of_its_own_and_not_the_median_times_something(api: Api) -> None:
    by_confidence = {name: await production(api, confidence=name) for name in ("p50", "p75", "p90", "p95")}
    energies = {name: answer["annual"]["e_kwh"] for name, answer in by_confidence.items()}
    assert energies["p50"] > energies["p75"] > energies["p90"] > energies["p95"]
    for answer in by_confidence.values():
        assert answer["annual"]["percentiles_kwh"] == energies
        assert answer["annual"]["e_std_kwh"] == by_confidence["p50"]["annual"]["e_std_kwh"]
    # GHI of p90 is 92/112 of that of p50: losses differ between the years, so the production is not exactly so.
    ratio = energies["p90"] / energies["p50"]
    assert ratio == pytest.approx(0.92 / 1.12, rel=0.05)
    assert abs(ratio - 0.92 / 1.12) > 1e-4


async def test_the_hill_in_the_east_takes_from_the_plane_that_faces_it(api: Api) -> None:
    east, west = [await production(api, angle=60, aspect=aspect) for aspect in (-90, 90)]
    free = await production(api, angle=60, aspect=-90, horizon=0)
    assert east["annual"]["losses_pct"]["horizon"] > west["annual"]["losses_pct"]["horizon"] > 0
    assert free["annual"]["losses_pct"]["horizon"] == 0
    assert east["side_by_side"]["unshaded_kwh"] == free["annual"]["e_kwh"] == free["side_by_side"]["unshaded_kwh"]
    assert east["annual"]["e_kwh"] < free["annual"]["e_kwh"]
    cut, free_cut = [await production(api, angle=60, aspect=-90, maxpower=0.4, horizon=h) for h in (1, 0)]
    assert cut["side_by_side"]["unshaded_kwh"] == free_cut["annual"]["e_kwh"] < free["annual"]["e_kwh"]
    assert "applied to beam" in east["method"]["horizon"]
    terrain = (await api.ask(f"/api/horizon/terrain?lat={OSLO[0]}&lon={OSLO[1]}")).json
    for name in ("tile_key", "dtm_year", "horizon_version", "data_origin"):
        assert str(terrain[name]) in east["method"]["horizon"]
    assert free["method"]["horizon"] == "turned off: horizon=0"
    assert not any("unshaded" in one for one in (*east["warnings"], *free["warnings"]))


async def test_without_terrain_all_of_a_cell_gives_the_same(api: Api) -> None:
    here, beside = [await production(api, place, horizon=0) for place in (OSLO, (OSLO[0] + 0.003, OSLO[1] - 0.004))]
    assert here["tmy"]["cell_distance_km"] != beside["tmy"]["cell_distance_km"]
    assert here["annual"] == beside["annual"]


async def test_azimuth_is_counted_from_south(api: Api) -> None:
    yields = [(await production(api, angle=90, aspect=a, horizon=0))["annual"]["e_kwh"] for a in (0, 180, -180)]
    assert yields[0] > 2 * yields[1]
    assert yields[1] == yields[2]


PLANTS: tuple[dict[str, object], ...] = (
    {"peakpower": 0.05},
    {"arrays": FOUR},
    {"arrays": "0.07:12:33,0.11:47:-71,0.13:88:140", "maxpower": 0.1, "tech": "CdTe", "loss": 7.3},
)


@pytest.mark.parametrize("more", PLANTS)
async def test_a_percentile_is_to_the_last_digit_the_energy_of_the_answer_to_it(
    api: Api, more: dict[str, object]
) -> None:
    for place in (OSLO, TROMSO):
        answers = {name: (await production(api, place, confidence=name, **more)) for name in PERCENTILES}
        for answer in answers.values():
            for name, other in answers.items():
                assert answer["annual"]["percentiles_kwh"][name] == other["annual"]["e_kwh"]


@pytest.mark.parametrize("more", PLANTS)
async def test_where_no_horizon_is_applied_unshaded_and_shaded_are_one_number(
    api: Api, more: dict[str, object]
) -> None:
    for place, horizon in ((OSLO, 0), (QUAY, 1), (TROMSO, 1)):
        beside = (await production(api, place, horizon=horizon, **more))["side_by_side"]
        assert beside["unshaded_kwh"] == beside["shaded_kwh"] == beside["shaded_snow_kwh"]


async def test_polar_night_months_are_zero_and_not_null(api: Api) -> None:
    answer = await production(api, TROMSO, peakpower=10, maxpower=5)
    for month in (answer["monthly"][JANUARY], answer["monthly"][DECEMBER]):
        assert month["e_kwh"] is not None
        assert 0 <= month["e_kwh"] < 0.02 * answer["annual"]["e_kwh"]
    december = answer["monthly"][DECEMBER]
    assert december == {"month": 12, "e_kwh": 0, "poa_kwh_m2": 0, "snow_loss_pct": 0, "clipped_kwh": 0}
    assert answer["annual"]["performance_ratio"] > 0.5


async def test_a_limit_takes_what_is_above_it_and_says_what_it_cannot_see(api: Api) -> None:
    free, cut = await production(api, peakpower=10), await production(api, peakpower=10, maxpower=5)
    taken = free["annual"]["e_kwh"] - cut["annual"]["e_kwh"]
    assert cut["annual"]["clipped_kwh"] == pytest.approx(taken, abs=0.02)
    assert taken > 0
    assert free["annual"]["clipped_kwh"] == free["annual"]["losses_pct"]["clipping"] == 0
    assert cut["annual"]["losses_pct"]["clipping"] == pytest.approx(100 * taken / free["annual"]["e_kwh"], abs=0.001)
    assert free["warnings"] == [SIMULATED]
    [warning, _] = cut["warnings"]
    more, part = hidden(warning)
    assert more > 0
    assert part == pytest.approx(100 * more / cut["annual"]["e_kwh"], abs=0.06)
    high = await production(api, peakpower=10, maxpower=100000)
    assert high["annual"]["e_kwh"] == free["annual"]["e_kwh"]
    assert "up to 0.000 kWh" in high["warnings"][0]


async def test_hours_hide_no_more_than_the_limit_leaves(api: Api) -> None:
    for kwp, limit in ((10, 8), (10, 1), (100000, 0.05), (0.05, 0.05)):
        for angle, aspect in ((35, 0), (90, -90), (0, 0)):
            answer = await production(api, peakpower=kwp, maxpower=limit, angle=angle, aspect=aspect)
            more, part = hidden(answer["warnings"][0])
            assert 0 <= more <= answer["annual"]["e_kwh"]
            assert part <= 100


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
    for aspect in (40.25, 100):
        best = await production(api, aspect=aspect, optimize="slope")
        for away in (-3, 3):
            beside = await production(api, aspect=aspect, angle=best["optimum"]["angle"] + away)
            assert beside["annual"]["e_kwh"] < best["annual"]["e_kwh"]
    assert both["optimum"] == {name: round(value, 1) for name, value in both["optimum"].items()}


async def test_system_loss_of_nothing_and_of_most(api: Api) -> None:
    none, most = await production(api, loss=0), await production(api, loss=60)
    assert most["annual"]["e_kwh"] == pytest.approx(0.4 * none["annual"]["e_kwh"], abs=0.02)
    assert (none["annual"]["losses_pct"]["system"], most["annual"]["losses_pct"]["system"]) == (0, 60)


async def test_a_building_is_warmer_and_technologies_differ(api: Api) -> None:
    free, warm = await production(api), await production(api, mountingplace="building")
    assert warm["annual"]["e_kwh"] < free["annual"]["e_kwh"]
    yields = {(await production(api, tech=one))["annual"]["e_kwh"] for one in ("crystSi", "CIS", "CdTe")}
    assert len(yields) == 3


async def test_it_says_how_it_was_made(api: Api) -> None:
    method = (await production(api))["method"]
    assert method["engine"] == "perez_huld_tmy_v1"
    assert "pvgis5" in method["coefficients"]
    assert "A reanalysis (CC BY 4.0; An institute)" in method["sources"]
    assert method["generator"] == "made-up ens_tmy30"
    assert "horizon 2026-05-01T00 (simulated)" in method["horizon"]
    assert "horizon can be some hundredths below 0, which is no error" in method["losses"]


async def test_head_and_no_hours_anywhere(api: Api) -> None:
    answer = await api.ask(pv(QUAY))
    assert len(answer.text) < 6000
    assert "hourly" not in answer.json


async def test_a_wall_that_faces_north_lives_of_sky_and_ground(api: Api) -> None:
    for more in ({"peakpower": 0.05}, {"peakpower": 0.05, "maxpower": 0.05, "snowloss": 1}):
        answer = await production(api, angle=90, aspect=180, **more)
        south = await production(api, angle=90, aspect=0, **more)
        december = answer["monthly"][DECEMBER]
        assert 0 < december["poa_kwh_m2"] < 0.3 * south["monthly"][DECEMBER]["poa_kwh_m2"]
        assert 0 < answer["annual"]["e_kwh"] < 0.5 * south["annual"]["e_kwh"]
        assert 0.3 < answer["annual"]["performance_ratio"] < 1
    dark = await production(api, TROMSO, angle=90, aspect=180, peakpower=0.05)
    assert dark["monthly"][DECEMBER]["e_kwh"] == 0
