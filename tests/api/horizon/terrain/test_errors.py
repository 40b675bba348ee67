"""Every refusal of level 1: its status, its words, its code."""

import shutil
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.api.conftest import Api, Asked, Start
from tests.api.horizon.conftest import terrain
from tests.support.horizon import BODO, OSLO, SIZE, corner, publish_horizon
from tiles.grid import HORIZON
from tiles.store import open_store


def assert_refused(asked: Asked, status: int, code: str, *words: str) -> None:
    assert (asked.status, asked.json["code"]) == (status, code), asked.text
    of_place = {"build", "nearest"} if code == "NOT_BUILT" else set()
    assert set(asked.json) - of_place <= {"error", "code", "parameter"}
    for word in words:
        assert word in asked.json["error"]
    assert asked.headers["Cache-Control"] == "no-store"


def place_of(row: int, column: int) -> tuple[float, float]:
    return HORIZON.centre((row, column))


@pytest.mark.parametrize(
    "query",
    ["", "lat=59.91", "lat=north&lon=10.75", "lat=59.91&lon="],
)
async def test_where_is_no_number(api: Api, query: str) -> None:
    asked = await api.ask(f"/api/horizon/terrain?{query}")
    assert_refused(asked, 400, "INVALID_INPUT", "lat=59.91&lon=10.75")
    assert asked.json["parameter"] in ("lat", "lon")


@pytest.mark.parametrize("place", [(56.999, 10), (72.001, 10), (60, 3.999), (60, 32.001), (-60, 10), ("inf", 10)])
async def test_outside_the_coverage(api: Api, place: Any) -> None:
    assert_refused(await api.ask(terrain(place)), 400, "INVALID_INPUT", "57 til 72", "4 til 32")


@pytest.mark.parametrize("form", ["xml", "", "JSON"])
async def test_a_format_that_there_is_none_of(api: Api, form: str) -> None:
    asked = await api.ask(terrain(format=form))
    assert_refused(asked, 400, "INVALID_INPUT", "format", "json, binary, csv", "export_a", "geojson", "sam", "png")


async def test_a_corner_of_the_coverage_lies_outside_the_grid(api: Api) -> None:
    assert_refused(await api.ask(terrain((57, 4))), 404, "NO_TILE", "utenfor rutenettet")


async def test_where_nothing_is_built_the_nearest_tile_is_named_and_answers(api: Api) -> None:
    first = corner(*BODO)
    beyond = place_of(first[0] + SIZE + 10, first[1] + 5)
    asked = await api.ask(terrain(beyond))
    tile = f"H33-{first[0] // SIZE + 1:03d}-{first[1] // SIZE:03d}"
    assert_refused(asked, 404, "NOT_BUILT", f"{tile} er ikke bygd", "solflis build horizon")
    assert asked.json["build"] == "solflis build horizon"
    nearest = asked.json["nearest"]
    assert 0 < nearest["distance_km"] < 8
    there = await api.ask(terrain((nearest["lat"], nearest["lon"])))
    assert there.status == 200
    assert there.json["tile_key"] == f"H33-{first[0] // SIZE:03d}-{first[1] // SIZE:03d}"


async def test_a_hole_in_a_tile_that_is_built(api: Api) -> None:
    row, column = corner(*OSLO)
    for form in ("json", "binary", "csv", "png"):
        asked = await api.ask(terrain(place_of(row + 3, column + 3), format=form))
        assert_refused(asked, 404, "NOT_BUILT", "ikke bygd der")
    assert (await api.ask(terrain(place_of(row + 8, column + 8)))).status == 200


async def test_nothing_is_published(start: Start, store: Path) -> None:
    api = await start()
    assert_refused(await api.ask(terrain()), 404, "NOT_BUILT", "publisert", "solflis build horizon")


@pytest.mark.parametrize(
    ("variable", "damage"),
    [
        ("elevation", "gone"),
        ("distance", "altered"),
        pytest.param("ground", "altered", marks=pytest.mark.slow),
        pytest.param("dtm_year", "gone", marks=pytest.mark.slow),
    ],
)
async def test_damage_of_any_variable_is_no_answer(
    start: Start, tmp_path: Path, variable: str, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    entry = publish_horizon(open_store(str(tmp_path)))
    row, column = corner(*OSLO)
    block = {"elevation": "c/0", "distance": "c/0"}.get(variable, "c")
    path = tmp_path / entry.path / variable / f"{block}/{row // SIZE}/{column // SIZE}"
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(bytes(len(path.read_bytes())))
    api = await start(store_folder=tmp_path)
    for _ in range(2):
        asked = await api.ask(terrain())
        assert_refused(asked, 503, "DAMAGED", "kan ikke leses")
        assert int(asked.headers["Retry-After"]) > 0
    assert "damaged horizon" in caplog.text
    assert (await api.ask(terrain(BODO))).status == 200


async def test_a_version_that_cannot_be_opened(start: Start, hills: Path, tmp_path: Path) -> None:
    own = Path(shutil.copytree(hills, tmp_path / "own"))
    [manifest] = own.glob("horizon/*/*.manifest.json")
    manifest.write_bytes(b"{")
    api = await start(store_folder=own)
    assert_refused(await api.ask(terrain()), 503, "DAMAGED", "kan ikke leses")


async def test_a_version_that_tells_less_is_a_horizon_all_the_same(start: Start, tmp_path: Path) -> None:
    """As one of schema 1, which has elevations alone."""
    entry = publish_horizon(open_store(str(tmp_path)))
    [path] = tmp_path.glob("horizon/*/*.manifest.json")
    manifest = orjson.loads(path.read_bytes())
    for name in ("distance", "ground", "dtm_year"):
        del manifest["variables"][name]
    path.write_bytes(orjson.dumps(manifest))
    answer = await (await start(store_folder=tmp_path)).ask(terrain())
    assert answer.status == 200, (entry, answer.text)
    assert set(answer.json["distance_m"]) == {None}
    assert (answer.json["dtm_ground_z_m"], answer.json["dtm_year"]) == (None, None)
    assert "X-DTM-Year" not in answer.headers
    assert answer.json["elevation_deg"].index(max(answer.json["elevation_deg"])) == 180
