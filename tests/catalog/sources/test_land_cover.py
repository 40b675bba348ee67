"""Land cover from hand-made answers: what is read of them, and what is refused in one sentence."""

from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import pytest
import rasterio
import shapely
from numpy.typing import NDArray
from pyproj import Transformer

from catalog.sources import corine
from catalog.sources.errors import SourceError
from catalog.sources.land_cover import BUILT_UP, FARMLAND, FOREST, LAKE, MIRE, OPEN, SEA, TRANSPORT, UNKNOWN, Cover
from catalog.sources.nibio import ar5, ar50
from tests.support.http_server import serving
from tests.support.small_map import BOX, CELL, EXPECTED, FOREST_BOX, PIECES, SHAPE, SOUTH, WEST, Pieces

# Of five corners, hence six points: an even number of coordinates in any dimension.
HOUSE = shapely.Polygon([(WEST + x, SOUTH + y) for x, y in ((0, 0), (90, 0), (90, 60), (45, 99), (0, 60))])


def answering(body: bytes | str) -> AbstractContextManager[str]:
    """Serve the same answer to every question."""
    return serving(lambda *_: (200, {}, body if isinstance(body, bytes) else body.encode()))


def ring(outline: Any, epsg: int, is_swapped: bool, separator: str, z: str) -> str:
    xy = np.column_stack(Transformer.from_crs(25833, epsg, always_xy=True).transform(*np.array(outline.coords).T))
    return " ".join(separator.join(f"{one:.9g}" for one in point) + z for point in (xy[:, ::-1] if is_swapped else xy))


def gml(
    pieces: Pieces = PIECES,
    *,
    epsg: int = 25833,
    srs: str = "",
    swapped: bool = False,
    gml2: bool = False,
    head: str = "",
    z: str = "",
) -> str:
    """Return an answer in GML 3, or 2, as MapServer writes it."""
    sides = ("outerBoundaryIs", "innerBoundaryIs") if gml2 else ("exterior", "interior")
    text, separator = ("coordinates", ",") if gml2 else ("posList", " ")
    members = ""
    for polygon, code in pieces:
        rings = [(sides[0], polygon.exterior), *((sides[1], hole) for hole in polygon.interiors)]
        members += f'<member><ms:AR50><ms:msGeometry><g:Polygon srsName="{srs or f"urn:ogc:def:crs:EPSG::{epsg}"}">'
        for side, outline in rings:
            points = ring(outline, epsg, swapped, separator, z)
            members += f"<g:{side}><g:LinearRing><g:{text}>{points}</g:{text}></g:LinearRing></g:{side}>"
        members += f"</g:Polygon></ms:msGeometry><ms:arealtype>{code}</ms:arealtype></ms:AR50></member>"
    names = 'xmlns="http://www.opengis.net/wfs/2.0" xmlns:g="http://www.opengis.net/gml" xmlns:ms="http://mapserver"'
    return f"<FeatureCollection {names} {head}>{members}</FeatureCollection>"


def of_ar50(body: str | bytes) -> Cover:
    with answering(body) as url:
        return ar50.window(url, BOX, CELL, user_agent="test", seconds=10)


def test_polygons_with_holes_lie_on_the_grid_with_row_nought_in_the_south() -> None:
    found = of_ar50(gml())
    np.testing.assert_array_equal(found.codes, EXPECTED)
    assert found.data_origin == "live"
    assert (found.input["bytes"], len(str(found.input["sha256"]))) == (len(gml()), 64)


@pytest.mark.parametrize(
    "answer",
    [
        gml(swapped=True),
        gml(epsg=4326),
        gml(epsg=4326, swapped=True),
        gml(epsg=4326, srs="EPSG:25833"),
        gml(epsg=4258, srs="http://www.opengis.net/gml/srs/epsg.xml#4258"),
        gml(epsg=25832),
        gml(epsg=25835, srs="http://www.opengis.net/def/crs/EPSG/0/25835"),
        gml(gml2=True),
        gml(epsg=4326, gml2=True),
        gml(srs="none"),
    ],
)  # fmt: skip
def test_an_answer_in_another_system_or_axis_order_is_the_same_map(answer: str) -> None:
    np.testing.assert_array_equal(of_ar50(answer).codes, EXPECTED)


