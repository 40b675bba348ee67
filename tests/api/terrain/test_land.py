"""Land cover and heights around a site when sources answer, fail in part, or not at all."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from api.core.settings import Settings
from api.terrain.answer import Land, assess
from api.terrain.cover import Found, cover_around
from api.terrain.ground import ground_around, is_land, with_sea
from api.terrain.schemas import TerrainRequest
from api.terrain.squares import Squares
from catalog.sources.errors import SourceError
from catalog.sources.http import Deadline
from kernels import utm
from kernels.horizon.levels import MISSING, Level
from kernels.terrain import roughness
from kernels.terrain.polar import Site
from tests.api.conftest import MovableClock
from tests.support.coverages import Coverages, flat
from tests.support.landcover import OSLO, forest, publish_landcover
from tests.support.sources import FARM, SEA, TOWN, Sources
from tiles.products.landcover import PRODUCT, bounds_of
from tiles.store import open_store
from tiles.windows import Windows

LAT, LON = 59.95, 10.70
SITE = Site(*map(float, utm.forward(LAT, LON)))


@pytest.fixture
def sources(monkeypatch: pytest.MonkeyPatch) -> Sources:
    return Sources(monkeypatch)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(store=str(tmp_path / "tiles"), state=tmp_path / "state")


def found(settings: Settings, tiles: Windows | None = None, site: Site = SITE) -> Found:
    return cover_around(site, tiles, Squares(settings), Deadline(60))


def answer(its: Found, site: Site = SITE, **more: Any) -> dict[str, Any]:
    """The answer of the site on a plain."""
    plain = Level(np.full((1601, 1601), 100, np.float32), site.x - 8000, site.y - 8000, 10.0)
    request = TerrainRequest.model_validate({"lat": LAT, "lon": LON} | more).model_dump()
    return assess(request, site, Land(plain, its.cover, its.sources, its.notes)).fields


def kinds(of: Found) -> list[str]:
    return [name for name, _ in of.notes]


def test_what_was_fetched_is_kept(sources: Sources, settings: Settings) -> None:
    first = found(settings)
    reads = dict(sources.reads)
    assert reads["ar50"] >= 4
    assert reads["corine"] == reads["built"] == 0
    assert (found(settings).cover.code == first.cover.code).all()
    assert sources.reads == reads
    assert {one["navn"] for one in first.sources} == {"ar50", "ar5"}


def test_what_is_kept_and_damaged_is_fetched_again(sources: Sources, settings: Settings) -> None:
    first, reads = found(settings), dict(sources.reads)
    for file in (settings.state / "readthrough" / "landcover").glob("[0-9a-f]*"):
        body = bytearray(file.read_bytes())
        body[-30] ^= 0xFF
        file.write_bytes(body)
    assert (found(settings).cover.code == first.cover.code).all()
    assert sources.reads == {name: 2 * count for name, count in reads.items()}


def test_corine_stands_in_for_ar50_with_a_warning(sources: Sources, settings: Settings) -> None:
    sources.fails = lambda name, _: name in ("ar50", "ar5")
    its = found(settings)
    assert sources.reads["ar50"] <= 2, "a source that does not answer is not asked for every square"
    assert kinds(its) == ["corine", "uten_ar5"]
    assert {one["kategori"] for one in answer(its)["sektorer"]} == {"II"}
    assert {one["navn"] for one in its.sources} == {"corine"}


def test_ar50_is_asked_again_after_ten_minutes_and_ar5_after_a_day(
    sources: Sources, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = MovableClock(datetime.now(UTC))
    monkeypatch.setattr("api.terrain.squares.Clock", lambda: clock)
    sources.fails = lambda name, _: name == "ar50"
    assert kinds(found(settings)) == ["corine"]
    sources.fails = lambda name, _: False
    reads = dict(sources.reads)
    clock.moment += timedelta(minutes=9)
    assert kinds(found(settings)) == ["corine"]
    assert sources.reads == reads
    clock.moment += timedelta(minutes=2)
    assert kinds(found(settings)) == []
    assert sources.reads["ar50"] - reads["ar50"] == reads["corine"], "each square"
    clock.moment += timedelta(days=1)
    reads = dict(sources.reads)
    found(settings)
    assert (sources.reads["ar50"], sources.reads["ar5"]) == (reads["ar50"], 2 * reads["ar5"])


def test_corine_where_ar50_knows_nothing_is_told(sources: Sources, settings: Settings) -> None:
    sources.codes["ar50"] = 0
    assert kinds(found(settings)) == ["corine"]


def test_without_any_land_cover_there_is_no_answer(sources: Sources, settings: Settings) -> None:
    sources.fails = lambda name, _: True
    with pytest.raises(SourceError):
        found(settings)


def test_no_source_is_read_after_the_deadline(sources: Sources, settings: Settings) -> None:
    with pytest.raises(SourceError):
        cover_around(SITE, None, Squares(settings), Deadline(0))
    assert set(sources.reads.values()) == {0}


def test_unknown_land_cover_is_no_category(sources: Sources, settings: Settings) -> None:
    sources.codes = {"ar50": 0, "corine": 0, "ar5": 0}
    its = answer(found(settings))
    assert {one["kategori"] for one in its["sektorer"]} == {None}
    assert {one["sikkerhet"]["sikker"] for one in its["sektorer"]} == {False}
    assert {one["vind"] for one in its["sektorer"]} == {None}
    assert its["resultat"]["dimensjonerende_sektor"] is None
    assert any(one["kode"] == "ukjent_dekke" for one in its["advarsler"])


def test_a_part_that_cannot_be_had_is_told_and_makes_its_sectors_unsure(sources: Sources, settings: Settings) -> None:
    tiles = Windows(open_store(settings.store), PRODUCT, publish_landcover(open_store(settings.store)).manifest)
    edge = Site(bounds_of(*OSLO, 1000)[2] - 300, SITE.y)
    sources.fails = lambda name, _: True
    its = found(settings, tiles, edge)
    assert kinds(its) == ["dekke_mangler", "uten_ar5"]
    sectors = answer(its, edge)["sektorer"]
    unsure = {one["sektor"] for one in sectors if not one["sikkerhet"]["sikker"]}
    assert set(range(13, 26)) <= unsure, "wind from the east"
    assert unsure.isdisjoint(range(46, 64)), "wind from the west"
    assert {one["kategori"] for one in sectors} == {"III"}, "of the forest that is known"


def test_town_is_iv_by_its_buildings_and_iii_where_their_heights_are_not_known(
    sources: Sources, settings: Settings
) -> None:
    sources.codes |= {"ar50": TOWN, "ar5": TOWN}
    dense = found(settings)
    assert {one["kategori"] for one in answer(dense)["sektorer"]} == {"IV"}
    assert kinds(dense) == ["bygg_av_overflate"]
    sources.fails = lambda name, _: name == "built"
    low = found(Settings(settings.store, settings.state / "2"))
    sectors = answer(low)["sektorer"]
    assert {one["kategori"] for one in sectors} == {"III"}
    assert kinds(low) == ["uten_bygg"]
    assert all(one["sikkerhet"]["grunner"] == ["ukjent_bygg"] for one in sectors)
    assert {ring["bygg_pct"] for one in sectors for ring in one["ringer"]} == {None}


def test_what_the_designer_gave_is_sure_and_what_he_confirmed_is_warned_of_no_more(
    sources: Sources, settings: Settings
) -> None:
    sources.codes |= {"ar50": TOWN, "ar5": TOWN}
    sources.fails = lambda name, _: name == "built"
    given = {"sektorer": [{"sektor": 1, "kategori": "IV", "begrunnelse": "Sett i felt."}], "terrengform": []}
    its = answer(found(settings), overstyring=given, bekreftelser=[2, 72], ubekreftet=True)
    assert [one["sikkerhet"]["sikker"] for one in its["sektorer"][:2]] == [True, False]
    assert "ubekreftet" not in its["sektorer"][0]
    warning = next(one["tekst"] for one in its["advarsler"] if one["kode"] == "ukjent_bygg")
    assert warning.startswith("I sektor 3–71 ")


def test_tiles_are_used_where_there_are_any(sources: Sources, settings: Settings) -> None:
    store = open_store(settings.store)
    row, column = OSLO
    west, south, east, north = bounds_of(row, column, 1000)
    assert west < SITE.x < east
    assert south < SITE.y < north
    entry = publish_landcover(store, forest)
    tiles = Windows(store, PRODUCT, entry.manifest)
    its = found(settings, tiles)
    without = sources.reads["ar50"]
    assert its.sources[0]["navn"] == "made_up"
    assert its.sources[0]["dato"] == "landcover 2026-04-01T00"
    found(Settings(settings.store, settings.state / "2"))
    assert sources.reads["ar50"] == 2 * without + 1


def test_heights_are_fetched_and_kept_where_no_terrain_is_published(tmp_path: Path) -> None:
    with Coverages(dtm=flat(123.0)) as service:
        settings = Settings(store="unused", state=tmp_path, urls={"kartverket_wcs": service.url})
        first = ground_around(SITE, None, settings, 60)
        reads = len(service.asked)
        again = ground_around(SITE, None, settings, 60)
        assert reads > 0
        assert len(service.asked) == reads
    assert first.level.height_at(SITE.x, SITE.y) == pytest.approx(123, abs=0.01)
    assert (first.level.z == again.level.z).all()
    assert first.notes == []


def roughness_of(code: int) -> roughness.Cover:
    """Land cover of one code around the site, on the grid of the heights."""
    x0, y0 = (10 * np.floor(at / 10) - 10_055.0 for at in (SITE.x, SITE.y))
    nothing = np.zeros((2012, 2012), np.float32)
    return roughness.Cover(np.full(nothing.shape, code, np.uint8), nothing, nothing, x0, y0, 10.0)


def test_a_hole_near_the_site_is_told_however_small(tmp_path: Path) -> None:
    def holed(x: Any, y: Any) -> Any:
        return np.where(np.hypot(x - SITE.x, y - SITE.y - 900) < 400, 3.4e38, 123.0)

    with Coverages(dtm=holed) as service:
        settings = Settings(store="unused", state=tmp_path, urls={"kartverket_wcs": service.url})
        ground = ground_around(SITE, None, settings, 60)
    assert with_sea(ground, roughness_of(FARM), SITE).notes == [("terreng_mangler", {"prosent": "1"})]
    assert with_sea(ground, roughness_of(SEA), SITE).notes == []
    assert ground.level.height_at(SITE.x, SITE.y + 900) == 0


def test_a_site_beside_a_hole_has_the_height_of_its_cell(sources: Sources, settings: Settings) -> None:
    z = np.full((1601, 1601), 100, np.float32)
    z[801, 801] = MISSING
    plain = Level(z, SITE.x - 7999, SITE.y - 7999, 10.0)
    request = TerrainRequest.model_validate({"lat": LAT, "lon": LON}).model_dump()
    its = assess(request, SITE, Land(plain, found(settings).cover, [], []))
    assert its.fields["terreng_moh"] == 100


@pytest.mark.parametrize(
    ("height", "code", "land"),
    [(0.0, 82, False), (0.006, 82, False), (-0.004, 0, False), (0.0, FARM, True), (3.0, 82, True), (MISSING, 0, False)],
)
def test_sea_within_some_mm_of_0_is_no_land(height: float, code: int, land: bool) -> None:
    level = Level(np.full((3, 3), height, np.float32), SITE.x - 10, SITE.y - 10, 10.0)
    nothing = np.zeros((3, 3), np.float32)
    cover = roughness.Cover(np.full((3, 3), code, np.uint8), nothing, nothing, SITE.x - 10, SITE.y - 10, 10.0)
    assert is_land(SITE, level, cover) == land
