"""`snow=1` in `POST /api/forecast`: what is reduced, what is said, and why not."""

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from tests.api.conftest import Api, MovableClock, Start, require_documented
from tests.api.fabricated import WEATHER, entry
from tests.api.forecast.conftest import BERGEN, PLANT, Serve
from tests.api.forecast.snow.conftest import Ask, ask_for_snow
from tests.support import snow_factors
from tests.support.snow_factors import NVE, factor, made_up, publish_factors
from tiles.grid import distance_km
from tiles.products.snow_factors import GEOMETRIES
from tiles.store import open_store

OSLO_ROW, BERGEN_ROW = 0, 1
PLANES = {"sør": GEOMETRIES.index((30, 180)), "vest": GEOMETRIES.index((30, 270))}


def day_of(stamp: str) -> int:
    """Which of the published days an hour belongs to: the first begins at 06 UTC of 30 May."""
    begins = datetime(2026, 5, 30, 6, tzinfo=UTC)
    return (datetime.fromisoformat(stamp) - begins) // timedelta(days=1)


def require_reduced(snowy: Any, plain: Any, row: int) -> None:
    """Each array's power is its plain power times the factor of its plane on the hour's day."""
    largest = 0.0
    for with_snow, without in zip(snowy, plain, strict=True):
        total = 0.0
        for name, plane in PLANES.items():
            expected = without[f"{name}_W"] * factor(row, plane, day_of(without["timestamp"]))
            assert with_snow[f"{name}_W"] == pytest.approx(expected, abs=0.1), with_snow
            total += with_snow[f"{name}_W"]
            largest = max(largest, expected)
        assert with_snow["total_W"] == round(total, 1)
        assert with_snow["total_kWh"] == round(with_snow["total_W"] / 1000, 4)
        assert {key: with_snow[key] for key in ("hour", "timestamp", "ghi_wm2")} == {
            key: without[key] for key in ("hour", "timestamp", "ghi_wm2")
        }
    assert largest > 200


@pytest.mark.parametrize("place", [(59.91, 10.75, OSLO_ROW), (*BERGEN, BERGEN_ROW)])
@pytest.mark.parametrize("more", [{}, {"precise": True}, {"model": "v1"}])
async def test_power_is_multiplied_by_its_day_s_factor(
    ask: Ask, place: tuple[float, float, int], more: dict[str, Any]
) -> None:
    where = {"latitude": place[0], "longitude": place[1], **more}
    plain, snowy = (await ask(snow=False, **where)).json, (await ask(**where)).json
    require_reduced(snowy["pv_timeseries"], plain["pv_timeseries"], place[2])
    rows, system = snowy["pv_timeseries"], snowy.pop("pv_system")
    assert system["total_production_kwh"] == round(sum(row["total_kWh"] for row in rows), 4)
    assert system["peak_power_w"] == max(row["total_W"] for row in rows)
    assert snowy.pop("snow")["snow_applied"] is True
    assert system.keys() == plain.pop("pv_system").keys()
    for body in (snowy, plain):
        energy = sum(day["production_kwh"] for day in body.pop("days"))
        assert energy == pytest.approx(sum(row["total_kWh"] for row in body.pop("pv_timeseries")))
    assert snowy == plain


async def test_what_is_said(ask: Ask, clock: MovableClock) -> None:
    said = (await ask()).json["snow"]
    tilts = "10, 20, 30, 45, 60, 90"
    assert tilts in said["geometry_note"]
    assert "0, 90, 180, 270" in said["geometry_note"]
    assert "up to nine cells" in said["geometry_note"]
    assert "/api/snow/outlook" in said["geometry_note"]
    assert "06 UTC" in said["note"]
    place = snow_factors.OSLO[2:]
    assert said == {
        "snow_applied": True,
        "source": NVE,
        "issued_utc": "2026-05-31T06:00:00Z",
        "age_hours": 20.5,
        "data_origin": "simulated",
        "kommune": "Oslo",
        "kommune_number": "0301",
        "kommune_by": "nearest",
        "kommune_distance_km": round(distance_km(59.91, 10.75, *place), 1),
        "dates": ["2026-05-31", "2026-06-01", "2026-06-02", "2026-06-03"],
        "hours_not_reduced": 0,
        "geometry_note": said["geometry_note"],
        "note": said["note"],
        "arrays": [
            {
                "name": name,
                "reference_geometry": {"tilt_deg": 30.0, "azimuth_deg": azimuth, "mounting": "roof"},
                "factors": [factor(OSLO_ROW, PLANES[name], day) for day in range(1, 5)],
            }
            for name, azimuth in (("sør", 180.0), ("vest", 270.0))
        ],
    }
    clock.moment += timedelta(hours=1, minutes=3)
    assert (await ask()).json["snow"]["age_hours"] == 21.55


async def test_as_the_document_says(ask: Ask, snowy: Api) -> None:
    here, columns, far = await ask(), await ask(layout="columns"), await ask(latitude=60.6)
    assert [asked.json["snow"]["snow_applied"] for asked in (here, columns, far)] == [True, True, False]
    validate = await require_documented(snowy, "POST /api/forecast", here, columns, far)
    for wrong in ({"snow_applied": True}, {"snow_applied": False}, {**far.json["snow"], "snow_applied": True}):
        with pytest.raises(jsonschema.ValidationError):
            validate({**here.json, "snow": wrong})


