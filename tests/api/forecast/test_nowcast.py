"""`GET /api/forecast/nowcast`: the satellite's hours where it knows them, v2.3b where it does not, and which it is."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from api.forecast.rows import as_columns
from catalog.versions import Entry
from tests.api.conftest import Api, MovableClock, Start
from tests.api.fabricated import (
    CYCLE,
    OSLO,
    OSLO_CELL,
    SCALE,
    alter,
    entry,
    hydrate,
    series,
    usual_cells,
    write_hydrated,
    write_index,
)
from tiles.clock import format_moment
from tiles.grid import FORECAST
from tiles.products.nowcast import PRODUCT

ASKED = "/api/forecast/nowcast?lat=59.91&lon=10.75"
NOW = CYCLE + timedelta(hours=10, minutes=33)
IMAGE = CYCLE + timedelta(hours=10, minutes=15)
UNSEEN, BROKEN = (69.65, 18.96), (63.43, 10.4)
# Of Oslo, hour by hour, as the tile has them: W/m2, W/m2, 1, 1.
SEEN = {
    "ghi": [612.4, 588.8, 401.2, 377.7, 250.0],
    "clearsky": [701.5, 722.5, 715.0, 688.8, 640.0],
    "kt": [0.5432, 0.512, 0.3499, 0.3321, 0.25],
    "satellite": [1.0, 0.8, 0.55, 0.3, 0.05],
}


def image_entry(image: datetime = IMAGE, data_origin: str = "simulated") -> Entry:
    """An entry of the nowcast's index."""
    path = f"nowcast/{format_moment(image)}/20260601T000000-aaaa"
    return replace(
        entry(image), product="nowcast", version=format_moment(image), path=f"{path}.zarr", data_origin=data_origin,
        manifest=f"{path}.manifest.json", valid_from=CYCLE + timedelta(hours=10), variables=tuple(SEEN),
        source="meteosat",
    )  # fmt: skip


def hydrate_images(state: Path, made: Entry) -> None:
    """Write the hydrated tile: Oslo is seen, one cell is not, one is damaged."""
    described: dict[str, dict[str, Any]] = {}
    data = np.zeros((*FORECAST.shape, len(SEEN), 5), "<u2")
    for place, (name, values) in enumerate(SEEN.items()):
        variable = PRODUCT.variable(name)
        data[(*OSLO_CELL, place)] = variable.pack(np.array(values))
        data[(*FORECAST.cell_at(*UNSEEN), place)] = 0 if name == "satellite" else variable.pack(np.array(values))
        data[(*FORECAST.cell_at(*BROKEN), place)] = 65534
        described[name] = {"units": variable.units, "scale": variable.scale, "offset": variable.offset}
    start = int((CYCLE + timedelta(hours=10)).timestamp())
    write_hydrated(state, made, data, [start + 3600 * h for h in range(5)], described)


