"""What an aerial picture shows of a roof: solar panels, roof windows, and a guess of the material.

Classical: thresholds on colours, shapes on the slope, the lattice of modules. It claims little: panels without frames
that can be told apart, windows beside a chimney or a tree, and anything at an edge go unseen. The shadow of a chimney
that has the roof's own colour looks like a window.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy import ndimage
from shapely import Polygon

from kernels.roof.rectified import Flags, Floats, Rectified, pixel_of, rectified
from kernels.roof.roof import Obstacle, Surface

# Colours of modules, 0 to 255: mean of the bands, blue above red, blue by red.
_MODULE_LIGHT, _MODULE_BLUE, _MODULE_RATIO = 90.0, 15.0, 1.35
_BRIDGE_M, _THIN_M = 0.45, 0.6  # frames between modules; what is thinner is no module
_ARRAY_M2, _ARRAY_DARK, _ARRAY_FILLED, _RECTANGLE = 3.0, 0.4, 0.6, 0.85
_PERIODS_M, _MODULE_M = (0.2, 2.6), 0.85  # looked for; sides of modules are longer
_REPEATED, _LINE_LIGHT = 0.45, 6.0  # share of the variance that repeats; lines brighter than modules

# Windows: area and sides, m on the slope; how much darker than the roof, 0 to 255, of its light, of its noise.
_WINDOW_M2, _SIDE_M, _LONGER = (0.4, 2.5), (0.45, 2.2), 3.0
_DARKER, _DARKER_SHARE, _OF_NOISE, _DARKEST = 12.0, 0.2, 5.0, 110.0
_LEAST_BLUE = -12.0  # blue above red: chimneys of brick are dark, too
_WINDOW_FILLED, _ALONE, _MOST_WINDOWS = 0.8, 0.85, 8
_RING_M = (0.2, 0.45)
_COARSEST_M = 0.25
_LEAST_CELLS = 50


class Look(NamedTuple):
    """What a picture shows.

    Parameters
    ----------
    obstacles : tuple of Obstacle
        `solceller`, one of an array; `overlys`.
    panels : bool
        Whether there are solar panels.
    material : {"tegl", "betongstein", "metall", "takpapp", "ukjent"} or None
        None where the picture shows none of the roof.
    confidence : float
        Share of the roof that has the roof's colour or belongs to an obstacle, 0 to 1; less where pixels are coarse.
    """

    obstacles: tuple[Obstacle, ...]
    panels: bool
    material: str | None
    confidence: float


def look(rgb: NDArray[np.uint8], axes: Floats, surfaces: Sequence[Surface]) -> Look:
    """Return what a picture shows of a roof.

    Parameters
    ----------
    rgb : uint8 (rows, columns, 3)
    axes : float64 (6,)
        x and y of the first pixel's centre; of a step to the next column; of a step to the next row, m.
    surfaces : sequence of Surface
    """
    obstacles, materials, explained, total = list[Obstacle](), dict[str, float](), 0.0, 0.0
    pixel = pixel_of(axes)
    for surface in surfaces:
        seen = rectified(rgb, axes, surface)
        if seen is None:
            continue
        arrays, taken = [], np.zeros_like(seen.inside)
        if pixel <= _COARSEST_M:
            for polygon, cells in _arrays(seen):
                arrays.append(Obstacle(polygon, "solceller", None, "bilde", surface.number))
                taken |= cells
        plain = seen.inside & ~ndimage.binary_dilation(taken, iterations=max(1, round(0.2 / seen.cell)))
        total += float(np.count_nonzero(seen.inside))
        explained += float(np.count_nonzero(taken))
        obstacles += arrays
        if np.count_nonzero(plain) < _LEAST_CELLS:
            continue
        colour = np.median(seen.rgb[plain], axis=0)
        name = _material(colour, surface)
        materials[name] = materials.get(name, 0.0) + float(np.count_nonzero(plain)) * seen.cell**2
        windows = list(_windows(seen, plain, colour)) if pixel <= _COARSEST_M else []
        obstacles += [Obstacle(polygon, "overlys", None, "bilde", surface.number) for polygon in windows]
        near = np.abs(seen.rgb.mean(axis=2) - colour.mean()) < 0.25 * colour.mean()
        explained += float(np.count_nonzero(plain & near))
        explained += sum(polygon.area for polygon in windows) * surface.plane.stretch / seen.cell**2
    material = max(materials, key=lambda name: materials[name]) if materials else None
    confidence = min(1.0, explained / total) * min(1.0, 0.2 / pixel) if total else 0.0
    return Look(tuple(obstacles), any(one.kind == "solceller" for one in obstacles), material, confidence)


def _arrays(seen: Rectified) -> Iterator[tuple[Polygon, Flags]]:
    """Yield polygons and cells of arrays of solar panels."""
    red, _, blue = np.moveaxis(seen.rgb, 2, 0)
    light = seen.rgb.mean(axis=2)
    dark = seen.inside & (light < _MODULE_LIGHT) & (blue - red > _MODULE_BLUE) & (blue > _MODULE_RATIO * red)
    bridge, thin = (_square(size, seen.cell) for size in (_BRIDGE_M, _THIN_M))
    pad = len(bridge)
    whole = ndimage.binary_closing(np.pad(dark, pad), bridge)[pad:-pad, pad:-pad]
    pieces, count = ndimage.label(ndimage.binary_opening(whole, thin))
    for n, (rows, columns) in enumerate(ndimage.find_objects(pieces, count), 1):
        mine = pieces[rows, columns] == n
        area = np.count_nonzero(mine) * seen.cell**2
        filled, is_dark = mine.mean(), np.mean(dark[rows, columns][mine])
        if area < _ARRAY_M2 or filled < _ARRAY_FILLED or is_dark < _ARRAY_DARK:
            continue
        values = np.where(mine, light[rows, columns], np.nan)
        if not any(_has_lattice(values, axis, seen.cell) for axis in (0, 1)):
            continue
        cells = np.zeros_like(seen.inside)
        cells[rows, columns] = mine
        yield _outline(seen, mine, rows.start, columns.start), cells


def _outline(seen: Rectified, mine: Flags, row: int, column: int) -> Polygon:
    """Return the rectangle around cells where they fill it, else their outline."""
    # rows that few cells reach are a ragged edge
    i, j = (np.flatnonzero(mine.mean(axis=axis) > 0.5) for axis in (1, 0))
    if mine.mean() > _RECTANGLE and len(i) and len(j):
        return seen.polygon((row + i[0], row + i[-1] + 1), (column + j[0], column + j[-1] + 1))
    ends = [np.flatnonzero(line)[[0, -1]] for line in mine]
    strips = [seen.polygon((row + k, row + k + 1), (column + a, column + b + 1)) for k, (a, b) in enumerate(ends)]
    union = shapely.union_all(strips, grid_size=1e-4).simplify(2 * seen.cell)
    return union if isinstance(union, Polygon) else union.convex_hull


def _has_lattice(light: Floats, axis: int, cell: float) -> bool:
    """Return whether bright lines repeat as frames of modules do: the shortest period is a module's side."""
    profile = np.asarray(np.nanmean(light, axis=axis), np.float64)
    profile = profile - ndimage.median_filter(profile, max(3, round(_PERIODS_M[1] / cell)), mode="nearest")
    if np.percentile(profile, 95) < _LINE_LIGHT:
        return False
    at = np.asarray(np.arange(len(profile)) * cell, np.float64)
    # so close that phases drift by a sixth of a period at most
    length = len(profile) * cell
    shortest, longest = _PERIODS_M[0], min(_PERIODS_M[1], length / 2.5)
    if longest < _MODULE_M:
        return False
    periods = 1 / np.arange(1 / longest, 1 / shortest, 1 / (6 * length))[::-1]
    scores = np.array([_repeated(profile, at, period, cell) for period in periods])
    if scores.max() < _REPEATED:
        return False
    # multiples of the period repeat as well, ribs of metal at a third of it
    return bool(periods[scores > 0.8 * scores.max()][0] >= _MODULE_M)


