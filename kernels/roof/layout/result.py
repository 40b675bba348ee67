"""What a layout consists of: modules by surface, and the zones that stay free."""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from kernels.roof.layout.bands import Packing
from kernels.roof.layout.frame import Frame
from kernels.roof.layout.rules import Orientation

Floats = NDArray[np.float64]

REGULAR_FROM = 0.9
"""Rectangularity from which a lattice counts as regular."""


class Reason(NamedTuple):
    """Why a surface is laid out as it is; sentences are the API's.

    Parameters
    ----------
    key : str
        Of a surface without modules: `shade`, `no_room`, `unsure` (heights show too little of it), `not_south`,
        `steep_north` (steepest permitted, degrees). Of rows along the eave: `eave` (its skew, degrees; modules and
        rectangularity, and those of level rows). Of a grid: `irregular`, `shifted` (modules that shifted rows would
        add).
    values : tuple of float
    """

    key: Literal["shade", "no_room", "unsure", "not_south", "steep_north", "eave", "irregular", "shifted"]
    values: tuple[float, ...] = ()


class Zone(NamedTuple):
    """A part of a surface that stays free.

    Parameters
    ----------
    kind : str
        `kant`, `kant_skraa`, `mone`, `tilkomst`, `gang`, `skygge`, or the kind of an obstacle.
    source : {"regler", "hoydemodell", "bilde"}
    polygon : Polygon or MultiPolygon
        In plan, m.
    area : float
        On the slope, m2.
    surface : int
        Number of the surface.
    """

    kind: str
    source: str
    polygon: Any
    area: float
    surface: int


class Group(NamedTuple):
    """Modules that face the same way.

    Parameters
    ----------
    modules : float64 (n, 4, 2)
        Corners in plan, m.
    tilt, azimuth : float
        Degrees.
    """

    modules: Floats
    tilt: float
    azimuth: float


class Grid(NamedTuple):
    """How regular the modules of a surface stand (`nett` of the API).

    Parameters
    ----------
    per_row, per_column : tuple of int
        Modules in each row and column of positions that has any; the columns of rows that are shifted are none.
    regular : bool
        One lattice in each field, of rectangularity 0.9 or more.
    rectangularity : float
        Number of modules divided by rows times columns of the smallest rectangle around them.
    obstacles : int
        Number of obstacles that take room.
    warnings : tuple of Reason
        That it is irregular and no obstacle explains it; what shifted rows would gain.
    """

    per_row: tuple[int, ...] = ()
    per_column: tuple[int, ...] = ()
    regular: bool = True
    rectangularity: float = 1.0
    obstacles: int = 0
    warnings: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class SurfaceLayout:
    """The modules of one surface.

    Parameters
    ----------
    surface : int
        Number.
    mounting : {"pitched", "south", "east_west"}
    row_azimuth : float
        Direction of the rows in plan, degrees, 0 to 180.
    reason : Reason or None
        Why it is not used, or why its rows follow its eave.
    groups : tuple of Group
        One; of east-west racks two.
    orientation : {"portrait", "landscape"}
        Of the long side: up the slope, or along the row.
    grid : Grid
    alignment : {"takflate", "raft"}
        Rows along the plane's horizontal or the building, or along the surface's own eave.
    free : Polygon or MultiPolygon
        That may hold modules, in plan, m.
    usable_area : float
        Of that on the slope, m2.
    spacing : float or None
        From rack to rack, m; None in the roof's plane.
    lost_to_shade : int
        Modules left out for more shade than the rules accept.
    shade : float or None
        Mean loss of beam of its modules, 0 to 1; None where shade was not reckoned.
    """

    surface: int
    mounting: Literal["pitched", "south", "east_west"]
    row_azimuth: float
    reason: Reason | None
    groups: tuple[Group, ...] = ()
    orientation: Orientation = "portrait"
    grid: Grid = field(default_factory=Grid)
    alignment: Literal["takflate", "raft"] = "takflate"
    free: Any = field(default_factory=Polygon)
    usable_area: float = 0.0
    spacing: float | None = None
    lost_to_shade: int = 0
    shade: float | None = None

    @property
    def used(self) -> bool:
        """Return whether it has modules."""
        return self.count > 0

    @property
    def modules(self) -> Floats:
        """Corners of all modules in plan, float64 (n, 4, 2)."""
        return np.concatenate([group.modules for group in self.groups]) if self.groups else np.empty((0, 4, 2))

    @property
    def count(self) -> int:
        """Number of modules."""
        return sum(len(group.modules) for group in self.groups)


