"""Every row of the contract's errors, and what is missing, damaged or half there."""

import asyncio
import shutil
from pathlib import Path

import numpy as np
import pytest

from api import press
from api.pv import routes
from api.pv.told import SIMULATED
from tests.api.conftest import Api, Start
from tests.api.pv.conftest import production, pv
from tests.api.tmy.conftest import tmy
from tests.api.tmy.test_errors import assert_refused
from tests.support import tmy as made_up
from tests.support.tmy import NO_HOURS, NO_MEAN, NOT_BUILT, NOT_IN_BLOCK, OPEN_SEA, OSLO_CELL, QUAY, TROMSO
from tiles.grid import NORWAY3KM, Cell
from tiles.products.tmy import MADE_OF
from tiles.store import open_store


@pytest.mark.parametrize(
    ("query", "word"),
    [("", "lat"), ("?lat=59.9", "lon"), ("?lat=x&lon=10", "lat"), ("?lat=59.9&lon=nan", "lon"), ("?lat=&lon=1", "lat")],
)
async def test_lat_and_lon_must_be_numbers(api: Api, query: str, word: str) -> None:
    assert_refused(await api.ask(f"/api/pv/calc{query}"), 400, "Oppgi lat og lon som tall", f"Parameteren {word}")


@pytest.mark.parametrize("place", [(56.99, 10.0), (71.51, 25.0), (60.0, 3.99), (70.0, 31.51), ("inf", 10.0)])
async def test_outside_the_coverage(api: Api, place: tuple[float, float]) -> None:
    assert_refused(await api.ask(pv(place)), 400, "57 til 71.5", "4 til 31.5")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"peakpower": 0}, ("peakpower", "0.05 til 100000")),
        ({"angle": 91}, ("angle", "0 til 90")),
        ({"aspect": 270}, ("aspect", "-180 til 180", "0 = sør")),
        ({"loss": 61}, ("loss", "0 til 60")),
        ({"maxpower": 0}, ("maxpower", "0.05 til 100000")),
        ({"arrays": "1:35"}, ("arrays", "Flate 1")),
        ({"arrays": "1:35:0", "optimize": "both"}, ("arrays", "optimize=both")),
        ({"pvtechchoice": "CIS", "tech": "CdTe"}, ("pvtechchoice", "tech")),
        ({"format": "xlsx"}, ("format", "json, csv, png")),
        ({"confidence": "mean"}, ("confidence", "p50, p75, p90, p95")),
        ({"loss": "1&loss=2"}, ("loss", "mer enn én gang")),
    ],
)
async def test_bad_parameters(api: Api, more: dict[str, object], words: tuple[str, ...]) -> None:
    assert_refused(await api.ask(pv(**more)), 400, *words)


async def test_what_nobody_declared_is_ignored(api: Api) -> None:
    assert (await production(api, hourly=1))["annual"] == (await production(api))["annual"]


@pytest.mark.parametrize("place", [OPEN_SEA, (57.0, 4.0), (71.5, 31.5)])
async def test_no_cell_is_near(api: Api, place: tuple[float, float]) -> None:
    assert_refused(await api.ask(pv(place)), 404, "6 km")


@pytest.mark.parametrize("cell", [NOT_BUILT, NORWAY3KM.centre(NOT_IN_BLOCK), NORWAY3KM.centre(NO_HOURS)])
async def test_land_that_is_not_built(api: Api, cell: tuple[float, float]) -> None:
    asked = await api.ask(pv(cell))
    assert_refused(asked, 503, "TMY-data er ikke tilgjengelige", "ikke bygd")
    assert int(asked.headers["Retry-After"]) >= 60
    assert (await api.ask(pv())).status == 200


async def test_a_long_term_mean_is_not_needed(api: Api) -> None:
    assert (await api.ask(pv(NORWAY3KM.centre(NO_MEAN)))).status == 200


@pytest.mark.parametrize("missing", ["land", "tmy_stats", "ens_tmy30"])
async def test_what_is_not_published_is_named(start: Start, own: Path, missing: str) -> None:
    shutil.rmtree(own / missing)
    api = await start(store_folder=own)
    assert_refused(await api.ask(pv()), 503, f"«{missing}» er ikke publisert")


