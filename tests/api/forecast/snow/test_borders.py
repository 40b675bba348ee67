"""In which municipality a plant lies: by the borders where they are published, else by the nearest position."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.forecast.snow.current import Current, borders_of
from tests.api.conftest import Api, Start, require_documented
from tests.api.fabricated import WEATHER, entry
from tests.api.forecast.conftest import PLANT, Serve
from tests.api.forecast.snow.conftest import ask_for_snow
from tests.api.forecast.snow.test_factors import opened
from tests.api.forecast.snow.test_single import BERGEN_ROW, OSLO_ROW, require_reduced
from tests.api.forecast.test_bulk import bulk, system
from tests.support.snow_factors import (
    BERGEN,
    ISSUED,
    OSLO,
    TRONDHEIM,
    made_up,
    publish_borders,
    publish_factors,
    raster,
)
from tiles.grid import NORWAY3KM, distance_km
from tiles.store import Store, open_store

HERE = (PLANT["latitude"], PLANT["longitude"])
CELL = NORWAY3KM.cell_at(*HERE)
NORTH = (CELL[0] + 1, CELL[1])
NO_FACTORS = 1103
LATER = ISSUED + timedelta(hours=1)


@pytest.fixture
def store(sunny_store: Path) -> Store:
    """A store with weather and factors, but no borders yet."""
    found = open_store(str(sunny_store))
    publish_factors(found)
    return found


async def told(api: Api, **more: Any) -> dict[str, Any]:
    said: dict[str, Any] = (await ask_for_snow(api, **more)).json["snow"]
    return said


def which(said: dict[str, Any]) -> tuple[str, str]:
    return said["kommune"], said["kommune_by"]


@given(lat=st.floats(59.7, 60.1), lon=st.floats(10.3, 11.2))
@settings(max_examples=200, deadline=None)
def test_its_own_cell_or_the_nearest_within_six_km(lat: float, lon: float) -> None:
    lying_in = {CELL: 301, NORTH: 3201, (CELL[0] - 1, CELL[1] + 2): 3212}
    cell = NORWAY3KM.cell_at(lat, lon)
    away = {one: distance_km(lat, lon, *NORWAY3KM.centre(one)) for one in lying_in}
    nearest = min(lying_in, key=away.__getitem__)
    expected = lying_in[nearest] if away[nearest] <= 6 else None
    assert borders_of(raster(lying_in))(lat, lon) == lying_in.get(cell, expected)


def test_off_the_grid_there_is_none() -> None:
    assert borders_of(raster({CELL: 301}))(57, 32) is None


def test_of_the_borders_is_asked_first(tmp_path: Path) -> None:
    table = made_up(3)
    table[2] = np.nan
    factors = opened(tmp_path, table=table)
    by_number = {number: Current(factors, borders_of(raster({CELL: number})), "") for number in (301, 4601, 5001)}
    near = {number: current.near(*HERE) for number, current in by_number.items()}
    assert near[301] == (OSLO_ROW, distance_km(*HERE, *OSLO[2:]), "borders")
    assert near[4601] == (BERGEN_ROW, distance_km(*HERE, *BERGEN[2:]), "borders")
    assert near[4601].km > 200
    assert near[4601].within_reach
    # of this one no snow is known
    assert near[5001] == Current(factors, None, "").near(*HERE) == (OSLO_ROW, near[301].km, "nearest")
    # and here nothing names a municipality
    far = by_number[301].near(*TRONDHEIM[2:])
    assert (far.by, far.within_reach) == ("nearest", False)


async def test_borders_decide_against_the_nearest(
    start: Start, sunny_state: Path, store: Store, tmp_path: Path
) -> None:
    publish_borders(store, {CELL: BERGEN[0]})
    api = await start(state_folder=sunny_state, store_folder=tmp_path / "sunny")
    plain, asked = (await ask_for_snow(api, snow=False)).json, await ask_for_snow(api)
    said = asked.json["snow"]
    assert which(said) == ("Bergen", "borders")
    assert said["kommune_number"] == "4601"
    assert said["kommune_distance_km"] == round(distance_km(*HERE, *BERGEN[2:]), 1) > 60
    require_reduced(asked.json["pv_timeseries"], plain["pv_timeseries"], BERGEN_ROW)
    await require_documented(api, "POST /api/forecast", asked)


async def test_without_an_answer_of_theirs_it_is_the_nearest(
    start: Start, sunny_state: Path, store: Store, tmp_path: Path
) -> None:
    away = (60.6, HERE[1])  # 70 km from Oslo's position
    publish_borders(store, {CELL: NO_FACTORS, NORWAY3KM.cell_at(*away): NO_FACTORS})
    api = await start(state_folder=sunny_state, store_folder=tmp_path / "sunny")
    said = await told(api)
    assert which(said) == ("Oslo", "nearest")
    assert said["kommune_distance_km"] == round(distance_km(*HERE, *OSLO[2:]), 1)
    said = await told(api, latitude=away[0])
    assert (*which(said), said["reason"]) == ("Oslo", "nearest", "no_kommune_near")
    # 40 km from all land, and within the reach of Oslo
    assert which(await told(api, latitude=60.3)) == ("Oslo", "nearest")


async def test_kept_answers_of_other_borders_are_not_given(
    start: Start, sunny_state: Path, store: Store, tmp_path: Path
) -> None:
    async def asking(snow: bool) -> tuple[str, Any]:
        asked = await bulk(api, system("a"), system("b", TRONDHEIM[2:]), snow=snow)
        return asked.headers["X-Service-Cache"], asked.json

    bodies = []
    for number, issued in ((None, ISSUED), (BERGEN[0], ISSUED), (TRONDHEIM[0], LATER)):
        if number is not None:
            publish_borders(store, {CELL: number}, issued)
        api = await start(state_folder=sunny_state, store_folder=tmp_path / "sunny")
        (first, body), (again, kept) = await asking(True), await asking(True)
        assert (first, again) == ("MISS", "HIT")
        assert kept == body
        said, alone = body["snow"]["systems"]["a"], await told(api)
        assert said == {name: alone[name] for name in said}
        assert body["results"]["a"]["pv_timeseries"] == (await ask_for_snow(api)).json["pv_timeseries"]
        bodies.append(body)
        # without snow the borders do not matter
        assert (await asking(False))[0] == ("MISS" if number is None else "HIT")
    of_a, of_b = ([which(body["snow"]["systems"][name]) for body in bodies] for name in "ab")
    assert of_a == [("Oslo", "nearest"), ("Bergen", "borders"), ("Trondheim", "borders")]
    assert of_b == [("Trondheim", "nearest")] * 3
    assert len({body["results"]["a"]["pv_system"]["total_production_kwh"] for body in bodies}) == 3


async def test_made_up_snow_far_from_its_position_makes_the_answer_made_up(serve: Serve, tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "own"))
    publish_factors(store, municipalities=[BERGEN, TRONDHEIM])
    publish_borders(store, {CELL: BERGEN[0]})
    api = await serve(entry(variables=WEATHER, data_origin="live"))
    for asked in (await ask_for_snow(api), await bulk(api, system("a"), snow=True)):
        assert asked.json["snow"]["snow_applied"] is True
        assert asked.headers["X-Data-Origin"] == asked.json["data_origin"] == "simulated"
