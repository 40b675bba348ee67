"""Every refusal of a roof's horizon: its status, its code, its words, and the headers that come with it."""

import math
from pathlib import Path

import numpy as np

from api.data.heights.block import CELLS
from api.horizon import problems
from tests.api.horizon.rooftop.conftest import Roofs, Serve
from tests.api.horizon.rooftop.made import OSLO
from tests.support.coverages import Coverages, Instead, flat
from tiles.grid import TERRAIN10

NEAR_ALONE = "Med include_tier1=false svarer nærfeltet alene."
PLACE = f'"lat": {OSLO[0]}, "lon": {OSLO[1]}'

INVALID: list[tuple[str, str]] = [
    (f'{{{PLACE}, "observer_height_m": "3"}}', "Feltet observer_height_m må være et tall."),
    (f'{{{PLACE}, "observer_height_m": -0.1}}', "Feltet observer_height_m må være minst 0."),
    (f'{{{PLACE}, "observer_height_m": 50.1}}', "Feltet observer_height_m må være høyst 50."),
    (f'{{{PLACE}, "observer_z_masl": -51}}', "Feltet observer_z_masl må være minst -50."),
    (f'{{{PLACE}, "observer_z_masl": 3001}}', "Feltet observer_z_masl må være høyst 3000."),
    (f'{{{PLACE}, "include_tier1": "yes"}}', "Feltet include_tier1 må være true eller false."),
    ('{"lat": 59.9}', "Feltet lon mangler."),
    ('{"lat": 56.9, "lon": 10.7}', "Feltet lat må være minst 57."),
    ('{"lat": 72.1, "lon": 10.7}', "Feltet lat må være høyst 72."),
    ('{"lat": 59.9, "lon": 3.9}', "Feltet lon må være minst 4."),
    ('{"lat": 59.9, "lon": 32.1}', "Feltet lon må være høyst 32."),
    ('{"lat": 1e999, "lon": 10.7}', "Feltet lat må være"),
]


async def test_a_field_that_is_wrong(roofs: Roofs) -> None:
    for body, text in INVALID:
        asked = await roofs.raw(body.encode())
        assert (asked.status, asked.json["code"]) == (400, "INVALID_INPUT"), body
        assert asked.json["error"].startswith(text) or "1e999" in body, body
        assert asked.json.get("parameter", "lat") in text
        assert asked.headers["X-Worker-Request-Id"] == asked.headers["X-Request-Id"]
        assert asked.headers["X-API-Tier"] == "rooftop"
        assert asked.headers["X-Quota-Remaining"] == "299"


async def test_a_format_that_is_none_here(roofs: Roofs) -> None:
    for name in ("binary", "xml", "", "JSON"):
        asked = await roofs.ask(f"?format={name}")
        assert (asked.status, asked.json["code"], asked.json["parameter"]) == (400, "INVALID_INPUT", "format")
        only_there = name == "binary" and "format=binary finnes bare på nivå 1"
        assert asked.json["error"].startswith(only_there or "Parameteren format må være en av: json,"), name


async def test_too_often(roofs: Roofs) -> None:
    answers = [await roofs.ask(address="192.0.2.1", lat="no number") for _ in range(6)]
    assert [one.status for one in answers] == [400] * 5 + [429]
    assert (answers[5].json["code"], answers[5].headers["Retry-After"]) == ("RATE_LIMITED", "1")
    assert [one.headers["X-Quota-Remaining"] for one in answers] == ["299", "298", "297", "296", "295", "295"]
    other = await roofs.ask(address="192.0.2.2")
    assert (other.status, other.headers["X-Quota-Remaining"]) == (200, "299")


async def test_no_level_1(serve: Serve, service: Coverages, tmp_path: Path) -> None:
    roofs = await serve(tmp_path / "empty")
    asked = await roofs.ask()
    assert (asked.status, asked.json["code"]) == (404, "NOT_BUILT")
    assert asked.json["error"].endswith(NEAR_ALONE)
    assert service.asked == []  # nothing is fetched for an answer that cannot be


async def test_level_1_somewhere_else(roofs: Roofs) -> None:
    asked = await roofs.ask(lat=63.43, lon=10.4)
    assert (asked.status, asked.json["code"]) == (404, "NOT_BUILT")
    assert "ikke bygd" in asked.json["error"]
    assert asked.json["error"].endswith(NEAR_ALONE)
    off = await roofs.ask(lat=57.0, lon=4.0)
    assert (off.status, off.json["code"]) == (404, "NO_TILE")
    assert "include_tier1" not in off.json["error"]  # there are no heights either


async def test_no_heights(service: Coverages, roofs: Roofs) -> None:
    service.surfaces.update(dom=flat(math.nan), dtm=flat(-9999.0))
    asked = await roofs.ask()
    assert (asked.status, asked.json) == (404, {"error": problems.NO_HEIGHTS.nb, "code": "NO_TILE"})
    again = len(service.asked)
    assert (await roofs.ask(include_tier1=False)).status == 404
    assert len(service.asked) == again  # that there are none is kept too


OUTSIDE = Instead(400, b"<e>BBOX lies outside the coverage</e>")


async def test_a_point_abroad_is_nobodys_fault(service: Coverages, roofs: Roofs) -> None:
    service.instead = lambda _: OUTSIDE
    for lat, lon in ((57, 32), (57, 4), (72, 32), (57.9, 12.5)):
        asked = await roofs.ask(lat=lat, lon=lon, include_tier1=False)
        assert (asked.status, asked.json) == (404, {"error": problems.NO_HEIGHTS.nb, "code": "NO_TILE"})
    assert service.asked == []


async def test_at_the_edge_of_the_grids_a_point_has_the_squares_that_there_are(
    service: Coverages, roofs: Roofs
) -> None:
    grid = TERRAIN10
    west, south, east, north = grid.x0, grid.y0, grid.x0 + grid.size * grid.n_x, grid.y0 + grid.size * grid.n_y
    service.instead = lambda one: None if _touches(one.box, (west, south, east, north)) else OUTSIDE
    asked = await roofs.ask(lat=57.9402, lon=7.0, include_tier1=False)
    assert asked.status == 200
    assert {one.box[1] // CELLS for one in service.asked if one.model == "dom"} == {south // CELLS, south // CELLS + 1}
    assert any(one.startswith("The surface model lacks") for one in asked.json["warnings"])


def _touches(box: tuple[float, ...], bounds: tuple[float, ...]) -> bool:
    return box[0] < bounds[2] and box[2] > bounds[0] and box[1] < bounds[3] and box[3] > bounds[1]


async def test_no_ground_at_the_point(service: Coverages, roofs: Roofs) -> None:
    service.surfaces["dtm"] = flat(math.nan)
    asked = await roofs.ask()
    name = "observer_height_m"
    text = problems.NO_GROUND.text(name=name)
    assert (asked.status, asked.json) == (404, {"error": text, "code": "NO_TILE", "parameter": name})
    told = (await roofs.ask(observer_z_masl=104)).json
    assert (told["dtm_ground_z_m"], told["observer_height_above_dtm_m"], told["observer_z_masl"]) == (None, None, 104)


async def test_a_spike_in_the_data(service: Coverages, roofs: Roofs) -> None:
    service.surfaces["dom"] = lambda x, y: np.where((x % 37 < 1) & (y % 37 < 1), 9999.0, 100.0)
    told = (await roofs.ask()).json
    assert max(told["near_horizon_only"]) < 1
    assert any("lacks 0.1 %" in one for one in told["warnings"])