def test_classes_are_those_of_the_table_and_what_nothing_covers_is_unknown() -> None:
    codes = {
        10: BUILT_UP,
        20: FARMLAND,
        30: FOREST,
        50: OPEN,
        60: MIRE,
        70: 70,
        81: LAKE,
        82: SEA,
        99: UNKNOWN,
        77: UNKNOWN,
    }
    strips = [(shapely.box(WEST + 20 * i, SOUTH, WEST + 20 * i + 20, SOUTH + 300), one) for i, one in enumerate(codes)]
    found = of_ar50(gml(strips)).codes
    assert found[0, 0:20:2].tolist() == list(codes.values())
    assert (found[:, 20:] == UNKNOWN).all()
    np.testing.assert_array_equal(of_ar50(gml([])).codes, np.zeros(SHAPE))


@pytest.mark.parametrize(
    "head", ['numberMatched="9" numberReturned="3"', 'numberMatched="9"', 'numberMatched="unknown" next="http://x?y"']
)
def test_a_box_whose_answer_is_cut_is_asked_for_in_quarters(head: str) -> None:
    """Quarters answer with all that touches them."""
    boxes = []

    def respond(_: str, query: dict[str, list[str]], headers: Any) -> tuple[int, dict[str, str], bytes]:
        box = tuple(map(float, query["BBOX"][0].split(",")[:4]))
        boxes.append(box)
        if box == (WEST, SOUTH, WEST + 1000, SOUTH + 800):
            return 200, {}, gml(PIECES[:1], head=head).encode()
        there = [(polygon, code) for polygon, code in PIECES if polygon.intersects(shapely.box(*box))]
        return 200, {}, gml(there, head='numberMatched="unknown" numberReturned="3"').encode()

    with serving(respond) as url:
        found = ar50.window(url, (WEST, SOUTH, WEST + 1000, SOUTH + 800), CELL, user_agent="test", seconds=10)
    np.testing.assert_array_equal(found.codes[:30, :40], EXPECTED)
    assert len(boxes) == 5
    assert sum((east - west) * (north - south) for west, south, east, north in boxes[1:]) == 1000 * 800


LINE = "<g:exterior><g:LinearRing><g:posList>"


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("<html><body>Down for maintenance</body></html>", "answered no features: Down for maintenance"),
        ("<ExceptionReport><ExceptionText>msWFSGetFeature(): no</ExceptionText></ExceptionReport>", "msWFSGetFeature"),
        (gml()[:-40], "answered XML that cannot be read"),
        (gml(head='numberMatched="9" numberReturned="3"'), "more features in 500 m than an answer does"),
        (gml([(FOREST_BOX, "skog")]), "has a feature without arealtype"),
        (gml().replace("arealtype", "artype"), "has a feature without arealtype"),
        (gml().replace(LINE, LINE + "NaN NaN "), "has a polygon that cannot be read"),
        (gml().replace(LINE, LINE + "1 "), "has a polygon that cannot be read"),
        (gml([(HOUSE, 30)], z=" 12.5"), "has a polygon that cannot be read: its coordinates are no pairs"),
        (gml().replace("exterior", "elsewhere"), "has a polygon that cannot be read: it has no outline"),
        (gml([(shapely.box(WEST + 9000, SOUTH, WEST + 9100, SOUTH + 100), 30)]), "answered polygons of another place"),
    ],
)
def test_an_answer_to_something_else_is_refused_in_a_sentence(body: str, sentence: str) -> None:
    with pytest.raises(SourceError, match=f"^ar50: http://127.0.0.1:\\d+ .*{sentence}"):
        of_ar50(body)


def test_a_long_answer_that_expands_entities_is_refused() -> None:
    entities = "".join(f'<!ENTITY a{i + 1} "{f"&a{i};" * 10}">' for i in range(10))
    bomb = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "lol">{entities}]><x>&a10;</x>'
    with pytest.raises(SourceError, match=r"^ar50: .* answered XML that cannot be read"):
        of_ar50(bomb)


COLOURS = {(158, 204, 115): "312", (145, 231, 255): "512", (255, 209, 110): "211"}
PICTURE = np.zeros((*SHAPE, 4), np.uint8)  # rows from north to south, as a file has them
for colour, cells in zip(COLOURS, (EXPECTED == FOREST, EXPECTED == LAKE, EXPECTED == FARMLAND), strict=True):
    PICTURE[cells[::-1]] = (*colour, 255)


