"""A roof as data: planes with polygons, edges by kind, obstacles.

All positions are in a local frame: metres to true east and true north of a point, so that azimuths are from true north
and areas are those on the ground. Azimuth is where a plane falls to, degrees clockwise from north.
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import shapely
from shapely import Polygon

Form = Literal["flatt", "pulttak", "saltak", "valm", "halvvalm", "sammensatt"]
EdgeKind = Literal["eave", "gable", "ridge", "hip", "valley", "wall"]

FLAT_BELOW = 6.0
"""Tilt below which a plane counts as flat, degrees."""

LEAST_SURE = 0.3
"""Confidence below which a pitched surface gets no modules."""


class Plane(NamedTuple):
    """A plane z = a x + b y + c, in m."""

    a: float
    b: float
    c: float

    @property
    def tilt(self) -> float:
        """Angle from level, degrees."""
        return math.degrees(math.atan(math.hypot(self.a, self.b)))

    @property
    def azimuth(self) -> float:
        """Where it falls to, degrees clockwise from north; of no meaning for a level plane."""
        return math.degrees(math.atan2(-self.a, -self.b)) % 360

    @property
    def stretch(self) -> float:
        """Area on the slope divided by area in plan."""
        return math.sqrt(1 + self.a**2 + self.b**2)

    def height(self, x: float, y: float) -> float:
        """Return z at a place, m."""
        return self.a * x + self.b * y + self.c


class Edge(NamedTuple):
    """A straight piece of a surface's outline.

    Parameters
    ----------
    start, end : (float, float)
        m; the surface lies to the left.
    kind : {"eave", "gable", "ridge", "hip", "valley", "wall"}
        `wall`: a higher part of the building, or a step down to a lower one.
    other : int or None
        Number of the surface beyond it.
    """

    start: tuple[float, float]
    end: tuple[float, float]
    kind: EdgeKind
    other: int | None = None


@dataclass(frozen=True)
class Surface:
    """One plane of a roof.

    Parameters
    ----------
    number : int
        From 1.
    plane : Plane
    polygon : Polygon
        In plan, m.
    edges : tuple of Edge
        Of its rings.
    residual : float
        Standard deviation of the heights from the plane, m.
    confidence : float
        That tilt and azimuth are within 3 degrees, 0 to 1.
    """

    number: int
    plane: Plane
    polygon: Polygon
    edges: tuple[Edge, ...] = ()
    residual: float = 0.0
    confidence: float = 1.0

    @property
    def is_flat(self) -> bool:
        """Whether it is laid out as a flat roof."""
        return self.plane.tilt < FLAT_BELOW

    @property
    def area(self) -> float:
        """Area on the slope, m2."""
        return float(self.polygon.area) * self.plane.stretch

    @property
    def sides(self) -> tuple[Edge, ...]:
        """Its edges; where they are not known, those of its rings, as gables."""
        rings = (ring.coords for ring in shapely.get_rings(self.polygon))
        return self.edges or tuple(Edge(start, end, "gable") for ring in rings for start, end in pairwise(ring))


@dataclass(frozen=True)
class Obstacle:
    """Something on a roof.

    Parameters
    ----------
    polygon : Polygon
        In plan, m.
    kind : str
        A key of `obstacle_clearance_m`: `pipe`, `takluke`, `annet` and so on.
    height : float or None
        Above the plane, m; None where only an image shows it.
    source : {"hoydemodell", "bilde"}
    surface : int or None
        Number of the surface that it stands on.
    """

    polygon: Polygon
    kind: str
    height: float | None
    source: Literal["hoydemodell", "bilde"]
    surface: int | None = None


@dataclass(frozen=True)
class Roof:
    """A roof.

    Parameters
    ----------
    outline : Polygon
        m.
    surfaces : tuple of Surface
    obstacles : tuple of Obstacle
    form : str
    axis : float
        Direction of the building's long side, degrees clockwise from north, 0 to 180.
    height : float
        Of the highest point above the ground, m.
    """

    outline: Polygon
    surfaces: tuple[Surface, ...]
    obstacles: tuple[Obstacle, ...]
    form: Form
    axis: float
    height: float
