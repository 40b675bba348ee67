"""Borders of counties and municipalities: the real files, and what is refused in one sentence."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import shapely

from catalog.sources.errors import NotYetAvailable, Origin, SourceError
from catalog.sources.kartverket import borders as kartverket
from infra.simulator.borders import document
from tests.support.http_files import FileServer
from tests.support.reading import sentence_of

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


def municipalities(folder: Path) -> kartverket.Borders:
    return kartverket.municipalities(str(folder), user_agent="test", deadline_s=10)


def test_polygons_keep_their_holes_and_lose_their_heights() -> None:
    one = understood(collection({"type": "Polygon", "coordinates": [SQUARE, HOLE]}))
    assert (one.areas["name"].tolist(), one.data_origin) == (["Somewhere"], "live")
    assert one.areas.geometry[0] == shapely.Polygon(SQUARE, [HOLE])
    several = understood(collection({"type": "MultiPolygon", "coordinates": [[SQUARE, HOLE], [SQUARE]]}))
    assert several.areas.geometry[0] == shapely.MultiPolygon([(SQUARE, [HOLE]), (SQUARE, [])])
    high = [[*point, 12.5] for point in SQUARE]
    flat = understood(collection({"type": "Polygon", "coordinates": [high]}))
    assert flat.areas.geometry[0] == shapely.Polygon(SQUARE)


@pytest.mark.parametrize(("given", "number"), [("03", 3), (3, 3), (None, None), ("x", None)])
def test_a_county_without_a_number_has_none(given: Any, number: int | None) -> None:
    document = collection({"type": "Polygon", "coordinates": [SQUARE]})
    document["features"].append(copy.deepcopy(document["features"][0]))
    document["features"][1]["properties"]["fylkesnummer"] = given
    numbers = [None if pd.isna(found) else found for found in understood(document).areas["number"]]
    assert numbers == [None, number]


def test_the_real_counties_are_read_with_names_and_numbers(shared_data: Path) -> None:
    folder = shared_data / "borders"
    borders = counties(str(folder))
    assert len(shapely.get_parts(borders.areas.geometry)) > 2000
    named = dict(zip(borders.areas["number"], borders.areas["name"], strict=True))
    assert (len(named), named[3], named[46], named[56]) == (15, "Oslo", "Vestland", "Finnmark")
    assert borders.data_origin == "live"
    assert borders.input["bytes"] == (folder / kartverket.COUNTIES).stat().st_size
    corner = shapely.get_coordinates(borders.areas.geometry)
    assert (corner.min(axis=0) > (4, 57.5)).all()
    assert (corner.max(axis=0) < (31.5, 71.5)).all()


def test_over_http_a_simulated_file_is_known_as_such_and_no_password_is_kept() -> None:
    body = json.dumps(document("Fylker")).encode()
    with FileServer() as server:
        server.put("/at/Fylker-M.geojson", body)
        borders = counties(server.url.replace("//", "//someone:secret@") + "/at/")
        assert borders.data_origin == "simulated"
        assert borders.input["url"] == f"{server.url}/at/Fylker-M.geojson", "without the password"
        with pytest.raises(NotYetAvailable, match=r"^kartverket: .*HTTP 404"):
            counties(f"{server.url}/elsewhere")


def test_a_file_that_is_too_long_is_refused(tmp_path: Path) -> None:
    with (tmp_path / kartverket.COUNTIES).open("wb") as file:
        file.truncate(64_000_001)
    with pytest.raises(SourceError, match="longer than 64000000 bytes"):
        counties(str(tmp_path))
    # ended while it is copied, and not refused when it is there
    with FileServer(tmp_path, ranges=False) as server, pytest.raises(SourceError, match=r"longer than 64000000 bytes$"):
        counties(server.url)


def test_a_file_that_is_absent_is_not_yet_available(tmp_path: Path) -> None:
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
NO_AREAS = "something else than areas in degrees|is no GeoJSON of named"


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (b"[" * 100_000, "is no GeoJSON"),
        ({"type": "gdal_streamed_alg", "command_line": "gdal vector ! read /a.json"}, "is no FeatureCollection"),
        ({**GOOD, "crs": {"type": "link", "properties": {"href": "http://x/y"}}}, "is no GeoJSON of named"),
        (altered("features", to=[]), NO_AREAS),
        (altered("features", 0, "geometry", to=None), NO_AREAS),
        (collection({"type": "LineString", "coordinates": SQUARE}), NO_AREAS),
        (altered(*RINGS, 0, 1, to=["x", "y"]), NO_AREAS),
        (altered(*RINGS, 0, to=SQUARE[:-1]), "is no GeoJSON of named"),
        (altered(*RINGS, 0, 1, to=[262_000.0, 6_650_000.0]), NO_AREAS),
        (json.dumps(GOOD).replace("11.0", "1e999", 1).encode(), "is no GeoJSON"),
        ({**GOOD, "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::25833"}}}, "EPSG::25833"),
    ],
)
def test_what_is_no_borders_is_refused_in_a_sentence(bad: Any, sentence: str) -> None:
    text = sentence_of("kartverket", lambda: understood(bad))
    assert re.search(f"http://x/Fylker-M.geojson .*({sentence})", text)


def test_a_coordinate_system_in_degrees_may_be_named() -> None:
    for name in ("urn:ogc:def:crs:OGC:1.3:CRS84", "urn:ogc:def:crs:EPSG::4258", "EPSG:4326"):
        assert len(understood({**GOOD, "crs": {"type": "name", "properties": {"name": name}}}).areas) == 1


def test_no_other_format_makes_us_read_another_file(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text(json.dumps(GOOD))
    source = f"<SrcDataSource>{tmp_path}/other.json</SrcDataSource>"
    names_it = f'<OGRVRTDataSource><OGRVRTLayer name="other">{source}</OGRVRTLayer></OGRVRTDataSource>'
    with pytest.raises(SourceError, match="is no GeoJSON"):
        understood(names_it.encode())


def test_the_real_municipalities_are_read_with_names_and_numbers(shared_data: Path) -> None:
    found = municipalities(shared_data / "borders")
    assert len(found.areas) == found.areas["number"].nunique() == 357
    named = dict(zip(found.areas["number"], found.areas["name"], strict=True))
    assert (named[301], named[4601], named[5501], named[3440]) == ("Oslo", "Bergen", "Tromsø", "Øyer")
    assert sorted(number for number, name in named.items() if name == "Herøy") == [1515, 1818], "two of one name"
    oslo = found.areas.geometry[found.areas["number"] == 301].item()
    assert shapely.box(10.4, 59.8, 11.0, 60.2).contains(oslo)
    assert found.data_origin == "live"


@pytest.mark.parametrize(
    ("numbers", "says"),
    [*(([n], "no kommunenummer") for n in (None, "x", "12", 300, 5700, "-301")), (["0301", 301], "or with the same")],
)
def test_a_municipality_without_a_number_of_its_own_is_refused(numbers: list[Any], says: str, tmp_path: Path) -> None:
    polygon = {"type": "Polygon", "coordinates": [SQUARE]}
    features = [
        {**collection(polygon)["features"][0], "properties": {"kommunenummer": n, "name": "O"}} for n in numbers
    ]
    (tmp_path / kartverket.MUNICIPALITIES).write_text(json.dumps({**collection(polygon), "features": features}))
    with pytest.raises(SourceError, match=f"^kartverket: .*Kommuner-M.geojson .*{says}"):
        municipalities(tmp_path)
