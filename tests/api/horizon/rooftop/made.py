"""Surfaces that tests make up, as squares of heights without any service."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from api.data.heights.block import Block, Square, pack, unpack
from api.data.horizons import Horizon, View
from api.horizon.rooftop.calculation import Roof
from api.horizon.rooftop.heights import around
from api.horizon.schemas import RooftopRequest
from catalog.sources.kartverket.heights import Heights
from kernels import utm
from kernels.horizon import earth
from tests.api.fabricated import entry
from tests.support.coverages import Surface, flat

OSLO, VADSO = (59.9139, 10.7522), (70.074, 29.749)  # at Vadsø the map's north is 13.9 degrees off


def heights(square: Square, surface: Surface, year: int | None = 2021, origin: str = "live") -> Heights:
    """A square of a surface."""
    west, south, east, north = square.bounds
    x, y = np.arange(west, east) + 0.5, np.arange(south, north) + 0.5
    z = np.broadcast_to(surface(x[None, :], y[:, None]), (len(y), len(x))).astype(np.float32)
    return Heights(z, west, south, 1.0, year, origin, {})  # type: ignore[arg-type]


def blocks(x: float, y: float, dom: Surface, dtm: Surface | None = None) -> dict[Square, Block]:
    """All squares that a point needs."""
    of = {"dom": dom, "dtm": dtm or flat(100.0)}
    return {square: unpack(square, pack(heights(square, of[square.model]))) for square in around(x, y)}


def observer(
    x: float,
    y: float,
    height: float,
    land: Mapping[Square, Block],
    far: View | None = None,
    z: float | None = None,
) -> Roof:
    """An observer."""
    lat, lon = map(float, utm.inverse(x, y))
    request = RooftopRequest.model_construct(lat=lat, lon=lon, observer_height_m=height, observer_z_masl=z)
    return Roof(request, x, y, land, far)


def place(lat: float, lon: float) -> tuple[float, float]:
    """A place in UTM 33, m."""
    x, y = utm.forward(lat, lon)
    return float(x), float(y)


class Around:
    """True directions and distances around a point, of map coordinates."""

    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y
        self._turn, self._scale = float(earth.convergence(x, y)), float(earth.scale(x, y))

    def east_north(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """How far to the true east and north of the point, m on the ground."""
        dx, dy = np.broadcast_arrays((x - self.x) / self._scale, (y - self.y) / self._scale)
        a = math.radians(self._turn)
        return dx * math.cos(a) + dy * math.sin(a), dy * math.cos(a) - dx * math.sin(a)


def view(
    elevation: float,
    distance: float,
    ground: float | None = 100.0,
    origin: str = "live",
    beyond: tuple[float, float] | None = None,
) -> View:
    """Level 1 with the same everywhere; `beyond` is what stands behind what is near, if anything is."""
    horizon = Horizon(np.full(720, elevation), entry(product="horizon", data_origin=origin), (2000, 3300), 2019)
    behind = [np.full(720, value) for value in beyond or (elevation, distance)]
    return View(horizon, *OSLO, np.full(720, distance), behind[0], behind[1], ground, {})
