"""Municipalities on the 3 km grid: real places, coasts and islets, and publishing again."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from geopandas import GeoSeries

from catalog.sources.errors import SourceError
from catalog.verify import verify
from catalog.versions import Entry, read_index
from dags.build.borders import municipality
from dags.build.borders.raster import nearest_area
from dags.build.cells import land
from tests.support.context import context_of
from tiles.clock import Clock
from tiles.errors import DraftInvalid
from tiles.grid import NORWAY3KM, UtmGrid
from tiles.store import Store, open_store

CLOCK = Clock.parse("2026-11-23T10:00:00Z!")


def build(store: Store, url: str, clock: Clock = CLOCK, **asked: Any) -> Entry:
    return municipality.build(context_of(store, clock, addresses={"kartverket": url}, **asked))


@pytest.fixture(scope="module")
def real(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    store = open_store(str(tmp_path_factory.mktemp("tiles")))
    entry = build(store, str(shared_data / "borders"))
    return store, entry, municipality.read(store, entry)


@pytest.mark.parametrize(
    ("lat", "lon", "name"),
    [
        (59.913, 10.740, "Oslo"),
        (60.395, 5.320, "Bergen"),
        (69.650, 18.960, "Tromsø"),
        (70.370, 31.107, "Vardø"),
        (67.515, 12.098, "Røst"),
        (61.075, 4.837, "Solund"),
    ],
)
def test_places_lie_in_their_municipality(real: Any, lat: float, lon: float, name: str) -> None:
    by_cell = real[2]
    found = NORWAY3KM.nearest(lat, lon, by_cell.number > 0, 3.0)
    assert by_cell.names[int(by_cell.number[found[0]])] == name


def test_all_land_lies_in_one_and_nothing_else_does(real: Any) -> None:
    store, entry, by_cell = real
    assert (entry.data_origin, entry.variables, entry.source) == ("live", ("number",), "kartverket")
    np.testing.assert_array_equal(by_cell.number > 0, land(store, CLOCK))
    numbers = np.unique(by_cell.number[by_cell.number > 0]).tolist()
    assert numbers == sorted(by_cell.names)
    assert len(numbers) == 357
    # Oslo has 454 km2
    assert np.count_nonzero(by_cell.number == 301) * 9 == pytest.approx(454, rel=0.15)
    assert verify(store, "municipality", entry.version, report=lambda _: None) == []


def test_the_centre_decides_and_else_what_is_nearest_to_it() -> None:
    grid = UtmGrid(x0=0, y0=0, size=100, n_y=2, n_x=3)
    areas = [
        shapely.box(0, 0, 60, 100),  # holds the centre of the first cell, and more than half of it
        shapely.union(shapely.box(60, 0, 100, 100), shapely.box(200, 0, 230, 100)),
        shapely.box(262, 40, 300, 60),  # nearer to the centre of the third than what lies west of it
        shapely.box(200, 195, 300, 200),
    ]
    np.testing.assert_array_equal(nearest_area(GeoSeries(areas), grid, 25), [[0, -1, 2], [-1, -1, 3]])


def test_cells_without_any_take_the_nearest_within_reach() -> None:
    area = np.full(NORWAY3KM.shape, -1)
    area[100, 100], area[100, 110] = 7, 8
    mask = np.zeros(NORWAY3KM.shape, bool)
    mask[100, 100:111] = True
    found = municipality.filled(area, mask)
    assert found[100, 100:111].tolist() == [7, 7, 7, -1, -1, -1, -1, -1, 8, 8, 8]
    assert np.count_nonzero(found >= 0) == 6


def test_built_again_it_is_the_same_version(real: Any, shared_data: Path) -> None:
    store, first, _ = real
    again = build(store, str(shared_data / "borders"), Clock.parse("2027-01-01T00:00:00Z!"))
    assert (again.version, again.issued_at) == (first.version, first.issued_at)
    assert len(read_index(store, "municipality").entries) == 1
    ensured = municipality.ensure(context_of(store, "1999-01-01T00:00:00Z!"))
    assert ensured.version == first.version


def test_what_is_not_norway_is_refused(
    real: Any, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = real[0]
    held = read_index(store, "municipality").entries
    with pytest.raises(SourceError, match="does not exist"):
        build(store, str(tmp_path / "nowhere"))
    monkeypatch.setattr(municipality, "nearest_area", lambda *_: np.zeros(NORWAY3KM.shape, np.int64))
    with pytest.raises(DraftInvalid, match="1 municipalities have land, 100 to 400 are expected"):
        build(store, str(shared_data / "borders"))
    assert read_index(store, "municipality").entries == held


@pytest.mark.parametrize("asked", [{"partition": "2026"}, {"source": "met_nordic"}])
def test_a_partition_or_another_source_is_refused(tmp_path: Path, asked: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"this product.* kartverket"):
        build(open_store(str(tmp_path)), "", **asked)
