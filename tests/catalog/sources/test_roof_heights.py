"""Fine heights of the operator's files: rasters and point clouds, their CRS, their gaps, and what is refused."""

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from pyproj import Transformer
from rasterio import Affine

from catalog.sources import point_cloud
from catalog.sources.errors import SourceError
from catalog.sources.roof_heights import FineHeights, window
from tests.support import geotiff, point_clouds

E, N = 600_000.0, 6_640_000.0
BOUNDS = (E + 10, N + 10, E + 40, N + 34)


def plane(x: Any, y: Any) -> Any:
    return 100 + 0.3 * (x - E) + 0.2 * (y - N)


def write_tif(
    path: Path, cell: float = 0.5, epsg: int = 25833, lower: float = 0.0, size: float = 60.0, **tags: str
) -> Path:
    """A plane in UTM 33, on a grid of another CRS around the same place."""
    to_map = Transformer.from_crs(epsg, 25833, always_xy=True)
    east, north = to_map.transform(E, N, direction="INVERSE")
    west, top = np.floor(east) - (epsg != 25833) * 20, np.ceil(north) + size
    count = int((size + (epsg != 25833) * 40) / cell)
    return geotiff.write(
        path, lambda x, y: plane(x, y) - lower, west=west, south=top - count * cell, shape=(count, count), cell=cell,
        crs=f"EPSG:{epsg}", **tags,
    )  # fmt: skip


def write_cloud(
    path: Path, density: float = 10.0, epsg: int = 25833, gap: float = 0.0, size: float = 60.0, **about: Any
) -> Path:
    random = np.random.default_rng(1)
    count = int(size * size * density)
    x, y = E + random.uniform(0, size, count), N + random.uniform(0, size, count)
    keep = x - E > gap
    x, y = x[keep], y[keep]
    z, kind, number = plane(x, y), np.ones(len(x), int), np.ones(len(x), int)
    kind[::10], number[5::10] = 7, 2  # noise far above, second returns far below
    z[::10], z[5::10] = 900, -50
    kind[1::10] = 2
    z[1::10] -= 6
    number[1::10] = 2  # ground below what was hit first
    x, y = Transformer.from_crs(25833, epsg, always_xy=True).transform(x, y)
    return point_clouds.write_cloud(path, x, y, z, kind, number=number, epsg=epsg, **about)


def positions(found: FineHeights) -> tuple[Any, Any]:
    rows, columns = found.z.shape
    return np.meshgrid(
        found.west + (np.arange(columns) + 0.5) * found.cell, found.south + (np.arange(rows) + 0.5) * found.cell
    )


def required(path: Path, bounds: tuple[float, float, float, float] = BOUNDS) -> FineHeights:
    found = window(str(path), bounds)
    assert found is not None
    return found


def test_cells_of_a_raster_in_utm_33_are_taken_as_they_are(tmp_path: Path) -> None:
    write_tif(tmp_path / "a.tif", TIFFTAG_DATETIME="2021:06:01 00:00:00")
    found = required(tmp_path / "a.tif")
    assert (found.west, found.south, found.cell, found.z.shape) == (E + 10, N + 10, 0.5, (48, 60))
    with rasterio.open(tmp_path / "a.tif") as raster:
        np.testing.assert_array_equal(found.z, raster.read(1)[::-1][20:68, 20:80])
    assert found.year == 2021
    assert found.ground is None


@pytest.mark.parametrize("epsg", [25832, 25835, 3006])
def test_other_reference_systems_are_moved_within_a_centimetre(tmp_path: Path, epsg: int) -> None:
    write_tif(tmp_path / "a.tif", epsg=epsg)
    found = required(tmp_path / "a.tif")
    assert np.abs(found.z - plane(*positions(found))).max() < 0.01


def test_the_finest_surface_and_the_ground_of_a_folder_are_read(tmp_path: Path) -> None:
    write_tif(tmp_path / "a_dom.tif")
    write_tif(tmp_path / "b_dom.tif", cell=0.25, epsg=25832)
    write_tif(tmp_path / "c_DTM.tif", cell=1.0, lower=6)
    found = required(tmp_path)
    assert found.cell == 0.25
    assert found.ground is not None
    np.testing.assert_allclose(found.z - found.ground, 6, atol=0.02)


def test_tiles_side_by_side_are_put_together_and_gaps_are_not_filled(tmp_path: Path) -> None:
    write_tif(tmp_path / "a.tif", size=25)
    assert window(str(tmp_path), BOUNDS) is None
    write_tif(tmp_path / "b.tif")
    assert np.isfinite(required(tmp_path).z).all()
    assert window(str(tmp_path), (E + 1000, N, E + 1020, N + 20)) is None


@pytest.mark.parametrize(("density", "cell", "epsg"), [(12, 0.25, 25833), (4, 0.5, 25833), (12, 0.25, 25832)])
def test_a_point_cloud_becomes_cells_without_noise_and_second_returns(
    tmp_path: Path, density: float, cell: float, epsg: int
) -> None:
    write_cloud(tmp_path / "a.laz", density, epsg, gps_time=300_000_000.0)
    found = required(tmp_path / "a.laz")
    assert found.cell == cell
    assert found.year == 2021
    x, y = positions(found)
    np.testing.assert_allclose(found.z, plane(x, y), atol=0.01)
    assert found.ground is not None
    np.testing.assert_allclose(found.ground, plane(x, y) - 6, atol=0.01)


