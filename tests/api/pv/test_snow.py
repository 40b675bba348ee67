"""`snowloss=1`: the months of `/api/snowsoiling/calc`, surface by surface, and what is answered without snow data."""

import asyncio
import csv
import io
import shutil
from datetime import date
from math import prod
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import numpy as np
import pytest

from api import press
from api.errors import BadGateway
from api.pv import choice
from api.pv.models import Production
from api.pv.told import SIMULATED
from api.snow import choice as snow_choice
from api.snow.losses import Snow
from api.snow.series import Series
from api.tmy.cells import Found
from tests.api.conftest import Api, Start
from tests.api.pv.conftest import production, pv
from tests.api.snow.conftest import months
from tests.api.tmy.test_errors import assert_refused
from tests.support import snow as made_up
from tests.support.snow import publish_history
from tests.support.tmy import OSLO, QUAY, TROMSO
from tiles.store import open_store

MOUNTINGS = ("roof", "rack", "flat")


async def soiling(api: Api, place: tuple[float, float] = OSLO, **plane: object) -> Any:
    """What `/api/snowsoiling/calc` says of a plane, by month, %."""
    answer = await months(api, place, **plane)
    return np.array([month["loss_pct_incl_soiling"] for month in answer["monthly"]])


def monthly(answer: Any, name: str = "e_kwh") -> Any:
    """A value of each month."""
    return np.array([month[name] for month in answer["monthly"]])


@pytest.mark.parametrize("place", [OSLO, TROMSO])
@pytest.mark.parametrize("mounting", MOUNTINGS)
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
    lost = [await soiling(api, angle=angle, aspect=aspect) for angle, aspect in ((10, -90), (60, 90))]
    assert np.abs(lost[0] - lost[1]).max() > 3
    before, after = without["annual"], snowy["annual"]
    assert snowy["side_by_side"] == {**without["side_by_side"], "shaded_snow_kwh": after["e_kwh"]}
    assert without["side_by_side"]["shaded_kwh"] == before["e_kwh"] > 1.02 * after["e_kwh"]
    for one, other in zip(without["arrays"], snowy["arrays"], strict=True):
        assert one["poa_kwh_m2"] == other["poa_kwh_m2"]
        assert 0.7 * one["e_kwh"] < other["e_kwh"] < one["e_kwh"]
    for answer in (without, snowy):
        year = round(1000 * answer["annual"]["e_kwh"])
        assert sum(round(1000 * array["e_kwh"]) for array in answer["arrays"]) == year
        assert sum(round(1000 * kwh) for kwh in monthly(answer)) == year
    assert (monthly(snowy, "clipped_kwh") == monthly(without, "clipped_kwh")).all()
    assert after["clipped_kwh"] == before["clipped_kwh"] > 0
    losses = after["losses_pct"]
    assert losses["snow"] == pytest.approx(100 * (1 - after["e_kwh"] / before["e_kwh"]), abs=0.001)
    assert {**losses, "snow": 0, "total": 0} == {**before["losses_pct"], "total": 0}
    stages = [value for name, value in losses.items() if name != "total"]
    assert losses["total"] == pytest.approx(100 * (1 - prod(1 - stage / 100 for stage in stages)), abs=0.0006)
    assert after["specific_yield_kwh_kwp"] == pytest.approx(after["e_kwh"] / 8, abs=0.0006)
    assert after["performance_ratio"] == pytest.approx(after["e_kwh"] / 8 / after["poa_kwh_m2"], abs=0.0001)
    assert after["percentiles_kwh"]["p50"] == after["e_kwh"]
    for name, kwh in after["percentiles_kwh"].items():
        assert kwh == pytest.approx(before["percentiles_kwh"][name] * after["e_kwh"] / before["e_kwh"], rel=0.01)
        assert kwh < before["percentiles_kwh"][name]
    assert 0 < after["e_std_kwh"] < before["e_std_kwh"]


