"""The terrain form of each sector: which crest decides its orography factor, and that crest's measures.

A slope is where the ground rises by more than 0.05 along the wind, over 100 m. Its crest is the highest point before
the ground falls again, or, where it does not, where the rise ends or where the ground bends most (both are tried); its
foot the lowest point within 200 m before it.
Slopes that follow each other without falling by more than a tenth of their height between are looked at together as
well. The length L_u is twice that from the crest to half the height (on an even slope the same). Of all crests within
2 km the one with the largest c_o decides.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.horizon.levels import Level
from kernels.terrain.orography import FLAT, Orography, must_count, orography_factor
from kernels.terrain.polar import AZIMUTHS, Site
from kernels.terrain.profiles import STEP_M, Lines, height_at, lines

Floats = NDArray[np.float64]
Shape = Literal["hill", "ridge", "escarpment", "valley", "flat"]

NEAR_M = 2000.0
LOWEST_M = 5.0
"""Height of the lowest rise that counts."""
# Between means over 50 m. In 10 000 lines of noise of 2 m (deviation of each cell) rises reached 8.5 m, of means 3.8 m.
_LOWEST_MEAN_M = 4.0
_SLOPE_OVER = 10  # steps
_FOOT, _EDGE, _GAP = 20, 5, 10  # steps
_DIP = 0.1  # of the height, between slopes that are one
_BEND = 0.02  # of the height, above a straight line from the foot to behind the edge
_STAYS_HIGH = 0.5  # of the height: ground that falls by less behind a crest is that of an escarpment
FLAT_GROUND = orography_factor(0, 1, 1, 0, 0)
_LEE_SLOPE, _LEE_HEIGHTS = np.tan(np.radians(30.0)), 4.0


class Rise(NamedTuple):
    """A rise along the wind, in whole metres as they are printed (h in tenths), from which c_o is calculated.

    Parameters
    ----------
    h, l_h : float
        Height, and length from the crest to half of it, m.
    l_d : float
        Twice that on the lee side, m; infinite behind an escarpment.
    b : float
        Width of the top, m; infinite of an escarpment.
    x : float
        Of the site behind the crest, m.
    """

    h: float
    l_h: float
    l_d: float
    b: float
    x: float

    @property
    def l_u(self) -> float:
        """Length of the upwind slope, m."""
        return 2 * self.l_h


class Form(NamedTuple):
    """Terrain form of a sector.

    Parameters
    ----------
    shape : {"hill", "ridge", "escarpment", "valley", "flat"}
    rise : Rise or None
        That decides; None on flat ground.
    orography : Orography
        Its factor.
    counts : bool
        Whether A.3(3) asks for it.
    isolated : bool
        Whether no other rise of half its height lies on the line; A.3 is meant for isolated ones.
    lee : bool
        Whether the site is less than four heights behind the edge of a slope steeper than 30 degrees.
    unknown : float
        Share of the sector's line whose heights are not known, 0 to 1.
    """

    shape: Shape
    rise: Rise | None
    orography: Orography
    counts: bool
    isolated: bool
    lee: bool
    unknown: float = 0.0


def terrain_forms(level: Level, site: Site, z: float) -> tuple[list[Form], Lines]:
    """Return the terrain form of each sector, and the lines that show it.

    Parameters
    ----------
    level : Level
        Heights of the ground, 10 m or finer; the sea is 0.
    site : Site
    z : float
        Height above the ground, m.
    """
    along = lines(level, site)
    forms = [_form(line, float(azimuth), level, site, z) for line, azimuth in zip(along.z, AZIMUTHS, strict=True)]
    return forms, along


def form_of(rise: Rise, shape: Shape, z: float) -> Form:
    """Return the form of a known rise, isolated and not in lee."""
    measures = rise.h, rise.l_u, rise.l_d, rise.x
    return Form(shape, rise, orography_factor(*measures, z), bool(must_count(*measures)), isolated=True, lee=False)


def _form(heights: Floats, azimuth: float, level: Level, site: Site, z: float) -> Form:
    line, unknown = _bridged(heights), float(np.isnan(heights).mean())
    found = list(_rises(line))
    near = [rise for rise in found if abs(rise.x) <= NEAR_M and rise.h >= FLAT * rise.l_u]
    lee = _in_lee(line)
    middle = len(line) // 2
    if not near:
        return Form("valley" if _in_valley(line, middle) else "flat", None, FLAT_GROUND, False, True, lee, unknown)
    h, l_u, l_d, x = np.array([(r.h, r.l_u, r.l_d, r.x) for r in near]).T
    factors = orography_factor(h, l_u, l_d, x, z).c_o
    rise = max(zip(factors.tolist(), near, strict=True), key=lambda one: (one[0], one[1].h))[1]
    others = [r for r in found if abs(r.x - rise.x) > rise.l_u and r.h >= rise.h / 2]
    shape = "valley" if _in_valley(line, middle) else _shape(rise, azimuth, level, site)
    return form_of(rise, shape, z)._replace(isolated=not others, lee=lee, unknown=unknown)


def _bridged(line: Floats) -> Floats:
    """Return a line with its holes bridged straight; beyond the last known height to either side it stays NaN."""
    known, steps = np.isfinite(line), np.arange(len(line))
    if not known.any():
        return line
    return np.interp(steps, steps[known], line[known], left=np.nan, right=np.nan)


def _runs(slope: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first and last step of each stretch; gaps of up to `_GAP` steps are bridged."""
    steps = np.flatnonzero(slope)
    if not len(steps):
        return []
    parts = np.split(steps, np.flatnonzero(np.diff(steps) > _GAP) + 1)
    return [(int(part[0]), int(part[-1])) for part in parts]


