"""Every refusal of level 1: its status, its words, its code."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from api import press
from api.horizon.terrain.routes import TerrainHandlers
from tests.api.conftest import Api, Asked, Start
from tests.api.horizon.conftest import fetch, terrain
from tests.support.horizon import BODO, OSLO, SIZE, corner, publish_horizon
from tiles.grid import HORIZON
from tiles.store import open_store


def assert_refused(asked: Asked, status: int, code: str, *words: str) -> None:
    assert (asked.status, asked.json["code"]) == (status, code), asked.text
    assert set(asked.json) == {"error", "code"}
    for word in words:
        assert word in asked.json["error"]
    assert asked.headers["Cache-Control"] == "no-store"


def place_of(row: int, column: int) -> tuple[float, float]:
    return HORIZON.centre((row, column))


@pytest.mark.parametrize(
    "query",
    ["", "lat=59.91", "lon=10.75", "lat=north&lon=10.75", "lat=59.91&lon=", "lat=nan&lon=10.75", "lat=1_0&lon=10"],
)
async def test_where_is_no_number(api: Api, query: str) -> None:
    asked = await api.ask(f"/api/horizon/terrain?{query}")
    assert_refused(asked, 400, "INVALID_INPUT", "lat=59.91&lon=10.75", "Parameteren l")


@pytest.mark.parametrize("place", [(56.999, 10), (72.001, 10), (60, 3.999), (60, 32.001), (-60, 10), ("inf", 10)])
async def test_outside_the_coverage(api: Api, place: Any) -> None:
    assert_refused(await api.ask(terrain(place)), 400, "INVALID_INPUT", "57 til 72", "4 til 32")


@pytest.mark.parametrize("form", ["xml", "", "JSON", "export_f", "export_", "near"])
async def test_a_format_that_there_is_none_of(api: Api, form: str) -> None:
    asked = await api.ask(terrain(format=form))
    assert_refused(asked, 400, "INVALID_INPUT", "format", "json, binary, csv", "export_a", "geojson", "sam", "png")


async def test_a_parameter_given_twice(api: Api) -> None:
    assert_refused(await api.ask(terrain(lat=60)), 400, "INVALID_INPUT", "lat", "mer enn én gang")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
async def test_another_method(api: Api, method: str) -> None:
    asked = await api.ask("/api/horizon/terrain", method)
    assert_refused(asked, 405, "METHOD_NOT_ALLOWED", method)
    assert asked.headers["Allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("place", [(57, 4), (72, 32), (57, 31.9), (71.9, 4.1)])
async def test_the_corners_of_the_coverage_lie_outside_the_grid_or_are_not_built(
    api: Api, place: tuple[float, float]
) -> None:
    row, column = HORIZON.fractional(*place)
    inside = 0 <= row < HORIZON.n_y and 0 <= column < HORIZON.n_x
    asked = await api.ask(terrain(place))
    assert_refused(asked, 404, "NO_TILE", "ikke bygd" if inside else "utenfor rutenettet", "Nærmeste bygde flis")


async def test_where_nothing_is_built_the_nearest_tile_is_named_and_answers(api: Api) -> None:
    first = corner(*BODO)
    beyond = place_of(first[0] + SIZE + 10, first[1] + 5)
    asked = await api.ask(terrain(beyond))
    assert_refused(asked, 404, "NO_TILE", f"H33-{first[0] // SIZE + 1:03d}-{first[1] // SIZE:03d} er ikke bygd")
    named = asked.json["error"].split("rundt ")[1].rstrip(".")
    there = await api.ask(f"/api/horizon/terrain?{named}")
    assert there.status == 200
    assert there.json["tile_key"] == f"H33-{first[0] // SIZE:03d}-{first[1] // SIZE:03d}"
    assert f"{there.json['tile_key']}, 4 km unna" in asked.json["error"] or "5 km unna" in asked.json["error"]


async def test_a_hole_in_a_tile_that_is_built(api: Api) -> None:
    row, column = corner(*OSLO)
    for form in ("json", "binary", "csv", "png"):
        asked = await api.ask(terrain(place_of(row + 3, column + 3), format=form))
        assert_refused(asked, 404, "NO_TILE", "er bygd, men ikke akkurat der", "på land")
    assert (await api.ask(terrain(place_of(row + 8, column + 8)))).status == 200


async def test_nothing_is_published(start: Start, store: Path) -> None:
    api = await start()
    assert_refused(await api.ask(terrain()), 404, "NO_TILE", "publisert", "solflis build horizon")


@pytest.mark.parametrize("variable", ["elevation", "distance", "ground", "dtm_year"])
@pytest.mark.parametrize("damage", ["gone", "altered"])
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
        assert_refused(asked, 503, "UNAVAILABLE", "publisert", "lar seg ikke lese")
        assert int(asked.headers["Retry-After"]) > 0
    assert "damaged horizon" in caplog.text
    assert (await api.ask(terrain(BODO))).status == 200


async def test_a_version_that_cannot_be_opened(start: Start, hills: Path, tmp_path: Path) -> None:
    own = Path(shutil.copytree(hills, tmp_path / "own"))
    [manifest] = own.glob("horizon/*/*.manifest.json")
    manifest.write_bytes(b"{")
    api = await start(store_folder=own)
    assert_refused(await api.ask(terrain()), 503, "UNAVAILABLE", "publisert", "lar seg ikke lese")


async def test_the_line_has_an_end(start: Start, hills: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    api = await start(store_folder=hills)
    assert (await api.ask(terrain(format="csv"))).status == 200
    monkeypatch.setattr(press, "_LARGEST_LINE", 0)
    asked = await api.ask(terrain(format="geojson"))
    assert_refused(asked, 503, "UNAVAILABLE", "for mange horisonter på én gang")
    assert asked.headers["Retry-After"] == "1"
    for kept_or_small in ("csv", "json", "binary"):
        assert (await fetch(api, terrain(format=kept_or_small))).status == 200


async def test_what_the_caller_has_is_not_made_again(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    tag = (await api.ask(terrain(BODO))).headers["ETag"]

    async def never(*_: object) -> Any:
        raise AssertionError

    monkeypatch.setattr(TerrainHandlers, "_made", never)
    assert (await api.ask(terrain(BODO), headers={"If-None-Match": tag})).status == 304
    assert (await api.ask(terrain(BODO))).headers["ETag"] == tag, "the second time from memory"