async def test_a_percentile_is_the_answer_to_that_confidence(api: Api) -> None:
    known = (await production(api, snowloss=1))["annual"]["percentiles_kwh"]
    for name in ("p75", "p95"):
        answer = await production(api, snowloss=1, confidence=name)
        assert answer["annual"]["e_kwh"] == known[name]
        # the same part of each year
        assert (monthly(answer, "snow_loss_pct") > 0).all()


async def test_turned_off_nothing_changes(api: Api) -> None:
    plain = await production(api)
    off = await production(api, snowloss=0, snowmounting="rack")
    assert off["inputs"] == {**plain["inputs"], "snowmounting": "rack"}
    assert {**off, "inputs": {}} == {**plain, "inputs": {}}
    assert plain["method"]["snow"] == "not applied: snowloss=0"
    assert (monthly(plain, "snow_loss_pct") == 0).all()
    assert plain["annual"]["losses_pct"]["snow"] == 0
    assert plain["side_by_side"]["shaded_snow_kwh"] == plain["side_by_side"]["shaded_kwh"]


@pytest.mark.parametrize(("place", "mounting"), [("building", "roof"), ("free", "rack")])
async def test_how_modules_stand_where_nothing_is_said(api: Api, place: str, mounting: str) -> None:
    assumed = await production(api, mountingplace=place, snowloss=1)
    given = await production(api, mountingplace=place, snowloss=1, snowmounting=mounting)
    assert assumed["inputs"]["snowmounting"] == given["inputs"]["snowmounting"] == mounting
    assert (assumed["monthly"], assumed["annual"]) == (given["monthly"], given["annual"])
    assert f"mounting={mounting} by mountingplace={place}," in assumed["method"]["snow"]
    assert f"mounting={mounting}," in given["method"]["snow"]
    # it is told in one of them that nothing was said: they are two answers
    tags = {
        (await api.ask(pv(mountingplace=place, snowloss=1, **more))).headers["ETag"]
        for more in ({}, {"snowmounting": mounting})
    }
    assert len(tags) == 2
    other = await production(api, mountingplace=place, snowloss=1, snowmounting="flat")
    assert other["annual"]["e_kwh"] < assumed["annual"]["e_kwh"]


async def test_what_is_said(api: Api) -> None:
    answer = await production(api, snowloss=1)
    said = answer["method"]["snow"]
    for words in (
        "loss_pct_incl_soiling of /api/snowsoiling/calc", "height_mm=300", "lossmode=linear", "start=1991",
        "soiling=1", "not calibrated", "published as snow_history", "NLOD 2.0",
        "NVE, seNorge (NVE, MET Norway, Kartverket)", "simulated",
    ):  # fmt: skip
        assert words in said
    assert answer["warnings"] == [SIMULATED]
    Production.model_validate(answer)
    document = (await api.ask("/openapi.json")).json
    success = document["paths"]["/api/pv/calc"]["get"]["responses"]["200"]
    schema = {**success["content"]["application/json"]["schema"], "components": document["components"]}
    jsonschema.validate(answer, schema)


async def test_optimum_is_sought_without_snow(api: Api) -> None:
    without = await production(api, optimize="both")
    snowy = await production(api, optimize="both", snowloss=1, snowmounting="roof")
    assert snowy["optimum"] == without["optimum"]
    found = {name: snowy["optimum"][name] for name in ("angle", "aspect")}
    assert monthly(snowy, "snow_loss_pct") == pytest.approx(await soiling(api, **found), abs=0.06)


async def test_without_horizon_the_snow_is_that_of_the_open_land(api: Api) -> None:
    hill, free = await production(api, snowloss=1, horizon=0), await production(api, snowloss=1)
    left_out = "with the terrain's horizon left out here (horizon=0)"
    assert [left_out in answer["method"]["snow"] for answer in (hill, free)] == [True, False]
    assert hill["annual"]["losses_pct"]["snow"] != free["annual"]["losses_pct"]["snow"]
    assert hill["annual"]["losses_pct"]["snow"] == pytest.approx(free["annual"]["losses_pct"]["snow"], rel=0.3)


