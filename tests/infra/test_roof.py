"""The command `solflis roof`: any CRS, rasters and point clouds, its files."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from pyproj import CRS, Transformer
from shapely import Polygon, affinity, box

from infra.cli import main
from infra.roofs.roofs import roofs_of
from tests.support import geotiff
from tests.support.point_clouds import write_cloud

TILT, AZIMUTH = 30.0, 200.0


def height(x: Any, y: Any) -> Any:
    """A gable of 20 x 10 m, ridge at 9 m over the ground, falling to 200 and 20 degrees."""
    towards = np.radians(AZIMUTH)
    across, along = x * np.sin(towards) + y * np.cos(towards), x * np.cos(towards) - y * np.sin(towards)
    return np.where((np.abs(across) < 5) & (np.abs(along) < 10), 59 - np.tan(np.radians(TILT)) * np.abs(across), 50.0)


def place(folder: Path, epsg: int, lon: float, lat: float, cell: float) -> tuple[Path, Any]:
    """Write a surface, its ground and outline in a CRS; return the surface and the way from true metres to the CRS."""
    local = CRS.from_proj4(f"+proj=aeqd +lat_0={lat} +lon_0={lon} +ellps=GRS80")
    way = Transformer.from_crs(local, epsg, always_xy=True)
    x0, y0 = way.transform(0, 0)
    count = round(50 / cell)
    west, top = np.floor(x0 / cell) * cell - count // 2 * cell, np.ceil(y0 / cell) * cell + count // 2 * cell
    to_map = Transformer.from_crs(local, 25833, always_xy=True)
    for name, z in (("dom050", height), ("dtm100", lambda x, y: np.full(x.shape, 50.0))):
        geotiff.write(
            folder / f"lund_{name}.tif", lambda x, y, z=z: z(*to_map.transform(x, y, direction="INVERSE")),
            west=west, south=top - count * cell, shape=(count, count), cell=cell, crs=f"EPSG:{epsg}",
        )  # fmt: skip
    ring = affinity.rotate(box(-10, -5, 10, 5), 180 - AZIMUTH, origin=(0, 0))
    corners = [list(way.transform(*corner)) for corner in ring.exterior.coords]
    geometry = {"type": "Polygon", "coordinates": [corners]}
    feature = {"type": "Feature", "properties": {"id": "7"}, "geometry": geometry}
    document = {
        "type": "FeatureCollection",
        "crs": {"type": "name", "properties": {"name": f"EPSG:{epsg}"}},
        "features": [feature],
    }
    (folder / "lund_outlines.geojson").write_text(json.dumps(document))
    return folder / "lund_dom050.tif", way


@pytest.mark.parametrize(
    ("epsg", "lon", "lat"), [(25833, 31.0, 70.3), (25832, 10.7, 59.9), (25835, 25.0, 70.0), (3067, 21.0, 69.0)]
)
def test_areas_and_azimuths_are_true_in_any_reference_system(tmp_path: Path, epsg: int, lon: float, lat: float) -> None:
    file, _ = place(tmp_path, epsg, lon, lat, 0.5)
    (found,) = roofs_of(file, tmp_path / "lund_dtm100.tif", tmp_path / "lund_outlines.geojson")
    assert found.roof.form == "saltak"
    planes = found.as_json()["planes"]
    assert sorted(round(plane["azimuth_true"]) for plane in planes) == [20, 200]
    for plane in planes:
        assert plane["tilt"] == pytest.approx(TILT, abs=0.1)
        assert abs((plane["azimuth_true"] - AZIMUTH + 90) % 180 - 90) < 0.2
        assert (plane["azimuth_true"] - plane["azimuth_grid"] + 180) % 360 - 180 == pytest.approx(
            found.frame.convergence, abs=0.02
        )
    assert sum(plane["area_plan"] for plane in planes) == pytest.approx(200, rel=0.03)
    assert found.frame.convergence == pytest.approx(15.1 if lon == 31.0 else found.frame.convergence, abs=0.3)


def test_the_command_prints_a_table_and_writes_json_in_the_crs_of_the_file(tmp_path: Path) -> None:
    file, way = place(tmp_path, 25833, 12.0, 60.0, 0.5)
    result = CliRunner().invoke(main, ["roof", str(file), "--id", "7", "--json", str(tmp_path / "out.json")])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("ID  FORM    PLANE  TILT  AZIMUTH")
    (building,) = json.loads((tmp_path / "out.json").read_text())["buildings"]
    assert building["modules"] == sum(plane["modules"] for plane in building["planes"]) > 10
    assert Polygon(building["planes"][0]["ring"]).distance(Polygon(building["planes"][1]["ring"])) < 0.1
    x, y = way.transform(0, 0)
    assert (
        Polygon(building["planes"][0]["ring"])
        .buffer(0.3)
        .contains_properly(Polygon([(x, y), (x + 0.01, y), (x, y + 0.01)]))
    )


def test_a_point_cloud_needs_no_other_heights(tmp_path: Path) -> None:
    _, way = place(tmp_path, 25832, 10.0, 60.0, 0.5)
    random = np.random.default_rng(1)
    x, y = random.uniform(-25, 25, (2, 30_000))
    z = height(x, y)
    noise = random.normal(0, 0.03, x.size)
    write_cloud(tmp_path / "scan.laz", *way.transform(x, y), z + noise, np.where(z == 50, 2, 1), epsg=25832)
    (found,) = roofs_of(tmp_path / "scan.laz", None, tmp_path / "lund_outlines.geojson")
    assert found.cell == pytest.approx(0.25, rel=0.001)
    assert sorted(round(one.plane.azimuth) for one in found.roof.surfaces[:2]) == [20, 200]
    assert [round(one.plane.tilt) for one in found.roof.surfaces[:2]] == [30, 30]


def test_drawings_are_written(tmp_path: Path) -> None:
    pytest.importorskip("api.roof.drawing.png")
    file, _ = place(tmp_path, 25833, 12.0, 60.0, 0.5)
    result = CliRunner().invoke(main, ["roof", str(file), "--drawing", str(tmp_path / "drawings")])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "drawings" / "7.png").read_bytes().startswith(b"\x89PNG")


def test_a_plane_without_modules_says_why(tmp_path: Path) -> None:
    file, _ = place(tmp_path, 25833, 12.0, 60.0, 0.5)
    result = CliRunner().invoke(main, ["roof", str(file)])
    _, _, *planes = result.stdout.splitlines()
    assert [("steeper than 20 degrees" in line, " 0.0 " in line) for line in planes].count((True, True)) == 1
    assert result.stderr.startswith("1 roof in ")


def test_buildings_beyond_the_heights_are_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file, _ = place(tmp_path, 25833, 12.0, 60.0, 0.5)
    outlines = tmp_path / "lund_outlines.geojson"
    document = json.loads(outlines.read_text())
    [corners] = document["features"][0]["geometry"]["coordinates"]
    moved = {"type": "Polygon", "coordinates": [[[x + 5000, y] for x, y in corners]]}
    document["features"].append({"type": "Feature", "properties": {"id": "8"}, "geometry": moved})
    outlines.write_text(json.dumps(document))
    assert [one.id for one in roofs_of(file, tmp_path / "lund_dtm100.tif", outlines)] == ["7"]
    assert "1 of 2 buildings are left out" in caplog.text


@pytest.mark.parametrize("option", ["--outlines", "--ground"])
@pytest.mark.parametrize("lon", [12.1, 31.0])
def test_files_of_another_place_are_refused(tmp_path: Path, option: str, lon: float) -> None:
    file, _ = place(tmp_path, 25833, 12.0, 60.0, 0.5)
    (tmp_path / "other").mkdir()
    place(tmp_path / "other", 25832 if lon < 20 else 25836, lon, 60.0, 0.5)
    name = {"--outlines": "lund_outlines.geojson", "--ground": "lund_dtm100.tif"}[option]
    result = CliRunner().invoke(main, ["roof", str(file), option, str(tmp_path / "other" / name)])
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "of another place" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--id", "8"], "holds no building 8"),
        (["--outlines", "{folder}/lund_dtm100.tif"], "cannot be read as a GeoJSON"),
        (["--ground", "{folder}/lund_outlines.geojson"], "cannot be read as a GeoTIFF"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(tmp_path: Path, arguments: list[str], said: str) -> None:
    file, _ = place(tmp_path, 25833, 12.0, 60.0, 0.5)
    result = CliRunner().invoke(main, ["roof", str(file), *(one.format(folder=tmp_path) for one in arguments)])
    assert result.exit_code == 1
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
