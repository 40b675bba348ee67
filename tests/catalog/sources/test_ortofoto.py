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
    found, asked = of_answer(encoded(PIXELS), query)
    assert (asked["LAYERS"], asked["token"], asked["VERSION"], asked["FORMAT"], asked["CRS"]) == (
        ["a,b"], ["secret"], ["1.3.0"], ["image/jpeg"], ["EPSG:25833"],
    )  # fmt: skip
    assert "SRS" not in asked
    assert str(found.input["url"]).endswith("/wms")
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
