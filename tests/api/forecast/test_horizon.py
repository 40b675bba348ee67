"""The terrain's horizon in precise production: applied where it is built, and said so; never guessed."""

from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import Api, Asked, Start
from tests.api.fabricated import OSLO_CELL, WEATHER, entry, hydrate, series, write_index
from tests.support.horizon import BODO, OSLO, SIZE, YEAR, corner, publish_horizon
from tiles.grid import FORECAST, HORIZON
from tiles.store import open_store

FORECAST_TEXT = "No forecast data available for precise production: the horizon"


LIVE = entry(variables=WEATHER, data_origin="live")


@pytest.fixture(scope="module")
def sunny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder with the weather of Oslo and of Bodø."""
    folder = tmp_path_factory.mktemp("sunny")
    hydrate(folder, LIVE, {OSLO_CELL: series(9000), FORECAST.cell_at(*BODO): series(9000)})
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store in which it is published."""
    write_index(tmp_path / "tiles", LIVE)
    return tmp_path / "tiles"


async def plant(api: Api, place: tuple[float, float], **more: Any) -> Asked:
    array = {"name": "ost", "kwp": 10, "tilt_deg": 60, "azimuth_deg": 90}
    body = {"latitude": place[0], "longitude": place[1], "arrays": [array], "precise": True, **more}
    return await api.ask("/api/forecast", "POST", json=body)


async def test_a_hill_in_the_east_takes_the_morning_and_the_answer_says_so(
    start: Start, sunny: Path, store: Path
) -> None:
    api = await start(state_folder=sunny)
    free = await plant(api, OSLO)
    assert free.status == 200, free.text
    assert (free.json["pv_system"]["horizon_applied"], free.json["data_origin"]) == (False, "live")

    publish_horizon(open_store(str(store)))
    api = await start(state_folder=sunny)
    hilly = await plant(api, OSLO)
    assert hilly.json["pv_system"]["horizon_applied"] is True
    row, column = corner(*OSLO)
    assert hilly.json["pv_system"]["horizon"] == {
        "version": "2026-05-01T00",
        "tile_key": f"H33-{row // SIZE:03d}-{column // SIZE:03d}",
        "dtm_year": YEAR,
        "data_origin": "simulated",
    }
    # The hill is 25 degrees high in the east: at 03 UTC the sun stands at 6 degrees, at noon at 52 in the south.
    before, after = ([row["ost_W"] for row in asked.json["pv_timeseries"]] for asked in (free, hilly))
    assert 0 < after[5] < 0.6 * before[5]
    assert after[12] == before[12] > 0
    # Made-up terrain under a real forecast: what comes of it is made up.
    assert (hilly.json["data_origin"], hilly.headers.getall("X-Data-Origin")) == ("simulated", ["simulated"])

    simple = await plant(api, OSLO, precise=False)
    assert (simple.json["pv_system"]["horizon_applied"], simple.json["data_origin"]) == (False, "live")
    assert {"horizon", "no_horizon"}.isdisjoint(simple.json["pv_system"])
    assert "horizon" not in free.json["pv_system"]
    assert free.json["pv_system"]["no_horizon"] == "no horizon is published yet"
    assert "no_horizon" not in hilly.json["pv_system"]


async def test_where_none_is_built_it_is_not_applied(start: Start, sunny: Path, store: Path) -> None:
    publish_horizon(open_store(str(store)))
    api = await start(state_folder=sunny)
    row, column = corner(*OSLO)
    not_built = HORIZON.centre((row + 3, column + 3))
    for place in (not_built, (BODO[0], BODO[1] + 0.2)):
        hydrated = await plant(api, place)
        assert hydrated.status == 200, hydrated.text
        assert hydrated.json["pv_system"]["horizon_applied"] is False
        assert hydrated.json["pv_system"]["no_horizon"] == "no horizon is built for this position yet"
    assert (await plant(api, BODO)).json["pv_system"]["horizon_applied"] is True


async def test_a_table_says_anew_why_there_is_none(start: Start, sunny: Path, store: Path) -> None:
    row, column = corner(*OSLO)
    lat, lon = HORIZON.centre((row + 3, column + 3))
    asked = f"/api/forecast?lat={lat}&lon={lon}&kwp=10&tilt=60&azimuth=90&precise=true&format=csv"
    before = await (await start(state_folder=sunny)).ask(asked)
    publish_horizon(open_store(str(store)))
    after = await (await start(state_folder=sunny)).ask(asked)
    assert before.text != after.text
    assert before.headers["ETag"] != after.headers["ETag"]


@pytest.mark.parametrize("damage", ["a block", "the manifest"])
async def test_damage_is_no_open_horizon(start: Start, sunny: Path, store: Path, damage: str) -> None:
    published = publish_horizon(open_store(str(store)))
    row, column = corner(*OSLO)
    block = f"{published.path}/elevation/c/0/{row // SIZE}/{column // SIZE}"
    (store / (block if damage == "a block" else published.manifest)).write_bytes(b"x")
    api = await start(state_folder=sunny)
    refused = await plant(api, OSLO)
    assert refused.status == 503
    assert FORECAST_TEXT in refused.text
    assert "Retry-After" in refused.headers
    assert (await plant(api, OSLO, precise=False)).status == 200
    assert (await plant(api, BODO)).status == (200 if damage == "a block" else 503)
    if damage == "the manifest":
        health = (await api.ask("/health")).json["products"]["horizon"]
        assert (health["state"], health["served"]) == ("corrupt", False)
