"""The forecast builder: real AROME cycles, and what a broken cycle does."""

import shutil
from dataclasses import replace
from datetime import UTC, datetime

import h5py
import numpy as np
import pytest
import zarr

from catalog.sources.errors import NotYetAvailable, SourceError
from catalog.verify import verify
from catalog.versions import read_index
from dags.build.forecast import forecast
from kernels import sun
from tests.support import netcdf
from tests.support.context import context_of
from tests.support.stations import publish_table
from tiles.clock import Clock
from tiles.errors import DraftInvalid
from tiles.grid import FORECAST
from tiles.manifest import Manifest
from tiles.product import FILL
from tiles.store import open_store

AT_NOON = Clock.parse("2015-08-24T12:00:00Z!")
SHORTWAVE = "integral_of_surface_downwelling_shortwave_flux_in_air_wrt_time"


def build(store, partition, source, url, clock=AT_NOON):
    return forecast.build(context_of(store, clock, partition=partition, source=source, addresses={source: str(url)}))


def packed(store, entry, name="ghi"):
    return zarr.open_group(store.zarr(entry.path, read_only=True), mode="r")[name][...]


@pytest.fixture(scope="module")
def real(shared_data, tmp_path_factory):
    """Both real cycles, the newer published first."""
    store = open_store(str(tmp_path_factory.mktemp("tiles")))
    folder = shared_data / "arome_metcoop"
    newer = build(store, "2015-08-24T06", "arome_metcoop", folder)
    older = build(store, "2015-08-24T00", "arome_metcoop", folder)
    return store, folder, {"00": older, "06": newer}


def test_sixty_seven_instants_give_sixty_six_hours_from_the_cycle(real):
    store, _, entries = real
    for hour, entry in entries.items():
        times = zarr.open_group(store.zarr(entry.path, read_only=True), mode="r")["time"][...]
        assert times.tolist() == [int(entry.issued_at.timestamp()) + 3600 * step for step in range(66)]
        assert entry.issued_at == datetime(2015, 8, 24, int(hour), tzinfo=UTC)
        assert entry.variables == ("ghi", "temp_air", "wind_speed"), "the files have no cloud, so there is no V1.5"
        assert entry.data_origin == "live"


@pytest.mark.parametrize("hour", ["00", "06"])
def test_ghi_lies_between_the_files_own_neighbouring_cells_hour_by_hour(real, hour):
    store, folder, entries = real
    with h5py.File(folder / f"arome_metcoop_red_test2_5km_20150824_{hour}.nc") as file:
        accumulated = file[SHORTWAVE][:].squeeze().astype(np.float64)
        lat, lon = file["latitude"][:], file["longitude"][:]
    rates = np.diff(np.maximum.accumulate(accumulated, axis=0), axis=0) / 3600
    tile = packed(store, entries[hour])
    covered = np.argwhere(tile[0] != FILL)
    assert 2500 < len(covered) < 3500, "24 x 95 cells of 6.25 km2, in targets of 4.8 km2"
    checked = 0
    for i, j in covered[::11]:
        centre = FORECAST.centre((int(i), int(j)))
        away = np.hypot((lat - centre[0]) * 111.2, (lon - centre[1]) * 111.2 * np.cos(np.radians(centre[0])))
        near = rates[:, away < 2.5 * 1.5 * np.sqrt(2)]
        assert near.shape[1] >= 1
        ghi = tile[:, i, j] * 0.1
        starts = int(entries[hour].issued_at.timestamp()) + 3600 * np.arange(66)
        lit = sun.elevation(centre[0], centre[1], starts + 1800) > -3
        assert np.all(ghi >= np.where(lit, near.min(axis=1), 0) - 0.051)
        assert np.all(ghi <= near.max(axis=1) + 0.051)
        checked += 1
    assert checked > 150


def test_the_days_of_the_file_are_in_the_right_hours(real):
    """A half-hour, an hour or a sign: the centre of gravity of each clear day lies at solar noon."""
    store, _, entries = real
    tile = packed(store, entries["00"])
    covered = tile[0] != FILL
    mean = tile[:, covered].mean(axis=1)[:24]
    noon = np.average(np.arange(24) + 0.5, weights=mean)
    lon = FORECAST.lons[np.nonzero(covered)[1]].mean()
    assert abs(noon - (12 - lon / 15)) < 1.0
    assert mean[:2].max() == 0


def test_provenance_leads_from_the_number_to_the_file(real):
    store, _, entries = real
    manifest = Manifest.read(store, entries["00"].manifest)
    (source,) = manifest.provenance["sources"]
    assert source["name"] == "arome_metcoop"
    assert "CC BY" in source["licence"]
    assert {name.rsplit("/", 1)[-1] for name in (i["url"] for i in source["inputs"])} == {
        "arome_metcoop_red_test2_5km_20150824_00.nc",
        "arome_metcoop_red_default2_5km_20150824_00.nc",
    }
    assert all(len(i["sha256"]) == 64 for i in source["inputs"])
    assert manifest.provenance["correction_version"] == "identity"
    assert manifest.provenance["missing_variables"] == ["ghi_v1"]
    assert manifest.provenance["code_version"].startswith("solflis ")


SMALL = netcdf.MadeUp(steps=67, nx=60, ny=50, spacing=2500.0)
NOON = Clock.parse("2026-06-20T12:00:00Z!")


