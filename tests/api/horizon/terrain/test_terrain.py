"""Level 1: what is read is what was written, and every format tells of the same."""

import csv
import io
from typing import Any

import numpy as np
import pytest

from api.horizon.formats.registry import names
from api.horizon.schemas import TerrainQuery
from api.horizon.terrain import fields, profile_of, warnings
from tests.api.conftest import Api, Start
from tests.api.horizon.conftest import terrain
from tests.api.horizon.rooftop.made import view
from tests.support.horizon import BODO, OSLO, YEAR, corner, distances, grounds, profiles, publish_horizon
from tiles.grid import HORIZON
from tiles.store import open_store

FILES = {
    "binary": ("application/octet-stream", ".bin"),
    "csv": ("text/csv", ".csv"),
    "geojson": ("application/geo+json", ".geojson"),
    "export_a": ("text/plain", "_pvsyst.hor"),
    "export_b": ("text/plain", "_pvsol.hor"),
    "export_c": ("text/csv", "_helioscope.csv"),
    "export_d": ("text/csv", "_pvgis.csv"),
    "export_e": ("text/csv", "_sam.csv"),
    "png": ("image/png", ".png"),
}
ALIASES = {"pvsyst": "export_a", "pvsol": "export_b", "helioscope": "export_c", "pvgis": "export_d", "sam": "export_e"}


def written(place: tuple[float, float], values: Any) -> Any:
    first, cell = corner(*place), HORIZON.cell_at(*place)
    return values(first)[..., cell[0] - first[0], cell[1] - first[1]]


@pytest.mark.parametrize("place", [OSLO, BODO])
async def test_an_answer_is_what_was_written_of_the_cell(api: Api, place: tuple[float, float]) -> None:
    answer = await api.good(terrain(place))
    assert answer["n_azimuth"] == 720
    assert answer["azimuth_deg"] == [i / 2 for i in range(720)]
    np.testing.assert_allclose(answer["elevation_deg"], written(place, profiles), atol=0.0015)
    assert answer["azimuth_deg"][int(np.argmax(answer["elevation_deg"]))] == 90
    distance = np.array(answer["distance_m"], dtype=float)
    np.testing.assert_allclose(distance, written(place, distances), atol=1.3)
    assert np.isnan(distance[400:500]).all()
    assert answer["dtm_ground_z_m"] == pytest.approx(float(written(place, grounds)), abs=0.021)
    assert (answer["dtm_year"], answer["observer_height_m"]) == (YEAR, 1.5)
    assert (answer["api_tier"], answer["version"]) == ("terrain", "v3.1")
    assert (answer["data_origin"], len(answer["warnings"])) == ("simulated", 1)


async def test_it_says_for_what_place_it_holds(api: Api) -> None:
    answer = await api.good(terrain(OSLO))
    row, column = HORIZON.cell_at(*OSLO)
    assert (answer["lat"], answer["lon"]) == pytest.approx(HORIZON.centre((row, column)), abs=1e-6)
    assert {name: answer["query"][name] for name in ("lat", "lon")} == {"lat": OSLO[0], "lon": OSLO[1]}
    assert 0 < answer["query"]["cell_distance_m"] < 71
    assert answer["tile_key"] == f"H33-{row // 64:03d}-{column // 64:03d}"
    there = await api.good(terrain((answer["lat"], answer["lon"])))
    assert there["query"]["cell_distance_m"] == 0
    assert there["elevation_deg"] == answer["elevation_deg"]


async def test_binary_is_1440_bytes_of_the_same_elevations(api: Api) -> None:
    file = await api.ask(terrain(format="binary"))
    assert (file.status, len(file.body)) == (200, 1440)
    answer = await api.good(terrain(OSLO))
    # a step of float16 is 0.016 degrees at 25
    np.testing.assert_allclose(np.frombuffer(file.body, "<f2"), answer["elevation_deg"], atol=0.01)


async def test_the_table_has_the_columns_of_the_contract_first(api: Api) -> None:
    file = await api.ask(terrain(format="csv"))
    rows = list(csv.reader(io.StringIO(file.body.decode())))
    assert rows[0] == ["azimuth_deg", "elevation_deg", "distance_m"]
    assert len(rows) == 721
    answer = await api.good(terrain(OSLO))
    for i, row in enumerate(rows[1:]):
        assert [float(row[0]), float(row[1])] == [answer["azimuth_deg"][i], answer["elevation_deg"][i]]
        assert row[2] == ("" if answer["distance_m"][i] is None else f"{answer['distance_m'][i]:.1f}")


