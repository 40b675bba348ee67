"""What a user may ask of a layout: the module, the mounting, and the rules (`regler` of the API)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Mounting = Literal["auto", "south", "east_west"]
Direction = Literal["auto", "building", "compass"]
Orientation = Literal["portrait", "landscape"]

GAP = 0.02
"""Between neighbouring modules of a row and between rows in a roof's plane, m (clamps)."""

RIDGE_GAP = 0.05
"""Between the upper edges of the two modules of an east-west unit, m."""

SERVICE_GAP = 0.15
"""Between the lower edges of neighbouring east-west units where no spacing is given, m."""

DESIGN_ALTITUDE = 15.0
"""Altitude of the sun from which a row of south racks casts no shade on the next, degrees.

At 60 N noon is higher from 11 February to 30 October; at the solstice it is 6.5 degrees, for which rows would stand
three times as far apart.
"""

RACK_TILT = 10.0
"""Of modules on a flat roof where none is given, degrees."""

CLEARANCE_M: Mapping[str, float] = {
    "ventilasjon": 0.5, "kjoleaggregat": 1.0, "takluke": 0.5, "overlys": 0.5, "roykluke": 1.0, "pipe": 0.5,
    "heissjakt": 0.5, "takoppbygg": 0.5, "antenne": 0.3, "sluk": 0.3, "kile": 0.1, "brannvegg": 1.0, "solceller": 0.3,
    "terrasse": 0.5, "gront_tak": 0.3, "annet": 0.3,
}  # fmt: skip
"""Kept free around an obstacle by its kind, m."""

HEIGHT_M: Mapping[str, float] = {
    "ventilasjon": 1.0, "kjoleaggregat": 1.5, "takluke": 0.3, "overlys": 0.4, "roykluke": 0.5, "pipe": 1.0,
    "heissjakt": 3.0, "takoppbygg": 2.5, "antenne": 2.0, "sluk": 0.0, "kile": 0.1, "brannvegg": 0.5, "solceller": 0.0,
    "terrasse": 0.0, "gront_tak": 0.0, "annet": 0.5,
}  # fmt: skip
"""Height of an obstacle that was not measured, by its kind, m."""


class Module(NamedTuple):
    """A module.

    Parameters
    ----------
    wp : float
        Power, Wp.
    length, width : float
        m.
    """

    wp: float = 650.0
    length: float = 2.382
    width: float = 1.134


@dataclass(frozen=True)
class Options:
    """How modules are mounted.

    Parameters
    ----------
    mounting : {"auto", "south", "east_west"}
        Of flat roofs; `auto` is the one with more modules.
    direction : {"auto", "building", "compass"}
        Of the rows on flat roofs; `auto` is along the building, or by compass where that holds 5 % more modules.
    south_only : bool
        Of pitched surfaces only those that face south, +-90 degrees.
    row_spacing, unit_spacing : float or None
        From one south rack, or east-west unit, to the next, m.
    rack_tilt : float
        Degrees.
    row_azimuth : float or None
        That locks the rows' direction on flat roofs, 0 to 180 degrees.
    """

    mounting: Mounting = "east_west"
    direction: Direction = "auto"
    south_only: bool = False
    row_spacing: float | None = None
    unit_spacing: float | None = None
    rack_tilt: float = RACK_TILT
    row_azimuth: float | None = None


