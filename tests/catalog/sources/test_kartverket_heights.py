"""Heights by WCS, hand-made answers: what is read of a good one, and what is refused in one sentence."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
import rasterio
from numpy.typing import NDArray
from rasterio.transform import from_origin

from catalog.sources import http
from catalog.sources.errors import NotYetAvailable, SourceError
from catalog.sources.kartverket import heights
from catalog.sources.kartverket.heights import Box, Heights

BOX = Box(262_000.0, 6_649_000.0, 262_040.0, 6_649_030.0)
SHAPE = (3, 4)
URL = "http://x/wcs.hoyde-dtm-nhm-25833"
EXCEPTION = (
    b'<?xml version="1.0"?><ServiceExceptionReport><ServiceException code="x">Raster  not\n found'
    b"</ServiceException></ServiceExceptionReport>"
)
# Rows from north to south, as a file has them.
Z = np.arange(12, dtype=np.float32).reshape(SHAPE) + 100


def tiff(
    z: NDArray[Any] = Z,
    *,
    epsg: int | None = 25833,
    box: Box = BOX,
    cell: float = 10.0,
    nodata: float | None = None,
    bands: int = 1,
    tags: dict[str, str] | None = None,
    **more: Any,
) -> bytes:
    with rasterio.MemoryFile() as file:
        with file.open(
            driver="GTiff",
            height=z.shape[0],
            width=z.shape[1],
            count=bands,
            dtype=z.dtype,
            crs=None if epsg is None else f"EPSG:{epsg}",
            transform=from_origin(box.west, box.north, cell, cell),
            nodata=nodata,
            **more,
        ) as raster:
            for band in range(1, bands + 1):
                raster.write(z, band)
            raster.update_tags(**(tags or {}))
        return bytes(file.read())


def understood(body: bytes) -> Heights:
    return heights.read(body, URL, BOX, 10.0)


def changed(row: int, column: int, value: float) -> NDArray[np.float32]:
    z = Z.copy()
    z[row, column] = value
    return z


def test_row_nought_is_the_south_and_nothing_is_told_of_year_and_origin() -> None:
    found = understood(tiff())
    np.testing.assert_array_equal(found.z, Z[::-1])
    assert found.z.dtype == np.float32
    assert (found.west, found.south, found.cell) == (BOX.west, BOX.south, 10)
    assert (found.year, found.data_origin) == (None, "live")
    assert (found.input["url"], found.input["bytes"]) == (URL, len(tiff()))
    assert len(str(found.input["sha256"])) == 64


def test_the_year_is_that_of_the_files_date() -> None:
    assert understood(tiff(tags={"TIFFTAG_DATETIME": "2019:06:15 10:00:00"})).year == 2019
    assert understood(tiff(tags={"TIFFTAG_DATETIME": "0000:00:00 00:00:00"})).year is None
    assert understood(tiff(tags={"data_origin": "simulated"})).data_origin == "simulated"


def test_compressed_and_tiled_files_and_other_numbers_are_read_too() -> None:
    for body in (tiff(compress="deflate"), tiff(tiled=True, blockxsize=16, blockysize=16), tiff(Z.astype(np.float64))):
        np.testing.assert_array_equal(understood(body).z, Z[::-1])
    np.testing.assert_array_equal(understood(tiff(Z.astype(np.int16))).z, Z[::-1])


@pytest.mark.parametrize("value", [-3.4028235e38, 3.4e38, -9999, -32767, np.nan, np.inf, 9999, -101, 2600.5])
def test_no_height_is_nan(value: float) -> None:
    found = understood(tiff(changed(0, 1, value)))
    assert np.isnan(found.z[2, 1])
    assert np.isfinite(found.z).sum() == 11


def test_a_tag_says_what_is_no_height() -> None:
    found = understood(tiff(nodata=105.0))
    np.testing.assert_array_equal(np.isnan(found.z), Z[::-1] == 105)


def test_the_sea_is_as_it_comes() -> None:
    assert (understood(tiff(np.zeros(SHAPE, np.float32))).z == 0).all()
    assert np.isnan(understood(tiff(np.full(SHAPE, -3.4e38, np.float32))).z).all()
    assert (understood(tiff(changed(0, 0, -2.5))).z < 0).sum() == 1


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"", "answered no GeoTIFF: without a text"),
        (b"\x89PNG....", "answered no GeoTIFF"),
        (b"<!DOCTYPE html><html><body>Down for maintenance</body></html>", "answered no GeoTIFF: Down for maintenance"),
        (EXCEPTION, "answered no GeoTIFF: Raster not found$"),
        (b"<?xml version='1.0'?><e>" + b"long " * 5000 + b"</e>", "answered no GeoTIFF: (long ?){40}$"),
        (b"\xef\xbb\xbf\n<e/>", "answered no GeoTIFF: without a text$"),
        (tiff()[: len(tiff()) - 20], "cannot be read|None, "),  # what lies at the end differs with GDAL
        (tiff()[:30], "cannot be read"),
        (tiff(epsg=25832), "EPSG:25832, .*: something else was asked for"),
        (tiff(epsg=None), "None, .*: something else was asked for"),
        (tiff(Z[:2]), "answered 4 x 2 cells of float32 in 1 bands"),
        (tiff(bands=3), "in 3 bands"),
        (tiff(box=BOX._replace(west=BOX.west + 10)), "something else was asked for"),
        (tiff(box=BOX._replace(north=BOX.north + 100_000)), "something else was asked for"),
        (tiff(cell=11), "something else was asked for"),
        (tiff(Z.astype(np.uint8)), "cells of uint8"),
        (tiff(Z * 30), "heights of 3000 to 3330 m"),
        (tiff(np.full(SHAPE, 9999, np.float32)), "heights of 9999 to 9999 m"),
    ],
)
def test_what_is_refused(body: bytes, sentence: str) -> None:
    with pytest.raises(SourceError, match=f"^kartverket_wcs: {URL} .*({sentence})"):
        understood(body)


@pytest.mark.parametrize("shape", [(16384, 16384), (4096, 16), (16, 4096)])
def test_blocks_that_unpack_to_gigabytes_are_refused_before_a_cell_is_read(
    shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_heights_in_feet_are_not_mended() -> None:
    z = np.full((30, 40), 8000, np.float32)
    z[:10] = 1500
    with pytest.raises(SourceError, match="no land of ours"):
        heights.read(tiff(z, cell=1), URL, BOX, 1.0)


@pytest.mark.parametrize("box", [BOX._replace(east=BOX.east + 3), BOX._replace(north=BOX.south), BOX._replace(east=0)])
def test_a_window_is_whole_cells(box: Box) -> None:
    with pytest.raises(ValueError, match="no window of whole cells"):
        heights.window("http://x", "dtm", *box, 10, user_agent="test", deadline=1)


class Service(BaseHTTPRequestHandler):
    """Answers cell numbers of the country: east and north in one number, so that pieces out of place are seen."""

    asked: list[dict[str, str]]
    agents: list[str]

    def log_message(self, *_: object) -> None:  # the base class's parameters
        """Say nothing."""

    def do_GET(self) -> None:
        query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        self.asked.append({**query, "path": urlsplit(self.path).path})
        self.agents.append(self.headers["User-Agent"])
        box = Box(*map(float, query["BBOX"].split(",")))
        rows, columns = int(query["HEIGHT"]), int(query["WIDTH"])
        cell = (box.east - box.west) / columns
        x, y = box.west + np.arange(columns) * cell, box.north - (1 + np.arange(rows)) * cell
        z = (x[None, :] % 1000) + (y[:, None] % 1000) / 1000
        body = tiff(z.astype(np.float32), box=box, cell=cell, tags={"TIFFTAG_DATETIME": f"{2018 + len(self.asked)}:"})
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serving() -> Iterator[tuple[str, type[Service]]]:
    handler = type("Handler", (Service,), {"asked": [], "agents": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/skwms1/", handler
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_the_question_is_the_protocols_and_pieces_fall_into_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heights, "MOST_CELLS", 20)
    with serving() as (url, service):
        found = heights.window(url, "dom", 1000, 2000, 1090, 2100, 2, user_agent="solflis test", deadline=10)
    assert found.z.shape == (50, 45)
    expected = np.arange(0, 90, 2)[None, :] + np.arange(0, 100, 2)[:, None] / 1000
    np.testing.assert_allclose(found.z, expected, atol=1e-4)
    assert len(service.asked) == 9
    first = service.asked[0]
    assert first.pop("path") == "/skwms1/wcs.hoyde-dom-nhm-25833"
    assert first == {
        "SERVICE": "WCS",
        "VERSION": "1.0.0",
        "REQUEST": "GetCoverage",
        "COVERAGE": "nhm_dom_topo_25833",
        "CRS": "EPSG:25833",
        "BBOX": "1000,2000,1030,2032",
        "WIDTH": "15",
        "HEIGHT": "16",
        "FORMAT": "GeoTIFF",
    }
    assert set(service.agents) == {"solflis test"}
    assert (found.year, found.data_origin) == (2019, "live")
    assert "BBOX" not in str(found.input["url"])


def test_too_many_bytes_and_nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)
    with pytest.raises(SourceError, match="could not be read"):
        heights.window("http://127.0.0.1:9", "dtm", 0, 0, 10, 10, 1, user_agent="test", deadline=5)
    with pytest.raises(SourceError, match="is no HTTP address"):
        heights.window("/somewhere", "dtm", 0, 0, 10, 10, 1, user_agent="test", deadline=5)
    assert not issubclass(SourceError, NotYetAvailable)


def test_who_imports_the_package_has_no_rasterio() -> None:
    code = (
        "import sys; from catalog.sources import kartverket; from catalog.sources.kartverket import heights; "
        "sys.exit('rasterio' in sys.modules or 'xarray' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