@pytest.mark.parametrize("form", ["json", *FILES])
async def test_headers_and_the_name_of_the_file(api: Api, form: str) -> None:
    file = await api.ask(terrain(format=form))
    assert file.status == 200, file.body
    tile = (await api.good(terrain(OSLO)))["tile_key"]
    media, ending = FILES.get(form, ("application/json", ""))
    assert file.headers["Content-Type"] == media
    name = f"inline; filename=tier1_horizon_{tile}_59.91_10.75{ending}"
    assert file.headers.get("Content-Disposition") == (None if form == "json" else name)
    assert file.headers["Cache-Control"] == "public, max-age=86400"
    assert (file.headers["X-Horizon-Tile-Key"], file.headers["X-DTM-Year"]) == (tile, str(YEAR))
    assert (file.headers["X-Api-Tier"], file.headers["X-Api-Version"]) == ("terrain", "v3.1")
    assert file.headers["X-Data-Origin"] == "simulated"
    exposed = file.headers["Access-Control-Expose-Headers"]
    assert all(one in exposed for one in ("X-Horizon-Tile-Key", "X-DTM-Year", "X-Api-Tier", "X-Api-Version", "ETag"))


async def test_names_of_tools_mean_their_formats(api: Api) -> None:
    for alias, value in ALIASES.items():
        by_alias, by_value = await api.ask(terrain(format=alias)), await api.ask(terrain(format=value))
        assert by_alias.body == by_value.body
        assert by_alias.headers["ETag"] == by_value.headers["ETag"]
    assert set(names("terrain")) == {"json", *FILES, *ALIASES}


async def test_each_etag_is_of_its_cell_format_and_version(start: Start, tmp_path: Any) -> None:
    store = open_store(str(tmp_path))
    publish_horizon(store)
    api = await start(store_folder=tmp_path)
    beside = OSLO[0], OSLO[1] + 0.01
    tags = [
        (await api.ask(asked)).headers["ETag"]
        for asked in (terrain(), terrain(beside), terrain(format="csv"), terrain(beside, format="csv"))
    ]
    assert len(set(tags)) == 4
    near = OSLO[0] + 1e-5, OSLO[1]
    assert (await api.ask(terrain(near, format="csv"))).headers["ETag"] == tags[2], "the same cell"
    assert (await api.ask(terrain(near))).headers["ETag"] != tags[0], "JSON repeats the position"
    publish_horizon(store, "2026-05-02T00", higher=5.0)
    changed = await api.until(terrain(), lambda asked: asked.headers.get("ETag", tags[0]) != tags[0])
    assert np.mean(changed.json["elevation_deg"]) == pytest.approx(np.mean(written(OSLO, profiles)) + 5, abs=0.01)
    assert (await api.ask(terrain(format="csv"))).headers["ETag"] not in tags


async def test_neither_key_nor_quota(start: Start, hills: Any) -> None:
    api = await start(store_folder=hills, access="keys")
    for _ in range(3):
        asked = await api.ask(terrain(), headers={"X-API-Key": "sk_live_unknown"})
        assert asked.status == 200
        assert "X-Quota-Limit" not in asked.headers


async def test_the_document_declares_the_headers_of_every_format(api: Api) -> None:
    document = (await api.ask("/openapi.json")).json
    operation = document["paths"]["/api/horizon/terrain"]["get"]
    [form] = [one for one in operation["parameters"] if one["name"] == "format"]
    assert form["schema"]["default"] == "json"
    assert set(form["schema"]["enum"]) == {"json", *FILES, *ALIASES}
    declared = {name.lower() for name in operation["responses"]["200"]["headers"]}
    content = operation["responses"]["200"]["content"]
    of_all = {name.lower() for name in (await api.ask("/health")).headers} | {"vary", "content-encoding"}
    for one in form["schema"]["enum"]:
        file = await api.ask(terrain(format=one))
        assert {name.lower() for name in file.headers} - of_all <= declared
        assert file.headers["Content-Type"] in content


AREA = {"name": "survey", "licence": "CC BY 4.0", "attribution": "A survey", "data_origin": "live"}
PROVENANCE = {"sources": [AREA] * 5, "rays": {"points": 1000, "rays_cut": 72_000}, "reach_m": 150_000.0}


def live_view(year: int | None = 2019, origin: str = "live", **provenance: Any) -> Any:
    found = view(2.0, 3000.0, origin=origin)
    return found._replace(horizon=found.horizon._replace(dtm_year=year), provenance=PROVENANCE | provenance)


def test_data_that_end_and_a_year_that_nobody_knows_are_warned_of() -> None:
    [ending] = warnings(live_view())
    assert ending.startswith("In 10 % of all directions of all places of this version the heights end before 150 km:")
    assert any("what year" in one for one in warnings(live_view(year=None)))
    assert any("simulated" in one for one in warnings(live_view(origin="simulated")))
    assert warnings(live_view(rays=None)) == []


def test_files_name_each_source_once() -> None:
    assert profile_of(live_view()).credits == ["A survey - licence CC BY 4.0"]


def test_the_full_method_says_how_tiles_were_made() -> None:
    answer = fields(live_view(method="by hand"), TerrainQuery(lat=OSLO[0], lon=OSLO[1], method="full"))
    assert answer["method"]["tiles"] == "by hand"