@pytest.fixture(scope="session")
def seen_state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder with the forecast of midnight and the image of a quarter past ten."""
    folder = tmp_path_factory.mktemp("seen")
    more = {FORECAST.cell_at(*place): series(3000) for place in (UNSEEN, BROKEN)}
    hydrate(folder, entry(), {**usual_cells(), **more})
    hydrate_images(folder, image_entry())
    return folder


@pytest.fixture
def seen_store(tmp_path: Path) -> Path:
    """A store in which both are published."""
    folder = tmp_path / "seen"
    write_index(folder, entry())
    write_index(folder, image_entry(), product="nowcast")
    return folder


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock(NOW)


@pytest.fixture
async def api(start: Start, seen_state: Path, seen_store: Path, clock: MovableClock) -> Api:
    return await start(state_folder=seen_state, store_folder=seen_store, clock=clock)


def model(first: int, peak: int = 5000) -> list[float]:
    """Four hours of the forecast from one on, W/m2."""
    return [round(float(v) * SCALE, 1) for v in series(peak)[first : first + 4]]


async def test_where_the_satellite_sees(api: Api) -> None:
    asked = await api.ask(ASKED)
    assert asked.status == 200
    assert asked.headers["Cache-Control"] == "public, max-age=120"
    assert asked.headers["X-Data-Origin"] == "simulated"
    body = asked.json
    columns = (await api.ask(f"{ASKED}&layout=columns")).json["hours"]
    assert columns == as_columns(body["hours"])
    assert (body["source"], body["sat_covered"]) == ("v7_satellite_nowcast", True)
    assert (body["satellite_time"], body["satellite_lag_min"]) == ("2026-06-01T10:15:00Z", 18)
    assert (body["cycle_time"], body["data_origin"]) == ("2026-06-01T00:00:00Z", "simulated")
    assert columns == {
        "time": [f"2026-06-01T{h}:00:00Z" for h in (10, 11, 12, 13)],
        "ghi_wm2": SEEN["ghi"][:4],
        "v23b_ghi_wm2": model(10),
        "kt": [0.543, 0.512, 0.35, 0.332],
        "clearsky_wm2": SEEN["clearsky"][:4],
    }


async def test_the_hours_begin_with_the_current_one(api: Api, clock: MovableClock) -> None:
    clock.moment = CYCLE + timedelta(hours=11, minutes=5)
    body = (await api.ask(ASKED)).json
    assert [hour["time"][11:13] for hour in body["hours"]] == ["11", "12", "13", "14"]
    assert [hour["ghi_wm2"] for hour in body["hours"]] == SEEN["ghi"][1:]
    assert [hour["v23b_ghi_wm2"] for hour in body["hours"]] == model(11)
    assert body["satellite_lag_min"] == 50


async def test_a_point_that_the_satellite_does_not_see_gets_v23b_and_is_told(api: Api) -> None:
    for place in (UNSEEN, BROKEN):
        body = (await api.ask(f"/api/forecast/nowcast?lat={place[0]}&lon={place[1]}")).json
        assert (body["source"], body["fallback_reason"]) == ("v23b_fallback", "point_not_covered")
        assert (body["sat_covered"], body["satellite_time"]) == (False, "2026-06-01T10:15:00Z")
        assert set(body["hours"][0]) == {"time", "ghi_wm2", "v23b_ghi_wm2"}
        for name in ("ghi_wm2", "v23b_ghi_wm2"):
            assert [hour[name] for hour in body["hours"]] == model(10, 3000)


async def test_an_image_whose_file_was_altered_says_nothing(
    start: Start, seen_state: Path, seen_store: Path, clock: MovableClock, tmp_path: Path
) -> None:
    hydrate_images(tmp_path, image_entry())
    (tmp_path / "hydrated" / "forecast").symlink_to(seen_state / "hydrated" / "forecast")
    api = await start(state_folder=tmp_path, store_folder=seen_store, clock=clock, poll_s=3600)
    alter(tmp_path, "nowcast")
    body = (await api.ask(ASKED)).json
    assert (body["source"], body["fallback_reason"]) == ("v23b_fallback", "point_not_covered")
    assert [hour["ghi_wm2"] for hour in body["hours"]] == model(10)


async def test_an_image_too_old_is_none(api: Api, clock: MovableClock) -> None:
    clock.moment = IMAGE + timedelta(minutes=84)
    assert (await api.ask(ASKED)).json["source"] == "v7_satellite_nowcast"
    clock.moment = IMAGE + timedelta(minutes=86)
    body = (await api.ask(ASKED)).json
    assert (body["source"], body["fallback_reason"]) == ("v23b_fallback", "no_recent_image")
    assert not {"satellite_time", "satellite_lag_min", "sat_covered"} & set(body)
    assert len(body["hours"]) == 4


async def test_a_point_without_v23b(api: Api) -> None:
    for place in ("lat=70&lon=20", "lat=65&lon=14"):  # missing, damaged
        asked = await api.ask(f"/api/forecast/nowcast?{place}")
        assert asked.status == 503
        assert asked.json["error"].startswith("No forecast data available for this location")


async def test_bad_queries(api: Api) -> None:
    for query, parameter in (("", "lat"), ("?lat=56.9&lon=10", "lat"), ("?lat=59.9&lon=10&layout=diagonal", "layout")):
        asked = await api.ask(f"/api/forecast/nowcast{query}")
        assert (asked.status, asked.json["parameter"]) == (400, parameter)


async def test_it_counts_as_a_forecast_of_one_plant(
    start: Start, seen_state: Path, seen_store: Path, clock: MovableClock
) -> None:
    api = await start(state_folder=seen_state, store_folder=seen_store, clock=clock, access="keys")
    first = await api.ask(ASKED)
    assert (first.status, first.headers["X-Quota-Plants-Remaining"]) == (200, "0")
    again = await api.ask(f"/api/forecast?lat={OSLO[0]}&lon={OSLO[1]}")
    assert again.status == 200, "the same plant may be asked for again, anywhere in the group"
    other = await api.ask("/api/forecast/nowcast?lat=60.39&lon=5.32")
    assert other.status == 429


async def test_live_only_where_all_is_live(
    start: Start, seen_state: Path, seen_store: Path, clock: MovableClock
) -> None:
    write_index(seen_store, entry(data_origin="live"))
    api = await start(state_folder=seen_state, store_folder=seen_store, clock=clock)
    assert (await api.ask(ASKED)).json["data_origin"] == "simulated", "the image is not"
    clock.moment = IMAGE + timedelta(minutes=90)
    asked = await api.ask(ASKED)
    assert (asked.json["data_origin"], asked.headers["X-Data-Origin"]) == ("live", "live")