@dataclass(frozen=True)
class Rules:
    """Distances and limits, by their names in the API; on pitched roofs they are measured on the roof.

    Parameters
    ----------
    edge_setback_m, pitched_edge_setback_m : float
        From the edges of flat roofs; from eaves, gables, walls and valleys of pitched ones.
    ridge_setback_m : float
        From a ridge or hip beyond which there are modules too.
    pitched_access_edge, pitched_access_edge_m : bool, float
        Free zone along the eave of the surface with least sun, where all of two or more pitched surfaces are used.
    lane_width_m, lane_interval_m : float
        Walkways of flat roofs, and the widest field without one.
    shade_loss_max : float
        Of a module's beam irradiance in a year, 0 to 1.
    protrusion_min_m, protrusion_clearance_m : float
        Height from which something in the height model is an obstacle; clearance around what has no known kind.
    obstacle_north_factor, obstacle_ew_factor, obstacle_south_m : float
        Shade zones of flat roofs: times the height to the north, to east and west; m to the south.
    obstacle_clearance_m, obstacle_height_m : mapping
        By kind; what is left out is that of `CLEARANCE_M` and `HEIGHT_M`.
    min_run_modules : int
        Shortest row without a break.
    common_row_direction : bool
        Pitched surfaces share the row direction of the largest one where their own differs by less than 5 degrees;
        flat ones that of the building.
    align_columns : bool
        True keeps the columns of a lattice on pitched surfaces, at even distances or, where that gains at least 10 %,
        with wider gaps between some rows. False lets each row begin where it holds most, where that gains as much.
    pitched_north_max_tilt_deg : float
        Tilt up to which a pitched surface facing north is used.
    """

    edge_setback_m: float = 1.0
    pitched_edge_setback_m: float = 0.3
    ridge_setback_m: float = 0.6
    pitched_access_edge: bool = True
    pitched_access_edge_m: float = 1.0
    lane_width_m: float = 1.0
    lane_interval_m: float = 40.0
    lanes_along_rows: bool = True
    lanes_across_rows: bool = True
    shade_loss_max: float = 0.10
    protrusion_min_m: float = 0.3
    protrusion_clearance_m: float = 0.3
    obstacle_north_factor: float = 1.5
    obstacle_ew_factor: float = 0.7
    obstacle_south_m: float = 0.3
    obstacle_clearance_m: Mapping[str, float] = field(default_factory=dict)
    obstacle_height_m: Mapping[str, float] = field(default_factory=dict)
    min_run_modules: int = 2
    common_row_direction: bool = True
    align_columns: bool = True
    pitched_orientation: Literal["portrait", "landscape", "auto"] = "auto"
    pitched_north_max_tilt_deg: float = 20.0

    def clearance(self, kind: str) -> float:
        """Return what is kept free around a kind of obstacle, m."""
        return self.obstacle_clearance_m.get(kind, CLEARANCE_M.get(kind, CLEARANCE_M["annet"]))

    def height(self, kind: str) -> float:
        """Return how high a kind of obstacle is taken to be, m."""
        return self.obstacle_height_m.get(kind, HEIGHT_M.get(kind, HEIGHT_M["annet"]))


class Rack(NamedTuple):
    """What stands on a flat roof: one row of south racks, or of east-west units.

    Parameters
    ----------
    depth : float
        Of the row in plan, m.
    spacing : float
        From row to row, at least the depth, m.
    tilt : float
        Degrees.
    modules : tuple of (float, float)
        For each module of a unit: where it begins across the row, m, and by how much its azimuth exceeds the rows'.
    """

    depth: float
    spacing: float
    tilt: float
    modules: tuple[tuple[float, float], ...]


def rack_of(mounting: Mounting, module: Module, options: Options) -> Rack:
    """Return the rack of a module that lies with its long side along the row.

    Spacing where none is given, with L the module's width and b its tilt: L cos b + L sin b / tan(15 degrees) for south
    racks, 2 L cos b + 0.05 + 0.15 for east-west units.
    """
    tilt = math.radians(options.rack_tilt)
    deep = module.width * math.cos(tilt)
    if mounting == "south":
        clear = deep + module.width * math.sin(tilt) / math.tan(math.radians(DESIGN_ALTITUDE))
        return Rack(deep, max(options.row_spacing or clear, deep), options.rack_tilt, ((0.0, 90.0),))
    unit = 2 * deep + RIDGE_GAP
    spacing = max(options.unit_spacing or unit + SERVICE_GAP, unit)
    return Rack(unit, spacing, options.rack_tilt, ((0.0, 90.0), (deep + RIDGE_GAP, -90.0)))