def _repeated(profile: Floats, at: Floats, period: float, cell: float) -> float:
    """Return the share of the variance that is the same at equal phases, less what chance gives."""
    bins = max(3, round(period / cell))
    phase = (at / period % 1 * bins).astype(np.int64)
    counts = np.bincount(phase, minlength=bins)
    means = np.bincount(phase, profile, bins) / np.maximum(counts, 1)
    left = float(((profile - means[phase]) ** 2).sum()) / max(1, len(at) - int(np.count_nonzero(counts)))
    return 1 - left / (float(profile.var(ddof=1)) + 1e-9)


def _windows(seen: Rectified, plain: Flags, colour: Floats) -> Iterator[Polygon]:
    """Yield roof windows: dark rectangles amid the roof's colour."""
    light, blue = seen.rgb.mean(axis=2), seen.rgb[..., 2] - seen.rgb[..., 0]
    roof, tint = float(colour.mean()), float(colour[2] - colour[0])
    # glass is darker and bluer than tiles; on dark tiles in the shade the second tells more
    darker = roof - light + 0.5 * np.clip(blue - tint, 0, 30)
    noise = 1.4826 * float(np.median(np.abs(light[plain] - roof)))
    least = max(_DARKER, _DARKER_SHARE * roof, _OF_NOISE * noise)
    smooth = ndimage.uniform_filter(darker, max(1, round(0.15 / seen.cell)))
    usual = np.abs(light - roof) < max(4 * noise, 0.15 * roof)
    usual &= np.abs(blue - tint) < max(20.0, 0.5 * abs(tint))
    pieces, count = ndimage.label(plain & (smooth > 0.6 * least))
    found = []
    for n, where in enumerate(ndimage.find_objects(pieces, count), 1):
        mine = pieces[where] == n
        if not 0.5 * _WINDOW_M2[0] <= np.count_nonzero(mine) * seen.cell**2 <= 1.6 * _WINDOW_M2[1]:
            continue
        depth = float(np.percentile(smooth[where][mine], 75))
        # colours in its middle: JPEG and pixels mix those at the edge
        middle = mine & (smooth[where] >= depth)
        tone, dark = (float(np.median(values[where][middle])) for values in (blue, light))
        # a shadow on red tiles is as red as they are
        is_glass = tone > _LEAST_BLUE or (dark < 0.7 * roof and tone / max(dark, 1.0) > 0.85 * tint / roof)
        if depth < least or dark > _DARKEST or not is_glass:
            continue
        # an edge lies where half of the difference is reached
        core = ndimage.binary_fill_holes(mine & (smooth[where] > 0.5 * depth))
        box = _box(core, where[0].start, where[1].start)
        if box is not None and _is_window(box, core, plain, usual, seen.cell):
            found.append(seen.polygon(*box))
    # many of them are a pattern of the roof
    yield from found if len(found) <= _MOST_WINDOWS else ()


