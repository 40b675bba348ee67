"""A file that cannot be read or must not be believed ends in one clear sentence, never in numbers."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from catalog.sources import met_nordic
from catalog.sources.errors import SourceError
from tests.support.http_files import FileServer
from tests.support.netcdf import CYCLE, PROJ4, SHORTWAVE, MadeUp, met_nordic_path, write
from tests.support.reading import LARGE, read, sentence


def break_chunk(path: Path) -> None:
    with h5py.File(path) as file:
        offset = file[SHORTWAVE].id.get_chunk_info(2).byte_offset
    data = bytearray(path.read_bytes())
    data[offset + 40] ^= 0x10
    path.write_bytes(data)


BAD_FILES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "empty": (lambda path: path.write_bytes(b""), r"is empty \(0 bytes\)"),
    "a web page": (lambda path: path.write_bytes(b"<html>Sorry</html>"), "is not a NetCDF4 file"),
    "netcdf 3": (lambda path: path.write_bytes(b"CDF\x01" + bytes(90)), "lacks the required variable"),
    "rubbish after the signature": (
        lambda path: path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(500)),
        "cannot be read as NetCDF4",
    ),
    "one flipped bit": (break_chunk, "is corrupt: the chunk at byte"),
    "cut short": (lambda path: path.write_bytes(path.read_bytes()[:-1000]), "is truncated"),
}


@pytest.mark.parametrize(("spoil", "says"), BAD_FILES.values(), ids=BAD_FILES.keys())
def test_unreadable_files(spoil: Callable[[Path], Any], says: str, tmp_path: Path) -> None:
    path = write(met_nordic_path(tmp_path), LARGE)
    assert read(tmp_path) == LARGE.steps
    spoil(path)
    local = sentence(tmp_path)
    with FileServer(tmp_path) as server:
        remote = sentence(server.url)
    for text in (local, remote):
        assert re.search(says, text), text


@pytest.mark.parametrize("share", [0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.9999])
@pytest.mark.parametrize("storage", [{}, {"compression": "gzip"}], ids=["contiguous", "deflated"])
def test_truncated_anywhere(share: float, storage: dict[str, Any], tmp_path: Path) -> None:
    path = write(met_nordic_path(tmp_path), MadeUp(storage=storage, nx=60, ny=50))
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    sentence(tmp_path)


def checksum_broken(file: h5py.File) -> None:
    del file["cloud_area_fraction"]
    held = file.create_dataset("cloud_area_fraction", (5, 9, 11), "f4", chunks=(1, 9, 11), fletcher32=True, fillvalue=0)
    held.attrs.update({"units": "1", "grid_mapping": "projection_lcc"})
    for step in range(5):
        held.id.write_direct_chunk((step, 0, 0), np.ones((9, 11), "f4").tobytes() + b"\x01\x02\x03\x04")


def never_written(file: h5py.File) -> None:
    del file[SHORTWAVE]
    held = file.create_dataset(SHORTWAVE, (5, 9, 11), "f4", chunks=(1, 9, 11), compression="gzip")
    held.attrs.update({"units": "W s/m^2", "grid_mapping": "projection_lcc"})
    held[:3] = 1


def replace(name: str, values: Any) -> Callable[[h5py.File], None]:
    def edit(file: h5py.File) -> None:
        attributes = {k: v for k, v in file[name].attrs.items() if k in ("units", "grid_mapping")}
        del file[name]
        file[name] = values
        file[name].attrs.update(attributes)

    return edit


def attribute(name: str, key: str, value: Any) -> Callable[[h5py.File], None]:
    return lambda file: file[name].attrs.__setitem__(key, value)


def drop(name: str) -> Callable[[h5py.File], None]:
    return lambda file: file.__delitem__(name)


def rewrite_last(file: h5py.File) -> None:
    del file[SHORTWAVE]
    held = file.create_dataset(SHORTWAVE, (5, 9, 11), "f4", chunks=(1, 9, 11))
    held.attrs.update({"units": "W s/m^2", "grid_mapping": "projection_lcc"})
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


HOURS = CYCLE.timestamp() + 3600.0 * np.array([0, 1, 2, 4, 5])
UNEVEN = np.array([-50_000.0, -49_000, -48_000, -47_000, -46_000, -45_000, -44_000, -43_000, -41_500, -41_000, -40_000])
BAD_CONTENT: dict[str, tuple[Callable[[h5py.File], None], str]] = {
    "missing step": (replace("time", HOURS), "not one at each full hour, wrong at 2026-06-20T10:00Z"),
    "three-hourly": (
        replace("time", CYCLE.timestamp() + 10800.0 * np.arange(5)),
        "not one at each full hour, wrong at 2026-06-20T09:00Z",
    ),
    "half-hourly": (
        replace("time", CYCLE.timestamp() + 1800.0 * np.arange(5)),
        "not one at each full hour, wrong at 2026-06-20T06:30Z",
    ),
    "backwards": (replace("time", HOURS[::-1].copy()), "not one at each full hour, wrong at 2026-06-20T10:00Z"),
    "times missing": (replace("time", np.full(5, np.nan)), "has a time with missing or absurd values"),
    "no steps": (replace("time", np.zeros(0)), "has 0 time steps"),
    "one step": (replace("time", HOURS[:1]), "has 1 time steps"),
    "more times than fields": (
        replace("time", HOURS[0] + 3600.0 * np.arange(6)),
        "has 5 steps of .* and 6 times",
    ),
    "time units": (
        attribute("time", "units", "fortnights since 1970-01-01"),
        "'fortnights since 1970-01-01'",
    ),
    "time calendar": (attribute("time", "calendar", "360_day"), "calendar that is not supported: 360_day"),
    "no time": (drop("time"), "has no time"),
    "old reference time": (
        replace("forecast_reference_time", CYCLE.timestamp() - 21600),
        "holds the cycle 2026-06-20T00:00Z, not 2026-06-20T06:00Z",
    ),
    "begins late": (
        replace("time", CYCLE.timestamp() + 3600.0 * np.arange(1, 6)),
        "begins at 2026-06-20T07:00Z",
    ),
    "no shortwave": (drop(SHORTWAVE), f"lacks the required variable {SHORTWAVE}"),
    "shortwave unfinished": (never_written, "is unfinished: integral_.* was not written at step 3"),
    "no x": (drop("x"), "has a wrong grid: it has no x"),
    "no latitude": (drop("latitude"), "has a wrong grid: it has no latitude"),
    "uneven x": (replace("x", UNEVEN), "has a wrong grid: x is not evenly spaced"),
    "x in degrees": (attribute("x", "units", "degrees"), "x is in units that are not understood: 'degrees'"),
    "one y": (replace("y", np.array([1.0])), r"has a wrong grid: y is no axis: .* \(1,\)"),
    "latitude of another shape": (replace("latitude", np.ones((9, 10))), r"latitude has shape \(9, 10\)"),
    "latitude absurd": (replace("latitude", np.full((9, 11), 95.0)), "latitude has missing or absurd values"),
    "latitude elsewhere": (replace("latitude", np.full((9, 11), 61.0)), "of a corner are .* km off"),
    "field of another shape": (
        replace("air_temperature_2m", np.ones((5, 9, 10))),
        r"air_temperature_2m is \(9, 10\)",
    ),
    "field without time": (
        replace("air_temperature_2m", np.ones((9, 11))),
        "has one step of air_temperature_2m|has 1 steps",
    ),
    "field of four dimensions": (
        replace("air_temperature_2m", np.ones((5, 2, 9, 11))),
        "has a wrong grid: air_temp",
    ),
    "field of text": (
        replace("air_temperature_2m", np.full((5, 9, 11), b"x")),
        "air_temperature_2m that is not numbers",
    ),
    "projection not there": (drop("projection_lcc"), "its projection is not understood"),
    "projection unknown": (
        attribute("projection_lcc", "proj4", "+proj=nonsense"),
        "its projection is not understood",
    ),
    "projection of degrees": (
        attribute("projection_lcc", "proj4", "+proj=longlat"),
        "x and y in m need a projection",
    ),
    "another projection": (
        attribute("projection_lcc", "proj4", PROJ4.replace("lon_0=15", "lon_0=25")),
        "of a corner are .* km off",
    ),
    "shortwave units": (attribute(SHORTWAVE, "units", "W/m2"), "units that are not understood: 'W/m2'"),
    "temperature units": (
        attribute("air_temperature_2m", "units", "F"),
        "units that are not understood: 'F'",
    ),
    "no units": (lambda file: file["wind_speed_10m"].attrs.__delitem__("units"), "not understood: None"),
    "checksum": (checksum_broken, r"the chunk at byte \d+ has a wrong checksum"),
}


@pytest.mark.parametrize(("edit", "says"), BAD_CONTENT.values(), ids=BAD_CONTENT.keys())
def test_files_that_must_not_be_believed(edit: Callable[[h5py.File], None], says: str, tmp_path: Path) -> None:
    write(met_nordic_path(tmp_path), MadeUp(), edit)
    with pytest.raises(SourceError, match=says):
        read(tmp_path)
    sentence(tmp_path)


def test_an_old_cycle_without_reference_time(tmp_path: Path) -> None:
    old = MadeUp(start=CYCLE - timedelta(hours=6), reference_time=None)
    write(met_nordic_path(tmp_path), old)
    assert "begins at 2026-06-20T00:00Z, so it is not the cycle 2026-06-20T06:00Z" in sentence(tmp_path)
