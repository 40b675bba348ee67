"""Land cover of areas, by blocks: what the sources say, buildings in built-up ground alone, nothing made twice."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catalog.built_up import BuiltUp
from catalog.sources import corine
from catalog.sources.errors import SourceError
from catalog.sources.land_cover import Cover, shape_of
from catalog.sources.nibio import ar50
from dags.areas import Area
from dags.build.landcover import landcover
from kernels import utm
from tests.support.context import context_of
from tiles.product import FILL
from tiles.products.landcover import CHUNK, PRODUCT, SIDE, bounds_of
from tiles.store import open_store
from tiles.windows import Windows

ROW, COLUMN = 20_000, 33_000
WEST, SOUTH, _, _ = bounds_of(ROW, COLUMN, SIDE)
CLOCK, LATER = "2026-05-01T06:20:00Z!", "2026-05-03T00:00:00Z!"
AREA = Area("block", *(float(one) for one in utm.inverse(WEST + 5000, SOUTH + 5000)), side_km=1)
BOTH = (AREA, Area("next", *(float(one) for one in utm.inverse(WEST + 15_000, SOUTH + 5000)), side_km=1))


def cover(url: str, bounds: tuple[float, float, float, float], cell: float, **_: Any) -> Cover:
    """Forest, with a square of 100 m of town 3 km east and 1 km north of the block's corner."""
    west, south, east, north = bounds
    x, y = (np.arange(first + cell / 2, last, cell) for first, last in ((west, east), (south, north)))
    town = (np.abs(x - WEST - 3000) < 50) & (np.abs(y - SOUTH - 1000) < 50)[:, None]
    return Cover(np.where(town, 11, 30).astype(np.uint8), "live", {"url": url})


def buildings(_: Any, bounds: Any, cell: float, **__: Any) -> BuiltUp:
    shape = shape_of(bounds, cell)
    share, height = np.full(shape, 0.25, np.float32), np.full(shape, 12.3, np.float32)
    return BuiltUp(share, height, "kartverket_wcs", 2021, "live", ())


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources; a read of land cover is noted by its address."""
    found: list[str] = []

    def noted(url: str, *window: Any, **more: Any) -> Cover:
        found.append(url)
        return cover(url, *window, **more)

    monkeypatch.setattr(ar50, "window", noted)
    monkeypatch.setattr(landcover, "built_up", buildings)
    monkeypatch.setattr(landcover, "REACH_M", 100.0)
    return found


def test_blocks_hold_cover_and_the_buildings_of_built_up_squares(reads: list[str], tmp_path: Path) -> None:
    entry = landcover.build(context_of(tmp_path, CLOCK, (AREA,)))
    tiles = Windows(open_store(str(tmp_path)), PRODUCT, entry.manifest)
    assert tiles.corners == {(ROW, COLUMN)}
    codes = tiles.window("cover", ROW, COLUMN, SIDE, SIDE)
    assert sorted(np.unique(codes)) == [11, 30]
    assert codes[100, 300] == 11
    share, height = (
        PRODUCT.variable(name).unpack(tiles.window(name, ROW, COLUMN, SIDE, SIDE)) for name in ("built", "height")
    )
    looked = np.zeros((SIDE, SIDE), bool)
    looked[:CHUNK, CHUNK : 2 * CHUNK] = True
    assert (np.isfinite(share) == looked).all()
    assert (share[looked] == 25).all()
    assert height[looked] == pytest.approx(12.3)
    said = tiles.manifest.provenance
    assert [one["name"] for one in said["sources"]] == ["ar50", "kartverket_wcs"]
    assert said["data_origin"] == "live"


def test_a_block_of_which_nothing_is_known_names_who_said_so(
    reads: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(url: str, *bounds: float, **_: Any) -> Cover:
        return Cover(np.zeros((SIDE, SIDE), np.uint8), "simulated", {"url": url})

    for module in (ar50, corine):
        monkeypatch.setattr(module, "window", nothing)
    entry = landcover.build(context_of(tmp_path, CLOCK, (AREA,)))
    said = Windows(open_store(str(tmp_path)), PRODUCT, entry.manifest).manifest.provenance
    assert said["data_origin"] == "simulated"
    assert len(said["sources"]) == 2


def test_a_window_reaches_over_blocks_and_beyond_what_is_built(reads: list[str], tmp_path: Path) -> None:
    entry = landcover.build(context_of(tmp_path, CLOCK, BOTH))
    tiles = Windows(open_store(str(tmp_path)), PRODUCT, entry.manifest)
    window = tiles.window("cover", ROW + SIDE - 5, COLUMN + SIDE - 5, 10, 10)
    assert (window[:5] == 30).all()
    assert (window[5:] == FILL).all()


def test_published_blocks_stay_and_are_not_made_again(reads: list[str], tmp_path: Path) -> None:
    first = landcover.build(context_of(tmp_path, CLOCK, (AREA,)))
    assert len(reads) == 1
    assert landcover.build(context_of(tmp_path, LATER, (AREA,))) == first
    second = landcover.build(context_of(tmp_path, LATER, BOTH[1:]))
    assert len(reads) == 2
    assert len(Windows(open_store(str(tmp_path)), PRODUCT, second.manifest).corners) == 2


def test_a_source_that_does_not_answer_fails_the_build(
    reads: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any, **__: Any) -> Cover:
        raise SourceError("ar50: is away")

    monkeypatch.setattr(ar50, "window", away)
    with pytest.raises(SourceError, match="ar50: is away"):
        landcover.build(context_of(tmp_path, CLOCK, (AREA,)))


@pytest.mark.parametrize("more", [{"partition": "2026"}, {"source": "corine"}])
def test_it_has_neither_partition_nor_another_source(tmp_path: Path, more: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="land cover has its own sources"):
        landcover.build(context_of(tmp_path, CLOCK, (AREA,), **more))
