"""Planes' polygons: labelled cells made finer, cut where planes meet, and drawn with straight edges."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy import ndimage
from shapely import Polygon

from kernels.roof.field import Field
from kernels.roof.footprint import largest

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]

_MOST_PIXELS = 1_500_000
# Gaps between cells of one plane that are no gaps of the roof grow with the cells, from here.
_GAP_M = 0.25
_ENCLOSED_M2 = 6.0
_SIMPLER_M = 0.35
# Steps of a large roof's coarser pixels are no corners either.
_SIMPLER_PIXELS = 2.8


class Fold(NamedTuple):
    """Where two planes meet: the lower one counts at a ridge or hip (`convex`), the higher one in a valley."""

    first: int
    second: int
    convex: bool


class Fine(NamedTuple):
    """Labels in pixels that divide a field's cells; `axes` are as those of `Field`."""

    labels: Labels
    axes: Floats

    def positions(self) -> tuple[Floats, Floats]:
        """Return x and y of the pixels' centres, m."""
        return Field(self.labels.astype(float), self.labels.astype(float), self.axes).positions()


def fine_labels(field: Field, planes: Floats, labels: Labels, roof: Polygon) -> tuple[Fine, list[Fold]]:
    """Return the plane of each pixel of a roof, -1 for none, and where planes meet."""
    divide = max(1, min(int(np.ceil(field.cell / 0.13)), int(np.sqrt(_MOST_PIXELS / labels.size))))
    axes = field.axes.copy()
    axes[2:] /= divide
    axes[:2] += (axes[2:4] + axes[4:]) * (1 - divide) / 2
    fine = Fine(np.kron(labels, np.ones((divide, divide), np.int32)), axes)
    pixel = field.cell / divide
    x, y = fine.positions()
    inside = shapely.contains_xy(roof, x, y)
    far, nearest = ndimage.distance_transform_edt(fine.labels < 0, return_indices=True)
    filled = fine.labels[nearest[0], nearest[1]]
    closed = _closed(fine.labels >= 0, round(max(0.0, 0.75 * field.cell - _GAP_M) / pixel))
    to_edge = ndimage.distance_transform_edt(np.pad(inside, 1))[1:-1, 1:-1] * pixel
    at_edge = (to_edge < field.cell) & (far * pixel < 0.5 * field.cell)
    # a corner is farther from the centre of its cell
    for east, north in shapely.get_coordinates(roof.simplify(field.cell / 4)):
        at_edge |= (np.hypot(x - east, y - north) < 1.5 * field.cell) & (far * pixel < 1.1 * field.cell)
    filled[(far > 0) & ~closed & ~at_edge] = -1
    filled[~inside] = -1
    _fill_enclosed(filled, inside, int(_ENCLOSED_M2 / pixel**2))
    folds = _folds(field, planes, labels)
    reach = 1 + int(np.ceil(1.3 * divide))
    spread = {n: ndimage.binary_dilation(filled == n, iterations=reach) for f in folds for n in f[:2]}
    for first, second, convex in folds:
        zone = spread[first] & spread[second] & ((filled == first) | (filled == second))
        higher = planes[first] @ [x[zone], y[zone], np.ones(zone.sum())] > planes[second] @ [
            x[zone],
            y[zone],
            np.ones(zone.sum()),
        ]
        filled[zone] = np.where(higher == convex, second, first)
    return Fine(filled, axes), folds


def _fill_enclosed(labels: Labels, inside: NDArray[np.bool_], most: int) -> None:
    """Give gaps of at most so many pixels within one plane to it: what stands there is an obstacle on it.

    Gaps of a quarter of that between planes are given to the nearest.
    """
    gaps, _ = ndimage.label((labels < 0) & inside)
    for number, (rows, columns) in enumerate(ndimage.find_objects(gaps), 1):
        around = slice(max(0, rows.start - 1), rows.stop + 1), slice(max(0, columns.start - 1), columns.stop + 1)
        gap = gaps[around] == number
        if np.count_nonzero(gap) <= most:
            beside = np.unique(labels[around][ndimage.binary_dilation(gap) & ~gap])
            if beside[0] >= 0 and (len(beside) == 1 or np.count_nonzero(gap) <= most / 4):
                nearest = ndimage.distance_transform_edt(gap, return_distances=False, return_indices=True)
                labels[around][gap] = labels[around][tuple(nearest[:, gap])]


