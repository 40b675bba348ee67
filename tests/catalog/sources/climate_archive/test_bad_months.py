"""What makes a month unusable is said in one sentence that names archive and file."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import httpx
import numpy as np
import pytest

from catalog.sources import netcdf
from catalog.sources.climate_archive import month, open_month
from catalog.sources.errors import NotYetAvailable, SourceError
from tests.support.archives import (
    FIRST,
    SHORTWAVE,
    opened,
    path_of,
    read,
    write_era5,
    write_nora3,
    write_sarah3,
)
from tests.support.http_files import FileServer


def sentence(folder: Path | str, archive: str, kind: type[SourceError] = SourceError) -> str:
    with pytest.raises(SourceError) as caught:
        read(folder, archive)
    assert type(caught.value) is kind
    text = str(caught.value)
    assert text.startswith(f"{archive}: ")
    assert "2001" in text, "the file is named"
    assert "\n" not in text
    return text


def _set(name: str, value: Any, where: Any = Ellipsis) -> Callable[[h5py.File], None]:
    def edit(file: h5py.File) -> None:
        file[name][where] = value

    return edit


def _say(name: str, attribute: str, value: str | None) -> Callable[[h5py.File], None]:
    def edit(file: h5py.File) -> None:
        if value is None:
            del file[name].attrs[attribute]
        else:
            file[name].attrs[attribute] = value

    return edit


def _without(name: str) -> Callable[[h5py.File], None]:
    def edit(file: h5py.File) -> None:
        del file[name]

    return edit


def _other_times(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[h5py.File], None]:
    def edit(file: h5py.File) -> None:
        file["time"][...] = change(file["time"][...])

    return edit


def _net_only(file: h5py.File) -> None:
    file["surface_net_shortwave_radiation"] = file[SHORTWAVE][...]
    del file[SHORTWAVE]


def _since_the_cycle(file: h5py.File) -> None:
    file[SHORTWAVE][...] = np.cumsum(file[SHORTWAVE][...], axis=0)


HOUR = 3600


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        pytest.param(_net_only, "net shortwave alone", id="net radiation"),
        pytest.param(_say(SHORTWAVE, "cell_methods", None), "does not say over what", id="accumulated over what"),
        pytest.param(_since_the_cycle, "accumulated over more than an hour", id="accumulated since the cycle"),
        pytest.param(_say(SHORTWAVE, "units", "MJ/m2"), "units that are not understood: 'MJ/m2'", id="units"),
        pytest.param(_say("air_temperature_2m", "units", "F"), "units that are not understood", id="Fahrenheit"),
        pytest.param(_set("air_temperature_2m", 0.0), "impossible temp_air: -273.15", id="absurd temperature"),
        pytest.param(_set(SHORTWAVE, -1e6, 7), "impossible ghi: -277", id="negative radiation"),
        pytest.param(_set("relative_humidity_2m", 70.0), "impossible rel_hum", id="percent said to be fractions"),
        pytest.param(_set("air_pressure_at_sea_level", 1013.0), "impossible mslp: 10.13", id="hPa said to be Pa"),
        pytest.param(
            _other_times(lambda t: t + 28 * 24 * HOUR),
            "it has 672, 2001-03-01T00:00Z to 2001-03-28",
            id="wrong month",
        ),
        pytest.param(
            _other_times(lambda t: np.where(t >= FIRST + 48 * HOUR, t + HOUR, t)),
            "and not 2001-02-03T00:00Z",
            id="beyond",
        ),
        pytest.param(_other_times(lambda t: t + 1800), "it has 672, 2001-02-01T00:30Z to", id="half hours"),
        pytest.param(_other_times(lambda t: t[::-1]), "the 672 hours of 2001-02 in order", id="backwards"),
        pytest.param(_without("time"), "has no time", id="no time"),
        pytest.param(_set("x", 2.0e6, 3), "x is not evenly spaced", id="uneven"),
        pytest.param(_without("latitude"), "has no latitude", id="no latitude"),
        pytest.param(
            lambda file: file["x"].write_direct(file["x"][...] + 1e5), "a corner are 100 km off", id="elsewhere"
        ),
        pytest.param(_say(SHORTWAVE, "grid_mapping", "nothing"), "projection is not understood", id="projection"),
    ],
)
def test_a_bad_reanalysis(tmp_path: Path, edit: Callable[[h5py.File], None], said: str) -> None:
    write_nora3(tmp_path, edit)
    assert said in sentence(tmp_path, "nora3")


def _cut(hours: slice) -> Callable[[h5py.File], None]:
    """Leave only some hours of a solar model's month."""

    def edit(file: h5py.File) -> None:
        for name in ("time", "time_bnds", "SIS"):
            held, attributes = file[name][hours], dict(file[name].attrs)
            del file[name]
            file[name] = held
            for key, value in attributes.items():
                if key not in ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME"):
                    file[name].attrs[key] = value

    return edit


def _shift(file: h5py.File, seconds: int) -> None:
    file["time_bnds"][...] += seconds


