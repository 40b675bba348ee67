"""Typical years from a published archive: the numbers that kernels give, what is refused, what goes on after a kill."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

import catalog
from catalog.versions import read_index
from dags.areas import Area
from dags.build.climate import normals, station_bias, tmy
from dags.build.climate.archive_reading import YearsMissing
from kernels.tmy.bias_field import Sites, interpolate
from kernels.tmy.cell import Place, Series, cell_products
from tests.kernels.tmy.archives import series, sky
from tests.support.archive import BESIDE_OSLO, HEIGHT_M, Pyranometers, publish_archive, publish_land
from tests.support.context import context_of
from tests.support.tmy import OSLO, OSLO_CELL, TROMSO, TROMSO_CELL
from tiles.errors import TileCorrupt
from tiles.grid import NORWAY3KM
from tiles.manifest import Manifest
from tiles.products.climate_archive import PRODUCT as ARCHIVE
from tiles.products.tmy import MADE_OF
from tiles.products.tmy_stats import PRODUCT as STATS
from tiles.store import open_store

AREAS = (Area("Oslo", *OSLO), Area("Tromso", *TROMSO))
CELLS = {OSLO_CELL: series("oslo"), BESIDE_OSLO: series("oslo", 1), TROMSO_CELL: series("tromso")}
_NORTH = CELLS[TROMSO_CELL]
_DARK = np.full_like(_NORTH.ghi_solarmodel, np.nan)
CELLS_OF_THE_ARCHIVE = {**CELLS, TROMSO_CELL: replace(_NORTH, ghi_solarmodel=_DARK)}
PLANTED = 0.9  # the stations see so much of what the archive says


def pyranometers() -> Pyranometers:
    """Two that can tell; then one that is stuck, one with gaps, one that is absurd, and one where nothing is built."""
    tromso = CELLS[TROMSO_CELL].ghi_reanalysis
    gaps = tromso.copy()
    gaps[: gaps.size // 35 * 31] = np.nan
    absurd = tromso.copy()
    absurd[::50] = 9999.0
    return Pyranometers(
        [
            (OSLO_CELL, CELLS[OSLO_CELL].ghi_reanalysis * np.float32(PLANTED)),
            (BESIDE_OSLO, CELLS[BESIDE_OSLO].ghi_reanalysis * np.float32(PLANTED)),
            (TROMSO_CELL, np.full_like(tromso, 120.0)),
            (TROMSO_CELL, gaps),
            (TROMSO_CELL, absurd),
            ((420, 245), tromso),
        ]
    )


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """A store with 35 years of three cells; of Tromso the satellite knows nothing."""
    store = open_store(str(tmp_path_factory.mktemp("archive")))
    publish_land(store)
    publish_archive(store, CELLS_OF_THE_ARCHIVE)
    return store


def copy_of(store, folder):
    return open_store(str(shutil.copytree(store.url, folder / "copy")))


@pytest.fixture
def frost(monkeypatch):
    stations = pyranometers()
    monkeypatch.setattr(station_bias, "frost", stations)
    return stations


@pytest.fixture(scope="module")
def built(archive, tmp_path_factory):
    store, said = copy_of(archive, tmp_path_factory.mktemp("built")), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(station_bias, "frost", pyranometers())
        tmy.build(context_of(store, areas=AREAS, report=said.append))
    return store, said


def opened(store, name):
    return catalog.open("tmy", product=name, store=store.url)


def stats_of(store):
    return catalog.open("tmy_stats", store=store.url)


@pytest.fixture(scope="module")
def by_hand(built):
    """What the kernels make of the archive's cell in Oslo, as it comes back from the archive."""
    bias, _ = station_bias.read(built[0], tmy.VERSION)
    lat, lon = NORWAY3KM.centre(OSLO_CELL)
    at_cell, stations = interpolate(Sites([lat], [lon], [HEIGHT_M]), bias.sites, bias.bias["ensemble"])
    assert stations[0] == 2

    def stored(name, values):
        variable = ARCHIVE.variable(name)
        return np.float32(variable.scale) * variable.pack(values.astype(np.float64)) + np.float32(variable.offset)

    packed = Series(**{name: stored(name, values) for name, values in CELLS[OSLO_CELL].__dict__.items()})
    ground = float(ARCHIVE.variable("altitude").unpack(ARCHIVE.variable("altitude").pack(np.array([HEIGHT_M])))[0])
    place = Place(lat, lon, ground, normals.linke_turbidity_of_months(lat, lon))
    made = cell_products(sky(), place, packed, at_cell[0])
    return dict(zip(MADE_OF, (made.ensemble, made.reanalysis30, made.reanalysis18, made.solarmodel), strict=True))


@pytest.mark.parametrize("name", MADE_OF)
def test_a_cell_holds_what_the_kernels_give(built, by_hand, name):
    store, year = built[0], by_hand[name]
    data = opened(store, name).isel(y=OSLO_CELL[0], x=OSLO_CELL[1]).load()
    for variable, atol in (("ghi", 0.06), ("dni", 0.06), ("dhi", 0.06), ("temp_air", 0.011), ("mslp", 0.011)):
        np.testing.assert_allclose(data[variable].values, getattr(year, variable), atol=atol)
    stats = stats_of(store).isel(y=OSLO_CELL[0], x=OSLO_CELL[1], product=list(MADE_OF).index(name)).load()
    assert stats.selected_year.values.tolist() == year.selected_years.tolist()
    assert float(stats.annual_ghi_tmy) == pytest.approx(float(data.ghi.sum()) / 1000, rel=2e-4)
    assert float(stats.annual_ghi_p90) == pytest.approx(year.statistics.p90, abs=0.013)
    assert float(stats.annual_ghi_p90) < float(stats.annual_ghi_p50)
    np.testing.assert_allclose(stats.monthly_ghi_p50.values, year.monthly_percentiles["p50"], atol=0.003)


