"""Borders of the counties: the real file, and what is refused in one sentence."""

import copy
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import shapely

from catalog.sources import http
from catalog.sources.errors import NotYetAvailable, Origin, SourceError
from catalog.sources.kartverket import borders as kartverket
from infra.simulator.borders import document
from tests.support.http_files import FileServer, Status, Truncate

ORIGIN = Origin("kartverket", "http://x/Fylker-M.geojson")
SQUARE = [[10.0, 60.0], [11.0, 60.0], [11.0, 61.0], [10.0, 61.0], [10.0, 60.0]]
HOLE = [[10.2, 60.2], [10.4, 60.2], [10.4, 60.4], [10.2, 60.2]]


def collection(geometry: Any, **more: Any) -> dict[str, Any]:
    features = [{"type": "Feature", "properties": {"name": "Somewhere"}, "geometry": geometry}]
    return {"type": "FeatureCollection", "features": features, **more}


def understood(document: Any) -> kartverket.Borders:
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    return kartverket.read(ORIGIN, body, "fylkesnummer")


def counties(url: str) -> kartverket.Borders:
    return kartverket.counties(url, user_agent="test", deadline_s=10)


def test_polygons_and_their_holes() -> None:
    one = understood(collection({"type": "Polygon", "coordinates": [SQUARE, HOLE]}))
    assert (one.areas["name"].tolist(), one.data_origin) == (["Somewhere"], "live")
    assert one.areas.geometry[0] == shapely.Polygon(SQUARE, [HOLE])
    several = understood(collection({"type": "MultiPolygon", "coordinates": [[SQUARE, HOLE], [SQUARE]]}))
    assert several.areas.geometry[0] == shapely.MultiPolygon([(SQUARE, [HOLE]), (SQUARE, [])])
    high = [[*point, 12.5] for point in SQUARE]
    assert understood(collection({"type": "Polygon", "coordinates": [high]})).areas.geometry[0] == shapely.Polygon(
        SQUARE
    )


@pytest.mark.parametrize(
    ("given", "number"),
    [("03", 3), ("56", 56), (3, 3), (None, None), ("", None), ("x", None)],
)
def test_the_number_of_a_county_where_it_has_one(given: Any, number: int | None) -> None:
    polygon = {"type": "Polygon", "coordinates": [SQUARE]}
    for properties in ({"name": "Somewhere", "fylkesnummer": given}, {"name": "Nowhere"}):
        document = collection(polygon)
        document["features"].append({"type": "Feature", "properties": properties, "geometry": polygon})
        expected = number if "fylkesnummer" in properties else None
        numbers = understood(document).areas["number"]
        assert (pd.isna(numbers[0]), None if pd.isna(numbers[1]) else numbers[1]) == (True, expected)


def test_the_real_file_in_a_folder(shared_data: Path) -> None:
    folder = shared_data / "borders"
    for url in (str(folder), f"file://{folder}", f"{folder}/"):
        borders = counties(url)
        assert len(borders.areas) == 15
        assert {"Oslo", "Innlandet", "Vestland"} < set(borders.areas["name"])
        assert len(shapely.get_parts(borders.areas.geometry)) > 2000
        named = dict(zip(borders.areas["number"], borders.areas["name"], strict=True))
        assert (named[3], named[46], named[56]) == ("Oslo", "Vestland", "Finnmark")
        assert borders.data_origin == "live"
        assert borders.input["bytes"] == (folder / kartverket.COUNTIES).stat().st_size
    corner = shapely.get_coordinates(borders.areas.geometry)
    assert (corner.min(axis=0) > (4, 57.5)).all()
    assert (corner.max(axis=0) < (31.5, 71.5)).all()


def test_over_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)
    body = json.dumps(document("Fylker")).encode()
    with FileServer() as server:
        server.put("/at/Fylker-M.geojson", body)
        server.fail("/at/Fylker-M.geojson", Status(503), times=1)
        borders = counties(server.url.replace("//", "//someone:secret@") + "/at/")
        assert borders.data_origin == "simulated"
        assert borders.input["url"] == f"{server.url}/at/Fylker-M.geojson", "without the password"
        with pytest.raises(NotYetAvailable, match=r"^kartverket: .*HTTP 404"):
            counties(f"{server.url}/elsewhere")
        server.fail("/at/Fylker-M.geojson", Truncate(1000))
        with pytest.raises(SourceError, match="could not be read"):
            counties(f"{server.url}/at")