def _gap(file: h5py.File) -> None:
    _cut(np.delete(np.arange(672), 100))(file)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        pytest.param(_cut(slice(0, 600)), "to 2001-02-25T23:00Z, and not 2001-02-26T00:00Z", id="ends"),
        pytest.param(_gap, "it has 671, 2001-02-01T00:00Z to 2001-02-28T23:00Z, and not 2001-02-05T04:00Z", id="gap"),
        pytest.param(_say("time", "bounds", None), "does not say of which hour a mean is", id="no bounds"),
        pytest.param(_set("time_bnds", FIRST + 1800, (0, 1)), "do not begin or end the hours", id="half an hour"),
        pytest.param(lambda file: _shift(file, 1800), "do not begin or end the hours", id="half past"),
        pytest.param(_set("SIS", 1600, 9), "impossible ghi: 1600", id="absurd"),
        pytest.param(_say("SIS", "units", "Wh"), "units that are not understood", id="units"),
        pytest.param(_set("lon", 99.0, 3), "lon is not evenly spaced", id="uneven"),
    ],
)
def test_a_bad_solar_model(tmp_path: Path, edit: Callable[[h5py.File], None], said: str) -> None:
    write_sarah3(tmp_path, edit)
    assert said in sentence(tmp_path, "sarah3")


@pytest.mark.parametrize("archive", ["nora3", "era5"])
def test_a_truncated_file(tmp_path: Path, archive: str) -> None:
    path = {"nora3": write_nora3, "era5": write_era5}[archive](tmp_path)
    data = path.read_bytes()
    for share in (0.9, 0.5):
        path.write_bytes(data[: int(len(data) * share)])
        assert "truncated" in sentence(tmp_path, archive)
    path.write_bytes(b"")
    assert "empty" in sentence(tmp_path, archive)


def test_a_classic_file_that_ends_in_its_header(tmp_path: Path) -> None:
    path = write_era5(tmp_path)
    data = path.read_bytes()
    for length in (8, 30, 200):
        path.write_bytes(data[:length])
        assert "truncated or damaged" in sentence(tmp_path, "era5")
    path.write_bytes(b"CDF\x09" + bytes(100))
    assert "unknown version: 09" in sentence(tmp_path, "era5")
    path.write_bytes(b"CDF\x01" + bytes(4) + b"\xff" * 92)
    assert "truncated or damaged" in sentence(tmp_path, "era5")
    path.write_bytes(b"CDF\x01" + b"\xff" * 4 + bytes(92))
    assert "does not say how many records" in sentence(tmp_path, "era5")


@pytest.mark.parametrize("version", [1, 2])
def test_a_header_with_records_beyond_number_costs_nothing(tmp_path: Path, version: int) -> None:
    """Before the file was seen to be short, each of them was listed: 3 GB and 86 s."""
    path = write_era5(tmp_path, version, unlimited=True)
    data = bytearray(path.read_bytes())
    data[4:8] = (200_000_000).to_bytes(4, "big")
    path.write_bytes(data)
    tracemalloc.start()
    try:
        assert "truncated or damaged" in sentence(tmp_path, "era5")
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_a_header_with_a_grid_of_no_rows(tmp_path: Path) -> None:
    path = write_era5(tmp_path)
    name = b"latitude"
    before, after = path.read_bytes().split(name, 1)
    path.write_bytes(before + name + bytes(4) + after[4:])
    assert "truncated or damaged" in sentence(tmp_path, "era5")


def test_a_piece_that_was_never_written(tmp_path: Path) -> None:
    def hollow(file: h5py.File) -> None:
        units = dict(file["wind_speed"].attrs)["units"]
        shape = file["wind_speed"].shape
        del file["wind_speed"]
        held = file.create_dataset("wind_speed", shape, "f4", chunks=(30, 1, 3, 4))
        held[:600] = 3.0
        held.attrs["units"] = units

    write_nora3(tmp_path, hollow)
    assert "is unfinished: wind_speed was not written" in sentence(tmp_path, "nora3")


def test_no_month_no_address(tmp_path: Path) -> None:
    assert "200102.nc does not exist" in sentence(tmp_path, "nora3", NotYetAvailable)
    with FileServer() as server:
        text = sentence(server.url, "sarah3", NotYetAvailable)
        assert "SIShm200102010000004231000101MA.nc answered HTTP 404" in text
    with pytest.raises(SourceError, match=r"era5: no address .* set SOLFLIS_ERA5_URL"):
        open_month("era5", "", 2001, 2, user_agent="test", deadline_s=5).__enter__()


@pytest.mark.parametrize("storage", [{"chunks": (30, 1, 3, 4)}, {"chunks": (30, 1, 3, 4), "scaleoffset": 12}])
def test_more_than_fits_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, storage: dict[str, Any]
) -> None:
    write_nora3(tmp_path, storage=storage)
    monkeypatch.setattr(netcdf, "LARGEST", 100_000)
    assert "ask for fewer cells at once" in sentence(tmp_path, "nora3")
    assert read(tmp_path, "nora3", np.array([0]))["ghi"].shape == (672, 1)


def test_noise(tmp_path: Path) -> None:
    path_of(tmp_path, "nora3").write_bytes(b"weather" * 1000)
    assert "is not a NetCDF4 file" in sentence(tmp_path, "nora3")


def test_a_refused_month_leaves_nothing_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clients, make = [], month.make_client

    def made(user_agent: str) -> httpx.Client:
        clients.append(make(user_agent))
        return clients[-1]

    monkeypatch.setattr(month, "make_client", made)
    write_nora3(tmp_path, _net_only)
    with pytest.raises(SourceError):
        opened(tmp_path, "nora3").__enter__()
    assert [client.is_closed for client in clients] == [True]
