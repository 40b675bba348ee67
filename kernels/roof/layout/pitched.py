"""Modules in the plane of a pitched surface."""

import math
from typing import Any

from kernels.roof.layout.bands import ROWS_GAIN, best_lattice, best_rows, corner_edges
from kernels.roof.layout.frame import Frame
from kernels.roof.layout.result import Candidate, Reason
from kernels.roof.layout.rules import GAP, Module, Options, Rules
from kernels.roof.roof import LEAST_SURE, Surface

RAFT_FROM = 3.0
"""Skew of the longest eave against the plane's horizontal from which rows along the eave are tried, degrees."""

_PRINTED = math.sin(math.radians(0.05))  # what is printed as 90.0 degrees
# What faces farther from north than 60 degrees faces east or west.
_NORTH = math.cos(math.radians(60.0))

SHARED_WITHIN = 5.0
"""Surfaces share a row direction if their own differs by less, degrees."""


def reason_against(surface: Surface, options: Options, rules: Rules) -> Reason | None:
    """Return why a pitched surface gets no modules by the rules; None if it may."""
    if surface.confidence < LEAST_SURE:
        return Reason("unsure")
    tilt, south = surface.plane.tilt, -math.cos(math.radians(surface.plane.azimuth))
    if options.south_only and south < -_PRINTED:
        return Reason("not_south")
    if south < -_NORTH and tilt > rules.pitched_north_max_tilt_deg:
        return Reason("steep_north", (rules.pitched_north_max_tilt_deg,))
    return None


def sun_on(surface: Surface, latitude: float) -> float:
    """Return the sine of the noon sun's elevation above a plane at equinox: the order of surfaces by sun."""
    noon, tilt = math.radians(90 - latitude), math.radians(surface.plane.tilt)
    facing = -math.cos(math.radians(surface.plane.azimuth))
    return math.cos(tilt) * math.sin(noon) + math.sin(tilt) * math.cos(noon) * facing


def lay_pitched(
    surface: Surface, free: Any, module: Module, rules: Rules, lead: Frame | None
) -> tuple[Candidate, Reason | None]:
    """Return the modules of a pitched surface, and why rows follow its eave if they do.

    Parameters
    ----------
    surface : Surface
    free : shapely geometry
        That may hold modules, in plan.
    module : Module
    rules : Rules
    lead : Frame or None
        Of a surface whose row direction this one shares if its own is near.
    """
    own = Frame.sloping(surface.plane.tilt, surface.plane.azimuth)
    if lead is not None and abs(own.skew(lead.row_azimuth)) < SHARED_WITHIN:
        return _best(surface, free, module, rules, own.turned(own.skew(lead.row_azimuth))), None
    best = _best(surface, free, module, rules, own)
    eave = _eave_azimuth(surface)
    skew = 0.0 if eave is None else own.skew(eave)
    if abs(skew) <= RAFT_FROM:
        return best, None
    raft = _best(surface, free, module, rules, own.turned(skew))
    if raft.rank <= best.rank:
        return best, None
    return raft, Reason("eave", (abs(skew), *raft.rank[:2], *best.rank[:2]))


def better_rows(free: Any, module: Module, rules: Rules, lattice: Candidate, *, align: bool) -> Candidate | None:
    """Return rows, or rows in columns, that hold at least 10 % more modules than a lattice; None if there are none."""
    region = lattice.frame.into(free)
    candidates = [
        lattice._replace(
            packings=(best_rows(corner_edges(region, *size), _pitch(size), rules.min_run_modules, align=align),),
            size=size,
        )
        for size in _sizes(module, rules)
    ]
    best = max(candidates, key=lambda candidate: candidate.rank)
    return best if best.rank[0] >= max(ROWS_GAIN * lattice.rank[0], 1) else None


def _best(surface: Surface, free: Any, module: Module, rules: Rules, frame: Frame) -> Candidate:
    """Return the better lattice of the orientations that the rules permit; portrait where they are equal."""
    region, parts = frame.into(free), ((0.0, surface.plane.tilt, surface.plane.azimuth),)
    candidates = [
        Candidate(frame, (best_lattice(corner_edges(region, *size), _pitch(size), rules.min_run_modules),), size, parts)
        for size in _sizes(module, rules)
    ]
    return max(candidates, key=lambda candidate: candidate.rank)


def _sizes(module: Module, rules: Rules) -> list[tuple[float, float]]:
    sizes = {"portrait": (module.width, module.length), "landscape": (module.length, module.width)}
    return [size for name, size in sizes.items() if rules.pitched_orientation in ("auto", name)]


def _pitch(size: tuple[float, float]) -> tuple[float, float]:
    return size[0] + GAP, size[1] + GAP


def _eave_azimuth(surface: Surface) -> float | None:
    """Return the direction of the longest eave in plan, degrees; None without one."""
    eaves = [edge for edge in surface.edges if edge.kind == "eave"]
    if not eaves:
        return None
    longest = max(eaves, key=lambda edge: math.dist(edge.start, edge.end))
    return math.degrees(math.atan2(longest.end[0] - longest.start[0], longest.end[1] - longest.start[1])) % 180
