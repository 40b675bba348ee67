"""The land on the 3 km grid: against geometry done another way, real places, the count, and publishing again."""

import json
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
from catalog.verify import verify
from catalog.versions import Entry, read_index
from dags.build.borders import land
from dags.build.borders.raster import land_share, on_border, projected
from infra.simulator.borders import document
from tests.support.context import context_of
from tiles.chunked import ChunkedTile
from tiles.clock import Clock
from tiles.errors import DraftInvalid
from tiles.grid import NORWAY3KM, UtmGrid
from tiles.products.land import PRODUCT
from tiles.store import Store, open_store

CLOCK = Clock.parse("2026-06-21T10:00:00Z!")
REACH_KM = 6.0


def build(store: Store, url: str, clock: Clock = CLOCK) -> Entry:
    return land.build(context_of(store, clock, addresses={"kartverket": url}))


def masks(store: Store, entry: Entry) -> tuple[Any, Any]:
    tile = ChunkedTile(store, PRODUCT, entry.manifest)
    scale, offset = tile.scale("share")
    return tile.table("land") == 1, tile.table("share") * scale + offset


@pytest.fixture(scope="module")
def real(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    store = open_store(str(tmp_path_factory.mktemp("tiles")))
    entry = build(store, str(shared_data / "borders"))
    return store, entry, *masks(store, entry)


def test_how_many_cells_hold_land(real: Any) -> None:
    store, entry, land, share = real
    assert (entry.data_origin, entry.variables, entry.source) == ("live", ("share", "land"), "kartverket")
    assert int(land.sum()) == 40_996
    assert share.sum() * 9 == pytest.approx(323_800, rel=0.002), "km2 of the mainland, by the statistics of Norway"
    assert (share[land].min(), share[~land].max()) == (0, 0)
    assert verify(store, "land", entry.version, report=lambda _: None) == []


@pytest.mark.parametrize(
    ("lat", "lon"),
    [
        (59.913, 10.740),  # Oslo
        (60.602, 7.504),  # Finse
        (71.169, 25.783),  # Nordkapp
        (70.370, 31.107),  # Vardo, the easternmost town
        (67.515, 12.098),  # Rost
        (61.075, 4.837),  # Utvaer: islets between the samples
        (69.060, 20.545),  # the three countries' stone
    ],
)
def test_places_on_land_belong_to_a_cell(real: Any, lat: float, lon: float) -> None:
    land = real[2]
    assert land[NORWAY3KM.cell_at(lat, lon)]


@pytest.mark.parametrize(("lat", "lon"), [(60.395, 5.320), (69.650, 18.960)])
def test_a_quay_finds_a_cell(real: Any, lat: float, lon: float) -> None:
    found = NORWAY3KM.nearest(lat, lon, real[2], REACH_KM)
    assert found is not None
    assert found[1] < 3.0


@pytest.mark.parametrize(
    ("lat", "lon"),
    [
        (60.0, 3.6),  # the North Sea
        (58.0, 9.5),  # Skagerrak
        (67.7, 14.0),  # Vestfjorden
        (59.33, 13.5),  # Karlstad
        (67.855, 20.225),  # Kiruna
        (68.66, 27.53),  # Ivalo
        (71.6, 25.8),  # the Barents Sea
    ],
)
def test_sea_and_neighbours_have_none(real: Any, lat: float, lon: float) -> None:
    assert NORWAY3KM.nearest(lat, lon, real[2], REACH_KM) is None


def test_shares_equal_a_count_of_points_done_another_way(real: Any, shared_data: Path) -> None:
    share = real[3]
    to_utm = pyproj.Transformer.from_crs(4326, 25833, always_xy=True)
    features = json.loads((shared_data / "borders" / kartverket.COUNTIES).read_text())["features"]
    parts = [p for f in features for p in _parts(f["geometry"])]
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


def _parts(geometry: Any) -> Any:
    return geometry["coordinates"] if geometry["type"] == "MultiPolygon" else [geometry["coordinates"]]


def test_a_triangle_with_a_hole_and_an_islet() -> None:
    grid = UtmGrid(x0=0, y0=0, size=100, n_y=60, n_x=4)
    triangle = shapely.Polygon([(50, 50), (350, 50), (50, 5950)], [[(100, 100), (150, 100), (150, 200), (100, 200)]])
    areas = GeoSeries([triangle, shapely.Polygon([(351.0, 5951), (352, 5951), (352, 5952)])])
    share = land_share(areas, grid, samples=20)
    assert share.sum() * 100**2 == pytest.approx(300 * 5900 / 2 - 50 * 100, rel=0.003)
    assert share[0, 0] == pytest.approx(0.25)
    assert share[1, 1] == pytest.approx(0.5)
    assert share[59, 3] == 0
    assert on_border(areas, grid)[59, 3]
    twice = land_share(GeoSeries([triangle, triangle]), grid, samples=20)
    np.testing.assert_array_equal(twice, land_share(GeoSeries([triangle]), grid, samples=20))


def test_loops_of_a_ring_that_crosses_itself_are_land() -> None:
    bow_tie = [(10.0, 60.0), (10.1, 60.1), (10.1, 60.0), (10.0, 60.1)]
    twice = [shapely.box(11.0, 60.0, 11.1, 60.1)] * 2
    areas = projected(GeoSeries([shapely.Polygon(bow_tie), shapely.MultiPolygon(twice)], crs=4326))
    assert areas.is_valid.all()
    whole = projected(GeoSeries([shapely.box(10.0, 60.0, 10.1, 60.1), twice[0]], crs=4326)).area
    np.testing.assert_allclose(areas.area / whole, [0.5, 1.0], rtol=0.001)


def test_long_edges_follow_the_parallel() -> None:
    square = shapely.Polygon([(10.0, 70.0), (30.0, 70.0), (30.0, 71.0), (10.0, 71.0)])
    ring = projected(GeoSeries([square], crs=4326)).get_coordinates().to_numpy()
    lon, lat = pyproj.Transformer.from_crs(25833, 4326, always_xy=True).transform(*ring.T)
    on_an_edge = np.minimum.reduce([abs(lat - 70), abs(lat - 71), abs(lon - 10), abs(lon - 30)])
    assert on_an_edge.max() < 1e-6
    assert np.hypot(*np.diff(ring, axis=0).T).max() < 2500
    assert len(ring) == 2 * (1000 + 50) + 1


def folder_of(tmp_path: Path, borders: Any) -> str:
    tmp_path.mkdir(exist_ok=True)
    (tmp_path / kartverket.COUNTIES).write_text(json.dumps(borders))
    return str(tmp_path)


def test_built_again_it_is_the_same_version(tmp_path: Path) -> None:
    store, folder = open_store(str(tmp_path / "tiles")), folder_of(tmp_path / "in", document("Fylker"))
    first, again = build(store, folder), build(store, folder, Clock.parse("2027-01-01T00:00:00Z!"))
    assert (again.version, again.issued_at) == (first.version, first.issued_at)
    assert first.data_origin == "simulated"
    assert again.attempt != first.attempt
    for one, other in zip(masks(store, first), masks(store, again), strict=True):
        np.testing.assert_array_equal(one, other)
    assert len(read_index(store, "land").entries) == 1
    # it counts whatever the clock shows
    assert read_index(store, "land").newest(Clock.parse("1999-01-01T00:00:00Z!").now()) == again


def test_other_borders_are_the_newest_until_the_first_are_built_again(tmp_path: Path) -> None:
    store, one = open_store(str(tmp_path / "tiles")), folder_of(tmp_path / "one", document("Fylker"))
    smaller = document("Fylker")
    smaller["features"][0]["geometry"]["coordinates"].pop()
    other = folder_of(tmp_path / "other", smaller)
    for hour, folder in enumerate((one, other, one)):
        clock = Clock.parse(f"2026-06-21T1{hour}:00:00Z!")
        entry = build(store, folder, clock)
        assert read_index(store, "land").newest(clock.now()) == entry
    assert len(read_index(store, "land").entries) == 2


def test_borders_of_no_norway_are_not_published(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "tiles"))
    with pytest.raises(DraftInvalid, match="0 cells are land, 30000 to 45000 are expected"):
        build(store, folder_of(tmp_path / "swapped", document("Fylker", swapped=True)))
    islands = document("Fylker")
    del islands["features"][0]["geometry"]["coordinates"][0]
    with pytest.raises(DraftInvalid, match="these are not the borders of Norway"):
        build(store, folder_of(tmp_path / "islands", islands))
    with pytest.raises(SourceError, match="does not exist"):
        build(store, str(tmp_path / "nowhere"))
    assert read_index(store, "land").entries == ()


@pytest.mark.parametrize("asked", [{"partition": "2026-06-21T06"}, {"source": "met_nordic"}])
def test_a_partition_or_another_source_is_refused(tmp_path: Path, asked: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"this product.* kartverket"):
        land.build(context_of(tmp_path, CLOCK, **asked))