def in_pieces(fine: Fine, folds: Sequence[Fold], least: float) -> tuple[Fine, list[int], list[Fold]]:
    """Return labels of connected pieces of at least an area, m2; the plane of each; and where they may meet."""
    found, owners = np.full_like(fine.labels, -1), list[int]()
    smallest = least / abs(fine.axes[2] * fine.axes[5] - fine.axes[3] * fine.axes[4])
    for n in range(int(fine.labels.max()) + 1):
        pieces, _ = ndimage.label(fine.labels == n)
        sizes = np.bincount(pieces.ravel())
        kept = 1 + np.flatnonzero(sizes[1:] >= smallest)
        for piece in kept if len(kept) else 1 + np.arange(len(sizes) - 1)[np.argsort(sizes[1:])[-1:]]:
            found[pieces == piece] = len(owners)
            owners.append(n)
    _fill_enclosed(found, fine.labels >= 0, int(2 * smallest))
    of = {n: [k for k, owner in enumerate(owners) if owner == n] for n in owners}
    meet = [Fold(k, m, fold.convex) for fold in folds for k in of.get(fold.first, ()) for m in of.get(fold.second, ())]
    return fine._replace(labels=found), owners, meet


def _closed(flags: NDArray[np.bool_], radius: int) -> NDArray[np.bool_]:
    """Return flags with gaps closed that are narrower than twice a radius."""
    padded = np.pad(flags, radius + 1)
    grown = ndimage.distance_transform_edt(~padded) <= radius
    shrunk = ndimage.distance_transform_edt(grown) > radius
    return np.asarray(shrunk[radius + 1 : -radius - 1, radius + 1 : -radius - 1])


def _folds(field: Field, planes: Floats, labels: Labels) -> list[Fold]:
    """Return the pairs of planes that meet: both have about the same height where their cells are neighbours."""
    x, y = field.positions()
    near = {n: ndimage.binary_dilation(labels == n, np.ones((3, 3)), 2) for n in range(len(planes))}
    found = []
    for first in range(len(planes)):
        for second in range(first + 1, len(planes)):
            border = near[first] & near[second] & ((labels == first) | (labels == second) | (labels < 0))
            if np.count_nonzero(border) < 3:
                continue
            between = planes[first] - planes[second]
            steep = np.hypot(between[0], between[1])
            if steep < 0.03:
                continue
            gap = between[0] * x + between[1] * y + between[2]
            away = np.median(np.abs(gap[border])) / steep
            if away < 1.4 * field.cell + 0.2:
                # near each other: far away planes cross again
                lower = [*(gap[(labels == first) & near[second]] < 0), *(gap[(labels == second) & near[first]] > 0)]
                found.append(
                    (np.count_nonzero(border), Fold(first, second, bool(2 * np.count_nonzero(lower) > len(lower))))
                )
    return [fold for _, fold in sorted(found, key=lambda one: -one[0])]


def coverage(fine: Fine, count: int) -> list[Polygon]:
    """Return a polygon for each plane, the largest piece of its pixels, simplified without gaps; empty for none."""
    x0, y0, xj, yj, xi, yi = fine.axes
    labels = np.pad(fine.labels, 1, constant_values=-1)
    right, up = labels[:, 1:] != labels[:, :-1], labels[1:] != labels[:-1]
    i, j = np.nonzero(right)
    k, m = np.nonzero(up)
    # of pixels in columns and rows of the field: pixel (0, 0) of the padded labels is (-1, -1)
    upright = np.stack([np.stack([j, i - 1], -1), np.stack([j, i], -1)], 1)
    level = np.stack([np.stack([m - 1, k], -1), np.stack([m, k], -1)], 1)
    faces = shapely.get_parts(shapely.polygonize(shapely.linestrings(np.concatenate([upright, level]).astype(float))))
    inner = shapely.get_coordinates(shapely.point_on_surface(faces)).astype(int)
    owners = fine.labels[inner[:, 1], inner[:, 0]]
    own = [largest(shapely.multipolygons(faces[owners == n])) for n in range(count)]
    corner, turned = np.array([x0 - (xj + xi) / 2, y0 - (yj + yi) / 2]), np.array([[xj, yj], [xi, yi]])
    placed = shapely.transform(np.array(own, dtype=object), lambda at: at @ turned + corner)
    simpler = max(_SIMPLER_M, _SIMPLER_PIXELS * float(np.hypot(xj, yj)))
    return [largest(shape) for shape in shapely.coverage_simplify(placed, simpler)]
