"""The nowcast builder: what the satellite saw, at the moment it saw it, blended into v2.3b; and images that fail."""

import shutil
from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
import pvlib
import pytest

from catalog.sources.errors import NotYetAvailable, SourceError
from catalog.sources.meteosat import read_image
from catalog.versions import read_index
from dags.build.climate import normals as climate
from dags.build.context import NothingToBuild
from dags.build.forecast import nowcast
from dags.build.forecast.nowcast_fields import sky_of, window_around
from kernels import clearsky
from tests.support.context import context_of
from tests.support.images import FILL, NOMINAL, path_of, write
from tests.support.tiles import OSLO, WINDOW, publish_made_up
from tiles.arrays import read_whole
from tiles.clock import Clock, format_moment
from tiles.grid import FORECAST
from tiles.manifest import Manifest
from tiles.products.forecast import PRODUCT as MODEL
from tiles.products.nowcast import PRODUCT
from tiles.store import open_store

CLOCK = Clock.parse("2026-06-21T10:33:00Z!")
CYCLE = datetime(2026, 6, 21, 10, tzinfo=UTC)
INDEX = 0.5
OSLO_CELL = FORECAST.cell_at(*OSLO)


def clear_at(lat, lon, moment):
    """Clear sky of places at a moment, W/m2."""
    cells = clearsky.prepare(lat, lon, climate.altitude(lat, lon), climate.linke_turbidity(lat, lon, NOMINAL))
    ghi, sine = (np.empty(lat.size, np.float32) for _ in range(2))
    clearsky.instant(cells, round(moment), ghi, sine)
    return ghi.reshape(lat.shape)


def under_cloud(nominal, index=INDEX):
    """Values of an image in which everything has one clear-sky index, at the moment of its scan."""

    def values(lat, lon):
        ghi = np.full(lat.shape, np.nan)
        part = (lat[:, 0] > 52) & (lat[:, 0] < 75), (lon[0] > -8) & (lon[0] < 44)
        inside = np.ix_(*part)
        ghi[inside] = index * clear_at(lat[inside], lon[inside], nominal.timestamp() + 715)
        return ghi

    return values


def before(quarters):
    return NOMINAL - timedelta(minutes=15 * quarters)


def build(store, folder, version="2026-06-21T10:15", clock=CLOCK):
    lines = []
    entry = nowcast.build(
        context_of(store, clock, partition=version, addresses={"meteosat": str(folder)}, report=lines.append),
        deadline_s=5,
    )
    return entry, lines


def read(store, entry, name, product=PRODUCT):
    packed = read_whole(store, Manifest.read(store, entry.manifest), name)
    return product.variable(name).unpack(packed)


@pytest.fixture(scope="module")
def sky(tmp_path_factory):
    """Four images of an even sky."""
    folder = tmp_path_factory.mktemp("images")
    for k in range(4):
        write(folder, before(k), under_cloud(before(k)))
    return folder


@pytest.fixture(scope="module")
def forecasts(tmp_path_factory):
    """The folder of a store with the forecast of ten o'clock around Oslo."""
    folder = tmp_path_factory.mktemp("forecasts")
    publish_made_up(open_store(str(folder)), CYCLE)
    return folder


@pytest.fixture
def store(forecasts, tmp_path):
    """A store of one's own with that forecast."""
    return open_store(str(shutil.copytree(forecasts, tmp_path / "tiles")))


@pytest.fixture(scope="module")
def built(sky, forecasts, tmp_path_factory):
    """A nowcast of those images."""
    made = open_store(str(shutil.copytree(forecasts, tmp_path_factory.mktemp("built") / "tiles")))
    entry, lines = build(made, sky)
    return made, read_index(made, "forecast").entries[0], entry, lines


def test_a_version_is_named_by_the_image_and_holds_five_hours(built):
    store, _, entry, _ = built
    assert entry.version == "2026-06-21T10:15"
    assert entry.issued_at == NOMINAL
    assert (entry.valid_from, entry.valid_to) == (CYCLE, CYCLE + timedelta(hours=5))
    assert entry.data_origin == "simulated"
    assert read_index(store, "nowcast").newest(CLOCK.now()) == entry


