"""The forecast builder: real AROME cycles, and what a broken cycle does."""

from datetime import UTC, datetime

import h5py
import numpy as np
import pytest
import zarr

from catalog.sources.errors import NotYetAvailable, SourceError
from catalog.verify import verify
from catalog.versions import read_index
from dags.build.correction import correction
from dags.build.forecast import forecast
from kernels import sun
from tests.support import netcdf
from tests.support.context import context_of
from tiles.chunked import ChunkedTile
from tiles.clock import Clock
from tiles.errors import DraftInvalid
from tiles.grid import FORECAST
from tiles.manifest import Manifest
from tiles.product import FILL
from tiles.products.registry import product
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


def test_publishing_the_older_after_the_newer_changes_nothing_for_the_reader(real):
    store, _, entries = real
    index = read_index(store, "forecast")
    assert index.newest(AT_NOON.now()) == entries["06"]
    assert index.newest(datetime(2015, 8, 24, 3, tzinfo=UTC)) == entries["00"]
    assert verify(store) == []


@pytest.mark.parametrize("hour", ["00", "06"])
def test_sixty_seven_instants_give_sixty_six_hours_from_the_cycle(real, hour):
    store, _, entries = real
    entry = entries[hour]
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


def made_up_file(folder, edit=None, made=SMALL):
    def mild_and_edited(file):
        file["air_temperature_2m"][...] = 285.15  # the helper's own warms by a degree an hour
        if edit is not None:
            edit(file)

    netcdf.write(netcdf.met_nordic_path(folder, made.start), made, mild_and_edited)
    return folder


NOON = Clock.parse("2026-06-20T12:00:00Z!")


def test_a_made_up_cycle_with_cloud_has_both_models(tmp_path):
    store = open_store(str(tmp_path / "tiles"))
    entry = build(store, "2026-06-20T06", "met_nordic", made_up_file(tmp_path / "up"), NOON)
    assert entry.variables == ("ghi", "ghi_v1", "temp_air", "wind_speed")
    ghi = packed(store, entry)
    there = ghi[0] != FILL
    assert there.any()
    # 50 W/m2 and a gradient, hour after hour: what the file says, away from the night
    noon = ghi[6][there] * 0.1
    assert 49 < noon.min() <= noon.max() < 50 * (1 + (60 + 150) / 40) + 1


def test_a_missing_cell_stays_missing_for_the_whole_series(tmp_path):
    made = netcdf.MadeUp(steps=67, nx=60, ny=50, spacing=2500.0)

    def lose_a_cell_late(file):
        file[SHORTWAVE][40:, 20:24, 20:24] = np.nan

    store = open_store(str(tmp_path / "tiles"))
    entry = build(store, "2026-06-20T06", "met_nordic", made_up_file(tmp_path / "up", lose_a_cell_late, made), NOON)
    ghi = packed(store, entry)
    missing = ghi == FILL
    assert np.array_equal(missing.any(axis=0), missing.all(axis=0))
    others = packed(store, entry, "temp_air") != FILL
    assert (missing[0] & others[0]).any(), "the cell is missing in ghi only"


def refused(tmp_path, edit, error=SourceError, partition="2026-06-20T06", made=SMALL, clock=NOON):
    """Build a good older cycle, then a broken one: the sentence, with the good one still served."""
    store = open_store(str(tmp_path / "tiles"))
    good = netcdf.MadeUp(start=datetime(2026, 6, 20, 5, tzinfo=UTC), steps=67, nx=60, ny=50, spacing=2500.0,
                         reference_time=datetime(2026, 6, 20, 5, tzinfo=UTC))  # fmt: skip
    entry = build(store, "2026-06-20T05", "met_nordic", made_up_file(tmp_path / "up", made=good), clock)
    made_up_file(tmp_path / "up", edit, made)
    with pytest.raises(error) as caught:
        build(store, partition, "met_nordic", tmp_path / "up", clock)
    assert read_index(store, "forecast").newest(clock.now()) == entry
    assert verify(store) == []
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


def test_a_new_base_inside_a_cycle_is_refused_naming_cell_and_step(tmp_path):
    def restart(file):
        file[SHORTWAVE][30:, 12, 17] -= file[SHORTWAVE][29, 12, 17]

    sentence = refused(tmp_path, restart)
    assert "y 12, x 17" in sentence
    assert "step 30" in sentence
    assert "2026-06-21T12:00:00Z" in sentence
    assert "new base" in sentence


@pytest.mark.slow
def test_an_infinite_value_is_refused(tmp_path):
    def infinite(file):
        file[SHORTWAVE][30, 12, 17] = np.inf

    assert "y 12, x 17" in refused(tmp_path, infinite)


@pytest.mark.parametrize("extra", [5000.0, np.inf])
def test_a_cycle_that_does_not_begin_at_zero_is_refused_naming_the_cell(tmp_path, extra):
    def raised(file):
        file[SHORTWAVE][:, 12, 17] += extra

    sentence = refused(tmp_path, raised)
    assert "met_nordic 2026-06-20T06:00:00Z" in sentence
    assert "y 12, x 17" in sentence
    assert "step 0" in sentence


