"""Heights by WCS, hand-made answers: what is read of a good one, and what is refused in one sentence."""

from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest
import rasterio
from numpy.typing import NDArray
from rasterio.transform import from_origin

from catalog.sources.errors import SourceError
from catalog.sources.kartverket import heights
from catalog.sources.kartverket.heights import Box, Heights
from tests.support.http_server import serving

BOX = Box(262_000.0, 6_649_000.0, 262_040.0, 6_649_030.0)
SHAPE = (3, 4)
URL = "http://x/wcs.hoyde-dtm-nhm-25833"
# Rows from north to south, as a file has them.
Z = np.arange(12, dtype=np.float32).reshape(SHAPE) + 100


def tiff(
    z: NDArray[Any] = Z,
    *,
    epsg: int | None = 25833,
    box: Box = BOX,
    cell: float = 10.0,
    bands: int = 1,
    tags: dict[str, str] | None = None,
    **more: Any,
) -> bytes:
    crs, transform = None if epsg is None else f"EPSG:{epsg}", from_origin(box.west, box.north, cell, cell)
    shape = {"height": z.shape[0], "width": z.shape[1], "count": bands, "dtype": z.dtype}
    with rasterio.MemoryFile() as file:
        with file.open(driver="GTiff", crs=crs, transform=transform, **shape, **more) as raster:
            raster.write(np.stack([z] * bands))
            raster.update_tags(**(tags or {}))
        return bytes(file.read())


def understood(body: bytes) -> Heights:
    return heights.read(body, URL, BOX, 10.0)


def changed(row: int, column: int, value: float) -> NDArray[np.float32]:
    z = Z.copy()
    z[row, column] = value
    return z


def test_row_nought_is_the_south() -> None:
    found = understood(tiff())
    np.testing.assert_array_equal(found.z, Z[::-1])
    assert found.z.dtype == np.float32
    assert (found.west, found.south, found.cell) == (BOX.west, BOX.south, 10)
    assert (found.year, found.data_origin) == (None, "live")
    assert (found.input["url"], found.input["bytes"]) == (URL, len(tiff()))
    assert len(str(found.input["sha256"])) == 64


def test_year_and_origin_are_the_files_own() -> None:
    assert understood(tiff(tags={"TIFFTAG_DATETIME": "2019:06:15 10:00:00"})).year == 2019
    assert understood(tiff(tags={"TIFFTAG_DATETIME": "0000:00:00 00:00:00"})).year is None
    assert understood(tiff(tags={"data_origin": "simulated"})).data_origin == "simulated"


def test_compressed_and_tiled_files_and_other_numbers_are_read_too() -> None:
    for body in (tiff(compress="deflate"), tiff(tiled=True, blockxsize=16, blockysize=16), tiff(Z.astype(np.float64))):
        np.testing.assert_array_equal(understood(body).z, Z[::-1])
    np.testing.assert_array_equal(understood(tiff(Z.astype(np.int16))).z, Z[::-1])


@pytest.mark.parametrize("value", [-3.4028235e38, -9999, np.nan, np.inf, -101, 2600.5])
def test_a_value_that_is_no_height_is_nan(value: float) -> None:
    found = understood(tiff(changed(0, 1, value)))
    assert np.isnan(found.z[2, 1])
    assert np.isfinite(found.z).sum() == 11


