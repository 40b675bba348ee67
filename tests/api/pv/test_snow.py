"""`snowloss=1`: the months of `/api/snowsoiling/calc`, surface by surface, and what is answered without snow data."""

import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from api.data.location import SIMULATED
from tests.api.conftest import Api, Start
from tests.api.pv.conftest import production, pv
from tests.api.snow.conftest import months
from tests.api.tmy.test_errors import assert_refused
from tests.support import snow as made_up
from tests.support.snow import publish_history
from tests.support.tmy import OSLO, QUAY, TROMSO
from tiles.store import open_store


async def soiling(api: Api, place: tuple[float, float] = OSLO, **plane: object) -> Any:
    """What `/api/snowsoiling/calc` says of a plane, by month, %."""
    answer = await months(api, place, **plane)
    return np.array([month["loss_pct_incl_soiling"] for month in answer["monthly"]])


def monthly(answer: Any, name: str = "e_kwh") -> Any:
    """A value of each month."""
    return np.array([month[name] for month in answer["monthly"]])


@pytest.mark.parametrize("place", [OSLO, TROMSO])
@pytest.mark.parametrize("mounting", ["roof", "rack", "flat"])
async def test_each_month_is_less_by_what_snowsoiling_says(api: Api, place: tuple[float, float], mounting: str) -> None:
    plane = {"angle": 25, "aspect": -40}
    without = await production(api, place, **plane)
    snowy = await production(api, place, **plane, snowloss=1, snowmounting=mounting)
    lost = await soiling(api, place, **plane, mounting=mounting)
    assert lost.max() > 15
    assert lost.min() < 1.5
    energy = monthly(without)
    # what snowsoiling prints is rounded
    assert monthly(snowy) == pytest.approx(energy * (1 - lost / 100), abs=0.0006 * energy.max() + 0.001)
    dark = energy < 0.001
    assert monthly(snowy, "snow_loss_pct")[~dark] == pytest.approx(lost[~dark], abs=0.06)
    assert (monthly(snowy, "snow_loss_pct")[dark] == 0).all()
    assert dark.any() == (place == TROMSO)
    assert (monthly(snowy, "poa_kwh_m2") == monthly(without, "poa_kwh_m2")).all()


async def test_the_sums_of_the_year(api: Api) -> None:
    plant = {"arrays": "5:10:-90,3:60:90", "maxpower": 4, "mountingplace": "building"}
    without, snowy = await production(api, **plant), await production(api, **plant, snowloss=1)
    before, after = without["annual"], snowy["annual"]
    assert snowy["side_by_side"] == {**without["side_by_side"], "shaded_snow_kwh": after["e_kwh"]}
    assert without["side_by_side"]["shaded_kwh"] == before["e_kwh"] > 1.02 * after["e_kwh"]
    assert sum(array["e_kwh"] for array in snowy["arrays"]) == pytest.approx(after["e_kwh"], abs=1e-6)
    assert monthly(snowy).sum() == pytest.approx(after["e_kwh"], abs=1e-6)
    assert (monthly(snowy, "clipped_kwh") == monthly(without, "clipped_kwh")).all()
    losses = after["losses_pct"]
    assert losses["snow"] == pytest.approx(100 * (1 - after["e_kwh"] / before["e_kwh"]), abs=0.001)
    assert {**losses, "snow": 0, "total": 0} == {**before["losses_pct"], "total": 0}
    assert 0 < after["e_std_kwh"] < before["e_std_kwh"]
    p95 = (await production(api, **plant, snowloss=1, confidence="p95"))["annual"]["e_kwh"]
    assert p95 == after["percentiles_kwh"]["p95"] < before["percentiles_kwh"]["p95"]
    assert without["warnings"] == snowy["warnings"], "a limit hides of what comes before the snow"


@pytest.mark.parametrize(
    ("asked", "mounting", "words"),
    [
        ({}, "rack", "mounting=rack by mountingplace=free; the model is not calibrated"),
        ({"mountingplace": "building"}, "roof", "mounting=roof by mountingplace=building"),
        ({"mountingplace": "building", "snowmounting": "flat"}, "flat", "mounting=flat;"),
    ],
)
async def test_how_modules_stand_is_given_or_taken_from_the_mounting_place(
    api: Api, asked: dict[str, object], mounting: str, words: str
) -> None:
    answer = await production(api, **asked, snowloss=1)
    assert answer["inputs"]["snowmounting"] == mounting
    assert answer["method"]["snow"].startswith("applied, ")
    assert words in answer["method"]["snow"]
    assert monthly(answer, "snow_loss_pct") == pytest.approx(await soiling(api, angle=35, mounting=mounting), abs=0.06)


@pytest.mark.parametrize("place", [OSLO, TROMSO])
async def test_the_optimum_with_snow_is_that_of_what_is_left_after_it(api: Api, place: tuple[float, float]) -> None:
    snow: dict[str, object] = {"snowloss": 1, "snowmounting": "flat"}
    without = await production(api, place, optimize="both")
    best = await production(api, place, optimize="both", **snow)
    angle, aspect = best["optimum"]["angle"], best["optimum"]["aspect"]
    assert angle > without["optimum"]["angle"] + 1
    again = await production(api, place, **best["optimum"], **snow)
    assert again["annual"] == best["annual"]
    for tilt, towards in ((-0.1, 0), (0.1, 0), (-3, 0), (3, 0), (0, -3), (0, 3)):
        beside = await production(api, place, angle=angle + tilt, aspect=aspect + towards, **snow)
        assert beside["annual"]["e_kwh"] <= best["annual"]["e_kwh"]
    said = "The angles are those that bring most after the loss by snow (snowloss=1)."
    assert [said in answer["warnings"] for answer in (best, without, again)] == [True, False, False]


async def test_a_cell_without_snow_data_has_no_answer_with_snow(api: Api) -> None:
    """Nobody listens where the authority would be."""
    asked = await api.ask(pv(QUAY, snowloss=1))
    assert_refused(asked, 503, "Snødata", "snowloss=0")
    assert asked.json["parameter"] == "snowloss"
    assert int(asked.headers["Retry-After"]) >= 1
    assert (await production(api, QUAY))["annual"]["e_kwh"] > 0


def no_march(until: date) -> Callable[[made_up.Days, Any], made_up.Values]:
    """The usual weather, of which no March is known before a day."""

    def of(days: made_up.Days, cell: Any) -> made_up.Values:
        march = days.astype("datetime64[D]").astype("datetime64[M]").astype(int) % 12 == 2
        gone = march & (days < made_up.number(until))
        return {name: np.where(gone, np.nan, values) for name, values in made_up.weather(days, cell).items()}

    return of


async def test_few_years_and_no_whole_month(start: Start, own: Path) -> None:
    shutil.rmtree(own / "snow_history")
    publish_history(open_store(str(own)), of=no_march(date(2017, 1, 1)))
    api = await start(store_folder=own)
    told = "The loss by snow rests on 9 years in some months: it is of little weight."
    assert (await production(api, snowloss=1))["warnings"] == [told, SIMULATED]
    publish_history(open_store(str(own)), "1957-2026", no_march(date(2030, 1, 1)))
    refused = await api.until(pv(snowloss=1), lambda asked: asked.status != 200)
    assert_refused(refused, 503, "hele måneder", "snowloss=0")
