"""Buildings of a window from made-up surfaces: what counts as one, how much they cover and how high they are."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import pytest
import shapely

from catalog.built_up import BuiltUp, built_up
from catalog.sources.errors import SourceError
from tests.support.coverages import EXCEPTION, Coverages, flat

WEST, SOUTH, SIZE, CELL = 262_000.0, 6_649_000.0, 200.0, 10.0
GROUND = 80.0
SERVICE = "https://nobody/bygninger"  # of footprints: never asked
# West, south, sides and height, m: in one cell of ours, in four, and a lower one beside it in the same cells.
HUT, BLOCK, LOW = (22, 32, 6, 6, 4), (60, 60, 20, 20, 20), (60, 80, 10, 20, 8)
Box = tuple[float, ...]


def houses(*boxes: Box) -> Callable[..., Any]:
    """Return a surface with boxes on the ground."""

    def surface(x: Any, y: Any) -> Any:
        z = np.full(np.broadcast_shapes(x.shape, y.shape), GROUND)
        for left, low, wide, deep, tall in boxes:
            there = (x > WEST + left) & (x < WEST + left + wide) & (y > SOUTH + low) & (y < SOUTH + low + deep)
            z[there] = GROUND + tall
        return z

    return surface


def tree(x0: float, y0: float, width: float) -> Callable[..., Any]:
    """Return a surface with a round crown of 15 m."""
    return lambda x, y: np.where(np.hypot(x - WEST - x0, y - SOUTH - y0) < width / 2, GROUND + 15, GROUND)


def found(surface: Callable[..., Any], footprints: str = SERVICE, ground: Callable[..., Any] | None = None) -> BuiltUp:
    with Coverages(dom=surface, dtm=ground or flat(GROUND)) as service:
        return of_service(service, footprints)


def of_service(service: Coverages, footprints: str = SERVICE) -> BuiltUp:
    addresses = {"kartverket_wcs": service.url, "bygninger": footprints}
    box = (WEST, SOUTH, WEST + SIZE, SOUTH + SIZE)
    return built_up(addresses.__getitem__, box, CELL, user_agent="test", seconds=20)


def test_share_and_mean_height_are_those_of_the_houses() -> None:
    its = found(houses(HUT, BLOCK, LOW))
    share, height = np.zeros((20, 20)), np.zeros((20, 20))
    share[3, 2], height[3, 2] = 0.36, 4
    share[6:8, 6:8], height[6:8, 6:8] = 1, 20
    share[8:10, 6], height[8:10, 6] = 1, 8
    np.testing.assert_allclose(its.share, share, atol=1e-6)
    np.testing.assert_allclose(its.height, height, atol=1e-3)
    assert (its.share.dtype, its.height.dtype) == (np.float32, np.float32)
    assert (its.source, its.year, its.data_origin, len(its.inputs)) == ("kartverket_wcs", 2021, "simulated", 2)


def test_the_mean_height_is_of_all_buildings_of_a_cell_by_their_ground() -> None:
    its = found(houses((0, 0, 10, 6, 10), (0, 6, 10, 4, 5)))
    assert (its.share[0, 0], its.height[0, 0]) == pytest.approx((1, 8))


def test_houses_on_a_slope_are_as_high_as_on_a_plain() -> None:
    block = houses(BLOCK)
    its = found(lambda x, y: block(x, y) + 0.3 * (x - WEST), ground=lambda x, y: GROUND + 0.3 * (x - WEST) + 0 * y)
    assert its.height[6:8, 6:8] == pytest.approx(20, abs=1e-3)
    assert its.share.sum() == pytest.approx(4)


def test_a_house_that_is_mostly_beside_the_window_counts_within_it() -> None:
    its = found(houses((-4, 40, 6, 10, 5)))
    assert (its.share[4, 0], its.share.sum()) == pytest.approx((0.2, 0.2))
    assert its.height[4, 0] == pytest.approx(5)


@pytest.mark.parametrize("width", [2, 4, 4.5, 5])
@pytest.mark.parametrize("at", [(100, 100), (101, 101), (100.5, 101.3)])
def test_a_single_tree_is_no_building(width: float, at: tuple[float, float]) -> None:
    its = found(tree(*at, width))
    assert not its.share.any()
    assert not its.height.any()


@pytest.mark.parametrize(("tall", "counts"), [(2.4, False), (2.6, True)])
def test_what_is_lower_than_a_storey_is_no_building(tall: float, counts: bool) -> None:
    assert found(houses((60, 60, 20, 20, tall))).share.any() == counts


def test_where_heights_are_not_known_nothing_stands() -> None:
    block = houses(BLOCK)
    its = found(lambda x, y: np.where(x > WEST + 70, -3.4e38, block(x, y)))
    np.testing.assert_allclose(its.share[6:8, 6:8], [[1, 0], [1, 0]])
    assert np.isfinite(its.height).all()


def footprints_of(folder: Path, *boxes: Box) -> str:
    shapes = [shapely.box(WEST + x, SOUTH + y, WEST + x + a, SOUTH + y + b) for x, y, a, b, _ in boxes]
    geopandas.GeoDataFrame({"geometry": shapes}, crs=25833).to_file(path := folder / "houses.gpkg", driver="GPKG")
    return str(path)


def test_with_footprints_buildings_are_those_and_their_heights_are_the_surfaces(tmp_path: Path) -> None:
    path = footprints_of(tmp_path, BLOCK, HUT)
    its = found(houses(BLOCK, LOW), path)  # one is gone since, one is not in the map
    share, height = np.zeros((20, 20)), np.zeros((20, 20))
    share[6:8, 6:8], height[6:8, 6:8], share[3, 2] = 1, 20, 0.36
    np.testing.assert_allclose(its.share, share, atol=1e-6)
    np.testing.assert_allclose(its.height, height, atol=1e-3)
    assert its.source == "bygninger"


def test_a_footprint_under_unknown_heights_counts_and_has_none(tmp_path: Path) -> None:
    its = found(flat(-3.4e38), footprints_of(tmp_path, BLOCK))
    assert (its.share[6, 6], its.height[6, 6]) == (1, 0)


def test_heights_or_footprints_that_cannot_be_had_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"^bygninger: "):
        found(houses(BLOCK), str(tmp_path / "absent.gpkg"))
    with Coverages() as service:
        service.instead = lambda asked: EXCEPTION if asked.model == "dtm" else None
        with pytest.raises(SourceError, match=r"^kartverket_wcs: .*the raster is away"):
            of_service(service)
