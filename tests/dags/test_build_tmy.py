"""Typical years from a published archive: the numbers that kernels give, what is refused, what goes on after a kill."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import catalog
from catalog.versions import read_index
from dags.areas import Area
from dags.build.climate import station_bias, tmy
from dags.build.climate.archive_reading import YearsMissing
from kernels.tmy.bias_field import Sites, interpolate
from kernels.tmy.cell import Place, cell_products
from tests.kernels.tmy.archives import series, sky
from tests.support.archive import (
    BESIDE_OSLO,
    HEIGHT_M,
    Pyranometers,
    publish_archive,
    publish_land,
)
from tests.support.context import context_of
from tests.support.tmy import OSLO, OSLO_CELL, TROMSO, TROMSO_CELL
from tiles.building import Block
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
    folder = tmp_path_factory.mktemp("archive")
    store = open_store(str(folder))
    publish_land(store)
    publish_archive(store, CELLS_OF_THE_ARCHIVE)
    return folder


@pytest.fixture
def frost(monkeypatch):
    stations = pyranometers()
    monkeypatch.setattr(station_bias, "frost", stations)
    return stations


@pytest.fixture(scope="module")
def built(archive, tmp_path_factory):
    folder = tmp_path_factory.mktemp("built") / "tiles"
    shutil.copytree(archive, folder)
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(station_bias, "frost", pyranometers())
        tmy.build(context_of(folder, areas=AREAS, report=said.append))
    return folder, said


def opened(folder: Path, name: str):
    return catalog.open("tmy", product=name, store=str(folder))


def stats_of(folder: Path):
    return catalog.open("tmy_stats", store=str(folder))


@pytest.mark.parametrize("name", MADE_OF)
def test_a_cell_holds_what_the_kernels_give(built, name):
    folder, _ = built
    bias, _ = station_bias.read(open_store(str(folder)), tmy.VERSION)
    lat, lon = NORWAY3KM.centre(OSLO_CELL)
    at_cell, stations = interpolate(Sites([lat], [lon], [HEIGHT_M]), bias.sites, bias.bias["ensemble"])
    assert stations[0] == 2
    packed = type(CELLS[OSLO_CELL])(  # as it comes back from the archive
        **{
            k: np.float32(ARCHIVE.variable(k).scale) * ARCHIVE.variable(k).pack(v.astype(np.float64))
            + np.float32(ARCHIVE.variable(k).offset)
            for k, v in CELLS[OSLO_CELL].__dict__.items()
        }
    )
    from dags.build.climate import normals as climate

    height = ARCHIVE.variable("altitude")
    ground = float(height.unpack(height.pack(np.array([HEIGHT_M])))[0])
    place = Place(lat, lon, ground, climate.linke_turbidity_of_months(lat, lon))
    made = cell_products(sky(), place, packed, at_cell[0])
    year = dict(zip(MADE_OF, (made.ensemble, made.reanalysis30, made.reanalysis18, made.solarmodel), strict=True))[name]
    data = opened(folder, name).isel(y=OSLO_CELL[0], x=OSLO_CELL[1]).load()
    for variable, atol in (("ghi", 0.06), ("dni", 0.06), ("dhi", 0.06), ("temp_air", 0.011), ("mslp", 0.011)):
        np.testing.assert_allclose(data[variable].values, getattr(year, variable), atol=atol)
    stats = stats_of(folder).isel(y=OSLO_CELL[0], x=OSLO_CELL[1], product=list(MADE_OF).index(name)).load()
    assert stats.selected_year.values.tolist() == year.selected_years.tolist()
    assert float(stats.annual_ghi_tmy) == pytest.approx(float(data.ghi.sum()) / 1000, rel=2e-4)
    assert float(stats.annual_ghi_p90) == pytest.approx(year.statistics.p90, abs=0.013)
    assert float(stats.annual_ghi_p90) < float(stats.annual_ghi_p50)
    np.testing.assert_allclose(stats.monthly_ghi_p50.values, year.monthly_percentiles["p50"], atol=0.003)


def test_the_stored_year_adds_up_in_every_hour(built):
    """Within 1 W/m2, with the sun that its README names: that of the placeholder year."""
    from kernels.tmy.sunlight import sunlight_at

    for name, cell in (("ens_tmy30", OSLO_CELL), ("reanalysis_tmy18", TROMSO_CELL)):
        data = opened(built[0], name).isel(y=cell[0], x=cell[1]).load()
        sine = sunlight_at(*NORWAY3KM.centre(cell), HEIGHT_M).sine
        error = data.ghi.values - (data.dni.values * sine + data.dhi.values)
        assert np.abs(error).max() < 1
        assert float(data.dni.max()) > 300


def test_north_of_the_satellite_the_ensemble_is_the_reanalysis_alone(built):
    folder, _ = built
    at = {"y": TROMSO_CELL[0], "x": TROMSO_CELL[1]}
    stats = stats_of(folder).isel(at).load()
    assert float(stats.weight_solarmodel) == 0
    assert np.isnan(stats.annual_ghi_tmy.values).tolist() == [False, False, False, True]
    assert np.isnan(opened(folder, "solarmodel_tmy30").ghi.isel(at)).all()
    assert np.isfinite(opened(folder, "ens_tmy30").ghi.isel(at)).all()
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
    folder, said = built
    store = open_store(str(folder))
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
    store = open_store(str(built[0]))
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


def test_a_data_scientist_sees_place_and_time(built):
    data = opened(built[0], "ens_tmy30")
    assert data.ghi.dims == ("y", "x", "hour")
    assert str(data.hour.values[0]) == "2001-01-01T00:00:00.000000000"
    assert data.crs.attrs["epsg_code"] == "EPSG:25833"
    assert "25833" in data.crs.attrs["crs_wkt"]
    here = data.isel(y=OSLO_CELL[0], x=OSLO_CELL[1])
    assert (float(here.lat), float(here.lon)) == pytest.approx(NORWAY3KM.centre(OSLO_CELL))
    with pytest.raises(KeyError, match="ens_tmy30, reanalysis_tmy30"):
        catalog.open("tmy", store=str(built[0]))
    with pytest.raises(KeyError, match="one product"):
        catalog.open("tmy_stats", product="ens_tmy30", store=str(built[0]))


def held(folder: Path) -> dict[str, str]:
    """The checksums of everything that is published, but of the texts that say when it was made."""
    store = open_store(str(folder))
    found = {}
    for name in (*MADE_OF, STATS.name):
        (entry,) = read_index(store, name).entries
        objects = Manifest.read(store, entry.manifest).objects
        found |= {f"{name}/{key}": stored["sha256"] for key, stored in objects.items() if key != "zarr.json"}
    return found


def test_a_build_that_was_killed_goes_on_and_gives_the_same_bytes(archive, built, tmp_path, frost, monkeypatch):
    folder = tmp_path / "tiles"
    shutil.copytree(archive, folder)
    asked = context_of(folder, areas=AREAS)
    monkeypatch.setattr(tmy.TypicalYears, "cells_per_job", 1)
    real, made = tmy.BlockMaker.block, []

    def killed(maker, corner, cells):
        if made:
            raise KeyboardInterrupt
        made.append(corner)
        return real(maker, corner, cells)

    monkeypatch.setattr(tmy.BlockMaker, "block", killed)
    with pytest.raises(KeyboardInterrupt):
        tmy.build(asked)
    assert all(not read_index(open_store(str(folder)), name).entries for name in MADE_OF)
    monkeypatch.setattr(tmy.BlockMaker, "block", lambda *a: made.append(a[1]) or real(*a))
    tmy.build(asked)
    assert len(made) == 2, "the block that was finished is not made again"
    assert frost.asked == 35, "nor are the stations asked again"
    assert held(folder) == held(built[0])


def test_a_year_that_is_missing_is_named_and_nothing_is_published(tmp_path, frost):
    store = open_store(str(tmp_path))
    publish_land(store)
    publish_archive(store, {OSLO_CELL: CELLS[OSLO_CELL]}, [1991, 1992])
    with pytest.raises(YearsMissing, match=r"lacks 1993, 1994, .*2025: build it with .solflis build climate_archive.$"):
        tmy.build(context_of(tmp_path, areas=AREAS))
    assert not read_index(store, STATS.name).entries


def test_what_is_complete_is_neither_made_nor_published_again(built, tmp_path, frost):
    folder = tmp_path / "tiles"
    shutil.copytree(built[0], folder)
    store = open_store(str(folder))
    before = [read_index(store, name).entries for name in (*MADE_OF, STATS.name)]
    said = []
    asked = context_of(folder, areas=AREAS, report=said.append)
    assert tmy.build.begin(asked) == []
    assert tmy.build.publish(asked) == before[-1][0]
    assert [read_index(store, name).entries for name in (*MADE_OF, STATS.name)] == before
    assert "tmy_stats 1991-2025 holds all of it already" in said
    assert frost.asked == 0
    # the same archive, published again, is the same archive
    years = read_index(store, ARCHIVE.name).entries
    publish_archive(store, CELLS_OF_THE_ARCHIVE, [2003])
    assert read_index(store, ARCHIVE.name).get("2003") != years[12]
    assert tmy.build.begin(asked) == []


def test_what_is_published_from_another_archive_is_made_again(built, tmp_path, frost):
    folder = tmp_path / "tiles"
    shutil.copytree(built[0], folder)
    store = open_store(str(folder))
    louder = {cell: replace(s, ghi_reanalysis=s.ghi_reanalysis * np.float32(0.9)) for cell, s in CELLS.items()}
    publish_archive(store, louder, [2003])
    (group,) = tmy.build.begin(context_of(folder, areas=AREAS))
    assert [len(job["blocks"]) for job in group] == [2]


def test_an_area_that_the_archive_lacks_is_refused(archive, tmp_path, frost):
    folder = tmp_path / "tiles"
    shutil.copytree(archive, folder)
    with pytest.raises(ValueError, match="solflis build climate_archive"):
        tmy.build(context_of(folder, areas=(Area("Bergen", 60.39, 5.32),)))


def test_a_corrupt_chunk_of_the_archive_ends_the_build(archive, tmp_path, frost):
    folder = tmp_path / "tiles"
    shutil.copytree(archive, folder)
    store = open_store(str(folder))
    entry = read_index(store, ARCHIVE.name).get("2003")
    shard = folder / entry.path / f"temp_air/c/0/{OSLO_CELL[0] // 16}/{OSLO_CELL[1] // 16}"
    data = bytearray(shard.read_bytes())
    data[2000] ^= 0xFF
    shard.write_bytes(bytes(data))
    with pytest.raises(TileCorrupt, match="temp_air"):
        tmy.build(context_of(folder, areas=AREAS))
    assert not read_index(store, STATS.name).entries


def test_groups_are_at_most_64_and_lose_no_block(built, tmp_path, frost, monkeypatch):
    folder = tmp_path / "tiles"
    shutil.copytree(built[0], folder)
    wanted = tuple(Block.of((row * 16, 0), tuple(range(1 + row % 7))) for row in range(500))
    real = tmy.TypicalYears.plan
    monkeypatch.setattr(tmy.TypicalYears, "cells_per_job", 4)
    monkeypatch.setattr(
        tmy.TypicalYears, "plan", lambda *a: replace(p := real(*a), stages=(replace(p.stages[0], wanted=wanted),))
    )
    groups = tmy.build.begin(context_of(folder, areas=AREAS))
    assert len(groups) <= 64
    assert [tuple(block) for group in groups for job in group for block in job["blocks"]] == list(wanted)