def made_up_file(folder, edit=None, made=SMALL):
    def mild_and_edited(file):
        file["air_temperature_2m"][...] = 285.15  # the helper's own warms by a degree an hour
        if edit is not None:
            edit(file)

    netcdf.write(netcdf.met_nordic_path(folder, made.start), made, mild_and_edited)
    return folder


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A made-up cycle of five o'clock with cloud, that says that it is simulated: its store, and the upstream."""
    folder, five = tmp_path_factory.mktemp("good"), datetime(2026, 6, 20, 5, tzinfo=UTC)
    made = replace(SMALL, start=five, reference_time=five, attributes={"data_origin": "simulated"})
    store, upstream = open_store(str(folder / "tiles")), made_up_file(folder / "up", made=made)
    return store, upstream, build(store, "2026-06-20T05", "met_nordic", upstream, NOON)


def test_a_made_up_cycle_with_cloud_has_both_models_and_is_not_put_down_to_the_authority(good):
    store, _, entry = good
    assert (entry.variables, entry.data_origin) == (("ghi", "ghi_v1", "temp_air", "wind_speed"), "simulated")
    ghi = packed(store, entry)
    # 50 W/m2 and a gradient, hour after hour: what the file says, away from the night
    noon = ghi[6][ghi[0] != FILL] * 0.1
    assert 49 < noon.min() <= noon.max() < 50 * (1 + (60 + 150) / 40) + 1
    provenance = Manifest.read(store, entry.manifest).provenance
    for terms in (provenance, provenance["sources"][0]):
        assert terms["licence"] == "none: simulated data"
        assert terms["attribution"].startswith("SIMULATED by Solflis")


def test_a_missing_cell_stays_missing_for_the_whole_series(tmp_path, store):
    def lose_a_cell_late(file):
        file[SHORTWAVE][40:, 20:24, 20:24] = np.nan

    entry = build(store, "2026-06-20T06", "met_nordic", made_up_file(tmp_path / "up", lose_a_cell_late), NOON)
    missing = packed(store, entry) == FILL
    assert np.array_equal(missing.any(axis=0), missing.all(axis=0))
    others = packed(store, entry, "temp_air") != FILL
    assert (missing[0] & others[0]).any(), "the cell is missing in ghi only"


def new_base(file):
    file[SHORTWAVE][30:, 12, 17] -= file[SHORTWAVE][29, 12, 17]


def raised(file):
    file[SHORTWAVE][:, 12, 17] += 5000.0


def infinite(file):
    file[SHORTWAVE][30, 12, 17] = np.inf


def infinite_weather(file):
    file["air_temperature_2m"][30, 12, 17] = np.inf


def hot(file):
    file["air_temperature_2m"][...] += 60


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (new_base, ("y 12, x 17", "step 30", "2026-06-21T12:00:00Z", "new base")),
        (raised, ("met_nordic 2026-06-20T06:00:00Z", "y 12, x 17", "step 0")),
        pytest.param(infinite, ("y 12, x 17",), marks=pytest.mark.slow),
        pytest.param(infinite_weather, ("from 2026-06-21T11:00:00Z, temp_air",), marks=pytest.mark.slow),
        (hot, ("temp_air reaches",)),
    ],
)
def test_a_broken_cycle_is_refused_by_a_sentence_and_the_last_good_one_served(good, tmp_path, edit, words):
    store, _, entry = good
    made_up_file(tmp_path / "up", edit)
    with pytest.raises((SourceError, DraftInvalid)) as caught:
        build(store, "2026-06-20T06", "met_nordic", tmp_path / "up", NOON)
    assert "\n" not in str(caught.value)
    for said in words:
        assert said in str(caught.value)
    assert read_index(store, "forecast").newest(NOON.now()) == entry
    assert verify(store) == []


def test_without_a_partition_the_sources_own_latest_cycle_is_built(tmp_path):
    addresses = {name: str(tmp_path / "nothing") for name in ("met_nordic", "arome_metcoop")}
    for source, cycle in ((None, "20260620T10Z"), ("arome_metcoop", "20260620_06")):
        with pytest.raises(NotYetAvailable, match=cycle):
            forecast.build(context_of(tmp_path, "2026-06-20T10:30:00Z!", source=source, addresses=addresses))


def test_what_is_no_cycle_or_of_the_future_is_refused(tmp_path):
    store = open_store(str(tmp_path / "tiles"))
    with pytest.raises(NotYetAvailable, match=r"2026-06-20T06|20260620T06"):
        build(store, "2026-06-20T06", "met_nordic", tmp_path, NOON)
    with pytest.raises(DraftInvalid, match="after the clock"):
        build(store, "2026-06-20T06", "met_nordic", made_up_file(tmp_path / "up"), Clock.parse("2026-06-20T05:59:59Z!"))
    with pytest.raises(ValueError, match="is not a cycle"):
        forecast.build(context_of(tmp_path, NOON, partition="yesterday"))
    assert read_index(store, "forecast").entries == ()


def test_a_published_table_changes_the_forecast_by_the_learned_model_alone(good, tmp_path):
    plain, upstream, entry = good
    before, v1_before = packed(plain, entry), packed(plain, entry, "ghi_v1")
    store = open_store(str(shutil.copytree(plain.url, tmp_path / "tiles")))
    publish_table(store, 0.5, "2026-06-19")
    after = build(store, "2026-06-20T05", "met_nordic", upstream, NOON)
    there = (before[0] != FILL) & (before[6] > 100)
    np.testing.assert_allclose(packed(store, after)[6][there], before[6][there] * 0.5, atol=2)
    assert np.array_equal(packed(store, after, "ghi_v1"), v1_before)
    assert len(read_index(store, "turbidity").entries) == 1, "the sky beyond the forecast, published with the first"
