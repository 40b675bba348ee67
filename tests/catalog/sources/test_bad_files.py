"""A file that must not be believed, or a server that misbehaves, ends in one clear sentence, never in numbers."""

import re
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from catalog.sources import met_nordic
from catalog.sources.errors import NotYetAvailable, SourceError
from tests.support.http_files import Drip, FileServer, Request, Truncate
from tests.support.netcdf import CYCLE, SHORTWAVE, Edit, MadeUp, attribute, drop, met_nordic_path, replace, write
from tests.support.reading import LARGE, read, sentence


def break_chunk(path: Path) -> None:
    with h5py.File(path) as file:
        offset = file[SHORTWAVE].id.get_chunk_info(2).byte_offset
    data = bytearray(path.read_bytes())
    data[offset + 40] ^= 0x10
    path.write_bytes(data)


def become(content: bytes) -> Callable[[Path], Any]:
    return lambda path: path.write_bytes(content)


BAD_FILES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "empty": (become(b""), r"is empty \(0 bytes\)"),
    "a web page": (become(b"<html>Sorry</html>"), "is not a NetCDF4 file"),
    "netcdf 3": (become(b"CDF\x01" + bytes(90)), "lacks the required variable"),
    "rubbish after the signature": (become(b"\x89HDF\r\n\x1a\n" + bytes(500)), "cannot be read as NetCDF4"),
    "one flipped bit": (break_chunk, "is corrupt: the chunk at byte"),
    "cut short": (lambda path: path.write_bytes(path.read_bytes()[:-1000]), "is truncated"),
}


@pytest.mark.parametrize(("spoil", "says"), BAD_FILES.values(), ids=BAD_FILES.keys())
def test_an_unreadable_file_is_refused_in_a_folder_and_over_http(spoil: Any, says: str, tmp_path: Path) -> None:
    path = write(met_nordic_path(tmp_path), LARGE)
    assert read(tmp_path) == LARGE.steps
    spoil(path)
    local = sentence(tmp_path)
    with FileServer(tmp_path) as server:
        remote = sentence(server.url)
    for text in (local, remote):
        assert re.search(says, text), text


def anew(file: h5py.File, name: str, **storage: Any) -> h5py.Dataset:
    """An empty field in place of one, in a chunk a step."""
    units = file[name].attrs["units"]
    del file[name]
    held = file.create_dataset(name, (5, 9, 11), "f4", chunks=(1, 9, 11), **storage)
    held.attrs.update({"units": units, "grid_mapping": "projection_lcc"})
    return held


def checksum_broken(file: h5py.File) -> None:
    held = anew(file, "cloud_area_fraction", fletcher32=True, fillvalue=0)
    for step in range(5):
        held.id.write_direct_chunk((step, 0, 0), np.ones((9, 11), "f4").tobytes() + b"\x01\x02\x03\x04")


def never_written(file: h5py.File) -> None:
    anew(file, SHORTWAVE, compression="gzip")[:3] = 1


def rewrite_last(file: h5py.File) -> None:
    held = anew(file, SHORTWAVE)
    held[:4] = 0
    file.flush()
    held[4] = 0


def test_a_file_cut_short_whose_header_agrees_is_refused_when_opened(tmp_path: Path) -> None:
    path = write(met_nordic_path(tmp_path), MadeUp(), rewrite_last)
    data = bytearray(path.read_bytes())
    with h5py.File(path) as file:
        short = file[SHORTWAVE].id.get_chunk_info(4).byte_offset + 100  # it was written last
    data[40:48] = short.to_bytes(8, "little")  # the end of the file in a version 0 superblock
    path.write_bytes(data[:short])
    with pytest.raises(SourceError, match=f"is truncated: it has {short} bytes, .* reaches to byte"):
        met_nordic.open_cycle(str(tmp_path), CYCLE, user_agent="tests", deadline_s=20).__enter__()