def test_a_file_that_is_too_long(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(kartverket, "_MAX_BYTES", 1000)
    body = json.dumps(document("Fylker")).encode()
    (tmp_path / kartverket.COUNTIES).write_bytes(body)
    with pytest.raises(SourceError, match="longer than 1000 bytes"):
        counties(str(tmp_path))
    with FileServer(tmp_path) as server, pytest.raises(SourceError, match="longer than 1000 bytes"):
        counties(server.url)
    # ended while it is copied, and not refused when it is there
    with FileServer(tmp_path, ranges=False) as server, pytest.raises(SourceError, match=r"longer than 1000 bytes$"):
        counties(server.url)


def test_no_file_and_no_folder(tmp_path: Path) -> None:
    with pytest.raises(NotYetAvailable, match="does not exist"):
        counties(str(tmp_path))
    (tmp_path / kartverket.COUNTIES).mkdir()
    with pytest.raises(SourceError, match="cannot be opened"):
        counties(str(tmp_path))


GOOD = collection({"type": "Polygon", "coordinates": [SQUARE]})


def altered(*where: Any, to: Any) -> dict[str, Any]:
    changed = copy.deepcopy(GOOD)
    place: Any = changed
    for key in where[:-1]:
        place = place[key]
    place[where[-1]] = to
    return changed


RINGS = ("features", 0, "geometry", "coordinates")


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (b"", "is no GeoJSON"),
        (b"<html>", "is no GeoJSON"),
        (b"[" * 100_000, "is no GeoJSON"),
        (
            {"type": "gdal_streamed_alg", "command_line": "gdal vector pipeline ! read /a.json"},
            "is no FeatureCollection",
        ),
        ({**GOOD, "crs": {"type": "link", "properties": {"href": "http://x/y"}}}, "is no GeoJSON of named"),
        ({"type": "Topology", "objects": {}}, "is no GeoJSON of named|is no FeatureCollection"),
        (altered("features", to=[]), "something else than areas in degrees|is no GeoJSON of named"),
        (altered("features", 0, to="x"), "something else than areas in degrees|is no GeoJSON of named"),
        (altered("features", 0, "properties", to={}), "is no GeoJSON of named"),
        (altered("features", 0, "geometry", to=None), "something else than areas in degrees|is no GeoJSON of named"),
        (
            collection({"type": "LineString", "coordinates": SQUARE}),
            "something else than areas in degrees|is no GeoJSON of named",
        ),
        (altered(*RINGS, to=[]), "something else than areas in degrees|is no GeoJSON of named"),
        (altered(*RINGS, to=5), "something else than areas in degrees|is no GeoJSON of named"),
        (altered(*RINGS, 0, 1, to=["x", "y"]), "something else than areas in degrees|is no GeoJSON of named"),
        (altered(*RINGS, 0, to=SQUARE[:-1]), "is no GeoJSON of named"),
        (
            altered(*RINGS, 0, 1, to=[262_000.0, 6_650_000.0]),
            "something else than areas in degrees|is no GeoJSON of named",
        ),
        (json.dumps(GOOD).replace("11.0", "1e999", 1).encode(), "is no GeoJSON"),
        ({**GOOD, "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::25833"}}}, "EPSG::25833"),
    ],
)
def test_what_is_no_borders_is_refused_in_a_sentence(bad: Any, sentence: str) -> None:
    with pytest.raises(SourceError, match=f"^kartverket: http://x/Fylker-M.geojson .*({sentence})") as refused:
        understood(bad)
    assert "\n" not in str(refused.value)


def test_a_coordinate_system_in_degrees_may_be_named() -> None:
    for name in ("urn:ogc:def:crs:OGC:1.3:CRS84", "urn:ogc:def:crs:EPSG::4258", "EPSG:4326"):
        assert len(understood({**GOOD, "crs": {"type": "name", "properties": {"name": name}}}).areas) == 1


def test_no_other_format_makes_us_read_another_file(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text(json.dumps(GOOD))
    source = f"<SrcDataSource>{tmp_path}/other.json</SrcDataSource>"
    names_it = f'<OGRVRTDataSource><OGRVRTLayer name="other">{source}</OGRVRTLayer></OGRVRTDataSource>'
    with pytest.raises(SourceError, match="is no GeoJSON"):
        understood(names_it.encode())


def test_the_collection_alone_may_say_that_it_is_simulated() -> None:
    assert understood({**GOOD, "data_origin": "simulated"}).data_origin == "simulated"