async def test_table_and_picture_have_it(api: Api) -> None:
    answer = await production(api, snowloss=1)
    text = (await api.ask(pv(snowloss=1, format="csv"))).text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [float(row["snow_loss_pct"]) for row in rows[:12]] == monthly(answer, "snow_loss_pct").tolist()
    [year] = [row for row in rows if row["scope"] == "year"]
    assert float(year["shaded_snow_kwh"]) == answer["annual"]["e_kwh"] < float(year["shaded_kwh"])
    assert float(year["losses_pct_snow"]) == answer["annual"]["losses_pct"]["snow"]
    assert year["inputs_snowmounting"] == "rack"
    pictures = []
    for snowloss in (0, 1):
        async with api.session.get(f"{api.url}{pv(snowloss=snowloss, format='png')}") as asked:
            assert asked.status == 200
            pictures.append(await asked.read())
    assert pictures[0] != pictures[1]


async def test_a_new_history_is_another_answer(start: Start, own: Path) -> None:
    api = await start(store_folder=own)
    plain, before = await api.ask(pv()), await api.ask(pv(snowloss=1))

    def twice(days: made_up.Days, cell: Any) -> made_up.Values:
        values = made_up.weather(days, cell)
        return {**values, "temp_air": values["temp_air"] - 6}

    publish_history(open_store(str(own)), "1957-2026", twice, last=date(2026, 8, 31))
    known = before.headers["ETag"]
    after = await api.until(pv(snowloss=1), lambda asked: asked.headers.get("ETag", known) != known)
    assert after.json["annual"]["e_kwh"] < before.json["annual"]["e_kwh"]
    assert (await api.ask(pv())).headers["ETag"] == plain.headers["ETag"]
    headers = {"If-None-Match": after.headers["ETag"]}
    assert (await api.ask(pv(snowloss=1), headers=headers)).status == 304
    assert (await api.ask(pv(snowloss=1), headers={"If-None-Match": known})).status == 200


async def test_without_snow_data_there_is_no_answer_with_snow(start: Start, climate: Path) -> None:
    api = await start(store_folder=climate)  # and nobody listens where the authority would be
    asked = await api.ask(pv(snowloss=1))
    assert_refused(asked, 503, "Snødata", "snowloss=0")
    assert int(asked.headers["Retry-After"]) >= 1
    assert (await production(api))["annual"]["e_kwh"] > 0


async def test_a_cell_that_history_does_not_hold_is_asked_for(api: Api) -> None:
    assert_refused(await api.ask(pv(QUAY, snowloss=1)), 503, "Snødata", "snowloss=0")