def test_the_satellite_counts_by_how_long_ago_it_saw(built):
    store, forecast, entry, _ = built
    ghi, clear, weight, kt = (
        read(store, entry, name)[:, *OSLO_CELL] for name in ("ghi", "clearsky", "satellite", "kt")
    )
    model = read(store, forecast, "ghi", MODEL)[:5, *OSLO_CELL]
    lead_h = np.arange(5) + 0.5 - (15 + 715 / 60) / 60
    np.testing.assert_allclose(weight, np.clip(1 - lead_h / 4, 0, 1), atol=0.002)
    assert weight[0] > 0.98
    assert weight[4] == 0, "beyond four hours it says nothing"
    np.testing.assert_allclose(ghi, weight * INDEX * clear + (1 - weight) * model, atol=1.5)
    assert (np.abs(ghi - model)[:3] > 20).all(), "the blend is not the model"
    times = pd.date_range(CYCLE, periods=60, freq="5min") + pd.Timedelta("150s")
    sun = pvlib.solarposition.get_solarposition(times, *OSLO).elevation.to_numpy()
    outside = pvlib.irradiance.get_extra_radiation(times).to_numpy() * np.sin(np.radians(sun))
    np.testing.assert_allclose(kt, ghi / outside.reshape(5, 12).mean(axis=1), rtol=0.005)


def test_the_index_is_of_the_moment_of_the_scan(tmp_path):
    """In the morning the sun stands a tenth lower twelve minutes earlier: the index would be that much too high."""
    morning = NOMINAL - timedelta(hours=5)
    write(tmp_path, morning, under_cloud(morning))
    image = read_image(str(tmp_path), morning, window_around(FORECAST), user_agent="test", deadline_s=5)
    index = sky_of(image).index
    lat, lon = np.abs(image.lats - 60).argmin(), np.abs(image.lons - 11).argmin()
    assert index[lat, lon] == pytest.approx(INDEX, rel=0.004)
    assert np.nanmax(np.abs(index / INDEX - 1)) < 0.03, "the scan of the north is half a minute later"
    nominal = clear_at(image.lats[lat : lat + 1], image.lons[lon : lon + 1], morning.timestamp())
    assert image.ghi[lat, lon] / nominal[0] > INDEX * 1.06


def test_an_image_says_nothing_where_the_sun_is_low(tmp_path):
    dawn = datetime(2026, 3, 21, 6, 0, tzinfo=UTC)
    write(tmp_path, dawn, under_cloud(dawn))
    image = read_image(str(tmp_path), dawn, window_around(FORECAST), user_agent="test", deadline_s=5)
    row = np.abs(image.lats - 60).argmin()
    known = np.isfinite(sky_of(image).index)[row]
    times = pd.DatetimeIndex([dawn + timedelta(seconds=715)])
    sun = [pvlib.solarposition.get_solarposition(times, image.lats[row], lon).elevation.iloc[0] for lon in image.lons]
    np.testing.assert_array_equal(known, np.array(sun) > 4.9)
    assert 0 < known.sum() < known.size


def test_it_covers_what_the_forecast_covers_and_says_from_what_it_is_made(built):
    store, forecast, entry, _ = built
    covered = np.zeros(FORECAST.shape, bool)
    covered[WINDOW] = True
    for variable in PRODUCT.variables:
        np.testing.assert_array_equal(np.isfinite(read(store, entry, variable.name)).all(axis=0), covered)
    provenance = Manifest.read(store, entry.manifest).provenance
    assert provenance["forecast_version"] == forecast.version
    assert provenance["motion"]["pairs"] == 3
    images = provenance["sources"][0]
    assert images["images"] == [format_moment(before(k)) for k in (3, 2, 1, 0)]
    assert [i["url"].rsplit("_", 1)[-1] for i in images["inputs"]][-1] == "202606211015.nc"
    assert images["left_out"] == []
    assert "SIMULATED" in provenance["attribution"]
    assert provenance["covered_share"] == 1.0