HOURS = CYCLE.timestamp() + 3600.0 * np.arange(6)
UNEVEN = np.array([-50_000.0, -49_000, -48_000, -47_000, -46_000, -45_000, -44_000, -43_000, -41_500, -41_000, -40_000])
TEMPERATURE, PROJECTION = "air_temperature_2m", "projection_lcc"
OLD = CYCLE - timedelta(hours=6)
BAD_CONTENT: dict[str, tuple[Edit, str]] = {
    "missing step": (replace("time", HOURS[[0, 1, 2, 4, 5]]), "not one at each full hour, wrong at 2026-06-20T10:00Z"),
    "half-hourly": (replace("time", HOURS[0] + 1800.0 * np.arange(5)), "each full hour, wrong at 2026-06-20T06:30Z"),
    "times missing": (replace("time", np.full(5, np.nan)), "has a time with missing or absurd values"),
    "one step": (replace("time", HOURS[:1]), "has 1 time steps"),
    "more times than fields": (replace("time", HOURS), "has 5 steps of .* and 6 times"),
    "time units": (attribute("time", "units", "fortnights since 1970-01-01"), "'fortnights since 1970-01-01'"),
    "time calendar": (attribute("time", "calendar", "360_day"), "calendar that is not supported: 360_day"),
    "no time": (drop("time"), "has no time"),
    "an old cycle": (
        replace("forecast_reference_time", OLD.timestamp()),
        "holds the cycle 2026-06-20T00:00Z, not 2026-06-20T06:00Z",
    ),
    "begins late": (replace("time", HOURS[1:]), "begins at 2026-06-20T07:00Z"),
    "no shortwave": (drop(SHORTWAVE), f"lacks the required variable {SHORTWAVE}"),
    "shortwave unfinished": (never_written, "is unfinished: integral_.* was not written at step 3"),
    "no x": (drop("x"), "has a wrong grid: it has no x"),
    "uneven x": (replace("x", UNEVEN), "has a wrong grid: x is not evenly spaced"),
    "x in degrees": (attribute("x", "units", "degrees"), "x is in units that are not understood: 'degrees'"),
    "one y": (replace("y", np.array([1.0])), r"has a wrong grid: y is no axis: .* \(1,\)"),
    "latitude of another shape": (replace("latitude", np.ones((9, 10))), r"latitude has shape \(9, 10\)"),
    "latitude absurd": (replace("latitude", np.full((9, 11), 95.0)), "latitude has missing or absurd values"),
    "latitude elsewhere": (replace("latitude", np.full((9, 11), 61.0)), "of a corner are .* km off"),
    "field of another shape": (replace(TEMPERATURE, np.ones((5, 9, 10))), r"air_temperature_2m is \(9, 10\)"),
    "field without time": (replace(TEMPERATURE, np.ones((9, 11))), "has one step of air_temp|has 1 steps"),
    "field of four dimensions": (replace(TEMPERATURE, np.ones((5, 2, 9, 11))), "has a wrong grid: air_temp"),
    "field of text": (replace(TEMPERATURE, np.full((5, 9, 11), b"x")), "air_temperature_2m that is not numbers"),
    "no projection": (drop(PROJECTION), "its projection is not understood"),
    "unknown projection": (attribute(PROJECTION, "proj4", "+proj=nonsense"), "its projection is not understood"),
    "projection of degrees": (attribute(PROJECTION, "proj4", "+proj=longlat"), "x and y in m need a projection"),
    "shortwave units": (attribute(SHORTWAVE, "units", "W/m2"), "units that are not understood: 'W/m2'"),
    "no units": (attribute("wind_speed_10m", "units", None), "not understood: None"),
    "checksum": (checksum_broken, r"the chunk at byte \d+ has a wrong checksum"),
}


@pytest.mark.parametrize(("edit", "says"), BAD_CONTENT.values(), ids=BAD_CONTENT.keys())
def test_content_that_must_not_be_believed_is_refused(edit: Edit, says: str, tmp_path: Path) -> None:
    write(met_nordic_path(tmp_path), MadeUp(), edit)
    with pytest.raises(SourceError, match=says):
        read(tmp_path)
    sentence(tmp_path)


def test_an_old_cycle_is_refused_though_it_names_no_reference_time(tmp_path: Path) -> None:
    write(met_nordic_path(tmp_path), MadeUp(start=OLD, reference_time=None))
    assert "begins at 2026-06-20T00:00Z, so it is not the cycle 2026-06-20T06:00Z" in sentence(tmp_path)


PATH = "/" + str(met_nordic_path(Path()))

with_and_without_ranges = pytest.mark.parametrize("ranges", [True, False], ids=["ranges", "no ranges"])


@pytest.fixture
def content(tmp_path: Path) -> bytes:
    return write(tmp_path / "made.nc", LARGE).read_bytes()


def test_an_absent_cycle_is_not_yet_available(tmp_path: Path) -> None:
    assert "does not exist" in sentence(tmp_path, NotYetAvailable)
    with FileServer() as server:
        assert "HTTP 404: the upstream does not hold this" in sentence(server.url, NotYetAvailable)
    assert "could not be read" in sentence(server.url), "nobody listens any more"


@with_and_without_ranges
def test_a_slow_upstream_ends_with_the_deadline(content: bytes, ranges: bool) -> None:
    with FileServer(ranges=ranges) as server:
        server.put(PATH, content)
        server.fail(PATH, Drip(0.05))
        begun = time.monotonic()
        assert "was not read within 0.4 s: the upstream is slow" in sentence(server.url, deadline_s=0.4)
        assert time.monotonic() - begun < 5


@with_and_without_ranges
def test_bodies_that_break_off_are_read_again(content: bytes, ranges: bool) -> None:
    with FileServer(ranges=ranges) as server:
        server.put(PATH, content)
        server.fail(PATH, Truncate(1000), times=2)
        assert read(server.url) == LARGE.steps
        server.fail(PATH, Truncate(1000))
        assert "could not be read" in sentence(server.url)


@pytest.mark.parametrize("etags", [True, False], ids=["etag", "no etag"])
@pytest.mark.parametrize("says", ["vanished", "was replaced"])
def test_a_file_that_changes_midway_is_refused(content: bytes, etags: bool, says: str, tmp_path: Path) -> None:
    other = write(tmp_path / "other.nc", MadeUp(nx=300, ny=200, steps=7)).read_bytes()
    with FileServer(etags=etags) as server:
        server.put(PATH, content)

        def change(request: Request) -> None:
            if len(server.requests) == 4:
                if says == "vanished":
                    del server.files[PATH]
                else:
                    server.put(PATH, other)

        server.before(change)
        assert f"{says} while it was being read" in sentence(server.url)


def test_a_local_file_that_is_rewritten_midway_is_refused(tmp_path: Path) -> None:
    path = write(met_nordic_path(tmp_path), LARGE)
    with met_nordic.open_cycle(str(tmp_path), CYCLE, user_agent="tests", deadline_s=20) as cycle:
        steps = cycle.instants()
        next(steps)
        with path.open("r+b") as file:
            file.truncate(5000)
        with pytest.raises(SourceError, match="was replaced while it was being read"):
            list(steps)


def test_other_protocols_are_refused() -> None:
    with pytest.raises(SourceError, match="s3 is not supported"):
        read("s3://bucket/there")
