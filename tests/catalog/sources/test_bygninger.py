"""Outlines and register points from hand-made answers and files: what is read of them, and what is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pyogrio
import pytest
import shapely
from pyproj import Transformer

from catalog.sources import bygninger, bygningspunkt
from catalog.sources.bygninger import Outlines
from catalog.sources.errors import SourceError
from tests.support.http_server import serving

BOX = (262_000.0, 6_649_000.0, 262_400.0, 6_649_300.0)
HOUSE, YARD, FAR = (
    shapely.box(262_010, 6_649_010, 262_020, 6_649_018),
    shapely.Polygon(
        shapely.box(262_100, 6_649_100, 262_140, 6_649_140).exterior,
        [shapely.box(262_110, 6_649_110, 262_130, 6_649_130).exterior],
    ),
    shapely.box(270_010, 6_649_010, 270_020, 6_649_018),
)
HOW = {"user_agent": "test", "seconds": 10}
Respond = Callable[[str, dict[str, list[str]], Any], tuple[int, dict[str, str], bytes]]


def same(found: Outlines, *shapes: Any, atol: float = 1e-6) -> None:
    assert len(found.buildings) == len(shapes)
    for one, shape in zip(found.buildings, shapes, strict=True):
        rings = [shapely.get_coordinates(ring) for ring in (shape.exterior, *shape.interiors)]
        for ring, expected in zip(one.rings, rings, strict=True):
            np.testing.assert_allclose(ring, expected, atol=atol)


def inspire(*shapes: Any, head: str = "", numbers: str = "localId") -> bytes:
    """Return an answer as public clients describe the real one: number and one posList a building."""
    members = ""
    for k, shape in enumerate(shapes):
        rings = [("exterior", shape.exterior), *(("interior", hole) for hole in shape.interiors)]
        sides = "".join(
            f"<g:{side}><g:LinearRing><g:posList>{' '.join(f'{a} {b}' for a, b in ring.coords)}</g:posList>"
            f"</g:LinearRing></g:{side}>"
            for side, ring in rings
        )
        members += (
            f'<member><b:Building g:id="B.{k}"><{numbers}>{1000 + k}</{numbers}><g:Polygon '
            f'srsName="urn:ogc:def:crs:EPSG::25833">{sides}</g:Polygon></b:Building></member>'
        )
    names = 'xmlns:g="http://www.opengis.net/gml/3.2" xmlns:b="http://bu"'
    return f"<FeatureCollection {names} {head}>{members}</FeatureCollection>".encode()


def of_answer(body: bytes, path: str = "") -> Outlines:
    with serving(lambda *_: (200, {}, body)) as url:
        return bygninger.outlines(url + path, BOX, **HOW)


@pytest.mark.parametrize("numbers", ["localId", "reference"])
def test_outlines_come_with_their_holes_and_numbers_and_only_from_the_box(numbers: str) -> None:
    found = of_answer(inspire(HOUSE, YARD, FAR, numbers=numbers))
    same(found, HOUSE, YARD)
    assert ([one.id for one in found.buildings], found.data_origin) == (["1000", "1001"], "live")


def test_points_in_place_of_outlines_are_refused() -> None:
    point = b'<g:Point srsName="EPSG:25833"><g:pos>262010 6649010</g:pos></g:Point>'
    body = b'<FeatureCollection xmlns:g="gml" xmlns:b="bu"><b:Building>' + point + b"</b:Building></FeatureCollection>"
    with pytest.raises(SourceError, match=r"^bygninger: .* answered buildings without outlines"):
        of_answer(body)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_not_expanded(encoding: str) -> None:
    entity = '<!DOCTYPE x [<!ENTITY long "{}">]>'.format(50 * "x")
    body = f"{entity}<FeatureCollection>&long;&long;</FeatureCollection>".encode(encoding)
    with pytest.raises(SourceError, match=r"^bygninger: .* answered XML that cannot be read: it declares a document"):
        of_answer(body)


def collection(*shapes: Any, link: str = "", **more: Any) -> bytes:
    """Return GeoJSON in degrees."""
    move = Transformer.from_crs(25833, 4326, always_xy=True).transform
    moved = (shapely.transform(shape, lambda xy: np.column_stack(move(*xy.T))) for shape in shapes)
    features = [
        {"type": "Feature", "id": k, "properties": {}, "geometry": shapely.geometry.mapping(shape)}
        for k, shape in enumerate(moved, 7)
    ]
    links = [{"rel": "next", "href": link}] if link else []
    return orjson.dumps({"type": "FeatureCollection", "features": features, "links": links, **more})


@pytest.mark.parametrize("path", ["/collections/bygg", "/collections/bygg/items", "/collections/bygg/"])
def test_pages_of_an_ogc_api_are_followed(path: str) -> None:
    asked = []

    def respond(at: str, query: dict[str, list[str]], headers: Any) -> tuple[int, dict[str, str], bytes]:
        asked.append(at)
        both = shapely.MultiPolygon([YARD, FAR])
        return 200, {}, collection(both) if "page" in query else collection(HOUSE, link="items?page=2")

    with serving(respond) as url:
        found = bygninger.outlines(url + path, BOX, **HOW)
    same(found, HOUSE, YARD, atol=0.01)
    assert asked == ["/collections/bygg/items"] * 2
    assert [one.id for one in found.buildings] == ["7", "7"]


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (collection(HOUSE, link="https://elsewhere.example/items"), "names a next page that is none of its own"),
        (collection(HOUSE)[:-5], "answered JSON that cannot be read"),
        (b'{"code": "x", "description": "down"}', "answered no features: .*down"),
        (b'{"features": [], "links": ["next"]}', "answered no features"),
        (b'{"features": [], "links": {"next": "items"}}', "answered no features"),
        (b'{"features": [], "links": [{"rel": "next", "href": 5}]}', "answered no features"),
        (b'{"features": [], "links": [{"rel": "next", "href": "http://[x"}]}', "names a next page that is none"),
        (b'{"features": [], "data_origin": []}', "answered no features"),
        (b'{"features": [5]}', "has an outline that cannot be read"),
        (b'{"features": [{"geometry": {"type": "Polygon", "coordinates": [[[1, 2]]]}}]}', "has an outline that"),
        (b'{"features": [{"geometry": {"type": "Polygon", "coordinates": [[["a", 2]]]}}]}', "has an outline that"),
    ],
)
def test_an_ogc_api_that_answers_something_else_is_refused(body: bytes, sentence: str) -> None:
    with pytest.raises(SourceError, match=f"^bygninger: .*{sentence}"):
        of_answer(body, "/collections/bygg")


@pytest.mark.parametrize("geometry", [
    {"type": "Polygon", "coordinates": []}, {"type": "MultiPolygon", "coordinates": [[]]},
    {"type": "Polygon", "coordinates": None},
])  # fmt: skip
def test_a_part_without_rings_is_skipped(geometry: dict[str, Any]) -> None:
    document = orjson.loads(collection(HOUSE))
    document["features"].insert(0, {"type": "Feature", "geometry": geometry})
    same(of_answer(orjson.dumps(document), "/collections/bygg"), HOUSE, atol=0.01)


def test_outlines_of_geopackages_have_the_numbers_of_their_files(tmp_path: Path) -> None:
    fields = {"fkb": ("bygningsnummer",), "osm": ("osm_id", "name"), "plain": ()}
    values = {"fkb": ([181.0, np.nan],), "osm": (["181", "182"], ["x", "y"])}
    for name, columns in fields.items():
        data = [np.array(column) for column in values.get(name, ())]
        pyogrio.raw.write(
            tmp_path / f"{name}.gpkg", shapely.to_wkb(np.array([HOUSE, YARD], object)), data, list(columns),
            layer=f"{name}_bygning", driver="GPKG", geometry_type="Polygon", crs="EPSG:25833",
        )  # fmt: skip
        found = bygninger.outlines(str(tmp_path / f"{name}.gpkg"), BOX, **HOW)
        same(found, HOUSE, YARD)
        expected = {"fkb": ["181", "2"], "osm": ["181", "182"], "plain": ["1", "2"]}
        assert ([one.id for one in found.buildings], found.data_origin) == (expected[name], "live")
    numbers = [one.id for one in bygninger.outlines(f"file://{tmp_path}", BOX, **HOW).buildings]
    assert sorted(numbers) == ["1", "181", "182", "2"]  # the same outline under the same number is one
    with pytest.raises(SourceError, match=r"^bygninger: .*cannot be read as a GeoPackage"):
        bygninger.outlines(str(tmp_path / "absent.gpkg"), BOX, **HOW)


def register(first: int, count: int, matched: str) -> bytes:
    members = "".join(
        f'<member><a:Bygning g:id="B.{k}"><a:bygningsnummer>{k}</a:bygningsnummer><a:bygningstype>111</a:bygningstype>'
        f"<a:representasjonspunkt><g:Point><g:pos>262{k % 400:03d}.5 6649100</g:pos></g:Point></a:representasjonspunkt>"
        "</a:Bygning></member>"
        for k in range(first, first + count)
    )
    head = f'<FeatureCollection xmlns:a="app" xmlns:g="gml" numberMatched="{matched}" numberReturned="{count}">'
    return f"{head}{members}</FeatureCollection>".encode()


@pytest.mark.parametrize("matched", ["2300", "unknown"])
def test_register_points_are_those_of_all_pages(matched: str) -> None:
    def respond(_: str, query: dict[str, list[str]], headers: Any) -> tuple[int, dict[str, str], bytes]:
        start = int(query.get("STARTINDEX", ["0"])[0])
        return 200, {}, register(start, min(1000, 2300 - start), matched)

    with serving(respond) as url:
        found = bygningspunkt.points(url, BOX, **HOW)
    assert sorted(int(one.number) for one in found.buildings) == list(range(2300))
    assert found.buildings[7] == ("7", 111, 262_007.5, 6_649_100.0)


def test_buildings_that_are_gone_are_no_register_points() -> None:
    """Codes of the register: TB in use, GR to be demolished, BR demolished or burnt, BU number retired."""
    body = register(0, 4, "4")
    for k, status in enumerate((b"TB", b"GR", b"BR", b"BU")):
        end = b"</a:bygningsnummer>"
        body = body.replace(b">%d%b" % (k, end), b">%d%b<a:bygningsstatus>%b</a:bygningsstatus>" % (k, end, status))
    with serving(lambda *_: (200, {}, body)) as url:
        found = bygningspunkt.points(url, BOX, **HOW)
    assert [one.number for one in found.buildings] == ["0", "1"]


@pytest.mark.parametrize("read", [bygninger.outlines, bygningspunkt.points])
def test_the_query_of_the_address_is_in_no_sentence(read: Any) -> None:
    with serving(lambda *_: (200, {}, b"<html>")) as url, pytest.raises(SourceError) as failed:
        read(f"{url}/wfs?token=secret", BOX, **HOW)
    assert "/wfs answered" in str(failed.value)


@pytest.mark.parametrize("code", ["", "x", "9" * 30, "9" * 5000])
def test_a_code_that_is_none_of_the_register_is_unknown(code: str) -> None:
    body = register(0, 1, "1").replace(b">111<", f">{code}<".encode())
    with serving(lambda *_: (200, {}, body)) as url:
        assert [one.code for one in bygningspunkt.points(url, BOX, **HOW).buildings] == [None]


@pytest.mark.parametrize("count", [0, 10])
def test_a_register_that_says_there_is_more_and_does_not_answer_it_is_refused(count: int) -> None:
    with (
        serving(lambda *_: (200, {}, register(0, count, "50"))) as url,
        pytest.raises(SourceError, match=r"^bygningspunkt: .* says that there are more features, and does not answer"),
    ):
        bygningspunkt.points(url, BOX, **HOW)


@pytest.mark.parametrize(
    ("code", "kind", "name"),
    [
        (111, "bolig", "Enebolig"),
        (113, "bolig", "Våningshus"),
        (161, "bolig", "Fritidsbygning (hytter, sommerhus o.l.)"),
        (199, "bolig", "Bolig"),
        (181, "ukjent", "Garasje, uthus, anneks knyttet til bolig"),
        (183, "ukjent", "Naust, båthus, sjøbu"),
        (231, "naering", "Lagerhall"),
        (241, "landbruk", "Fiskeri og landbruk"),
        (249, "landbruk", "Fiskeri og landbruk"),
        (322, "naering", "Butikkbygning"),
        (739, "naering", "Helse"),
        (999, "ukjent", ""),
        (None, "ukjent", ""),
    ],
)
def test_codes_of_the_register_have_a_use_and_a_name(code: int | None, kind: str, name: str) -> None:
    assert (bygningspunkt.kind_of(code), bygningspunkt.type_name(code)) == (kind, name)
