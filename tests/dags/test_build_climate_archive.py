"""A year of the climate archive by blocks, from real ERA5 files: what is published, and what is not."""

import shutil
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import netcdf_file

from catalog.dataset import open_dataset
from catalog.sources.errors import NotYetAvailable, SourceError
from catalog.versions import read_index
from dags.areas import Area
from dags.build.climate import archive_hours, climate_archive
from dags.build.climate.archive_hours import HourMissing
from dags.build.climate.partition import ArchiveFiles, months_of
from dags.build.context import BuildContext
from tests.support.archive import publish_land
from tests.support.context import context_of
from tiles.grid import NORWAY3KM
from tiles.manifest import Manifest
from tiles.products.climate_archive import PRODUCT
from tiles.store import open_store

PARTITION = "2018-10--2018-12"
FINSE = (60.60, 7.50)
AREAS = (Area("Finse", *FINSE),)


def ask(
    store: Path, files: Path, areas: tuple[Area, ...] = AREAS, partition: str = PARTITION, **more: Any
) -> BuildContext:
    publish_land(open_store(str(store)))
    return context_of(store, areas=areas, partition=partition, source="era5", addresses={"era5": str(files)}, **more)


@pytest.fixture(scope="module")
def published(tmp_path_factory, shared_data):
    store = tmp_path_factory.mktemp("tiles")
    entry = climate_archive.build(ask(store, shared_data / "era5_finse"))
    return store, entry


