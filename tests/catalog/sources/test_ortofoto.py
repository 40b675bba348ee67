"""Aerial pictures from hand-made answers: what is asked for, what is read, and what is refused."""

from typing import Any

import numpy as np
import pytest
import rasterio

from catalog.sources import ortofoto
from catalog.sources.errors import SourceError
from catalog.sources.ortofoto import Picture
from tests.support.http_server import serving

BOX = (262_000.0, 6_649_000.0, 262_004.0, 6_649_003.0)
PIXELS = np.random.default_rng(1).integers(0, 255, (30, 40, 3), dtype=np.uint8)


def encoded(pixels: Any, driver: str = "PNG") -> bytes:
    rows, columns, bands = pixels.shape
    with rasterio.MemoryFile() as file:
        with file.open(driver=driver, width=columns, height=rows, count=bands, dtype=np.uint8) as raster:
            raster.write(np.moveaxis(pixels, 2, 0))
        return bytes(file.read())


def of_answer(body: bytes, query: str = "?LAYERS=ortofoto") -> tuple[Picture, dict[str, list[str]]]:
    asked: list[dict[str, list[str]]] = []

    def respond(_: str, given: dict[str, list[str]], headers: Any) -> tuple[int, dict[str, str], bytes]:
        asked.append(given)
        return 200, {}, body

    with serving(respond) as url:
        return ortofoto.picture(f"{url}/wms{query}", BOX, 0.1, user_agent="test", seconds=10), asked[-1]


def test_rows_of_a_picture_go_from_north_to_south() -> None:
    found, asked = of_answer(encoded(PIXELS))
    np.testing.assert_array_equal(found.rgb, PIXELS)
    assert (found.bounds, found.pixel, found.year, found.data_origin) == (BOX, 0.1, None, "live")
    box = ["262000,6649000,262004,6649003"]
    assert (asked["BBOX"], asked["WIDTH"], asked["HEIGHT"], asked["SRS"]) == (box, ["40"], ["30"], ["EPSG:25833"])
    assert (asked["VERSION"], asked["FORMAT"], asked["STYLES"]) == (["1.1.1"], ["image/png"], [""])


def test_colours_of_a_picture_with_transparency_and_of_a_jpeg_are_read() -> None:
    opaque = np.concatenate([PIXELS, np.full((30, 40, 1), 255, np.uint8)], axis=2)
    np.testing.assert_array_equal(of_answer(encoded(opaque))[0].rgb, PIXELS)
    smooth = np.zeros_like(PIXELS)
    smooth[:, 20:] = 200
    found, _ = of_answer(encoded(smooth, "JPEG"))
    np.testing.assert_allclose(found.rgb, smooth, atol=30)


def test_the_query_of_the_address_is_kept_and_told_to_nobody() -> None:
    query = "?layers=a,b&token=secret&version=1.3.0&Format=image/jpeg"
    _, asked = of_answer(encoded(PIXELS), query)
    assert (asked["LAYERS"], asked["token"], asked["VERSION"], asked["FORMAT"], asked["CRS"]) == (
        ["a,b"], ["secret"], ["1.3.0"], ["image/jpeg"], ["EPSG:25833"],
    )  # fmt: skip
    assert "SRS" not in asked
    with pytest.raises(SourceError) as failed:
        of_answer(b"<ServiceException>no</ServiceException>", query)
    assert "secret" not in str(failed.value)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"<ServiceException>msDrawMap(): away</ServiceException>", r"answered no picture: msDrawMap\(\): away"),
        (encoded(PIXELS)[:-20], "answered a picture that is cut short"),
        (encoded(PIXELS[:-1]), "answered 40 x 29 pixels: others were asked for"),
        (encoded(PIXELS[..., :1]), "answered a picture without colours"),
        (encoded(PIXELS, "GTiff"), "answered no picture"),
        (encoded(np.full((30, 40, 3), 255, np.uint8)), "shows nothing there"),
        (encoded(np.concatenate([PIXELS, np.zeros((30, 40, 1), np.uint8)], axis=2)), "shows nothing there"),
    ],
)
def test_a_picture_of_something_else_is_refused_in_a_sentence(body: bytes, sentence: str) -> None:
    with pytest.raises(SourceError, match=f"^ortofoto: http://127.0.0.1:\\d+/wms {sentence}"):
        of_answer(body)


MATRIX = """<TileMatrix><Identifier>{name}</Identifier><ScaleDenominator>{scale}</ScaleDenominator>
<TopLeftCorner>{corner}</TopLeftCorner><TileWidth>{tile}</TileWidth><TileHeight>{tile}</TileHeight>
<MatrixWidth>{count}</MatrixWidth><MatrixHeight>{count}</MatrixHeight></TileMatrix>"""

ONE = MATRIX.format(name="0", scale=400, corner="0 0", tile=20, count=9)


