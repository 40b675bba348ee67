"""A single peak in the sea at a known geodesic azimuth and distance, and ways to be wrong about it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from kernels.horizon.levels import Level
from tests.kernels.horizon import land, reference
from tests.kernels.horizon.reference import Floats

PLACES = {"Bergen": (60.39, 5.32), "Oslo": (59.91, 10.75), "Tromso": (69.65, 18.96), "Vadso": (70.07, 29.75)}
HEIGHTS = {5e3: 600.0, 30e3: 1500.0, 90e3: 2500.0, 140e3: 4000.0}
SLOPE = 0.3


class Sight(NamedTuple):
    """Where a peak stands, degrees."""

    azimuth: float
    elevation: float


@dataclass(frozen=True)
class Scene:
    """An observer on the shore and a peak; its azimuth is that of a bin, so that one ray meets the tip."""

    place: str
    distance: float
    azimuth: float

    def __str__(self) -> str:
        return f"{self.place}-{self.distance / 1000:.0f}km-{self.azimuth:.1f}"

    @property
    def bin(self) -> int:
        return round(2 * self.azimuth)

    @property
    def height(self) -> float:
        return HEIGHTS[self.distance]

    @property
    def eye(self) -> float:
        return 1.5

    @property
    def observer(self) -> tuple[float, float]:
        lat, lon = PLACES[self.place]
        return reference.placed(lat, lon, 0.0, 0.0)

    def terrain(self) -> Level:
        """The heights at full resolution."""
        return _terrain(self)

    def levels(self) -> list[Level]:
        """The heights as tiles are built from them: the finest near by, farther off maxima of 5 x 5 cells."""
        whole = self.terrain()
        return [land.around(whole, *self.observer, min(15e3, 1.2 * self.distance), whole=5), land.maxima(whole, 5)]

    def expected(self) -> Sight:
        return Sight(self.azimuth, float(reference.exact_elevation(self.distance, self.height, self.eye)))


@cache
def _terrain(scene: Scene) -> Level:
    peak = reference.placed(*PLACES[scene.place], scene.azimuth, scene.distance)
    return land.cone_over_sea(scene.observer, peak, scene.height, SLOPE, 10.0 if scene.distance < 10e3 else 50.0)


SCENES = [
    Scene(place, distance, azimuth)
    for (place, distance), azimuth in zip(
        [(place, distance) for place in PLACES for distance in HEIGHTS],
        np.arange(16) * 67.5 % 360 + np.tile([3.0, 11.5, 20.0, 40.5], 4),
        strict=True,
    )
]


def seen(elevation: Floats) -> Sight:
    """The peak of a profile that has nothing else above the plane: half way between its flanks, and its height."""
    e = np.maximum(np.nan_to_num(np.asarray(elevation, dtype=np.float64), nan=-90), 0)
    top = int(e.argmax())
    e = np.roll(e, 360 - top)
    half = e[360] / 2
    flanks = []
    for way in (-1, 1):
        n = next(n for n in range(1, 360) if e[360 + way * n] < half)
        inner, outer = e[360 + way * (n - 1)], e[360 + way * n]
        flanks.append(way * (n - 1 + (inner - half) / (inner - outer)))
    return Sight((top + sum(flanks) / 2) / 2 % 360, float(e[360]))


def agrees(one: Sight, other: Sight) -> bool:
    """Within a quarter of a bin and a twentieth of a degree of elevation."""
    return (
        abs((one.azimuth - other.azimuth + 180) % 360 - 180) <= 0.125 and abs(one.elevation - other.elevation) <= 0.05
    )


def _told(scene: Scene, azimuth: float = 0.0, elevation: float = 0.0) -> Sight:
    right = scene.expected()
    return Sight((right.azimuth + azimuth) % 360, right.elevation + elevation)


def _turned(scene: Scene) -> float:
    return reference.convergence(*scene.observer)


MUTANTS: dict[str, Callable[[Scene], Sight]] = {
    "counter-clockwise": lambda s: _told(s, azimuth=-2 * s.azimuth),
    "from the south": lambda s: _told(s, azimuth=180),
    "from the grid's north": lambda s: _told(s, azimuth=-_turned(s)),
    "convergence the wrong way": lambda s: _told(s, azimuth=2 * _turned(s)),
    "half a bin on": lambda s: _told(s, azimuth=0.25),
    "half a bin back": lambda s: _told(s, azimuth=-0.25),
    "a bin on": lambda s: _told(s, azimuth=0.5),
    "radians": lambda s: Sight(s.azimuth, np.radians(s.expected().elevation)),
    "percent": lambda s: Sight(s.azimuth, 100 * np.tan(np.radians(s.expected().elevation))),
    "depression": lambda s: Sight(s.azimuth, -s.expected().elevation),
}
"""What a wrong convention would make of a scene: each must be told from the right one."""

FAR_MUTANTS: dict[str, Callable[[Scene], Sight]] = {
    "flat earth": lambda s: Sight(s.azimuth, float(np.degrees(np.arctan((s.height - s.eye) / s.distance)))),
    "no refraction": lambda s: _told(s, elevation=-_bent(s)),
    "refraction downwards": lambda s: _told(s, elevation=-2 * _bent(s)),
}
"""The same, from 100 km on."""


def _bent(scene: Scene) -> float:
    return float(np.degrees(reference.REFRACTION * scene.distance / (2 * reference.EARTH_RADIUS)))