async def test_who_waits_for_the_authority_stands_in_nobody_s_way(
    start: Start, hilly: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(press, "_LARGEST_LINE", 2)
    go_on, begun = asyncio.Event(), asyncio.Semaphore(0)
    series = Snow.series

    async def slow(self: Snow, found: Found) -> Series:
        begun.release()
        await go_on.wait()
        return await series(self, found)

    monkeypatch.setattr(Snow, "series", slow)
    api = await start(store_folder=hilly)
    async with asyncio.TaskGroup() as group:
        waiting = [group.create_task(api.ask(pv(snowloss=1))) for _ in range(4)]
        for _ in waiting:
            await begun.acquire()
        assert (await api.ask(pv())).status == 200
        go_on.set()
    assert {task.result().status for task in waiting} <= {200, 503}
    assert (await api.ask(pv(snowloss=1))).json["annual"]["losses_pct"]["snow"] > 0


async def test_damaged_snow_is_never_an_answer(start: Start, own: Path) -> None:
    for shard in own.glob("snow_history/*/*.zarr/snow_depth/c/**/*"):
        if shard.is_file():
            data = bytearray(shard.read_bytes())
            data[: len(data) // 2] = bytes(len(data) // 2)
            shard.write_bytes(data)
    api = await start(store_folder=own)
    assert_refused(await api.ask(pv(snowloss=1)), 503, "skadet", "snowloss=0")
    assert (await api.ask(pv())).status == 200


async def test_a_history_without_a_whole_month_says_nothing(start: Start, own: Path) -> None:
    def no_march(days: made_up.Days, cell: Any) -> made_up.Values:
        march = days.astype("datetime64[D]").astype("datetime64[M]").astype(int) % 12 == 2
        return {name: np.where(march, np.nan, values) for name, values in made_up.weather(days, cell).items()}

    shutil.rmtree(own / "snow_history")
    publish_history(open_store(str(own)), of=no_march)
    api = await start(store_folder=own)
    assert_refused(await api.ask(pv(snowloss=1)), 503, "1991", "snowloss=0")


async def test_few_years_are_told(start: Start, own: Path) -> None:
    shutil.rmtree(own / "snow_history")
    publish_history(open_store(str(own)), "2018-2025", first=date(2018, 9, 1))
    api = await start(store_folder=own)
    answer = await production(api, snowloss=1)
    assert answer["warnings"] == [
        "The loss by snow rests on 7 years in some months: it is of little weight.",
        SIMULATED,
    ]


async def test_the_month_that_fewest_years_have_is_told(start: Start, own: Path) -> None:
    def march_since_2017(days: made_up.Days, cell: Any) -> made_up.Values:
        march = days.astype("datetime64[D]").astype("datetime64[M]").astype(int) % 12 == 2
        gone = march & (days < made_up.number(date(2017, 1, 1)))
        return {name: np.where(gone, np.nan, values) for name, values in made_up.weather(days, cell).items()}

    shutil.rmtree(own / "snow_history")
    publish_history(open_store(str(own)), of=march_since_2017)
    answer = await production(await start(store_folder=own), snowloss=1)
    assert answer["warnings"][0] == "The loss by snow rests on 9 years in some months: it is of little weight."


async def test_when_to_come_back_is_the_authority_s_word(
    start: Start, hilly: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def sent_away(*_: object) -> Series:
        raise BadGateway("Snødata", {"Retry-After": "1234"})

    monkeypatch.setattr(Snow, "series", sent_away)
    asked = await (await start(store_folder=hilly)).ask(pv(snowloss=1))
    assert_refused(asked, 503, "Snødata", "snowloss=0")
    assert asked.headers["Retry-After"] == "1234"


async def test_what_the_limit_hides_is_of_the_production_before_snow(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.pv.calculation.hidden_kwh", lambda *_: 123.0)
    without, snowy = [await production(api, maxpower=3, snowloss=snowloss) for snowloss in (0, 1)]
    assert without["warnings"] == snowy["warnings"]
    part = 100 * 123 / without["annual"]["e_kwh"]
    assert f"123.0 kWh a year more ({part:.1f} % of the production)" in snowy["warnings"][0]
    assert f"{part:.1f}" != f"{100 * 123 / snowy['annual']['e_kwh']:.1f}"


@pytest.mark.parametrize(
    ("horizon", "snow", "expected"),
    [("live", "live", "live"), ("simulated", "live", "simulated"), ("live", "simulated", "simulated")],
)
def test_data_are_simulated_where_any_of_them_are(horizon: str, snow: str, expected: str) -> None:
    """Of both groups that answer with snow."""
    live: Any = SimpleNamespace(entry=SimpleNamespace(data_origin="live"))
    found: Any = SimpleNamespace(stats=live)
    parts: Any = [SimpleNamespace(data_origin=origin) for origin in (horizon, snow)]
    for chosen in (choice.Chosen, snow_choice.Chosen):
        assert chosen(found, live, parts[0], "a version", parts[1]).origin == expected
