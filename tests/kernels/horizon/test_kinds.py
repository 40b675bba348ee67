"""Kinds of near objects, on real and simulated surfaces."""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import rasterio
import rasterio.features
import shapely
from numpy.typing import NDArray

from kernels.horizon import earth
from kernels.horizon.levels import Level
from kernels.horizon.objects import near_objects
from kernels.horizon.rays import profile
from tests.kernels.horizon.land import NORTH

NONE = np.full(720, np.nan)
KINDS = ("terreng", "bygning", "vegetasjon", "ukjent")
CROWNS = {
    "jura": [(8, 4, 5), (46, 14, 6), (40, 10, 3), (27, 43, 3.5), (95, 26, 5), (97, 55, 5), (34, 58, 4), (41, 58, 4)],
    "delft_west": [(47, 84, 6), (19, 86, 8), (10, 101, 9), (13, 114, 4), (99, 128, 3.5), (107, 119, 5), (107, 155, 5),
                   (116, 144, 4), (64, 119, 3), (78, 30, 4.5), (88, 14, 4), (20, 57, 3), (15, 43, 3), (20, 40, 3)],
}  # fmt: skip
"""Trees that a hillshade of 0.25 m shows: m from the south-western corner, and their radius."""

Floats = NDArray[np.float64]


class Labelled(NamedTuple):
    """A surface, its ground, and what stands in each cell: 1 a building, 2 a plant, 0 nothing or not known."""

    surface: Level
    ground: Level
    label: NDArray[np.int64]

    def told(self, seed: int, observers: int) -> Floats:
        """The share of directions by what is there and what it is taken for, (3, 4), from points on open ground."""
        x0, y0 = self.surface.x0, self.surface.y0
        high = self.surface.z - self.ground.z
        draw, told = np.random.default_rng(seed), np.zeros((3, len(KINDS)))
        rows, columns = high.shape
        among = np.argwhere(high[20:-20, 20:-20] < 0.3) + 20
        for i, j in among[draw.integers(0, len(among), observers)]:
            x, y = float(x0 + j), float(y0 + i)
            near = profile(self.surface, x, y, float(self.ground.z[i, j]) + 2, reach=250, fan=5)
            objects, owner = near_objects(near, NONE, x, y, self.surface, self.ground)
            stands = np.flatnonzero(owner >= 0)
            azimuth = np.radians(stands / 2 - float(earth.convergence(x, y)))
            behind = near.distance[stands] + np.array([[0.0], [0.7], [1.4]])
            at = [np.rint(k + f(azimuth) * behind).astype(int) for k, f in ((i, np.cos), (j, np.sin))]
            seen = self.label[np.clip(at[0], 0, rows - 1), np.clip(at[1], 0, columns - 1)]
            sure = seen.min(axis=0) == seen.max(axis=0)
            kinds = np.array([KINDS.index(o.kind) for o in objects])[owner[stands]]
            np.add.at(told, (seen[0][sure], kinds[sure]), 1)
        return told / told.sum(axis=1, keepdims=True)


def real(folder: Path, place: str) -> Labelled:
    """Put where north of the map is true."""
    with rasterio.open(folder / f"{place}_dsm100.tif") as dom, rasterio.open(folder / f"{place}_dtm100.tif") as dtm:
        surface, ground = (Level(np.ascontiguousarray(f.read(1)[::-1]), 5e5, NORTH, 1.0) for f in (dom, dtm))
        outlines = json.loads((folder / f"{place}_outlines.geojson").read_text())["features"]
        shapes = [shapely.geometry.shape(f["geometry"]) for f in outlines]
        built = rasterio.features.rasterize(shapes, surface.z.shape, transform=dom.transform)[::-1] == 1
    north, east = np.mgrid[: surface.z.shape[0], : surface.z.shape[1]] + 0.5
    crown = np.any([np.hypot(east - x, north - y) < radius for x, y, radius in CROWNS[place]], axis=0)
    standing = surface.z - ground.z > 2
    return Labelled(surface, ground, np.where(standing, np.where(built, 1, 2 * crown), 0))


@pytest.mark.parametrize(("place", "buildings", "plants"), [("jura", 0.97, 0.75), ("delft_west", 0.90, 0.85)])
def test_real_roofs_are_told_from_real_trees(shared_data: Path, place: str, buildings: float, plants: float) -> None:
    """Jura: four detached houses among bushes; Delft: terraces with dormers among trees."""
    told = real(shared_data / "roofs", place).told(0, 25)
    assert told[1, KINDS.index("bygning")] > buildings
    assert told[2, KINDS.index("vegetasjon")] > plants
    assert told[2, KINDS.index("bygning")] < 0.05


@pytest.mark.slow
def test_simulated_houses_are_told_from_simulated_trees() -> None:
    from infra.simulator.heights import ground, surface
    from kernels import utm

    x, y = (np.floor(c) + 0.5 + np.arange(-250, 250) for c in utm.forward(59.93, 10.78))
    dom, dtm = surface.heights(x, y, 1.0), ground.heights(x, y, 1.0).astype(np.float32)
    levels = (Level(np.ascontiguousarray(z), float(x[0]), float(y[0]), 1.0) for z in (dom, dtm))
    built = np.isfinite(surface.roofs(x, y)[0])
    told = Labelled(*levels, np.where(built, 1, np.where(dom - dtm > 2, 2, 0))).told(0, 20)
    assert told[1, KINDS.index("bygning")] > 0.95
    assert told[2, KINDS.index("vegetasjon")] > 0.8