def test_the_files_own_tag_may_say_what_is_no_height_and_the_sea_be_nought_or_below() -> None:
    np.testing.assert_array_equal(np.isnan(understood(tiff(nodata=105.0)).z), Z[::-1] == 105)
    assert (understood(tiff(np.zeros(SHAPE, np.float32))).z == 0).all()
    assert (understood(tiff(changed(0, 0, -2.5))).z < 0).sum() == 1


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"", "answered no GeoTIFF: without a text"),
        (b"<!DOCTYPE html><html><body>Down for maintenance</body></html>", "answered no GeoTIFF: Down for maintenance"),
        (b"<?xml version='1.0'?><e><f code='x'>Raster  not\n found</f></e>", "answered no GeoTIFF: Raster not found$"),
        (b"<?xml version='1.0'?><e>" + b"long " * 5000 + b"</e>", "answered no GeoTIFF: (long ?){40}$"),
        (tiff()[: len(tiff()) - 20], "cannot be read|None, "),  # what lies at the end differs with GDAL
        (tiff(epsg=25832), "EPSG:25832, .*: something else was asked for"),
        (tiff(epsg=None), "None, .*: something else was asked for"),
        (tiff(Z[:2]), "answered 4 x 2 cells of float32 in 1 bands"),
        (tiff(bands=3), "in 3 bands"),
        (tiff(box=BOX._replace(west=BOX.west + 10)), "something else was asked for"),
        (tiff(Z.astype(np.uint8)), "cells of uint8"),
        (tiff(Z * 30), "heights of 3000 to 3330 m"),
    ],
)
def test_an_answer_to_something_else_is_refused_in_a_sentence(body: bytes, sentence: str) -> None:
    with pytest.raises(SourceError, match=f"^kartverket_wcs: {URL} .*({sentence})"):
        understood(body)


@pytest.mark.parametrize("shape", [(4096, 16), (16, 4096)])
def test_blocks_of_gigabytes_are_refused_unread(shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    body = tiff(tiled=True, blockysize=shape[0], blockxsize=shape[1], compress="zstd", sparse_ok=True)
    assert len(body) < 200_000
    monkeypatch.setattr(rasterio.DatasetReader, "read", lambda *_, **__: pytest.fail("a cell was read"), raising=False)
    with pytest.raises(SourceError, match=f"blocks of {shape[1]} x {shape[0]},"):
        understood(body)


def test_what_the_source_says_is_one_line_without_commands_to_a_terminal() -> None:
    said = "<e>first\x1b[2J\x00\nsecond\x9b31m\x85\u202ethird\u2028fourth\x7f&#27;</e>"
    with pytest.raises(SourceError) as refused:
        understood(said.encode())
    assert str(refused.value).endswith(": first [2J second 31m third fourth &#27;")
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("box", [BOX._replace(east=BOX.east + 3), BOX._replace(north=BOX.south), BOX._replace(east=0)])
def test_a_window_that_is_not_whole_cells_is_the_callers_mistake(box: Box) -> None:
    with pytest.raises(ValueError, match="no window of whole cells"):
        heights.window("http://x", "dtm", *box, 10, user_agent="test", deadline=1)


def test_a_window_is_asked_for_in_pieces_which_fall_into_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service answers cell numbers of the country, east and north in one number."""
    asked = []

    def respond(path: str, query: dict[str, list[str]], headers: Any) -> tuple[int, dict[str, str], bytes]:
        asked.append((path, query, headers["User-Agent"]))
        box = Box(*map(float, query["BBOX"][0].split(",")))
        rows, columns = int(query["HEIGHT"][0]), int(query["WIDTH"][0])
        cell = (box.east - box.west) / columns
        x, y = box.west + np.arange(columns) * cell, box.north - (1 + np.arange(rows)) * cell
        z = (x[None, :] % 1000) + (y[:, None] % 1000) / 1000
        year = {"TIFFTAG_DATETIME": f"{2018 + len(asked)}:"}
        return 200, {}, tiff(z.astype(np.float32), box=box, cell=cell, tags=year)

    monkeypatch.setattr(heights, "MOST_CELLS", 20)
    with serving(respond) as url:
        found = heights.window(f"{url}/skwms1/", "dom", 1000, 2000, 1090, 2100, 2, user_agent="test", deadline=10)
    expected = np.arange(0, 90, 2)[None, :] + np.arange(0, 100, 2)[:, None] / 1000
    np.testing.assert_allclose(found.z, expected, atol=1e-4)
    assert len(asked) == 9
    path, query, agent = asked[0]
    assert (path, agent) == ("/skwms1/wcs.hoyde-dom-nhm-25833", "test")
    assert query == parse_qs(
        "SERVICE=WCS&VERSION=1.0.0&REQUEST=GetCoverage&COVERAGE=nhm_dom_topo_25833&CRS=EPSG:25833"
        "&BBOX=1000,2000,1030,2032&WIDTH=15&HEIGHT=16&FORMAT=GeoTIFF"
    )
    assert (found.year, found.data_origin) == (2019, "live")
    assert "BBOX" not in str(found.input["url"])