def png(pixels: NDArray[np.uint8], driver: str = "PNG") -> bytes:
    rows, columns, bands = pixels.shape
    with rasterio.MemoryFile() as file:
        with file.open(driver=driver, width=columns, height=rows, count=bands, dtype=np.uint8) as raster:
            raster.write(np.moveaxis(pixels, 2, 0))
        return bytes(file.read())


def of_corine(pixels: NDArray[np.uint8] | bytes, said: str = '<x><FIELDS Code_18="{}"/></x>') -> tuple[Cover, int]:
    """Return the land cover of a picture, and how many places were asked about."""
    body, places = pixels if isinstance(pixels, bytes) else png(pixels), []

    def respond(_: str, query: dict[str, list[str]], headers: Any) -> tuple[int, dict[str, str], bytes]:
        if query["REQUEST"] == ["GetMap"]:
            return 200, {}, body
        row, column = int(query["Y"][0]), int(query["X"][0])
        places.append((row, column))
        assert isinstance(pixels, np.ndarray)
        return 200, {}, said.format(COLOURS.get(tuple(pixels[row, column, :3].tolist()), "999")).encode()

    with serving(respond) as url:
        return corine.window(url, BOX, CELL, user_agent="test", seconds=10), len(places)


def test_each_colour_of_a_picture_is_asked_about_once() -> None:
    found, places = of_corine(PICTURE)
    np.testing.assert_array_equal(found.codes, EXPECTED)
    assert (found.data_origin, places) == ("live", 3)
    assert of_corine(PICTURE, "<x><Code_18>{}</Code_18></x>")[0].codes[0, 0] == FOREST


def test_transparent_pixels_and_colours_of_edges_are_unknown() -> None:
    smooth = PICTURE.copy()
    smooth[:, 19:21, :3] = np.random.default_rng(1).integers(0, 255, (30, 2, 3))
    smooth[:10, :10, 3] = 0
    found, places = of_corine(smooth)
    unknown = np.zeros(SHAPE, bool)
    unknown[:, 19:21] = unknown[20:, :10] = True
    np.testing.assert_array_equal(found.codes, np.where(unknown, UNKNOWN, EXPECTED))
    assert places == 3


def test_a_picture_of_classes_that_are_none_is_unknown() -> None:
    assert not of_corine(np.full((*SHAPE, 4), 255, np.uint8))[0].codes.any()


@pytest.mark.parametrize(
    ("pixels", "said", "sentence"),
    [
        (PICTURE, "<ServiceException>not queryable</ServiceException>", "tells no class of a place: not queryable"),
        (PICTURE[:-1], "", "answered 40 x 29 pixels: others were asked for"),
        (png(PICTURE)[:-20], "", "answered a picture that is cut short"),
        (png(PICTURE, "GTiff"), "", "answered no picture"),
        (b"\x89PNG\r\n\x1a\n" + bytes(99) + b"IEND", "", "answered a picture that cannot be read"),
    ],
)
def test_a_picture_of_something_else_is_refused_in_a_sentence(pixels: Any, said: str, sentence: str) -> None:
    with pytest.raises(SourceError, match=f"^corine: http://127.0.0.1:\\d+ {sentence}"):
        of_corine(pixels, said)


def test_a_class_of_ar5_that_is_no_class_is_refused_in_a_sentence() -> None:
    picture = png(np.full((50, 50, 4), 255, np.uint8))

    def respond(_: str, query: dict[str, list[str]], headers: Any) -> tuple[int, dict[str, str], bytes]:
        said = b"<artype>" + b"3" * 5000 + b"</artype>"
        return 200, {}, picture if query["REQUEST"] == ["GetMap"] else said

    with serving(respond) as url, pytest.raises(SourceError, match=r"^ar5: .* tells no class of a place"):
        ar5.window(url, (WEST, SOUTH, WEST + 100, SOUTH + 100), 2.0, user_agent="test", seconds=10)


def test_classes_of_corine_are_ours() -> None:
    ours = {
        112: BUILT_UP, 122: TRANSPORT, 124: TRANSPORT, 142: BUILT_UP, 211: FARMLAND, 243: FARMLAND, 312: FOREST,
        322: OPEN, 324: FOREST, 333: OPEN, 335: 70, 412: MIRE, 421: SEA, 423: SEA, 511: LAKE, 523: SEA,
    }  # fmt: skip
    assert {code: corine.CLASSES[code] for code in ours} == ours
    assert len(corine.CLASSES) == 44
    assert 999 not in corine.CLASSES