def test_a_gap_between_flight_lines_stays_a_gap(tmp_path: Path) -> None:
    write_cloud(tmp_path / "a.las", gap=20)
    assert window(str(tmp_path), BOUNDS) is None
    found = required(tmp_path / "a.las", (E + 19.5, N + 10, E + 50, N + 40))
    assert np.isnan(found.z[:, 0]).all()


def test_too_many_points_are_thinned_evenly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(point_cloud, "MOST_POINTS", 5000)
    monkeypatch.setattr(point_cloud, "_CHUNK_BYTES", 100_000)
    found = required(write_cloud(tmp_path / "a.laz", 20))
    np.testing.assert_allclose(found.z, plane(*positions(found)), atol=0.01)
    assert found.cell == 0.5


def test_hostile_files_are_refused_in_a_sentence(tmp_path: Path) -> None:
    cloud, raster = write_cloud(tmp_path / "good.laz", 2).read_bytes(), write_tif(tmp_path / "good.tif").read_bytes()
    random = np.random.default_rng(2)
    files = {
        "text.tif": b"<VRTDataset/>" * 10, "empty.laz": b"", "text.las": b"LASF" + bytes(400),
        "short.tif": raster[:300],
    }  # fmt: skip
    for k in range(40):
        damaged = bytearray(cloud)
        for at in random.integers(0, 2000 if k % 2 else len(cloud), 8):
            damaged[at] = int(random.integers(256))
        files[f"damaged{k}.laz"] = bytes(damaged)
    for name, body in files.items():
        (tmp_path / name).write_bytes(body)
        refused = pytest.raises(SourceError, match=r"^roof_heights: ")
        with contextlib.suppress(SourceError) if name.startswith("damaged") else refused:
            window(str(tmp_path / name), BOUNDS)


def test_files_that_cannot_be_read_are_left_out_and_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_tif(tmp_path / "b.tif")
    (tmp_path / "a.tif").write_bytes(b"damaged")
    damaged = bytearray(write_tif(tmp_path / "c.tif", cell=0.25).read_bytes())
    (tmp_path / "c.tif").write_bytes(damaged[: len(damaged) // 4])
    cloud = write_cloud(tmp_path / "d.laz").read_bytes()
    (tmp_path / "d.laz").write_bytes(cloud[: len(cloud) // 2])
    found = required(tmp_path)
    assert (found.cell, np.isfinite(found.z).all()) == (0.5, True)
    assert all(f"roof_heights: {name}" in caplog.text for name in ("a.tif", "c.tif", "d.laz"))


@pytest.mark.parametrize(("cell", "wide", "expected"), [(0.1, 20, 0.3), (0.25, 20, 0.25), (0.25, 280, 0.5)])
def test_cells_too_fine_or_too_many_are_averaged(tmp_path: Path, cell: float, wide: float, expected: float) -> None:
    write_tif(tmp_path / "a.tif", cell, size=wide + 20)
    with rasterio.open(tmp_path / "a.tif", "r+") as raster:
        z = raster.read(1)
        z[::7, ::5] = -9999  # holes of a cell
        raster.write(z, 1)
    found = required(tmp_path / "a.tif", (E + 10, N + 10, E + 10 + wide, N + 10 + wide))
    assert found.cell == expected
    assert found.z.size <= 360_000
    known = np.isfinite(found.z)
    assert known.all() == (expected > cell)
    assert np.abs(found.z - plane(*positions(found)))[known].max() < 0.06  # a missing cell moves the mean


def test_a_point_cloud_of_a_large_window_has_larger_cells(tmp_path: Path) -> None:
    write_cloud(tmp_path / "a.laz", 12, size=170)
    assert required(tmp_path / "a.laz", (E + 5, N + 5, E + 165, N + 165)).cell == 0.3


def test_what_is_missing_or_has_no_reference_system_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is no file"):
        window(str(tmp_path), BOUNDS)
    with pytest.raises(SourceError, match="is no file"):
        window(str(tmp_path / "a.tif"), BOUNDS)
    profile: dict[str, Any] = {"driver": "GTiff", "width": 4, "height": 4, "count": 1, "dtype": "float32"}
    with rasterio.open(tmp_path / "b.tif", "w", **profile, transform=Affine(1, 0, E, 0, -1, N)) as opened:
        opened.write(np.zeros((1, 4, 4), np.float32))
    with pytest.raises(SourceError, match="names no coordinate reference system"):
        window(str(tmp_path / "b.tif"), BOUNDS)
    with pytest.raises(ValueError, match="300 m"):
        window(str(tmp_path), (E, N, E + 600, N + 10))


def test_real_rasters_far_from_norway_are_read_where_they_lie(shared_data: Path) -> None:
    folder = shared_data / "roofs"
    if not folder.is_dir():
        pytest.skip(f"{folder} does not exist")
    with rasterio.open(folder / "jura_dsm025.tif") as raster:
        middle = [
            (low + high) / 2
            for low, high in ((raster.bounds[0], raster.bounds[2]), (raster.bounds[1], raster.bounds[3]))
        ]
        z = raster.read(1)
    x, y = Transformer.from_crs(2154, 25833, always_xy=True).transform(*middle)
    found = required(folder / "jura_dsm025.tif", (x - 15, y - 15, x + 15, y + 15))
    assert z.min() <= np.nanmin(found.z) < np.nanmax(found.z) <= z.max()
    assert window(str(folder), (E, N, E + 20, N + 20)) is None