def from_the_file(shared_data: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The stamps (unix s) and values of the grid point nearest to Finse, read by scipy alone."""
    stamps, values = [], []
    for month in (10, 11, 12):
        with netcdf_file(shared_data / "era5_finse" / f"SURF_2018{month}.nc", mmap=False) as file:
            axes = file.variables
            assert axes["time"].units == b"hours since 1900-01-01 00:00:00.0"
            stamps.append((axes["time"][:].astype(np.int64) - 613_608) * 3600)  # hours from 1900 to 1970
            row = np.abs(axes["latitude"][:] - FINSE[0]).argmin()
            column = np.abs(axes["longitude"][:] - FINSE[1]).argmin()
            stored = axes[name]
            values.append(stored[:, row, column] * stored.scale_factor + stored.add_offset)
    return np.concatenate(stamps), np.concatenate(values)


def at_finse(store: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    data = open_dataset(PRODUCT.name, PARTITION, store=str(store))
    row, column = NORWAY3KM.cell_at(*FINSE)
    return data.time.values.astype("datetime64[s]").astype(np.int64), data[name].isel(y=row, x=column).values


def test_accumulations_become_means_of_the_hour_before_their_stamp(published, shared_data):
    hours, ghi = at_finse(published[0], "ghi_reanalysis")
    stamps, accumulated = from_the_file(shared_data, "ssrd")
    mean = dict(zip((stamps - 3600).tolist(), (accumulated / 3600).tolist(), strict=True))
    expected = np.array([mean[hour] for hour in hours.tolist()])
    assert ghi.max() > 300
    np.testing.assert_allclose(ghi, np.maximum(expected, 0), atol=0.06)


def test_instants_stay_at_their_stamp(published, shared_data):
    hours, temperature = at_finse(published[0], "temp_air")
    stamps, kelvin = from_the_file(shared_data, "t2m")
    at = dict(zip(stamps.tolist(), kelvin.tolist(), strict=True))
    np.testing.assert_allclose(temperature, [at[hour] - 273.15 for hour in hours.tolist()], atol=0.01)


def test_the_version_says_what_it_is_made_of_and_what_it_lacks(published):
    store, entry = published
    said = Manifest.read(open_store(str(store)), entry.manifest).provenance
    assert (entry.source, entry.data_origin, said["missing_variables"]) == ("era5", "live", ["wind_speed"])
    (source,) = said["sources"]
    assert [Path(file["url"]).name for file in source["inputs"]] == [f"SURF_2018{m}.nc" for m in (10, 11, 12)]
    assert all(len(file["sha256"]) == 64 for file in source["inputs"])
    assert "wind_speed" not in entry.variables


def test_the_last_hour_lies_in_the_next_file_and_is_left_out(published):
    hours, _ = at_finse(published[0], "ghi_reanalysis")
    assert np.array([hours[0], hours[-1]]).astype("datetime64[s]").astype(str).tolist() == [
        "2018-10-01T00:00:00", "2018-12-31T22:00:00",
    ]  # fmt: skip
    assert (np.diff(hours) == 3600).all()


def test_cells_that_were_not_asked_for_are_empty(published):
    store, _ = published
    data = open_dataset(PRODUCT.name, PARTITION, store=str(store))
    there = np.isfinite(data.altitude.values)
    assert 16 <= there.sum() <= 25
    rows, columns = np.nonzero(there)
    centres = np.array([NORWAY3KM.centre((int(r), int(c))) for r, c in zip(rows, columns, strict=True)])
    assert np.abs(centres - FINSE).max() < 0.2


@pytest.mark.parametrize("damage", ["absent", "truncated"])
def test_a_month_that_cannot_be_read_is_named_and_nothing_is_published(tmp_path, shared_data, damage):
    files, store = tmp_path / "files", tmp_path / "tiles"
    shutil.copytree(shared_data / "era5_finse", files)
    november = files / "SURF_201811.nc"
    november.chmod(0o644)
    files.chmod(0o755)
    if damage == "absent":
        november.unlink()
    else:
        november.write_bytes(november.read_bytes()[:400_000])
    with pytest.raises(NotYetAvailable if damage == "absent" else SourceError, match=r"SURF_201811\.nc"):
        climate_archive.build(ask(store, files))
    assert read_index(open_store(str(store)), PRODUCT.name).entries == ()


def test_a_whole_year_wants_all_its_months(tmp_path, shared_data, monkeypatch):
    monkeypatch.setattr(climate_archive, "stations_near", lambda *_: ())
    with pytest.raises(NotYetAvailable, match=r"SURF_201801\.nc"):
        climate_archive.build(ask(tmp_path, shared_data / "era5_finse", partition="2018"))


def test_an_hour_that_no_file_gives_is_named(tmp_path, shared_data, monkeypatch):
    real = archive_hours.open_month

    @contextmanager
    def without_an_hour(*arguments, **options):
        with real(*arguments, **options) as opened:
            keep = np.arange(opened.hours.size) != 400
            read = opened.read
            opened.read = lambda points: {
                name: values[keep] if name == "ghi" else values for name, values in read(points).items()
            }
            opened.hours = opened.hours[keep]
            yield opened

    monkeypatch.setattr(archive_hours, "open_month", without_an_hour)
    with pytest.raises(HourMissing, match=r"era5 gives no ghi for 3 hours, the first is 2018-10-17T15:00:00Z"):
        climate_archive.build(ask(tmp_path, shared_data / "era5_finse"))


def shards(store: Path, version: str = PARTITION) -> dict[str, str]:
    """The checksum of everything that a version holds, but of the text that says when it was made."""
    opened = open_store(str(store))
    entry = read_index(opened, PRODUCT.name).get(version)
    assert entry is not None
    objects = Manifest.read(opened, entry.manifest).objects
    return {name: stored["sha256"] for name, stored in objects.items() if name != "zarr.json"}


def test_a_build_that_was_killed_goes_on_and_gives_the_same_bytes(published, tmp_path, shared_data, monkeypatch):
    asked = ask(tmp_path, shared_data / "era5_finse")
    monkeypatch.setattr(climate_archive.ClimateArchive, "cells_per_job", 1)
    calls = []
    real = climate_archive.read_hours

    def killed(*arguments, **options):
        if calls:
            raise KeyboardInterrupt
        calls.append(1)
        return real(*arguments, **options)

    monkeypatch.setattr(climate_archive, "read_hours", killed)
    with pytest.raises(KeyboardInterrupt):
        climate_archive.build(asked)
    assert read_index(open_store(str(tmp_path)), PRODUCT.name).entries == ()
    monkeypatch.setattr(climate_archive, "read_hours", lambda *a, **o: calls.append(1) or real(*a, **o))
    said = []
    climate_archive.build(replace(asked, report=said.append))
    assert any("2 blocks, 1 of them are done" in line for line in said), said
    assert len(calls) == 2, "the block that was finished is not read again"
    assert shards(tmp_path) == shards(published[0])


def test_another_area_adds_to_what_is_there(published, tmp_path, shared_data):
    shutil.copytree(published[0], tmp_path / "tiles")
    said = []
    beside = (Area("further west", 60.60, 6.80),)
    climate_archive.build(ask(tmp_path / "tiles", shared_data / "era5_finse", beside, report=said.append))
    data = open_dataset(PRODUCT.name, PARTITION, store=str(tmp_path / "tiles"))
    there = np.isfinite(data.altitude.values)
    for place in (FINSE, (60.60, 6.80)):
        assert there[NORWAY3KM.cell_at(*place)]
    before = shards(published[0])
    after = shards(tmp_path / "tiles")
    kept = [name for name in before if "/c/" in name and after.get(name) == before[name]]
    assert any(name.startswith("ghi_reanalysis/c/0/") for name in kept)
    said.clear()
    climate_archive.build(ask(tmp_path / "tiles", shared_data / "era5_finse", beside, report=said.append))
    assert said == [f"climate_archive {PARTITION} holds all of it already"]


def test_what_is_asked_wrongly_is_refused(tmp_path, shared_data):
    for partition in ("18", "2018-12--2018-10", "2018-10--2019-01", "2018-13--2018-13", "1991/1992"):
        with pytest.raises(ValueError, match="is no year"):
            months_of(partition)
    for partition in ("1990", "2026", "1950-01--1950-02"):
        with pytest.raises(ValueError, match="is of 1991 to 2025"):
            months_of(partition)
    for source in ("sarah3", "era5+nora3", "nonsense"):
        with pytest.raises(ValueError, match="is no archive: write one of"):
            ArchiveFiles.of(context_of(tmp_path, partition="2018", source=source))
    with pytest.raises(ValueError, match="no cell of the areas holds land"):
        climate_archive.build(ask(tmp_path, shared_data / "era5_finse", (Area("sea", 58.0, 4.0),)))


def test_years_that_are_built_beside_each_other_are_each_published(tmp_path, shared_data, monkeypatch):
    parts = ["2018-10--2018-10", "2018-11--2018-11"]

    def beside_each_other(function, jobs, *_):
        for job in jobs:
            climate_archive.build.begin(job)
        for job in jobs:
            function(job)

    monkeypatch.setattr(climate_archive, "years_of", lambda text: [text] if text in parts else parts)
    monkeypatch.setattr(climate_archive, "run", beside_each_other)
    climate_archive.build(ask(tmp_path, shared_data / "era5_finse"))
    assert {entry.version for entry in read_index(open_store(str(tmp_path)), PRODUCT.name).entries} == set(parts)


def test_the_land_is_built_first_where_there_is_none(tmp_path, shared_data):
    files = {"era5": str(shared_data / "era5_finse"), "kartverket": str(shared_data / "borders")}
    said = []
    context = context_of(tmp_path, areas=AREAS, partition=PARTITION, source="era5", addresses=files, report=said.append)
    climate_archive.build(context)
    assert any("40996 cells hold land" in line for line in said)


def test_cells_that_the_reanalysis_does_not_reach_are_left_out_and_told(tmp_path, shared_data):
    said = []
    areas = (*AREAS, Area("Trondheim", 63.43, 10.39))
    climate_archive.build(ask(tmp_path, shared_data / "era5_finse", areas, report=said.append))
    assert any("it does not reach" in line for line in said), said
    with pytest.raises(ValueError, match="era5 reaches none of the cells"):
        climate_archive.build(ask(tmp_path / "b", shared_data / "era5_finse", areas[1:]))
