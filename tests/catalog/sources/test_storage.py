"""Every manner of storage is read as the same numbers, and as the HDF5 library reads it."""

from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from catalog.sources import met_nordic, netcdf
from catalog.sources.cycle import Cycle
from catalog.sources.errors import SourceError
from tests.support.http_files import FileServer
from tests.support.netcdf import CYCLE, MadeUp, met_nordic_path, write
from tests.support.reading import reading_threads

TOLERANCE = {"ghi_acc": 20.0, "cloud": 2e-5, "temp_air": 1e-3, "wind_speed": 1e-4}


def open_cycle(base: Path | str, partition: datetime = CYCLE) -> AbstractContextManager[Cycle]:
    return met_nordic.open_cycle(str(base), partition, user_agent="tests", deadline_s=20)


def check(base: Path | str, made: MadeUp) -> None:
    truth = made.truth()
    with open_cycle(base) as cycle:
        fields = list(cycle.instants())
        assert cycle.times.tolist() == [int(CYCLE.timestamp()) + 3600 * i for i in range(made.steps)]
        assert (np.diff(cycle.x) > 0).all()
        assert (np.diff(cycle.y) > 0).all()
        assert (np.diff(cycle.lat, axis=0) > 0).all()
        assert (np.diff(cycle.lon, axis=1) > 0).all()
        assert cycle.altitude is not None
        np.testing.assert_allclose(cycle.altitude, 100 + 10 * np.round(cycle.lat, 1), atol=1e-3)
    assert len(fields) == made.steps
    for name, tolerance in TOLERANCE.items():
        values = np.stack([step[name] for step in fields])
        assert values.dtype == np.float32
        assert values.dtype.isnative
        np.testing.assert_allclose(values, truth[name], rtol=1e-6, atol=tolerance)


STORAGES: dict[str, MadeUp] = {
    "one chunk a step, shuffled and deflated": MadeUp(),
    "fletcher32": MadeUp(dtype="<i2", storage={"fletcher32": True, "compression": "gzip"}, chunks=(1, 3, 3)),
    "chunked, no filter": MadeUp(storage={}, chunks=(1, 9, 11)),
    "contiguous": MadeUp(storage={}),
    "contiguous, big-endian, no gap": MadeUp(storage={}, dtype=">f4"),
    "chunks beyond the edges": MadeUp(chunks=(1, 4, 5)),
    "chunks of several steps beyond the end": MadeUp(chunks=(2, 4, 5), steps=7),
    "float64": MadeUp(dtype="<f8"),
    "packed int16, missing": MadeUp(dtype="<i2", gap=True),
    "east to west": MadeUp(descending_x=True, descending_y=True, gap=True),
    "percent, degC": MadeUp(percent=True, celsius=True),
    "height of one": MadeUp(singleton=True, chunks=(1, 4, 5)),
    "lzf, by HDF5": MadeUp(storage={"compression": "lzf", "shuffle": True}, chunks=(2, 4, 5)),
    "scale-offset, by HDF5": MadeUp(storage={"scaleoffset": 4}, chunks=(1, 9, 11)),
}


@pytest.mark.parametrize("made", STORAGES.values(), ids=STORAGES.keys())
def test_every_storage_reads_as_the_same_numbers(made: MadeUp, tmp_path: Path) -> None:
    write(met_nordic_path(tmp_path), made)
    check(tmp_path, made)


@pytest.mark.parametrize("ranges", [True, False], ids=["ranges", "no ranges"])
@pytest.mark.parametrize("etags", [True, False], ids=["etag", "no etag"])
def test_over_http_the_numbers_and_the_hash_are_those_of_the_folder(ranges: bool, etags: bool, tmp_path: Path) -> None:
    made = MadeUp(chunks=(1, 4, 5), nx=40, ny=60, storage={"compression": "gzip"})
    path = write(met_nordic_path(tmp_path), made)
    with FileServer(tmp_path, ranges=ranges, etags=etags) as server:
        check(server.url, made)
        with open_cycle(server.url) as cycle, open_cycle(tmp_path) as local:
            assert [list(c.instants()) and None for c in (cycle, local)] == [None, None]
            [remote], [near] = cycle.inputs(), local.inputs()
    assert remote["sha256"] == near["sha256"]
    assert remote["bytes"] == path.stat().st_size
    assert remote["url"].startswith(server.url)
    assert all(request.headers["User-Agent"] == "tests" for request in server.requests)


def test_a_small_file_takes_few_requests(tmp_path: Path) -> None:
    write(met_nordic_path(tmp_path), MadeUp(chunks=(1, 40, 50), nx=400, ny=300, steps=12))
    with FileServer(tmp_path) as server, open_cycle(server.url) as cycle:
        assert sum(1 for _ in cycle.instants()) == 12
        assert len(server.requests) < 12 * 4 + 20


def test_the_hash_of_a_receipt_changes_with_the_data(tmp_path: Path) -> None:
    hashes = []
    for made in (MadeUp(), MadeUp(), MadeUp(gap=True)):
        write(met_nordic_path(tmp_path), made)
        with open_cycle(tmp_path) as cycle:
            assert len(list(cycle.instants())) == made.steps
            hashes += [receipt["sha256"] for receipt in cycle.inputs()]
    assert hashes[0] == hashes[1] != hashes[2]


def test_fields_are_read_once_and_inputs_known_afterwards(tmp_path: Path) -> None:
    write(met_nordic_path(tmp_path))
    with open_cycle(tmp_path) as cycle:
        steps = cycle.instants()
        next(steps)
        with pytest.raises(RuntimeError, match="once all its instants"):
            cycle.inputs()
        with pytest.raises(RuntimeError, match="read once"):
            next(cycle.instants())


def test_a_cycle_closed_midway_leaves_no_thread_reading(tmp_path: Path) -> None:
    write(met_nordic_path(tmp_path), MadeUp(steps=20))
    with open_cycle(tmp_path) as cycle:
        instants = cycle.instants()
        next(instants)
        assert reading_threads()
    assert not reading_threads()


def test_a_projection_may_be_given_by_cf_attributes(tmp_path: Path) -> None:
    def cf(file: h5py.File) -> None:
        held = file["projection_lcc"].attrs
        del held["proj4"]
        held.update({"grid_mapping_name": "lambert_conformal_conic", "standard_parallel": [63.0, 63.0],
                     "latitude_of_projection_origin": 63.0, "longitude_of_central_meridian": 15.0,
                     "earth_radius": 6371000.0})  # fmt: skip

    write(met_nordic_path(tmp_path), MadeUp(attributes={"data_origin": "simulated"}), cf)
    with open_cycle(tmp_path) as cycle:
        assert cycle.data_origin == "simulated"
        assert "+proj=lcc" in cycle.proj4
        assert "+lat_1=63" in cycle.proj4


def test_a_flat_folder_and_a_file_url_will_do(tmp_path: Path) -> None:
    write(tmp_path / met_nordic_path(tmp_path).name)
    check(tmp_path, MadeUp())
    check(tmp_path.as_uri() + "/", MadeUp())


@pytest.mark.parametrize("storage", [{"compression": "gzip"}, {"scaleoffset": 4}], ids=["ours", "by HDF5"])
def test_a_chunk_beyond_the_memory_is_refused(storage: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(met_nordic_path(tmp_path), MadeUp(steps=40, chunks=(40, 9, 11), storage=storage))
    monkeypatch.setattr(netcdf, "LARGEST", 4 * 20 * 9 * 11)
    with open_cycle(tmp_path) as cycle, pytest.raises(SourceError, match="must be held at once"):
        next(cycle.instants())
