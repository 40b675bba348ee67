"""Which files are terrain: any projection, folders and patterns; what is none is refused by one sentence."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyproj
import pytest
import rasterio
from click.testing import CliRunner
from rasterio import Affine

from dags.build.terrain import terrain
from dags.build.terrain.file import HeightFile, files_of
from dags.build.terrain.reading import Terrain
from infra.commands.build import command
from tests.support.context import context_of
from tests.support.geotiff import BOX, CLOCK, SOUTH, WEST, hills, hills_of, laid, write
from tests.support.terrain import extents
from tiles.store import Store


@pytest.mark.parametrize(
    ("crs", "cell", "near"),
    [
        pytest.param("EPSG:4326", 0.0005, 0.3, marks=pytest.mark.slow),
        pytest.param("EPSG:3035", 25.0, 0.3, marks=pytest.mark.slow),
        ("EPSG:25835", 120.0, 1.0),
    ],
)
def test_heights_of_any_projection_lie_at_their_place(tmp_path: Path, crs: str, cell: float, near: float) -> None:
    to_theirs = pyproj.Transformer.from_crs("EPSG:25833", crs, always_xy=True)
    # the middle of a place of 6 x 6 km
    x, y = to_theirs.transform(WEST + 3000, SOUTH + 3000)
    metres = 1 if cell > 1 else 1 / 60_000
    half = 3000 * metres
    shape = int(2 * half / cell), int(2 * half / cell)
    file = write(tmp_path / "a.tif", west=x - half, south=y - half, shape=shape, cell=cell, crs=crs)
    found = laid(tmp_path / "tiles", file)
    inside = found.surface(50, WEST + 2250, SOUTH + 2250, WEST + 3750, SOUTH + 3750)
    xs, ys = np.meshgrid(inside.x0 + 50 * np.arange(30), inside.y0 + 50 * np.arange(30))
    off = inside.z - hills(xs, ys)
    assert np.abs(off).max() < 2 * near
    assert abs(off.mean()) < near / 4


@pytest.mark.parametrize(
    ("cell", "finest", "place"),
    [
        (12.0, 10, {}),
        (50.0, 50, {}),
        (100.0, 10, {}),  # its centres lie on the edges of cells of 50 m
        (50.0, 10, {"west": WEST + 20}),
        (50.0, 10, {"west": 560_000, "south": 6_850_000, "crs": "EPSG:32632"}),
    ],
)
def test_a_source_whose_centres_are_none_of_ours_makes_the_finest_level(
    tmp_path: Path, cell: float, finest: int, place: dict[str, Any]
) -> None:
    assert HeightFile(str(write(tmp_path / "a.tif", cell=cell, **place))).finest == finest


@pytest.mark.parametrize(
    ("crs", "west", "cell"),
    [("EPSG:25833", WEST, 50.0), pytest.param("EPSG:32632", 560_000, 30.0, marks=pytest.mark.slow)],
)
def test_a_file_whose_first_row_lies_in_the_south_is_the_same_land(
    crs: str, west: float, cell: float, tmp_path: Path
) -> None:
    north_up = write(tmp_path / "north.tif", west=west, crs=crs, cell=cell)
    with rasterio.open(north_up) as model:
        there, z, profile = model.bounds, model.read(1), model.profile
    profile["transform"] = Affine(cell, 0, there.left, 0, cell, there.bottom)
    with rasterio.open(tmp_path / "south.tif", "w", **profile) as turned:
        turned.write(z[::-1], 1)
    expected, found = (laid(tmp_path / file.stem, file) for file in (north_up, tmp_path / "south.tif"))
    assert found.cells == expected.cells
    for finest in (found.cells[0], 250):
        for bounds in extents(expected, finest):
            for one, other in ((expected.surface, found.surface), (expected.tops, found.tops)):
                heights = one(finest, *bounds).z
                assert (heights > 0).any()
                np.testing.assert_allclose(other(finest, *bounds).z, heights, atol=0.05)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    with rasterio.open(write(tmp_path / "whole.tif")) as model:
        z, profile = model.read(), model.profile
    with rasterio.open(tmp_path / "bad.tif", "w", **profile | {"compress": "deflate"}) as packed:
        packed.write(z)
    data = bytearray((tmp_path / "bad.tif").read_bytes())
    middle = len(data) // 2
    data[middle : middle + 500] = bytes(500)
    (tmp_path / "bad.tif").write_bytes(data)
    with pytest.raises(ValueError, match=r"^'bad.tif' is damaged or cut short"):
        laid(tmp_path / "tiles", tmp_path / "whole.tif", tmp_path / "bad.tif")


def test_a_file_of_one_height_is_warned_of(tmp_path: Path) -> None:
    file, lines = write(tmp_path / "a.tif", lambda x, y: np.full(x.shape, 7.0)), list[str]()
    laid(tmp_path / "tiles", file, said=lines)
    assert "warning: a.tif is all one height, 7 m: is it the right file?" in lines


def test_a_files_own_year_and_origin_are_told_unless_a_year_is_given(tmp_path: Path) -> None:
    dated = write(tmp_path / "a.tif", TIFFTAG_DATETIME="2017:08:01 00:00:00", data_origin="simulated")
    assert HeightFile(str(dated)).dated == 2017
    assert HeightFile(str(dated), 2020).dated == 2020
    assert HeightFile(str(write(tmp_path / "b.tif"))).dated is None
    found = laid(tmp_path / "tiles", dated)
    assert (found.years(250, *BOX).z == 2017).all()
    assert found.origin == "simulated"


def test_heights_that_are_packed_in_a_file_are_unpacked(tmp_path: Path) -> None:
    """Scale and offset of a band hold for its heights, not for its marker of no data."""

    def pack(z: Any) -> None:
        z[:] = (z - 500) / 0.1
        z[50, 50] = -9999  # -499.9 m, were it a height

    file = write(tmp_path / "a.tif", nodata=-9999, change=pack)
    with rasterio.open(file, "r+") as model:
        model.scales, model.offsets = (0.1,), (500.0,)
    found = laid(tmp_path / "tiles", file)
    ground = found.surface(50, *BOX).z
    there = np.ones((100, 100), bool)
    there[49, 50] = False  # row 0 of the file is in the north
    np.testing.assert_allclose(ground[there], hills_of(50, 100)[there], atol=0.03)
    assert found.sources[0]["holes"] == {
        "no_data": 1, "absurd": 0, "spikes": 0, "filled": 1, "sea": 0, "left_missing": 0,
    }  # fmt: skip


def test_folders_and_patterns_mean_their_files_the_last_on_top(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "readme.txt").write_text("no terrain")
    for number in (1, 2):
        write(
            folder / f"part{number}.tif", lambda x, y, n=number: np.full(x.shape, 100.0 * n), west=WEST + 1000 * number
        )
    found = laid(tmp_path / "tiles", folder)
    ground = found.surface(50, WEST + 1000, SOUTH, WEST + 7000, SOUTH + 5000).z
    np.testing.assert_allclose(ground[:, :20], 100, atol=0.03)
    np.testing.assert_allclose(ground[:, 20:], 200, atol=0.03)
    # over both sides of their seam the highest knows of the neighbour
    assert found.tops(50, WEST + 1950, SOUTH, WEST + 2000, SOUTH + 50).z[0, 0] == pytest.approx(150, abs=0.1)
    assert [f.name for f in files_of([str(folder / "part*.tif")], None)] == ["part1.tif", "part2.tif"]


@pytest.fixture
def solflis(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs `solflis build` on the store."""
    monkeypatch.setenv("SOLFLIS_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("SOLFLIS_STORE", store.url)
    return lambda *words: CliRunner().invoke(command, words)


def cut(file: Path) -> None:
    write(file, shape=(300, 300))
    file.write_bytes(file.read_bytes()[:20_000])


def picture(file: Path) -> None:
    shape = {"width": 4, "height": 4, "count": 3, "dtype": "uint8"}
    with rasterio.open(
        file, "w", driver="GTiff", crs="EPSG:25833", transform=Affine(10, 0, WEST, 0, -10, SOUTH), **shape
    ):
        pass


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda file: None, "there is no file '.*a.tif'"),
        (lambda file: file.write_text("x,y,z\n1,2,3\n"), "'a.tif' is no raster that can be read"),
        (cut, "a.tif"),
        (lambda file: write(file, crs=None), "'a.tif' does not say its projection"),
        (
            lambda file: write(file, west=36, south=-3, cell=0.001, crs="EPSG:4326"),
            "'a.tif' lies outside Norway's grid",
        ),
        (lambda file: write(file, cell=1000.0, shape=(20, 20)), "'a.tif' has cells of 1000 m; 250 m is the coarsest"),
        (picture, "'a.tif' has 3 bands"),
    ],
)
def test_what_is_no_terrain_is_refused_by_the_command(tmp_path: Path, solflis: Any, spoil: Any, sentence: str) -> None:
    spoil(tmp_path / "a.tif")
    result = solflis("terrain", "--path", str(tmp_path / "a.tif"))
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.output.count("Error") == 1
    assert re.search(sentence, result.output), result.output


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"source": "file"}, "which file"),
        ({"source": "srtm"}, "there is no source 'srtm'"),
        ({"source": "kartverket", "paths": ("a.tif",)}, "belong to --source file"),
        ({"year": 2019}, "belong to --source file"),
    ],
)
def test_questions_that_do_not_go_together(tmp_path: Path, asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        terrain.build(context_of(tmp_path, CLOCK, **asked))


def test_the_command_builds_a_file(tmp_path: Path, store: Store, solflis: Any) -> None:
    file = str(write(tmp_path / "a.tif"))
    result = solflis("terrain", "--source", "file", "--path", file, "--year", "2019")
    assert result.exit_code == 0, result.output
    assert re.search(r"terrain \S+ \(live data\) is published in \S+$", result.output.strip())
    assert (Terrain(store).years(250, *BOX).z == 2019).all()
    assert "--path and --year are of the terrain" in solflis("land", "--path", file).output


def test_a_coarse_file_that_was_laid_down_again_is_the_newest_of_own_grids_once(tmp_path: Path) -> None:
    """Horizons near by look at its own cells; a file that is aligned to ours, or fine, has none."""
    turned = {"crs": "EPSG:32632", "west": 560_000.0, "south": 6_850_000.0}
    first = write(tmp_path / "first.tif", cell=100.0, **turned)  # type: ignore[arg-type]
    second = write(
        tmp_path / "second.tif", cell=60.0, nodata=-9999, change=lambda z: z.__setitem__((3, 4), -9999), **turned
    )  # type: ignore[arg-type]
    aligned, fine = write(tmp_path / "aligned.tif"), write(tmp_path / "fine.tif", cell=10.0)
    laid(tmp_path / "tiles", first, aligned, second, fine)
    found = laid(tmp_path / "tiles", first)
    assert [own.transform.a for own in found.own_grids] == [100.0, 60.0]
    z = found.own_grids[1].z[:]
    assert np.argwhere(np.isnan(z)).tolist() == [[3, 4]]
    with rasterio.open(second) as model:
        np.testing.assert_array_equal(z[~np.isnan(z)], model.read(1)[~np.isnan(z)])