@dataclass(frozen=True)
class Layout:
    """The modules of a roof.

    Parameters
    ----------
    surfaces : tuple of SurfaceLayout
        In the roof's order.
    zones : tuple of Zone
    gross_area, usable_area, module_area : float
        Of all surfaces on the slope; of what may hold modules; of the modules themselves; m2.
    kwp : float
    """

    surfaces: tuple[SurfaceLayout, ...]
    zones: tuple[Zone, ...]
    gross_area: float
    usable_area: float
    module_area: float
    kwp: float

    @property
    def count(self) -> int:
        """Number of modules."""
        return sum(surface.count for surface in self.surfaces)


class Candidate(NamedTuple):
    """One way to lay a surface out, before shade is looked at.

    Parameters
    ----------
    frame : Frame
    packings : tuple of Packing
        One for each field between walkways.
    size : (float, float)
        Of a module in the frame, m.
    parts : tuple of (float, float, float)
        For each module of a position: where it begins across the row, m, its tilt and azimuth.
    zones : tuple of Zone
        Its walkways.
    spacing : float
        From rack to rack, m; 0 in a roof's plane.
    """

    frame: Frame
    packings: tuple[Packing, ...]
    size: tuple[float, float]
    parts: tuple[tuple[float, float, float], ...]
    zones: tuple[Zone, ...] = ()
    spacing: float = 0.0

    @property
    def rank(self) -> tuple[int, float]:
        """By which one is better than another: number of modules, then regularity."""
        return sum(packing.row.size for packing in self.packings) * len(self.parts), round(self.rectangularity, 9)

    @property
    def rectangularity(self) -> float:
        """Of all fields together."""
        around = sum(packing.row.size / packing.rectangularity for packing in self.packings)
        return sum(packing.row.size for packing in self.packings) / around if around else 1.0

    def corners(self, packing: Packing, across: float) -> Floats:
        """Return the corners (n, 4, 2) in plan of the modules that begin somewhere across the row, m."""
        box = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * self.size + [0.0, across]
        return self.frame.points(packing.corner[:, None, :] + box)

    def groups(self) -> tuple[Group, ...]:
        """Return the modules by the way they face."""
        if not self.rank[0]:
            return ()
        return tuple(
            Group(np.concatenate([self.corners(packing, across) for packing in self.packings]), tilt, azimuth)
            for across, tilt, azimuth in self.parts
        )

    def grid(self, obstacles: int, gain: int = 0) -> Grid:
        """Return how regular it is.

        Parameters
        ----------
        obstacles : int
            Number of those that take room.
        gain : int
            Modules that shifted rows would add.
        """
        rows = [np.unique(packing.row, return_counts=True)[1] for packing in self.packings]
        columns = [
            np.unique(packing.column, return_counts=True)[1] for packing in self.packings if packing.order != "rows"
        ]
        each = len(self.parts)
        per_row, per_column = (tuple(each * int(n) for part in parts for n in part) for parts in (rows, columns))
        lattice = all(packing.order == "lattice" for packing in self.packings)
        regular = lattice and self.rectangularity >= REGULAR_FROM
        warnings = [] if regular or obstacles else [Reason("irregular")]
        warnings += [Reason("shifted", (gain,))] if gain else []
        return Grid(per_row, per_column, regular, self.rectangularity, obstacles, tuple(warnings))


def area_of(frame: Frame, shape: Any) -> float:
    """Return the area on the roof of a shape in plan, m2."""
    return float(shape.area * abs(np.linalg.det(frame.axes)))


def zone_of(kind: str, source: str, shape: Any, of: tuple[int, Polygon, Frame]) -> Zone | None:
    """Return the part of a shape in plan that is on a surface (number, polygon, frame) as a zone; None without area."""
    number, polygon, frame = of
    part = shapely.intersection(shape, polygon)
    parts = [piece for piece in shapely.get_parts(part) if piece.area > 1e-6]
    if not parts:
        return None
    part = shapely.union_all(parts) if len(parts) > 1 else parts[0]
    return Zone(kind, source, part, area_of(frame, part), number)