@pytest.mark.slow
def test_infinite_weather_is_refused_naming_the_hour(tmp_path):
    def infinite(file):
        file["air_temperature_2m"][30, 12, 17] = np.inf

    sentence = refused(tmp_path, infinite)
    assert "met_nordic 2026-06-20T06:00:00Z" in sentence
    assert "from 2026-06-21T11:00:00Z, temp_air" in sentence


@pytest.mark.slow
def test_every_spelling_of_a_cycle_is_one_version(tmp_path):
    store = open_store(str(tmp_path / "tiles"))
    folder = made_up_file(tmp_path / "up")
    for spelling in ("2026-06-20T06", "2026-06-20T06:00Z"):
        entry = build(store, spelling, "met_nordic", folder, NOON)
        assert read_index(store, "forecast").entries == (entry,)
    assert entry.version == "2026-06-20T06"


def test_without_a_partition_the_sources_own_latest_cycle_is_built(tmp_path):
    addresses = {name: str(tmp_path / "nothing") for name in ("met_nordic", "arome_metcoop")}
    late = Clock.parse("2026-06-20T10:30:00Z!")
    with pytest.raises(NotYetAvailable, match="20260620T10Z"):
        forecast.build(context_of(tmp_path, late, addresses=addresses))
    with pytest.raises(NotYetAvailable, match="20260620_06"):
        forecast.build(context_of(tmp_path, late, source="arome_metcoop", addresses=addresses))


def test_absurd_weather_is_refused_by_the_validators(tmp_path):
    def hot(file):
        file["air_temperature_2m"][...] += 60

    assert "temp_air reaches" in refused(tmp_path, hot, DraftInvalid)


@pytest.mark.slow
def test_light_at_night_is_refused_or_zero(tmp_path):
    """The made-up file shines day and night: at night the tile says 0."""
    store = open_store(str(tmp_path / "tiles"))
    equinox = datetime(2026, 3, 20, 6, tzinfo=UTC)
    south = netcdf.MadeUp(start=equinox, reference_time=equinox, steps=67, nx=60, ny=50, spacing=2500.0)
    entry = build(
        store,
        "2026-03-20T06",
        "met_nordic",
        made_up_file(tmp_path / "up", made=south),
        Clock.parse("2026-03-20T12:00:00Z!"),
    )
    ghi = packed(store, entry)
    there = ghi[0] != FILL
    assert np.all(ghi[18][there] == 0), "midnight at the equinox"
    assert np.all(ghi[6][there] > 0)


def test_a_cycle_that_is_not_there(tmp_path):
    store = open_store(str(tmp_path / "tiles"))
    with pytest.raises(NotYetAvailable, match=r"2026-06-20T06|20260620T06"):
        build(store, "2026-06-20T06", "met_nordic", tmp_path, NOON)
    assert read_index(store, "forecast").entries == ()


def test_a_cycle_of_the_future_is_refused(tmp_path):
    store = open_store(str(tmp_path / "tiles"))
    with pytest.raises(DraftInvalid, match="after the clock"):
        build(store, "2026-06-20T06", "met_nordic", made_up_file(tmp_path / "up"), Clock.parse("2026-06-20T05:59:59Z!"))


def test_the_identity_table_comes_back_from_its_tile(tmp_path):
    store = open_store(str(tmp_path))
    table, entry = correction.current(context_of(store, NOON), "met_nordic", "simulated")
    assert entry.version == "identity"
    assert table.factor.shape == tuple(len(e) - 1 for e in (table.elevation_edges, table.kc_edges, table.lead_edges))
    assert np.all(table.factor == 1)
    again, same = correction.current(context_of(store, NOON), "met_nordic", "simulated")
    assert same == entry
    assert ChunkedTile(store, product("correction"), entry.manifest).shape("factor") == again.factor.shape


def test_a_published_table_changes_the_forecast(tmp_path):
    """v2.3b follows the correction product and V1.5 does not."""
    store = open_store(str(tmp_path / "tiles"))
    folder = made_up_file(tmp_path / "up")
    plain = build(store, "2026-06-20T06", "met_nordic", folder, NOON)
    before, v1_before = packed(store, plain), packed(store, plain, "ghi_v1")
    halve = lambda *edges: correction.CorrectionTable(np.full([len(e) - 1 for e in edges], 0.5), *map(np.array, edges))  # noqa: E731
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(correction, "identity_table", halve)
        correction.build_identity(context_of(store, NOON))
    after = build(store, "2026-06-20T06", "met_nordic", folder, NOON)
    there = (before[0] != FILL) & (before[6] > 100)
    np.testing.assert_allclose(packed(store, after)[6][there], before[6][there] * 0.5, atol=2)
    assert np.array_equal(packed(store, after, "ghi_v1"), v1_before)


def test_what_is_no_source_or_no_cycle_is_refused(tmp_path):
    with pytest.raises(ValueError, match="met_nordic, arome_metcoop"):
        forecast.build(context_of(tmp_path, NOON, source="nonsense"))
    with pytest.raises(ValueError, match="is not a cycle"):
        forecast.build(context_of(tmp_path, NOON, partition="yesterday"))


def test_the_clear_sky_beyond_the_forecast_is_published_with_the_first_one(tmp_path):
    store = open_store(str(tmp_path / "tiles"))
    for _ in range(2):
        build(store, "2026-06-20T06", "met_nordic", made_up_file(tmp_path / "up"), NOON)
    assert len(read_index(store, "turbidity").entries) == 1