def test_north_of_the_satellite_the_ensemble_is_the_reanalysis_alone(built):
    store, _ = built
    at = {"y": TROMSO_CELL[0], "x": TROMSO_CELL[1]}
    stats = stats_of(store).isel(at).load()
    assert float(stats.weight_solarmodel) == 0
    assert np.isnan(stats.annual_ghi_tmy.values).tolist() == [False, False, False, True]
    assert np.isnan(opened(store, "solarmodel_tmy30").ghi.isel(at)).all()
    assert np.isfinite(opened(store, "ens_tmy30").ghi.isel(at)).all()
    # no station that can tell stands within 300 km: nothing is corrected
    assert float(stats.bias_stations) == 0
    assert not stats.bias_correction.values.any()


def test_a_planted_bias_is_taken_off_as_far_as_two_stations_tell(built):
    stats = stats_of(built[0]).isel(y=OSLO_CELL[0], x=OSLO_CELL[1]).load()
    assert float(stats.weight_solarmodel) == pytest.approx(0.6)
    assert (stats.bias_correction.values <= 0).all()
    june = float(stats.bias_correction[5])
    monthly = float(stats.monthly_ghi_p50.isel(product=1, month=5)) * 1000 / 720
    assert -0.2 * monthly <= june < -0.02 * monthly


def test_stations_that_cannot_tell_are_left_out_and_named(built):
    store, said = built
    entry = read_index(store, "station_bias").entries[-1]
    left_out = Manifest.read(store, entry.manifest).provenance["left_out"]
    reasons = {
        "900003": "the same on every day",
        "900004": "too few months: at most 4 years",
        "900005": "values are absurd, such as 9999 W/m2",
        "900006": "no cell of the archive within 6 km is built",
    }
    assert set(left_out) == set(reasons)
    for number, reason in reasons.items():
        assert reason in left_out[number]
        assert any(reason in line and number in line for line in said)


def test_the_versions_say_what_they_are_made_of(built):
    store, _ = built
    for name in (*MADE_OF, STATS.name):
        (entry,) = read_index(store, name).entries
        said = Manifest.read(store, entry.manifest).provenance
        assert (entry.version, entry.data_origin) == ("1991-2025", "simulated")
        assert [source["name"] for source in said["sources"]] == {
            "reanalysis_tmy30": ["made_up"],
            "reanalysis_tmy18": ["made_up"],
            "solarmodel_tmy30": ["made_up", "seen"],
        }.get(name, ["made_up", "seen", "frost"])
        assert len(said["archive"]["attempts"]) == 35
        assert said["station_bias"].startswith("1991-2025/")
        assert "Finkelstein" in said["method"]


def test_a_year_that_is_missing_is_named_and_nothing_is_published(store, frost):
    publish_land(store)
    publish_archive(store, {OSLO_CELL: CELLS[OSLO_CELL]}, [1991, 1992])
    with pytest.raises(YearsMissing, match=r"lacks 1993, 1994, .*2025: build it with .solflis build climate_archive.$"):
        tmy.build(context_of(store, areas=AREAS))
    assert not read_index(store, STATS.name).entries


def test_only_an_archive_of_other_values_makes_typical_years_anew(built, tmp_path, frost):
    store = copy_of(built[0], tmp_path)
    asked = context_of(store, areas=AREAS)
    years = read_index(store, ARCHIVE.name).entries
    publish_archive(store, CELLS_OF_THE_ARCHIVE, [2003])
    assert read_index(store, ARCHIVE.name).get("2003") != years[12], "the same, published again"
    assert tmy.build.begin(asked) == []
    assert frost.asked == 0
    darker = {cell: replace(s, ghi_reanalysis=s.ghi_reanalysis * np.float32(0.9)) for cell, s in CELLS.items()}
    publish_archive(store, darker, [2003])
    (group,) = tmy.build.begin(asked)
    assert [len(job["blocks"]) for job in group] == [2]


def test_an_archive_that_lacks_the_area_or_is_corrupt_ends_the_build(archive, tmp_path, frost):
    store = copy_of(archive, tmp_path)
    with pytest.raises(ValueError, match="solflis build climate_archive"):
        tmy.build(context_of(store, areas=(Area("Bergen", 60.39, 5.32),)))
    entry = read_index(store, ARCHIVE.name).get("2003")
    shard = store.path(f"{entry.path}/temp_air/c/0/{OSLO_CELL[0] // 16}/{OSLO_CELL[1] // 16}")
    data = bytearray(shard.read_bytes())
    data[2000] ^= 0xFF
    shard.write_bytes(bytes(data))
    with pytest.raises(TileCorrupt, match="temp_air"):
        tmy.build(context_of(store, areas=AREAS))
    assert not read_index(store, STATS.name).entries
