"""The products of a build are published one after the other: what is of two builds is never put together."""

from pathlib import Path

import pytest

from tests.api.conftest import Start
from tests.api.tmy.conftest import tmy
from tests.api.tmy.test_errors import assert_refused
from tests.support.tmy import publish_stats, publish_year
from tiles.products.tmy import MADE_OF
from tiles.store import open_store

NEXT = {"version": "1991-2026", "build": "made up in April"}
FILE, STATS, SOURCES = tmy(), tmy(path="/api/tmy/stats"), tmy(path="/api/tmy/sources")


async def test_hours_and_statistics_of_two_builds_are_refused_until_all_is_published(
    start: Start, own_climate: Path
) -> None:
    store = open_store(str(own_climate))
    publish_year(store, "ens_tmy30", **NEXT)
    api = await start(store_folder=own_climate)
    for path in (FILE, SOURCES):
        refused = await api.ask(path)
        assert_refused(refused, 503, "ens_tmy30 og statistikken er ikke fra samme bygging")
        assert int(refused.headers["Retry-After"]) < 60
    assert (await api.ask(tmy(product="reanalysis_tmy30"))).status == 200
    assert (await api.ask(STATS)).status == 200
    publish_stats(store, **NEXT)
    assert (await api.until(FILE, lambda asked: asked.status == 200)).status == 200
    assert_refused(await api.ask(tmy(product="reanalysis_tmy30")), 503, "reanalysis_tmy30 og statistikken")
    for name in MADE_OF:
        if name != "ens_tmy30":
            publish_year(store, name, **NEXT)
    assert (await api.until(SOURCES, lambda asked: asked.status == 200)).status == 200


@pytest.mark.parametrize("without", ["hours", "statistics"])
async def test_a_version_that_does_not_name_its_build_is_served(start: Start, own_climate: Path, without: str) -> None:
    store, other = open_store(str(own_climate)), {"version": "1991-2026"}
    publish_year(store, "ens_tmy30", **other, build="" if without == "hours" else "made up in April")
    publish_stats(store, **other, build="" if without == "statistics" else "made up in May")
    api = await start(store_folder=own_climate)
    assert (await api.ask(FILE)).status == 200