def _damage(store: Path, product: str, variable: str) -> None:
    for shard in store.glob(f"{product}/*/*.zarr/{variable}/c/**/*"):
        if shard.is_file():
            data = bytearray(shard.read_bytes())
            data[: len(data) // 2] = bytes(len(data) // 2)
            shard.write_bytes(data)


@pytest.mark.parametrize(("product", "variable"), [("ens_tmy30", "wind_speed"), ("tmy_stats", "annual_ghi_p95")])
async def test_what_is_damaged_is_never_an_answer(
    start: Start, own: Path, product: str, variable: str, caplog: pytest.LogCaptureFixture
) -> None:
    _damage(own, product, variable)
    api = await start(store_folder=own)
    for _ in range(2):
        assert_refused(await api.ask(pv()), 503, "skadet")
    assert f"damaged {product}/" in caplog.text


async def test_no_horizon_is_published(start: Start, climate: Path, hilly: Path) -> None:
    api = await start(store_folder=climate)
    answer = await production(api)
    assert answer["annual"]["losses_pct"]["horizon"] == 0
    assert answer["side_by_side"]["unshaded_kwh"] == answer["side_by_side"]["shaded_kwh"]
    [warning, _] = answer["warnings"]
    assert "unshaded" in warning
    assert "no horizon is published yet" in warning
    assert answer["method"]["horizon"] == "not applied: no horizon is published yet"
    off = await production(api, horizon=0)
    assert off["warnings"] == [SIMULATED]
    assert off["annual"] == answer["annual"]
    assert off["method"]["horizon"] == "turned off: horizon=0"


async def test_no_horizon_is_built_there(api: Api) -> None:
    for place in (TROMSO, QUAY):
        answer = await production(api, place)
        assert answer["annual"]["losses_pct"]["horizon"] == 0
        assert "no horizon is built for this position yet" in answer["warnings"][0]
    assert (await production(api))["annual"]["losses_pct"]["horizon"] > 0


@pytest.mark.parametrize("damage", ["a block", "the manifest"])
async def test_a_damaged_horizon_is_no_open_one(start: Start, own: Path, damage: str) -> None:
    if damage == "a block":
        _damage(own, "horizon", "elevation")
    else:
        [manifest] = own.glob("horizon/*/*.manifest.json")
        manifest.write_bytes(b"{")
    api = await start(store_folder=own)
    asked = await api.ask(pv())
    assert_refused(asked, 503, "Horisonten", "horizon=0")
    assert (await api.ask(pv(horizon=0))).status == 200


async def test_the_line_has_an_end(start: Start, hilly: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(press, "_LARGEST_LINE", 2)
    go_on, begun = asyncio.Event(), asyncio.Semaphore(0)
    calc = routes.PvHandlers._choose

    async def slow(self: routes.PvHandlers, asked: routes.Asked) -> routes.Chosen:
        begun.release()
        await go_on.wait()
        return await calc(self, asked)

    monkeypatch.setattr(routes.PvHandlers, "_choose", slow)
    api = await start(store_folder=hilly)
    async with asyncio.TaskGroup() as group:
        first = [group.create_task(api.ask(pv())) for _ in range(2)]
        for _ in first:
            await begun.acquire()
        refused = await api.ask(pv())
        assert_refused(refused, 503, "for mange anlegg på én gang")
        assert refused.headers["Retry-After"] == "1"
        assert (await api.ask(tmy(path="/api/tmy/stats"))).status == 200
        go_on.set()
    assert [task.result().status for task in first] == [200, 200]
    assert (await api.ask(pv())).status == 200


async def test_a_year_that_statistics_do_not_know(start: Start, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, annual = made_up._statistics, made_up.annual_of

    def without_p95(name: str, cell: Cell) -> dict[str, float]:
        return {which: value for which, value in annual(name, cell).items() if (which, cell) != ("p95", OSLO_CELL)}

    def without_std(cell: Cell) -> made_up.Series:
        unknown = {"annual_ghi_std": np.full(len(MADE_OF), np.nan)} if cell == OSLO_CELL else {}
        return {**whole(cell), **unknown}

    monkeypatch.setattr(made_up, "annual_of", without_p95)
    monkeypatch.setattr(made_up, "_statistics", without_std)
    shutil.rmtree(own / "tmy_stats")
    made_up.publish_stats(open_store(str(own)))
    api = await start(store_folder=own)
    refused = await api.ask(pv(confidence="p95"))
    assert_refused(refused, 503, "p95", "ens_tmy30", "annen confidence")
    annual_of_year = (await production(api, confidence="p90"))["annual"]
    assert annual_of_year["percentiles_kwh"]["p95"] is None
    assert annual_of_year["e_std_kwh"] is None
    assert annual_of_year["percentiles_kwh"]["p90"] == annual_of_year["e_kwh"]


async def test_a_build_that_is_being_published(start: Start, own: Path) -> None:
    made_up.publish_year(open_store(str(own)), "ens_tmy30", "1991-2026", build="another")
    api = await start(store_folder=own)
    refused = await api.ask(pv())
    assert_refused(refused, 503, "under publisering")
    assert int(refused.headers["Retry-After"]) <= 10