def capabilities(matrices: str, epsg: int = 25833, host: str = "") -> bytes:
    return f"""<Capabilities><Contents><Layer><Identifier>bilder</Identifier>
<Style><Identifier>other</Identifier></Style><Style isDefault="true"><Identifier>usual</Identifier></Style>
<Format>image/jpeg</Format><Format>image/png</Format><TileMatrixSetLink><TileMatrixSet>s</TileMatrixSet>
</TileMatrixSetLink><ResourceURL format="image/png" resourceType="tile" template="{host}/t/{{TileMatrix}}"/></Layer>
<TileMatrixSet><Identifier>s</Identifier><SupportedCRS>urn:ogc:def:crs:EPSG::{epsg}</SupportedCRS>{matrices}
</TileMatrixSet></Contents></Capabilities>""".encode()


def of_tiles(
    about: bytes, tiles: dict[tuple[str, str], bytes], path: str = "/wmts"
) -> tuple[Picture, list[dict[str, list[str]]]]:
    """Return a picture of tiles by row and column, 404 for others, and what was asked for."""
    asked: list[dict[str, list[str]]] = []

    def respond(_: str, given: dict[str, list[str]], headers: Any) -> tuple[int, dict[str, str], bytes]:
        asked.append(given)
        if len(asked) == 1:
            return 200, {}, about
        body = tiles.get((given["TILEROW"][0], given["TILECOL"][0]))
        return (404, {}, b"") if body is None else (200, {}, body)

    with serving(respond) as url:
        query = "?layer=bilder&token=secret"
        return ortofoto.picture(f"{url}{path}{query}", BOX, 0.1, user_agent="test", seconds=10), asked


def test_tiles_are_joined_and_those_that_are_missing_are_black() -> None:
    coarse = MATRIX.format(name="0", scale=0.2 / 0.28e-3, corner="261999 6649004", tile=20, count=9)
    fine = MATRIX.format(name="1", scale=0.1 / 0.28e-3, corner="261999 6649004", tile=20, count=9)
    # the window begins 1 m south and 1 m east of the corner: in the middle of tiles of 2 m
    whole = np.zeros((40, 60, 3), np.uint8)
    whole[10:40, 10:50] = PIXELS
    cut = {
        (str(i), str(j)): encoded(whole[20 * i : 20 * i + 20, 20 * j : 20 * j + 20]) for i in (0, 1) for j in range(3)
    }
    del cut["1", "2"]
    found, asked = of_tiles(capabilities(coarse + fine), cut)
    expected = PIXELS.copy()
    expected[10:, 30:] = 0
    np.testing.assert_array_equal(found.rgb, expected)
    assert asked[0]["REQUEST"] == ["GetCapabilities"]
    assert asked[1]["TILEMATRIX"] == ["1"]
    assert (asked[1]["STYLE"], asked[1]["FORMAT"], asked[1]["LAYER"]) == (["usual"], ["image/png"], ["bilder"])
    assert all(one["token"] == ["secret"] for one in asked)


def test_tiles_in_web_mercator_are_turned_to_utm() -> None:
    from rasterio.warp import transform_bounds

    west, _, east, north = transform_bounds(25833, 3857, *BOX)
    scale = 0.05 / 0.28e-3
    matrix = MATRIX.format(name="0", scale=scale, corner=f"{west - 3} {north + 3}", tile=512, count=1)
    red = np.zeros((512, 512, 3), np.uint8)
    red[:, : round((3 + (east - west) / 2) / 0.05)] = (200, 0, 0)
    found, _ = of_tiles(capabilities(matrix, 3857), {("0", "0"): encoded(red)})
    assert (found.rgb[12:18, :17, 0] == 200).all()
    assert (found.rgb[12:18, 23:] == 0).all()


@pytest.mark.parametrize(
    ("about", "path", "sentence"),
    [
        (b"<html>", "/wmts", "has no such layer"),
        (b"<!DOCTYPE x>" + capabilities(ONE), "/wmts", "has no such layer"),
        (capabilities("", 25832), "/wmts", "has no such layer"),
        (capabilities(""), "/wmts", "has no such layer"),
        (capabilities(MATRIX.format(name="0", scale=0, corner="0 0", tile=20, count=9)), "/wmts", "has no such layer"),
        (capabilities(ONE), "/wmts", "has 0 tiles there"),
        (
            capabilities(MATRIX.format(name="0", scale=0.01, corner="261999 6649004", tile=20, count=10**7)),
            "/wmts",
            "tiles there: 1 to 400 are read",
        ),
        (capabilities(ONE, host="http://elsewhere.example"), "/a.xml", "keeps its tiles on another host"),
    ],
)
def test_tiles_of_something_else_are_refused_in_a_sentence(about: bytes, path: str, sentence: str) -> None:
    with pytest.raises(SourceError, match=sentence):
        of_tiles(about, {}, path)
