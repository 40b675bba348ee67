"""Things around an eye as exact geometry: whether they hide a ray, and by formula how high they stand by azimuth.

East, north and up from the eye, m; everything reaches far below it.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Point = tuple[float, float]

FOOT = -30.0


class Thing(Protocol):
    """A body that hides a part of the sky."""

    def hides(self, rays: Floats) -> NDArray[np.bool_]:
        """Return which unit vectors (3, n) that do not point down it hides."""
        ...

    def elevation(self, azimuth: Floats) -> Floats:
        """Degrees, of azimuths (n,) in degrees; -90 where it is not."""
        ...


class Solid(NamedTuple):
    """A convex solid: all x with normals @ x <= offsets; its edges as pairs of corners (k, 2, 3)."""

    normals: Floats
    offsets: Floats
    edges: Floats

    def hides(self, rays: Floats) -> NDArray[np.bool_]:
        """Return whether rays enter through its faces before they leave; only rays in the cone of its corners may."""
        corners = self.edges.reshape(-1, 3)
        corners = corners / np.linalg.norm(corners, axis=1)[:, None]
        axis = corners.mean(axis=0)
        widest = (corners @ axis).min()
        hidden = axis @ rays >= (widest if widest > 0 else -1.0)
        hidden[hidden] = self._enters(rays[:, hidden])
        return hidden

    def _enters(self, rays: Floats) -> NDArray[np.bool_]:
        enters, leaves = np.zeros(rays.shape[1]), np.full(rays.shape[1], np.inf)
        for normal, offset in zip(self.normals, self.offsets, strict=True):
            along = normal @ rays
            with np.errstate(divide="ignore"):
                at = offset / along
            enters = np.where(along < 0, np.maximum(enters, at), enters)
            leaves = np.where(along > 0, np.minimum(leaves, at), leaves)
        return enters < leaves

    def elevation(self, azimuth: Floats) -> Floats:
        """The highest edge in a direction."""
        east, north = np.sin(np.radians(azimuth)), np.cos(np.radians(azimuth))
        best = np.full(azimuth.size, -np.inf)
        for one, other in self.edges:
            aside, other_aside = (p[0] * north - p[1] * east for p in (one, other))
            with np.errstate(divide="ignore", invalid="ignore"):
                part = aside / (aside - other_aside)
                at = one[:, None] + part * (other - one)[:, None]
                away = at[0] * east + at[1] * north
                found = np.where((part >= 0) & (part <= 1) & (away > 0), at[2] / away, -np.inf)
            best = np.maximum(best, found)
        return np.degrees(np.arctan(best))


class Ball(NamedTuple):
    """A sphere whose centre is as high as the eye."""

    middle: Point
    radius: float

    def hides(self, rays: Floats) -> NDArray[np.bool_]:
        along = self.middle[0] * rays[0] + self.middle[1] * rays[1]
        squared = self.middle[0] ** 2 + self.middle[1] ** 2
        return (along > 0) & (squared - along**2 < self.radius**2)

    def elevation(self, azimuth: Floats) -> Floats:
        """Return the elevation of the circle that the sphere is cut in."""
        away, aside = _around(self.middle, azimuth)
        radius = np.sqrt(np.maximum(self.radius**2 - aside**2, 0.0))
        with np.errstate(invalid="ignore"):
            return np.where((radius > 0) & (away > 0), np.degrees(np.arcsin(radius / away)), -90.0)


class Column(NamedTuple):
    """An upright cylinder."""

    middle: Point
    radius: float
    top: float

    def hides(self, rays: Floats) -> NDArray[np.bool_]:
        a = rays[0] ** 2 + rays[1] ** 2
        b = self.middle[0] * rays[0] + self.middle[1] * rays[1]
        c = self.middle[0] ** 2 + self.middle[1] ** 2 - self.radius**2
        root = np.sqrt(np.maximum(b**2 - a * c, 0.0))
        return (b > 0) & (root > 0) & (rays[2] * (b - root) < self.top * np.maximum(a, 1e-12))

    def elevation(self, azimuth: Floats) -> Floats:
        """Return the elevation of its upper rim where it is nearest."""
        away, aside = _around(self.middle, azimuth)
        half = np.sqrt(np.maximum(self.radius**2 - aside**2, 0.0))
        return np.where((half > 0) & (away > 0), np.degrees(np.arctan(self.top / (away - half))), -90.0)


class Cone(NamedTuple):
    """A hill: its tip, and the radius in which it is as high as the eye."""

    middle: Point
    radius: float
    top: float

    def hides(self, rays: Floats) -> NDArray[np.bool_]:
        """Return whether rays come under the surface: (top - up t) k = distance from the axis, for some t > 0."""
        k = (self.radius / self.top) ** 2
        a = rays[0] ** 2 + rays[1] ** 2 - k * rays[2] ** 2
        b = -(self.middle[0] * rays[0] + self.middle[1] * rays[1]) + k * self.top * rays[2]
        c = self.middle[0] ** 2 + self.middle[1] ** 2 - self.radius**2
        root = b**2 - a * c
        with np.errstate(divide="ignore", invalid="ignore"):
            at = (-b - np.sqrt(np.maximum(root, 0.0))) / a
            return (root > 0) & (at > 0) & (rays[2] * at < self.top)

    def elevation(self, azimuth: Floats) -> Floats:
        """Return the elevation of the plane through the eye that touches it."""
        away = np.hypot(*self.middle)
        off = np.radians(azimuth) - np.arctan2(*self.middle)
        slope = self.top / self.radius
        touch = self.top * np.cos(off) - np.abs(np.sin(off)) * np.sqrt((slope * away) ** 2 - self.top**2)
        return np.where((touch > 0) & (np.cos(off) > 0), np.degrees(np.arctan(touch / away)), -90.0)


class Scene(NamedTuple):
    """Several things."""

    things: Sequence[Thing]

    def hides(self, rays: Floats) -> NDArray[np.bool_]:
        """Return which unit vectors (3, n) are hidden; those below the horizontal plane are."""
        hidden = rays[2] < 0
        for thing in self.things:
            hidden |= thing.hides(rays)
        return hidden

    def profile(self) -> Floats:
        """The horizon in 720 directions, degrees (720,)."""
        azimuth = np.arange(720) / 2
        return np.max([np.full(720, -90.0), *(thing.elevation(azimuth) for thing in self.things)], axis=0)


def _around(middle: Point, azimuth: Floats) -> tuple[Floats, Floats]:
    east, north = np.sin(np.radians(azimuth)), np.cos(np.radians(azimuth))
    return middle[0] * east + middle[1] * north, middle[0] * north - middle[1] * east


def box(middle: Point, size: Point, top: float, turn: float = 0.0) -> Solid:
    """An upright box: its middle, its length and width, and the azimuth of its length, degrees."""
    return _prism(middle, size, turn, [(-0.5, top), (0.5, top)])


def gable(middle: Point, size: Point, eaves: float, ridge: float, turn: float = 0.0) -> Solid:
    """A house whose ridge runs along its length."""
    return _prism(middle, size, turn, [(-0.5, eaves), (0.0, ridge), (0.5, eaves)])


def _prism(middle: Point, size: Point, turn: float, outline: Sequence[tuple[float, float]]) -> Solid:
    """Body below an outline of (part of the width, height) from side to side, along its length."""
    angle = np.radians(turn)
    along, across = np.array([np.sin(angle), np.cos(angle), 0]), np.array([np.cos(angle), -np.sin(angle), 0])
    centre, up = np.array([*middle, 0.0]), np.array([0.0, 0.0, 1.0])
    ring = [(-0.5, FOOT), *outline, (0.5, FOOT)]
    ends = [[centre + side * along * size[0] / 2 + p * across * size[1] + z * up for p, z in ring] for side in (-1, 1)]
    edges = [(end[i], end[i + 1]) for end in ends for i in range(len(ring) - 1)] + list(zip(*ends, strict=True))
    faces = [(along, centre @ along + size[0] / 2), (-along, -centre @ along + size[0] / 2)]
    for i in range(len(ring) - 1):
        step = ends[0][i + 1] - ends[0][i]
        normal = np.cross(along, step)
        normal *= np.sign(normal @ (ends[0][i] - (centre + FOOT * up))) / np.linalg.norm(normal)
        faces.append((normal, normal @ ends[0][i]))
    return Solid(np.array([f[0] for f in faces]), np.array([f[1] for f in faces]), np.array(edges))


SCENES = {
    "none": Scene([]),
    "wall": Scene([box((0.0, -14.0), (400.0, 4.0), 9.0, 90.0)]),
    "tree": Scene([Ball((-5.0, -13.0), 6.0)]),
    "valley": Scene([gable((600.0, 600.0), (9000.0, 900.0), -20.0, 220.0, 135.0),
                     gable((-500.0, -500.0), (9000.0, 800.0), -20.0, 300.0, 130.0)]),
    "tower": Scene([box((15.0, -42.0), (18.0, 22.0), 55.0, 20.0)]),
    "houses": Scene([gable((x, -22.0 - 0.2 * x), (11.0, 8.0), 2.5, 5.5, 80.0) for x in (-48.0, -30.0, -12.0, 6.0)]),
    "hill": Scene([Cone((900.0, 100.0), 700.0, 330.0)]),
    "canyon": Scene([box((8.0 + 6.0, 10.0), (300.0, 12.0), 13.0, 5.0), box((-16.0, 0.0), (300.0, 14.0), 17.0, 5.0)]),
    "ridge": Scene([gable((4.5, -6.5), (14.0, 8.0), -1.0, 2.4, 110.0)]),
    "mast": Scene([Column((1.0, -9.0), 0.25, 14.0)]),
}  # fmt: skip