async def require_plain(ask: Ask, reason: str, **where: Any) -> dict[str, Any]:
    """The power is that without snow, and the reason is given; return what is said."""
    plain, snowy = (await ask(snow=False, **where)).json, (await ask(**where)).json
    said: dict[str, Any] = snowy.pop("snow")
    assert snowy == plain
    assert (said["snow_applied"], said["reason"]) == (False, reason)
    return said


async def test_a_municipality_far_away_says_nothing(ask: Ask) -> None:
    here, there = (59.91, 10.75), (60.5, 10.75)
    assert distance_km(*there, *snow_factors.OSLO[2:]) == pytest.approx(59, abs=1)
    assert (await ask(latitude=there[0])).json["snow"]["snow_applied"] is True
    further = (60.52, here[1])
    assert distance_km(*further, *snow_factors.OSLO[2:]) > 60
    said = await require_plain(ask, "no_kommune_near", latitude=further[0])
    assert (said["kommune"], said["kommune_number"], said["kommune_by"]) == ("Oslo", "0301", "nearest")
    assert said["kommune_distance_km"] == round(distance_km(*further, *snow_factors.OSLO[2:]), 1)
    assert "arrays" not in said
    assert "dates" not in said


async def test_they_expire_by_the_clock(start: Start, sunny_state: Path, sunny_store: Path) -> None:
    issued = datetime(2026, 5, 30, 15, tzinfo=UTC)
    publish_factors(open_store(str(sunny_store)), issued)
    clock = MovableClock(issued + timedelta(hours=36))
    api = await start(clock=clock, state_folder=sunny_state, store_folder=sunny_store)

    assert (await ask_for_snow(api)).json["snow"]["snow_applied"] is True
    clock.moment += timedelta(seconds=1)
    await require_documented(api, "POST /api/forecast", await ask_for_snow(api))
    said = await require_plain(partial(ask_for_snow, api), "snow_data_stale")
    assert said == {
        "snow_applied": False, "reason": "snow_data_stale", "issued_utc": "2026-05-30T15:00:00Z", "age_hours": 36.0,
    }  # fmt: skip
    # the next are taken as soon as they are there
    publish_factors(open_store(str(sunny_store)), datetime(2026, 5, 31, 6, tzinfo=UTC))
    while not (snow := (await ask_for_snow(api)).json["snow"])["snow_applied"]:
        assert snow in (said, {"snow_applied": False, "reason": "snow_blob_unavailable"})
    assert snow["issued_utc"] == "2026-05-31T06:00:00Z"


async def test_damaged_factors_are_none(start: Start, sunny_state: Path, snowy_store: Path) -> None:
    [chunk] = [path for path in snowy_store.glob("snow_factors/**/factor/c/**/*") if path.is_file()]
    chunk.write_bytes(bytes(len(chunk.read_bytes())))
    api = await start(state_folder=sunny_state, store_folder=snowy_store)
    said = (await ask_for_snow(api)).json["snow"]
    assert said == {"snow_applied": False, "reason": "snow_blob_unavailable"}


async def test_a_day_that_is_not_known_is_not_reduced(start: Start, sunny_state: Path, sunny_store: Path) -> None:
    table = made_up(3)
    table[0, PLANES["vest"], 2] = np.nan
    table[1, :, 1:5] = np.nan
    publish_factors(open_store(str(sunny_store)), table=table)
    api = await start(state_folder=sunny_state, store_folder=sunny_store)

    plain, snowy = (await ask_for_snow(api, snow=False)).json, (await ask_for_snow(api)).json
    said = snowy["snow"]
    assert said["dates"] == ["2026-05-31", "2026-06-02", "2026-06-03"]
    assert said["hours_not_reduced"] == 24
    for before, after in zip(plain["pv_timeseries"], snowy["pv_timeseries"], strict=True):
        same = day_of(before["timestamp"]) == 2
        assert before["ghi_wm2"] == 0 or before["sør_W"] < 1 or (before == after) == same, before
    where = {"latitude": BERGEN[0], "longitude": BERGEN[1]}
    said = await require_plain(partial(ask_for_snow, api), "snow_data_missing", **where)
    assert said["kommune"] == "Bergen"


async def test_made_up_snow_makes_the_answer_made_up(serve: Serve, tmp_path: Path) -> None:
    publish_factors(open_store(str(tmp_path / "own")))
    api = await serve(entry(variables=WEATHER, data_origin="live"))
    for more, origin in (
        ({}, "live"),
        ({"snow": True}, "simulated"),
        ({"snow": True, "arrays": []}, "live"),
        ({"snow": True, "layout": "columns"}, "simulated"),
    ):
        asked = await api.ask("/api/forecast", "POST", json={**PLANT, **more})
        assert asked.headers["X-Data-Origin"] == asked.json["data_origin"] == origin, more