def _slope(line: Floats) -> Floats:
    """Return the rise along the wind over 100 m around each step; NaN near the ends."""
    half = _SLOPE_OVER // 2
    found = np.full(line.shape, np.nan)
    found[half:-half] = (line[2 * half :] - line[: -2 * half]) / (_SLOPE_OVER * STEP_M)
    return found


def _rises(line: Floats) -> Iterator[Rise]:
    """Yield the rises of a line, of single slopes and of those that follow each other."""
    slope = _slope(line)
    ups, downs = _runs(slope > FLAT), _runs(slope < -FLAT)
    for first, (begin, _) in enumerate(ups):
        foot = _lowest(line, begin - _FOOT, begin + _EDGE)
        for last in range(first, len(ups)):
            end, until = ups[last][1], ups[last + 1][0] if last + 1 < len(ups) else len(line)
            yield from _rises_to(line, foot, end, until, downs)
            ahead = line[foot : until + 1]
            if np.nanmax(np.maximum.accumulate(ahead) - ahead) > _DIP * (np.nanmax(ahead) - line[foot]):
                break


def _rises_to(line: Floats, foot: int, end: int, until: int, downs: list[tuple[int, int]]) -> Iterator[Rise]:
    """Yield the rise from a foot to the crest near the end of a slope, of an escarpment to each of its edges."""
    fall = next((down for down in downs if end <= down[0] < until and down[0] - end <= max(end - foot, _FOOT)), None)
    if fall is not None:
        crest = _highest(line, max(end - _EDGE, foot), fall[0] + _EDGE)
        lee = _lowest(line, max(fall[1] - _EDGE, crest), fall[1] + _FOOT)
        drop = line[crest] - line[lee]
        l_d = 2 * _half_way(line[crest : lee + 1], drop)
        if drop >= _STAYS_HIGH * (line[crest] - line[foot]) and drop / l_d >= FLAT:
            yield from _rise(line, foot, crest, round(l_d), (fall[0] - end) * STEP_M)
            return
    for crest in sorted({_edge(line, foot, end), _brink(line, foot, end)}):
        yield from _rise(line, foot, crest, np.inf, np.inf)


