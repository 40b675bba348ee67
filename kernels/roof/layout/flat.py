"""Racks on a flat surface, in fields between walkways."""

import math
from typing import Any

import numpy as np
import shapely

from kernels.roof.layout.bands import ROWS_GAIN, Packing, best_lattice, best_rows, corner_edges
from kernels.roof.layout.frame import Frame
from kernels.roof.layout.result import Candidate, Zone, zone_of
from kernels.roof.layout.rules import GAP, Module, Mounting, Options, Rules, rack_of
from kernels.roof.roof import Roof, Surface
from kernels.roof.straight import long_side

COMPASS_GAIN = 1.05
"""Rows by compass are chosen by `auto` where they hold more than so many times the modules of rows by the building."""


def lay_flat(surface: Surface, roof: Roof, free: Any, module: Module, options: Options, rules: Rules) -> Candidate:
    """Return the racks of a flat surface.

    Parameters
    ----------
    surface : Surface
        Taken as level.
    roof : Roof
    free : shapely geometry
        That may hold modules, in plan.
    module : Module
    options : Options
    rules : Rules
    """
    mountings: tuple[Mounting, ...] = ("south", "east_west") if options.mounting == "auto" else (options.mounting,)
    axis = roof.axis if rules.common_row_direction else math.degrees(math.atan2(*long_side(surface.polygon))) % 180
    candidates = []
    for mounting in mountings:
        compass = 90.0 if mounting == "south" else 0.0
        # Of the building's two directions the one that lets modules face more to the south, or to east and west.
        building = min((axis, axis + 90), key=lambda azimuth: round(_between(azimuth, compass), 6)) % 180
        azimuths = {"building": [building], "compass": [compass], "auto": [building, compass]}[options.direction]
        if options.row_azimuth is not None:
            azimuths = [options.row_azimuth % 180]
        ways = [_lay(surface, free, azimuth, (mounting, module, options), rules) for azimuth in azimuths]
        candidates.append(ways[-1] if ways[-1].rank[0] > COMPASS_GAIN * ways[0].rank[0] else ways[0])
    return max(candidates, key=lambda candidate: candidate.rank[0])


def _lay(
    surface: Surface, free: Any, row_azimuth: float, what: tuple[Mounting, Module, Options], rules: Rules
) -> Candidate:
    rack, module, frame = rack_of(*what), what[1], Frame.level(row_azimuth)
    region = frame.into(free)
    fields, lanes = _divided(region, rules)
    zone = zone_of("gang", "regler", frame.plan(lanes), (surface.number, surface.polygon, frame))
    pitch = module.length + GAP, rack.spacing
    packings = tuple(_pack(field, (module.length, rack.depth), pitch, rules) for field in fields)
    deep = module.width * math.cos(math.radians(rack.tilt))
    parts = tuple((across, rack.tilt, (row_azimuth + turn) % 360) for across, turn in rack.modules)
    zones: tuple[Zone, ...] = () if zone is None else (zone,)
    return Candidate(frame, packings, (module.length, deep), parts, zones, rack.spacing)


def _pack(field: Any, size: tuple[float, float], pitch: tuple[float, float], rules: Rules) -> Packing:
    """Return the lattice of a field; rows that begin anywhere if the rules permit and that gains 10 %."""
    edges = corner_edges(field, *size)
    lattice = best_lattice(edges, pitch, rules.min_run_modules)
    if rules.align_columns:
        return lattice
    rows = best_rows(edges, pitch, rules.min_run_modules)
    return rows if rows.row.size >= ROWS_GAIN * lattice.row.size else lattice


def _cuts(low: float, high: float, rules: Rules, *, divide: bool) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return where the fields between walkways begin and end (n, 2): the fewest, equal ones within the interval."""
    length, width, interval = high - low, rules.lane_width_m, rules.lane_interval_m
    lanes = max(math.ceil((length - interval) / (interval + width) - 1e-9), 0) if divide and width > 0 else 0
    field = (length - lanes * width) / (lanes + 1)
    begin = low + np.arange(lanes + 1) * (field + width)
    return np.stack([begin, begin + field], axis=1)


def _divided(region: Any, rules: Rules) -> tuple[list[Any], Any]:
    """Return the fields of a region, in the frame of its rows, and the walkways between them."""
    if region.is_empty:
        return [], region
    west, south, east, north = region.bounds
    across = _cuts(west, east, rules, divide=rules.lanes_across_rows)
    up = _cuts(south, north, rules, divide=rules.lanes_along_rows)
    lanes = [shapely.box(a, south, b, north) for a, b in zip(across[:-1, 1], across[1:, 0], strict=True)]
    lanes += [shapely.box(west, a, east, b) for a, b in zip(up[:-1, 1], up[1:, 0], strict=True)]
    fields = [region.intersection(shapely.box(u0, v0, u1, v1)) for v0, v1 in up for u0, u1 in across]
    return [field for field in fields if field.area > 0], shapely.union_all(lanes)


def _between(azimuth: float, other: float) -> float:
    """Return the angle between two directions that have no sense, degrees."""
    return abs((azimuth - other + 90) % 180 - 90)
