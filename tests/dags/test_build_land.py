"""The land and the municipalities on the 3 km grid: against geometry done another way, real places, and the count."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyproj
import pytest
import shapely
from geopandas import GeoSeries
from matplotlib.path import Path as Outline

from catalog.sources.errors import SourceError
from catalog.sources.kartverket import borders as kartverket
from catalog.versions import Entry, read_index
from dags.build.borders import land, municipality
from dags.build.borders.raster import nearest_area, projected
from infra.simulator.borders import document
from tests.support.context import context_of
from tiles.chunked import ChunkedTile
from tiles.clock import Clock
from tiles.errors import DraftInvalid
from tiles.grid import NORWAY3KM, UtmGrid
from tiles.products.land import PRODUCT
from tiles.store import Store, open_store

CLOCK = Clock.parse("2026-06-21T10:00:00Z!")


def build(store: Store, url: str, clock: Clock = CLOCK) -> Entry:
    return land.build(context_of(store, clock, addresses={"kartverket": url}))


def masks(store: Store, entry: Entry) -> tuple[Any, Any]:
    tile = ChunkedTile(store, PRODUCT, entry.manifest)
    scale, offset = tile.scale("share")
    return tile.table("land") == 1, tile.table("share") * scale + offset


@pytest.fixture(scope="module")
def real(real_borders: Store) -> Any:
    (entry,) = read_index(real_borders, "land").entries
    return real_borders, entry, *masks(real_borders, entry)


def test_how_many_cells_hold_land(real: Any) -> None:
    _, entry, land, share = real
    assert (entry.data_origin, entry.variables, entry.source) == ("live", ("share", "land"), "kartverket")
    assert int(land.sum()) == 40_996
    assert share.sum() * 9 == pytest.approx(323_800, rel=0.002), "km2 of the mainland, by the statistics of Norway"
    assert (share[land].min(), share[~land].max()) == (0, 0)


@pytest.mark.parametrize(
    ("lat", "lon", "away_km"),
    [
        (60.602, 7.504, 0.0),  # Finse
        (71.169, 25.783, 0.0),  # Nordkapp
        (61.075, 4.837, 0.0),  # Utvaer: islets between the samples
        (69.060, 20.545, 0.0),  # the three countries' stone
        (60.395, 5.320, 3.0),  # a quay in Bergen
        (67.7, 14.0, None),  # Vestfjorden
        (67.855, 20.225, None),  # Kiruna
    ],
)
def test_places_on_land_have_a_cell_and_sea_and_neighbours_none(
    real: Any, lat: float, lon: float, away_km: float | None
) -> None:
    found = NORWAY3KM.nearest(lat, lon, real[2], max_km=6.0)
    assert (found is None) == (away_km is None)
    if away_km == 0:
        assert real[2][NORWAY3KM.cell_at(lat, lon)]
    elif found is not None:
        assert found[1] < 3.0


def test_shares_equal_a_count_of_points_done_another_way(real: Any, shared_data: Path) -> None:
    share = real[3]
    to_utm = pyproj.Transformer.from_crs(4326, 25833, always_xy=True)
    features = json.loads((shared_data / "borders" / kartverket.COUNTIES).read_text())["features"]
    several = ((f["geometry"]["type"] == "MultiPolygon", f["geometry"]["coordinates"]) for f in features)
    parts = [part for many, held in several for part in (held if many else [held])]
    outlines = [[Outline(np.stack(to_utm.transform(*np.array(ring).T), axis=1)) for ring in part] for part in parts]
    coast = [tuple(c) for c in np.argwhere((share > 0.2) & (share < 0.8))[:: 7000 // 8]]
    inland_and_sea = [NORWAY3KM.cell_at(60.602, 7.504), NORWAY3KM.cell_at(67.7, 14.0)]
    assert len(coast) >= 5
    steps = (np.arange(30) + 0.5) * 100
    for row, col in [*coast, *inland_and_sea]:
        x, y = NORWAY3KM.x0 + 3000 * col + steps, NORWAY3KM.y0 + 3000 * row + steps
        points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        inside = np.zeros(900, bool)
        for outer, *holes in outlines:
            if outer.get_extents().overlaps(Outline(points[[0, -1]]).get_extents()):
                inside |= outer.contains_points(points) & ~np.any([h.contains_points(points) for h in holes], axis=0)
        # edges here are straight between the file's points, there between points that were added
        assert share[row, col] == pytest.approx(inside.mean(), abs=0.01), (row, col)


def test_loops_of_a_ring_that_crosses_itself_are_land() -> None:
    bow_tie = [(10.0, 60.0), (10.1, 60.1), (10.1, 60.0), (10.0, 60.1)]
    twice = [shapely.box(11.0, 60.0, 11.1, 60.1)] * 2
    areas = projected(GeoSeries([shapely.Polygon(bow_tie), shapely.MultiPolygon(twice)], crs=4326))
    assert areas.is_valid.all()
    whole = projected(GeoSeries([shapely.box(10.0, 60.0, 10.1, 60.1), twice[0]], crs=4326)).area
    np.testing.assert_allclose(areas.area / whole, [0.5, 1.0], rtol=0.001)


def folder_of(tmp_path: Path, borders: Any) -> str:
    tmp_path.mkdir(exist_ok=True)
    (tmp_path / kartverket.COUNTIES).write_text(json.dumps(borders))
    return str(tmp_path)


@pytest.mark.slow
def test_the_same_borders_are_the_same_version_and_others_count_while_they_are_the_newest(tmp_path: Path) -> None:
    store, one = open_store(str(tmp_path / "tiles")), folder_of(tmp_path / "one", document("Fylker"))
    smaller = document("Fylker")
    smaller["features"][0]["geometry"]["coordinates"].pop()
    other = folder_of(tmp_path / "other", smaller)
    entries = [build(store, one)]
    assert read_index(store, "land").newest(datetime(1999, 1, 1, tzinfo=UTC)) == entries[0], "it counts at any clock"
    for hour, folder in enumerate((other, one), 1):
        clock = Clock.parse(f"2026-06-21T1{hour}:00:00Z!")
        entries.append(build(store, folder, clock))
        assert read_index(store, "land").newest(clock.now()) == entries[-1]
    assert entries[0].version == entries[2].version != entries[1].version
    assert entries[0].attempt != entries[2].attempt
    assert entries[0].data_origin == "simulated"
    for first, again in zip(masks(store, entries[0]), masks(store, entries[2]), strict=True):
        np.testing.assert_array_equal(first, again)
    assert len(read_index(store, "land").entries) == 2


def test_borders_of_no_norway_are_not_published(tmp_path: Path, store: Store) -> None:
    with pytest.raises(DraftInvalid, match="0 cells are land, 30000 to 45000 are expected"):
        build(store, folder_of(tmp_path / "swapped", document("Fylker", swapped=True)))
    islands = document("Fylker")
    islands["features"] = islands["features"][:1]  # all the land
    del islands["features"][0]["geometry"]["coordinates"][0]
    with pytest.raises(DraftInvalid, match="these are not the borders of Norway"):
        build(store, folder_of(tmp_path / "islands", islands))
    with pytest.raises(SourceError, match="does not exist"):
        build(store, str(tmp_path / "nowhere"))
    assert read_index(store, "land").entries == ()


@pytest.fixture(scope="module")
def municipalities(real_borders: Store) -> Any:
    (entry,) = read_index(real_borders, "municipality").entries
    return real_borders, entry, municipality.read(real_borders, entry)


@pytest.mark.parametrize(
    ("lat", "lon", "name"),
    [
        (59.913, 10.740, "Oslo"),
        (67.515, 12.098, "Røst"),
        (61.075, 4.837, "Solund"),
    ],
)
def test_places_lie_in_their_municipality(municipalities: Any, lat: float, lon: float, name: str) -> None:
    by_cell = municipalities[2]
    found = NORWAY3KM.nearest(lat, lon, by_cell.number > 0, 3.0)
    assert by_cell.names[int(by_cell.number[found[0]])] == name


def test_all_land_lies_in_one_and_nothing_else_does(municipalities: Any) -> None:
    store, entry, by_cell = municipalities
    assert (entry.data_origin, entry.variables, entry.source) == ("live", ("number",), "kartverket")
    np.testing.assert_array_equal(by_cell.number > 0, masks(store, read_index(store, "land").entries[0])[0])
    numbers = np.unique(by_cell.number[by_cell.number > 0]).tolist()
    assert numbers == sorted(by_cell.names)
    assert len(numbers) == 357
    # Oslo has 454 km2
    assert np.count_nonzero(by_cell.number == 301) * 9 == pytest.approx(454, rel=0.15)


def test_the_centre_decides_and_else_what_is_nearest_to_it() -> None:
    grid = UtmGrid(x0=0, y0=0, size=100, n_y=2, n_x=3)
    areas = [
        shapely.box(0, 0, 60, 100),  # holds the centre of the first cell, and more than half of it
        shapely.union(shapely.box(60, 0, 100, 100), shapely.box(200, 0, 230, 100)),
        shapely.box(262, 40, 300, 60),  # nearer to the centre of the third than what lies west of it
        shapely.box(200, 195, 300, 200),
    ]
    np.testing.assert_array_equal(nearest_area(GeoSeries(areas), grid, 25), [[0, -1, 2], [-1, -1, 3]])
