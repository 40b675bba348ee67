"""Snow over ten days: factors end before the series does, and the answer says so."""

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.api.conftest import Api, MovableClock, Start
from tests.api.fabricated import CYCLE, OSLO_CELL, WEATHER, entry, hydrate, series, write_index
from tests.api.forecast.extended.conftest import Service
from tests.api.forecast.extended.test_answer import PLANT
from tests.api.forecast.snow.test_single import day_of
from tests.support.snow_factors import DAYS, factor, publish_factors
from tiles.products.snow_factors import GEOMETRIES
from tiles.store import open_store

PATH = "/api/forecast/extended"
PLANES = {"sør": GEOMETRIES.index((30, 180)), "vest": GEOMETRIES.index((90, 270))}


async def served_with(
    start: Start, service: Service, clock: MovableClock, own: Path, folder: Path, **more: Any
) -> tuple[Api, Path]:
    """An application with the weather that production takes."""
    made, store = entry(CYCLE, variables=WEATHER, **more), folder / "own"
    hydrate(own, made, {OSLO_CELL: series()})
    write_index(store, made)
    shutil.copytree(folder / "tiles" / "turbidity", store / "turbidity")
    return await start(clock=clock, locationforecast_url=service.url, state_folder=own, store_folder=store), store


@pytest.fixture
def state(state: Path, tmp_path: Path) -> Path:
    """A state folder of the test's own, with turbidity."""
    folder = tmp_path / "fresh"
    (folder / "hydrated").mkdir(parents=True)
    (folder / "hydrated" / "turbidity").symlink_to(state / "hydrated" / "turbidity")
    return folder


@pytest.mark.parametrize("layout", ["rows", "columns"])
async def test_hours_behind_the_last_day_are_not_reduced(
    start: Start, service: Service, clock: MovableClock, state: Path, store: Path, layout: str
) -> None:
    api, own = await served_with(start, service, clock, state, store.parent)
    publish_factors(open_store(str(own)))
    plain = (await api.ask(PATH, "POST", json=PLANT)).json["pv_timeseries"]

    def applied(asked: Any) -> bool:
        return bool(asked["snow"]["snow_applied"])

    while not applied(body := (await api.ask(PATH, "POST", json={**PLANT, "snow": True})).json):
        assert body["snow"]["reason"] == "snow_blob_unavailable"
        assert body["pv_timeseries"] == plain
    document = (await api.ask("/openapi.json")).json
    success = document["paths"][PATH]["post"]["responses"]["200"]
    schema = {**success["content"]["application/json"]["schema"], "components": document["components"]}
    jsonschema.validate(body, schema)
    said = body["snow"]
    assert said["dates"] == [f"2026-{day}" for day in ("05-31", *(f"06-0{n}" for n in range(1, 9)))]
    behind = [row["timestamp"] for row in plain if day_of(row["timestamp"]) >= DAYS]
    assert behind[0] == "2026-06-09T06:00:00Z"
    assert said["hours_not_reduced"] == len(behind) > 24

    if layout == "columns":
        columns = (await api.ask(PATH, "POST", json={**PLANT, "snow": True, "layout": layout})).json
        assert columns["snow"] == said
        assert columns["pv_timeseries"]["total_W"] == [row["total_W"] for row in body["pv_timeseries"]]
        return
    for before, after in zip(plain, body["pv_timeseries"], strict=True):
        for name, plane in PLANES.items():
            day = day_of(before["timestamp"])
            left = factor(0, plane, day) if day < DAYS else 1.0
            assert after[f"{name}_W"] == pytest.approx(before[f"{name}_W"] * left, abs=0.1)
    assert max(row["total_W"] for row in plain if row["timestamp"] in behind) > 500
    total = round(sum(row["total_kWh"] for row in body["pv_timeseries"]), 4)
    assert body["pv_system"]["total_production_kwh"] == total


async def test_without_a_plant_nothing_is_said(
    start: Start, service: Service, clock: MovableClock, state: Path, store: Path
) -> None:
    clock.moment = CYCLE + timedelta(hours=2)
    api, _ = await served_with(start, service, clock, state, store.parent)
    place = {"latitude": 59.91, "longitude": 10.75, "snow": True}
    asked = await api.ask(PATH, "POST", json=place)
    assert (asked.status, "snow" in asked.json) == (200, False)
    said = (await api.ask(PATH, "POST", json={**PLANT, "snow": True})).json["snow"]
    assert said == {"snow_applied": False, "reason": "snow_blob_unavailable"}