_Box = tuple[tuple[int, int], tuple[int, int]]


def _box(core: Flags, row: int, column: int) -> _Box | None:
    """Return rows and columns (from, to) of which cells fill at least half."""
    if not core.any():
        return None
    widest = core.sum(axis=1).max(), core.sum(axis=0).max()
    i, j = np.flatnonzero(core.sum(axis=1) > 0.5 * widest[0]), np.flatnonzero(core.sum(axis=0) > 0.5 * widest[1])
    return (row + int(i[0]), row + int(i[-1]) + 1), (column + int(j[0]), column + int(j[-1]) + 1)


def _is_window(box: _Box, core: Flags, plain: Flags, usual: Flags, cell: float) -> bool:
    """Return whether a rectangle has a window's size, is filled, and stands alone amid the roof's colour."""
    (top, bottom), (left, right) = box
    high, wide = (bottom - top) * cell, (right - left) * cell
    if not _WINDOW_M2[0] <= high * wide <= _WINDOW_M2[1] or max(high, wide) > _LONGER * min(high, wide):
        return False
    if not _SIDE_M[0] <= min(high, wide) <= max(high, wide) <= _SIDE_M[1]:
        return False
    if not _WINDOW_FILLED <= np.count_nonzero(core) * cell**2 / (high * wide) <= 1 / _WINDOW_FILLED:
        return False
    inner, outer = (max(1, round(size / cell)) for size in _RING_M)
    if min(top, left) < outer or bottom + outer > plain.shape[0] or right + outer > plain.shape[1]:
        return False
    if not plain[top - outer : bottom + outer, left - outer : right + outer].all():
        return False
    # on each side: beside a chimney it is a shadow
    rows, columns = slice(top, bottom), slice(left, right)
    below, above = slice(top - outer, top - inner), slice(bottom + inner, bottom + outer)
    west, east = slice(left - outer, left - inner), slice(right + inner, right + outer)
    sides = usual[below, columns], usual[above, columns], usual[rows, west], usual[rows, east]
    return all(side.mean() >= _ALONE for side in sides)


def _square(size: float, cell: float) -> Flags:
    side = 2 * round(size / cell / 2) + 1
    return np.ones((side, side), bool)


def _material(colour: Floats, surface: Surface) -> str:
    """Return a guess by the ratios of colours, which the light on a slope leaves as they are."""
    red, green, blue = np.maximum(colour, 1.0)
    if red > 1.35 * blue and red > 1.2 * green:
        return "ukjent" if surface.is_flat else "tegl"
    light, warm = float(colour.mean()), red / blue
    if surface.is_flat:
        return "takpapp" if 0.93 < warm < 1.1 and light < 140 else "ukjent"
    if warm < 0.94 and blue - red < 40:
        return "metall"
    return "betongstein" if 1.04 < warm < 1.3 and light < 150 else "ukjent"