NORTH = 59.5


@pytest.fixture(scope="module")
def half(forecasts, tmp_path_factory):
    """A nowcast of half a frame, without its northern half; of the images before, one is absent and one broken."""

    def spoil(file):
        values = file["DSSF_TOT"][...]
        values[0, file["lat"][:] > NORTH] = FILL
        file["DSSF_TOT"][...] = values

    folder = tmp_path_factory.mktemp("half")
    write(folder, NOMINAL, under_cloud(NOMINAL), edit=spoil)
    write(folder, before(2), edit=lambda file: file["time"].write_direct(np.array([0.0])))
    made = open_store(str(shutil.copytree(forecasts, folder / "tiles")))
    return made, *build(made, folder)


def test_without_earlier_images_nothing_moves_and_it_says_so(half):
    store, entry, lines = half
    provenance = Manifest.read(store, entry.manifest).provenance
    assert provenance["motion"] == {"method": "none: persistence", "pairs": 0}
    assert any("left out: meteosat: " in line for line in lines)
    assert any("stand still" in line for line in lines)
    left_out = provenance["sources"][0]["left_out"]
    assert len(left_out) == 2, "one that is not there, and a broken one, which ends the search"
    assert "holds the image of 1970" in left_out[1]


def test_half_a_frame_is_half_a_nowcast(half):
    """Where it is missing v2.3b answers, and the weight says so; what was seen stands still."""
    store, entry, _ = half
    weight = read(store, entry, "satellite")[1][WINDOW]
    lats = FORECAST.lats[WINDOW[0]]
    away = lats > NORTH + 0.5
    assert (weight[away] == 0).all()
    assert (weight[lats < NORTH - 0.5] > 0.5).all()
    ghi, model = read(store, entry, "ghi")[1], read(store, read_index(store, "forecast").entries[0], "ghi", MODEL)[1]
    np.testing.assert_allclose(ghi[WINDOW][away], model[WINDOW][away], atol=0.06)
    assert 0.2 < Manifest.read(store, entry.manifest).provenance["covered_share"] < 0.8


def refused(store, folder, kind, says, **options):
    with pytest.raises(kind, match=says) as caught:
        build(store, folder, **options)
    assert "\n" not in str(caught.value)
    assert read_index(store, "nowcast").entries == (), "what was published before stays"


def test_images_that_fail_are_refused_by_a_sentence(tmp_path, store):
    refused(store, tmp_path, NotYetAvailable, "does not exist")
    path_of(tmp_path).parent.mkdir(parents=True)
    path_of(tmp_path).write_bytes(b"<html>login</html>")
    refused(store, tmp_path, SourceError, "is not a NetCDF4 file")
    write(tmp_path, NOMINAL, lambda lat, lon: np.full(lat.shape, np.nan))
    refused(store, tmp_path, SourceError, "shows no place of the country by day")
    write(tmp_path, NOMINAL, under_cloud(NOMINAL))
    write(tmp_path, before(1), under_cloud(before(1)), step=0.4)
    refused(store, tmp_path, SourceError, "lies on another grid")


def test_at_night_and_without_forecast_there_is_nothing(tmp_path, store):
    night = Clock.parse("2026-12-21T20:33:00Z!")
    refused(store, tmp_path, NothingToBuild, "too low over all", version="2026-12-21T20:15", clock=night)
    refused(open_store(str(tmp_path / "none")), tmp_path, NotYetAvailable, "no forecast is published")
    refused(store, tmp_path, ValueError, "is not an image", version="2026-06-21T10:20")
    old = Clock.parse("2026-06-24T10:33:00Z!")
    refused(store, tmp_path, NotYetAvailable, "no forecast is published", version="2026-06-24T10:15", clock=old)


def test_the_command_builds_the_newest_image_that_is_out(tmp_path, store):
    refused(store, tmp_path, NotYetAvailable, path_of(tmp_path).name, version=None)