def _rise(line: Floats, foot: int, crest: int, l_d: float, b: float) -> Iterator[Rise]:
    """Yield the rise from a foot to a crest, unless it is too low."""
    h = line[crest] - line[foot]
    if h >= LOWEST_M and _around(line, crest) - _around(line, foot) >= _LOWEST_MEAN_M:
        l_h = max(round(_half_way(line[foot : crest + 1][::-1], h)), 1)
        x = (len(line) // 2 - crest) * STEP_M
        # a crest is known to a step, and a step before a steep one c_o is much lower than on it
        yield Rise(round(float(h), 1), float(l_h), float(l_d), float(b), x if abs(x) > STEP_M else 0.0)


def _around(line: Floats, step: int) -> float:
    """Return the mean height over 50 m, m."""
    return float(np.nanmean(line[max(step - 2, 0) : step + 3]))


def _edge(line: Floats, foot: int, end: int) -> int:
    """Return the step at which a slope ends, where the ground behind it stays high."""
    top = _highest(line, max(end - _EDGE, foot), end + _EDGE)
    least = line[top] - 0.01 * (line[top] - line[foot])
    return foot + int(np.argmax(line[foot : top + 1] >= least))


def _brink(line: Floats, foot: int, end: int) -> int:
    """Return the step at which the ground bends most from a slope to what rises less behind it; the edge if nowhere."""
    ground = line[foot : end + 2 * _EDGE + 1]
    ground = ground[np.isfinite(ground)]
    above = ground - np.linspace(ground[0], ground[-1], len(ground))
    bent = above.max() > _BEND * (ground.max() - ground[0])
    return foot + int(np.argmax(above)) if bent else _edge(line, foot, end)


def _half_way(outward: Floats, drop: float) -> float:
    """Return the distance from a crest to where the ground first is half of a drop lower, m."""
    level = outward[0] - drop / 2
    i = int(np.argmax(outward <= level))
    step = outward[i - 1] - outward[i]
    return STEP_M * (i - 1 + float((outward[i - 1] - level) / step)) if i else STEP_M


def _lowest(line: Floats, first: int, last: int) -> int:
    first = max(first, 0)
    return first + int(np.nanargmin(line[first : last + 1]))


def _highest(line: Floats, first: int, last: int) -> int:
    first = max(first, 0)
    return first + int(np.nanargmax(line[first : last + 1]))


def _in_valley(line: Floats, middle: int) -> bool:
    """Return whether the ground rises on both sides, and the site is in the lowest quarter of either."""
    if np.isnan(line[middle]):
        return False
    reach = round(NEAR_M / STEP_M)
    before, behind = slice(middle - reach, middle + 1), slice(middle, middle + reach + 1)
    lowest, slopes = np.nanmin(line[middle - reach : middle + reach + 1]), _slope(line)
    height = min(np.nanmax(line[before]), np.nanmax(line[behind])) - lowest
    steep = (slopes[before][:-1] < -FLAT).any() and (slopes[behind][:-1] > FLAT).any()
    return bool(steep and height >= 2 * LOWEST_M and line[middle] - lowest <= height / 4)


def _in_lee(line: Floats) -> bool:
    """Return whether the site is close behind a steep slope that falls along the wind."""
    middle, slope = len(line) // 2, _slope(line)
    for first, last in _runs(slope[: middle + 1] < -FLAT):
        edge = _highest(line, first - _EDGE, first + _EDGE)
        drop = line[edge] - np.nanmin(line[edge : last + _EDGE + 1])
        near = (middle - edge) * STEP_M <= _LEE_HEIGHTS * drop
        steepest = np.nanmax(-np.diff(line[edge : last + _EDGE + 1]), initial=0) / STEP_M
        if near and drop >= LOWEST_M and steepest > _LEE_SLOPE and line[middle] < line[edge] - drop / 2:
            return True
    return False


def _shape(rise: Rise, azimuth: float, level: Level, site: Site) -> Shape:
    """Return whether a rise is an escarpment, a hill that falls to all sides, or a ridge."""
    if np.isinf(rise.l_d):
        return "escarpment"
    top = height_at(level, *site.places(azimuth, rise.x))
    turned = np.radians(np.arange(0, 360, 5))
    out, aside = 4 * rise.l_h * np.array([np.cos(turned), np.sin(turned)])
    high = height_at(level, *site.places(azimuth, rise.x + out, aside)) >= top - rise.h / 2
    # a ridge goes on from its crest in two directions, wherever they are: it may lie at any angle to the wind
    return "ridge" if (high & ~np.roll(high, 1)).sum() >= 2 else "hill"
