"""Land cover and footprints from GeoPackages: files, folders, layers and fields, and what is refused."""

from pathlib import Path
from types import ModuleType

import numpy as np
import pyogrio
import pytest
import shapely
from pyproj import Transformer

from catalog.sources import bygninger
from catalog.sources.errors import SourceError
from catalog.sources.land_cover import LAKE, UNKNOWN, Cover
from catalog.sources.nibio import ar5, ar50
from tests.support.small_map import (
    BOX,
    CELL,
    EXPECTED,
    FOREST_BOX,
    ISLAND,
    PIECES,
    SHAPE,
    SOUTH,
    WEST,
    Pieces,
)


def write(
    file: Path, pieces: Pieces, layer: str = "flater", field: str | None = "arealtype", epsg: int = 25833
) -> None:
    """Add a layer to a GeoPackage."""
    move = Transformer.from_crs(25833, epsg, always_xy=True).transform
    shapes = [shapely.transform(polygon, lambda xy: np.column_stack(move(*xy.T))) for polygon, _ in pieces]
    data = [] if field is None else [np.array([code for _, code in pieces])]
    kinds = {shape.geom_type for shape in shapes}
    kind = kinds.pop() if len(kinds) == 1 else "Unknown"
    pyogrio.raw.write(
        file, shapely.to_wkb(np.array(shapes, object)), data, [] if field is None else [field], layer=layer,
        driver="GPKG", geometry_type=kind, crs=f"EPSG:{epsg}", append=file.exists(),
    )  # fmt: skip


def of_file(source: ModuleType, path: object) -> Cover:
    found: Cover = source.window(str(path), BOX, CELL, user_agent="test", seconds=10)
    return found


def test_a_geopackage_or_a_folder_of_them_stands_in_for_a_service(tmp_path: Path) -> None:
    whole, folder = tmp_path / "ar50.gpkg", tmp_path / "sheets"
    folder.mkdir()
    write(whole, PIECES)
    write(folder / "north.gpkg", PIECES[:1], epsg=25832)
    write(folder / "south.gpkg", PIECES[1:], epsg=4258)
    for place in (whole, f"file://{whole}", folder):
        found = of_file(ar50, place)
        np.testing.assert_array_equal(found.codes, EXPECTED)
        assert (found.data_origin, found.input) == ("live", {"url": str(place)})


def test_the_class_of_ar5_may_be_called_either_and_be_text_or_missing(tmp_path: Path) -> None:
    expected = np.where(EXPECTED == LAKE, UNKNOWN, EXPECTED)
    fields: dict[str, list[object]] = {
        "artype": [30, 81, 23],
        "arealtype": ["30", "81", "21"],
        "ARTYPE": [30.0, np.nan, 22.0],
    }
    for name, classes in fields.items():
        file = tmp_path / f"{name}{classes[2]}.gpkg"
        write(file, [(polygon, one) for (polygon, _), one in zip(PIECES, classes, strict=True)], field=name)
        found = of_file(ar5, file).codes
        np.testing.assert_array_equal(found, expected if name == "ARTYPE" else EXPECTED)


def test_lines_and_polygons_without_a_class_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "fkb.gpkg"
    write(file, [(shapely.LineString([(WEST, SOUTH), (WEST + 400, SOUTH + 300)]), 11)], "fkb_ar5_grense")
    write(file, [(shapely.box(*BOX), 11)], "something", field="number")
    write(file, [*PIECES[:2], (ISLAND, 21)], "fkb_ar5_omrade")
    np.testing.assert_array_equal(of_file(ar5, file).codes, EXPECTED)


def test_polygons_of_a_layer_whose_kind_is_not_said_are_read_without_its_lines_and_points(tmp_path: Path) -> None:
    file, corner = tmp_path / "mixed.gpkg", (WEST, SOUTH)
    odd: Pieces = [(shapely.LineString([corner, (WEST + 400, SOUTH + 300)]), 11), (shapely.Point(corner), 11)]
    write(file, [*PIECES, *odd])
    np.testing.assert_array_equal(of_file(ar50, file).codes, EXPECTED)


def test_a_file_that_covers_nothing_of_the_window_is_unknown(tmp_path: Path) -> None:
    file = tmp_path / "far.gpkg"
    write(file, [(shapely.box(WEST + 5000, SOUTH, WEST + 6000, SOUTH + 300), 30)])
    assert not of_file(ar50, file).codes.any()
    assert not bygninger.footprints(str(file), BOX, CELL).any()


def test_a_file_that_is_no_geopackage_of_land_cover_is_refused_in_a_sentence(tmp_path: Path) -> None:
    follows = tmp_path / "follows.gpkg"
    follows.write_text("<OGRVRTDataSource><OGRVRTLayer name='x'><SrcDataSource>http://x</SrcDataSource></OGRVRTLayer>")
    damaged, unlike, empty = tmp_path / "damaged.gpkg", tmp_path / "unlike.gpkg", tmp_path / "empty"
    damaged.write_bytes(b"SQLite format 3\0" + bytes(5000))
    write(unlike, PIECES, field="class")
    empty.mkdir()
    for path, sentence in (
        (follows, "cannot be read as a GeoPackage: follows.gpkg is none"),
        (damaged, "cannot be read as a GeoPackage"),
        (tmp_path / "absent.gpkg", "cannot be read as a GeoPackage"),
        (unlike, r"holds no \*.gpkg with polygons and arealtype"),
        (empty, r"holds no \*.gpkg with polygons"),
    ):
        with pytest.raises(SourceError, match=f"^ar50: {path} {sentence}"):
            of_file(ar50, path)


def test_footprints_are_the_cells_whose_centres_are_in_a_building(tmp_path: Path) -> None:
    houses: Pieces = [(shapely.box(WEST + 11, SOUTH + 21, WEST + 36, SOUTH + 39), 0), (ISLAND, 0)]
    expected = np.zeros(SHAPE, bool)
    expected[2:4, 1:4] = expected[10:15, 30:35] = True
    plain, osm = tmp_path / "plain.gpkg", tmp_path / "osm.gpkg"
    write(plain, houses, field=None)
    write(osm, [(FOREST_BOX, 1)], "gis_osm_landuse_a_free")
    write(osm, houses, "gis_osm_buildings_a_free", epsg=4326)
    for path in (plain, f"file://{osm}"):
        np.testing.assert_array_equal(bygninger.footprints(str(path), BOX, CELL), expected)
    with pytest.raises(SourceError, match=r"^bygninger: .*cannot be read as a GeoPackage"):
        bygninger.footprints(str(tmp_path / "absent.gpkg"), BOX, CELL)
