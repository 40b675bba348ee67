"""From a roof to its modules: which surfaces are used, what stays free on each, and what stands there."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernels.roof.layout.bands import ROWS_GAIN
from kernels.roof.layout.flat import lay_flat
from kernels.roof.layout.frame import Frame
from kernels.roof.layout.pitched import better_rows, lay_pitched, reason_against, sun_on
from kernels.roof.layout.racks import in_front, sunny
from kernels.roof.layout.result import Candidate, Grid, Layout, Reason, SurfaceLayout, Zone, area_of
from kernels.roof.layout.rules import Module, Options, Rules
from kernels.roof.layout.zones import flat_zones, frame_of, free_of, obstacle_zones, pitched_zones
from kernels.roof.roof import Roof, Surface
from kernels.roof.shade import row_horizon

Floats = NDArray[np.float64]
Shade = Callable[[Floats, float, float, Sequence[Floats]], Floats]
"""Loss of beam (1 + m, n), 0 to 1, of points (n, 3) with a tilt and an azimuth: alone, and with m more horizons."""

_TOO_SMALL = (Reason("no_room"), Reason("unsure"))
_Result = tuple[SurfaceLayout, tuple[Zone, ...], Frame]


def lay_out(
    roof: Roof, module: Module, options: Options, rules: Rules, *, latitude: float, shade: Shade | None = None
) -> Layout:
    """Return the modules of a roof, and the zones that stay free.

    Parameters
    ----------
    roof : Roof
    module : Module
    options : Options
    rules : Rules
    latitude : float
        Degrees: which surface has least sun.
    shade : callable or None
        From `kernels.roof.shade`; without it no position is left out for shade.

    Notes
    -----
    Of pitched surfaces it depends on their neighbours how much of them is free. A surface without room for modules
    while all that may be used count as used is left out, and the others are laid out once more.
    """
    work = _Work(roof, module, options, rules, latitude, shade)
    against = {s.number: None if s.is_flat else reason_against(s, options, rules) for s in roof.surfaces}
    results = work.all(against)
    full = [number for number, (layout, _, _) in results.items() if layout.count == 0 and against[number] is None]
    if full:
        losses = {number: results[number][0].lost_to_shade for number in full}
        reasons: dict[int, Reason | None] = {n: Reason("shade" if losses[n] else "no_room") for n in full}
        results = work.all(against | reasons)
        for number in full:
            layout, zones, frame = results[number]
            results[number] = replace(layout, lost_to_shade=losses[number]), zones, frame
    surfaces = tuple(results[s.number][0] for s in roof.surfaces)
    count = sum(surface.count for surface in surfaces)
    return Layout(
        surfaces,
        tuple(zone for s in roof.surfaces for zone in results[s.number][1]),
        sum(s.area for s in roof.surfaces),
        sum(surface.usable_area for surface in surfaces),
        count * module.length * module.width,
        count * module.wp / 1000,
    )


@dataclass(frozen=True)
class _Work:
    """The layout of a roof's surfaces, one by one."""

    roof: Roof
    module: Module
    options: Options
    rules: Rules
    latitude: float
    shade: Shade | None

    def all(self, against: dict[int, Reason | None]) -> dict[int, _Result]:
        """Return the layout of each surface by its number, given why some are not used."""
        used = frozenset(number for number, reason in against.items() if reason is None)
        access = self._access_surface(against)
        lead: Frame | None = None
        results = {}
        for surface in sorted(self.roof.surfaces, key=lambda s: (-s.area, s.number)):
            reason = against[surface.number]
            if reason is not None:
                results[surface.number] = self._unused(surface, reason)
            elif surface.is_flat:
                results[surface.number] = self._flat(surface)
            else:
                results[surface.number] = self._pitched(surface, used, access == surface.number, lead)
                if lead is None and self.rules.common_row_direction:
                    lead = results[surface.number][2]
        return results

    def _access_surface(self, against: dict[int, Reason | None]) -> int | None:
        """Return the pitched surface with least sun, where all of two or more are used."""
        # a porch without room for modules is no way to the roof
        pitched = [s for s in self.roof.surfaces if not s.is_flat and against[s.number] not in _TOO_SMALL]
        if not self.rules.pitched_access_edge or len(pitched) < 2 or any(against[s.number] for s in pitched):
            return None
        return min(pitched, key=lambda s: (round(sun_on(s, self.latitude), 3), s.number)).number

    def _unused(self, surface: Surface, reason: Reason) -> _Result:
        frame, zones = frame_of(surface), obstacle_zones(surface, self.roof, self.rules)
        mounting = _mounting(surface, 2 if self.options.mounting == "east_west" else 1)
        grid = Grid(obstacles=sum(zone.kind != "skygge" for zone in zones))
        return SurfaceLayout(surface.number, mounting, frame.row_azimuth, reason, grid=grid), zones, frame

    def _flat(self, surface: Surface) -> _Result:
        zones = flat_zones(surface, self.roof, self.rules)
        free = free_of(surface, zones)
        candidate = lay_flat(surface, self.roof, free, self.module, self.options, self.rules)
        if candidate.zones:
            free = free.difference(candidate.zones[0].polygon)
        return self._finish(surface, free, (*zones, *candidate.zones), candidate, None)

    def _pitched(self, surface: Surface, used: frozenset[int], access: bool, lead: Frame | None) -> _Result:
        zones = pitched_zones(surface, self.roof, self.rules, used - {surface.number}, access=access)
        free = free_of(surface, zones)
        candidate, reason = lay_pitched(surface, free, self.module, self.rules, lead)
        gain, rows = 0, better_rows(free, self.module, self.rules, candidate, align=False)
        if rows and self.rules.align_columns:
            candidate = better_rows(free, self.module, self.rules, candidate, align=True) or candidate
            gain = rows.rank[0] - candidate.rank[0] if rows.rank[0] >= ROWS_GAIN * candidate.rank[0] else 0
        candidate = candidate if self.rules.align_columns else rows or candidate
        return self._finish(surface, free, zones, candidate, reason, gain)

    def _finish(
        self,
        surface: Surface,
        free: Any,
        zones: tuple[Zone, ...],
        candidate: Candidate,
        reason: Reason | None,
        gain: int = 0,
    ) -> _Result:
        before = candidate.rank[0]
        candidate, shade = self._sunlit(surface, candidate)
        obstacles = sum(zone.source != "regler" and zone.kind != "skygge" for zone in zones)
        layout = SurfaceLayout(
            surface=surface.number,
            groups=candidate.groups(),
            mounting=_mounting(surface, len(candidate.parts)),
            orientation="landscape" if candidate.size[0] > candidate.size[1] else "portrait",
            row_azimuth=candidate.frame.row_azimuth,
            grid=candidate.grid(obstacles, gain),
            alignment="takflate" if reason is None else "raft",
            reason=reason,
            free=free,
            usable_area=area_of(candidate.frame, free),
            spacing=candidate.spacing or None,
            lost_to_shade=before - candidate.rank[0],
            shade=shade,
        )
        return layout, zones, candidate.frame

    def _sunlit(self, surface: Surface, candidate: Candidate) -> tuple[Candidate, float | None]:
        """Return the positions all of whose modules lose less to shade than the rules accept, and their mean loss."""
        if self.shade is None or not candidate.rank[0]:
            return candidate, None
        losses, ahead, spacing = list[Floats](), list[Any](), candidate.spacing
        for across, tilt, azimuth in candidate.parts:
            corners = np.concatenate([candidate.corners(packing, across) for packing in candidate.packings])
            middle = corners.mean(axis=1)
            height = surface.plane.a * middle[:, 0] + surface.plane.b * middle[:, 1] + surface.plane.c
            rows = [row_horizon(tilt, azimuth, self.module.width, spacing)] if spacing else []
            losses.append(self.shade(np.column_stack([middle, height]), tilt, azimuth, rows))
            ahead.append(in_front(middle, azimuth, self.module.length, spacing))
        first = math.radians(candidate.parts[0][2])
        order = np.argsort(-middle @ [math.sin(first), math.cos(first)])
        alone, shaded = (np.array([one[n] for one in losses]) for n in (0, -1))
        kept, lost = sunny(alone, shaded, np.array(ahead), order, self.rules.shade_loss_max)
        ends = np.cumsum([packing.row.size for packing in candidate.packings])[:-1]
        pairs = zip(candidate.packings, np.split(kept, ends), strict=True)
        packings = tuple(packing.keep(mask, self.rules.min_run_modules) for packing, mask in pairs)
        return candidate._replace(packings=packings), float(lost[:, kept].mean()) if kept.any() else None


def _mounting(surface: Surface, directions: int) -> Literal["pitched", "south", "east_west"]:
    """Return how the modules of a surface are mounted, by the number of directions that they face."""
    if not surface.is_flat:
        return "pitched"
    return "south" if directions == 1 else "east_west"
