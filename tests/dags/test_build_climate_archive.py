"""A year of the climate archive by blocks, from real ERA5 files: what is published, and what is not."""

from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from scipy.io import netcdf_file

from catalog.dataset import open_dataset
from catalog.sources.errors import NotYetAvailable, SourceError
from catalog.versions import read_index
from dags.areas import Area
from dags.build.cells import at_places
from dags.build.climate import archive_hours, climate_archive
from dags.build.climate.archive_hours import HourMissing
from dags.build.climate.partition import ArchiveFiles, months_of
from tests.support.archive import publish_land
from tests.support.context import context_of
from tiles.grid import NORWAY3KM
from tiles.manifest import Manifest
from tiles.products.climate_archive import PRODUCT
from tiles.store import open_store

PARTITION = "2018-10--2018-12"
FINSE = (60.60, 7.50)
AREAS = (Area("Finse", *FINSE),)


def ask(store, files, areas=AREAS, **more):
    publish_land(store)
    return context_of(store, areas=areas, partition=PARTITION, source="era5", addresses={"era5": str(files)}, **more)


@pytest.fixture(scope="session")
def files(shared_data):
    return shared_data / "era5_finse"


@pytest.fixture(scope="module")
def published(tmp_path_factory, files):
    store = open_store(str(tmp_path_factory.mktemp("tiles")))
    return store, climate_archive.build(ask(store, files))


def from_the_file(files, name):
    """The stamps (unix s) and values of the grid point nearest to Finse, read by scipy alone."""
    stamps, values = [], []
    for month in (10, 11, 12):
        with netcdf_file(files / f"SURF_2018{month}.nc", mmap=False) as file:
            axes = file.variables
            assert axes["time"].units == b"hours since 1900-01-01 00:00:00.0"
            stamps.append((axes["time"][:].astype(np.int64) - 613_608) * 3600)  # hours from 1900 to 1970
            row = np.abs(axes["latitude"][:] - FINSE[0]).argmin()
            column = np.abs(axes["longitude"][:] - FINSE[1]).argmin()
            stored = axes[name]
            values.append(stored[:, row, column] * stored.scale_factor + stored.add_offset)
    return np.concatenate(stamps), np.concatenate(values)


def at_finse(store, name):
    data = open_dataset(PRODUCT.name, PARTITION, store=store)
    row, column = NORWAY3KM.cell_at(*FINSE)
    return data.time.values.astype("datetime64[s]").astype(np.int64), data[name].isel(y=row, x=column).values


def test_accumulations_become_means_of_the_hour_before_their_stamp_and_instants_stay(published, files):
    hours, ghi = at_finse(published[0], "ghi_reanalysis")
    stamps, accumulated = from_the_file(files, "ssrd")
    mean = dict(zip((stamps - 3600).tolist(), (accumulated / 3600).tolist(), strict=True))
    assert ghi.max() > 300
    np.testing.assert_allclose(ghi, np.maximum([mean[hour] for hour in hours.tolist()], 0), atol=0.06)
    _, temperature = at_finse(published[0], "temp_air")
    stamps, kelvin = from_the_file(files, "t2m")
    at = dict(zip(stamps.tolist(), kelvin.tolist(), strict=True))
    np.testing.assert_allclose(temperature, [at[hour] - 273.15 for hour in hours.tolist()], atol=0.01)


def test_the_version_says_what_it_is_made_of_and_what_it_lacks(published):
    store, entry = published
    said = Manifest.read(store, entry.manifest).provenance
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


@pytest.mark.parametrize(("damage", "error"), [("absent", NotYetAvailable), ("truncated", SourceError)])
def test_a_month_that_cannot_be_read_is_named_and_nothing_is_published(tmp_path, store, files, damage, error):
    for file in files.iterdir():
        content = file.read_bytes()[: 400_000 if file.name == "SURF_201811.nc" else None]
        if damage == "truncated" or file.name != "SURF_201811.nc":
            (tmp_path / file.name).write_bytes(content)
    with pytest.raises(error, match=r"SURF_201811\.nc"):
        climate_archive.build(ask(store, tmp_path))
    assert read_index(store, PRODUCT.name).entries == ()


def test_an_hour_that_no_file_gives_is_named(store, files, monkeypatch):
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
        climate_archive.build(ask(store, files))


def test_what_is_asked_wrongly_is_refused(store, files):
    for partition in ("18", "2018-12--2018-10", "2018-10--2019-01", "2018-13--2018-13", "1991/1992"):
        with pytest.raises(ValueError, match="is no year"):
            months_of(partition)
    for partition in ("1990", "2026", "1950-01--1950-02"):
        with pytest.raises(ValueError, match="is of 1991 to 2025"):
            months_of(partition)
    for source in ("sarah3", "era5+nora3", "nonsense"):
        with pytest.raises(ValueError, match="is no archive: write one of"):
            ArchiveFiles.of(context_of(store, partition="2018", source=source))
    with pytest.raises(ValueError, match="no cell of the areas holds land"):
        climate_archive.build(ask(store, files, (Area("sea", 58.0, 4.0),)))


def test_cells_that_the_reanalysis_does_not_reach_are_left_out_and_told(store, files):
    said, away = [], Area("Trondheim", 63.43, 10.39)
    with pytest.raises(ValueError, match="era5 reaches none of the cells"):
        climate_archive.build(ask(store, files, (away,)))
    climate_archive.build(ask(store, files, (*AREAS, away), report=said.append))
    assert any("it does not reach" in line for line in said), said


def test_a_station_is_the_cell_of_land_within_six_kilometres():
    land = np.zeros(NORWAY3KM.shape, bool)
    land[200, 100] = True
    lat, lon = NORWAY3KM.centre((200, 100))
    assert np.argwhere(at_places([(lat, lon + 0.05), (lat + 1, lon)], land)).tolist() == [[200, 100]]
