"""The planes of a roof: of all candidates the few that explain its cells, each fitted to its own cells."""

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from shapely import Polygon

from kernels.roof.field import Field
from kernels.roof.growing import Candidate, Flags, Floats, candidates, window_planes
from kernels.roof.models import STEEPEST, best_models
from kernels.roof.rectangles import partitions
from kernels.roof.roof import FLAT_BELOW
from kernels.roof.straight import main_direction

Labels = NDArray[np.int32]

LEAST_M2 = 3.0
"""Area in plan of the smallest plane that is looked for."""

# Distances from a plane, m: exact planes first, then what is left. Where heights are noisy, of their noise.
_TOLERANCES = (0.06, 0.10, 0.20)
_OF_NOISE = (2.5, 3.5, 5.0)
_NARROWEST_M = 1.2
_LOUD_M, _ANYWHERE_M = 0.05, 2.0
_QUIET_M, _NOISIER = 0.08, 1.5
# Larger roofs show their planes themselves.
_MODEL_CELLS = 4000
_LEVEL, _LEVEL_M, _LEVEL_M2 = np.tan(np.radians(FLAT_BELOW)), 0.3, 60.0
_ISLAND_M2, _SURROUNDED = 8.0, 0.8
# What a plane must explain that others do not: so many cells, so much area, and of its own cells a share.
_PRICE_CELLS, _PRICE_M2, _PRICE_SHARE = 3.0, 3.0, 0.05
_SAME_COSINE, _SAME_M = np.cos(np.radians(3.0)), 0.12
_EIGHT = np.ones((3, 3))


def find_planes(field: Field, own: Flags, near: Flags, outline: Polygon) -> tuple[Floats, Labels]:
    """Return the planes of a building.

    Parameters
    ----------
    field : Field
    own : bool (rows, columns)
        Cells of the building.
    near : bool (rows, columns)
        These and cells around: planes that go on over a neighbour's roof are found by more cells, and fitted to `own`.
    outline : Polygon
        Models of the roofs over the rectangles that it is made of compete with free planes.

    Returns
    -------
    planes : float64 (n, 3)
        a, b, c of z = a x + b y + c, in m.
    labels : int32 (rows, columns)
        Number of each cell's plane, -1 for none.
    """
    noise = _noise(field, own)
    small = np.count_nonzero(own) < _MODEL_CELLS
    # small steep roofs of coarse cells look like noise: then what explains more with less is right
    levels = [0.0, noise] if small and noise >= _LOUD_M else [noise]
    planes, labels = min(
        (_planes(field, own, near, level) for level in levels), key=lambda one: _cost(field, own, *one)
    )
    direction = main_direction(outline)
    models = [best_models(field, own, parts, direction) for parts in (partitions(outline, direction) if small else ())]
    model = min((one for one in models if one is not None), key=lambda one: one.cost, default=None)
    if model is None or model.cost >= _cost(field, own, planes, labels):
        return planes, labels
    # a model that is far from all cells costs little too
    most = max(_QUIET_M, 1.2 * noise, _NOISIER * _spread(field, planes, labels))
    if _spread(field, model.planes, model.labels) >= most:
        return planes, labels
    return _merged(field, model.planes, model.labels, _SAME_M)


def _planes(field: Field, own: Flags, near: Flags, noise: float) -> tuple[Floats, Labels]:
    """Return planes and labels as `find_planes` for heights with so much noise, m."""
    planes, labels = np.empty((0, 3)), np.full(own.shape, -1, np.int32)
    least = max(4, int(np.ceil(LEAST_M2 / field.area)))
    for exact, times in zip(_TOLERANCES, _OF_NOISE, strict=True):
        tolerance = max(exact, times * noise)
        left = own & (labels < 0)
        found = _of(candidates(field, near & ((labels < 0) | ~own), tolerance, least), left, least)
        chosen = _chosen(found, own.size, tolerance, max(_PRICE_CELLS, _PRICE_M2 / field.area))
        new, cells = _assigned(field, left, [found[n] for n in chosen], tolerance, least)
        labels = np.where(cells >= 0, cells + len(planes), labels).astype(np.int32)
        planes = np.concatenate([planes, new])
    planes, labels = _merged(field, planes, labels, max(_SAME_M, 2 * noise))
    return _without_islands(field, *_levelled(field, own, planes, labels))


def _noise(field: Field, own: Flags) -> float:
    """Return a bound of the noise of heights, m: the residual of the flattest fifth of all 2 x 2 windows."""
    _, rms = window_planes(field, (2, 2))
    inside = np.lib.stride_tricks.sliding_window_view(own, (2, 2)).all(axis=(2, 3))
    # the 20th percentile of |N(0, 1)| is 0.25
    return float(np.percentile(rms[inside], 20)) / 0.25 if inside.any() else 0.0


def _cost(field: Field, own: Flags, planes: Floats, labels: Labels) -> float:
    """Return half of the Bayesian information criterion: cells on planes are normal about them, others anywhere."""
    count, on = int(np.count_nonzero(own)), int(np.count_nonzero(labels >= 0))
    fit = on * (np.log(_spread(field, planes, labels)) + 0.5 + 0.5 * np.log(2 * np.pi))
    return float(fit + (count - on) * np.log(_ANYWHERE_M) + 3.0 * len(planes) * np.log(max(2.0, float(count))))


def _spread(field: Field, planes: Floats, labels: Labels) -> float:
    """Return the standard deviation of cells from their planes, m."""
    on = labels >= 0
    x, y = field.positions()
    a, b, c = planes[labels[on]].T
    off = (field.z[on] - a * x[on] - b * y[on] - c) / np.sqrt(1 + a * a + b * b)
    return max(0.02, float(np.sqrt(np.mean(off**2)))) if off.size else 1.0


def _of(found: list[Candidate], left: Flags, least: int) -> list[Candidate]:
    """Return candidates with those of their cells that are left."""
    kept = []
    for one in found:
        mine = left.ravel()[one.cells]
        if np.count_nonzero(mine) >= least:
            kept.append(Candidate(one.plane, one.cells[mine], one.off[mine]))
    return kept


def _chosen(found: list[Candidate], size: int, tolerance: float, price: float) -> list[int]:
    """Return the candidates that together explain most, each at least its price that the others do not."""
    worth = [np.clip(1 - (one.off / tolerance) ** 2, 0, 1) for one in found]
    best, chosen = np.zeros(size), list[int]()
    gains = np.array([one.sum() for one in worth])
    while gains.max(initial=0.0) > price:
        n = int(np.argmax(gains))
        gain = float(np.maximum(worth[n] - best[found[n].cells], 0).sum())
        if gain < gains[n] - 1e-9:  # it was of fewer planes: gains only fall
            gains[n] = gain
            continue
        gains[n] = 0
        if gain <= max(price, _PRICE_SHARE * len(worth[n])):
            continue
        chosen.append(n)
        best[found[n].cells] = np.maximum(best[found[n].cells], worth[n])
        best = _without_redundant(chosen, found, worth, best, price)
    return chosen


def _without_redundant(
    chosen: list[int], found: list[Candidate], worth: list[Floats], best: Floats, price: float
) -> Floats:
    """Take planes out that the others have made superfluous; return what the rest explains of each cell."""
    while len(chosen) > 1:
        first, second = np.zeros_like(best), np.zeros_like(best)
        for n in chosen:
            cells = found[n].cells
            second[cells] = np.maximum(second[cells], np.minimum(first[cells], worth[n]))
            first[cells] = np.maximum(first[cells], worth[n])
        own = [np.maximum(worth[n] - second[found[n].cells], 0).sum() for n in chosen]
        least = int(np.argmin(own))
        if own[least] > price:
            return first
        del chosen[least]
    return best


def _assigned(
    field: Field, left: Flags, chosen: list[Candidate], tolerance: float, least: int
) -> tuple[Floats, Labels]:
    """Give each cell to its nearest plane and refit, three times; drop planes that keep too few cells."""
    planes = np.array([one.plane for one in chosen]).reshape(-1, 3)
    labels = np.full(left.shape, -1, np.int32)
    for _ in range(3):
        nearest = np.full(left.size, tolerance)
        owner = np.full(left.size, -1, np.int32)
        for n, one in enumerate(chosen):
            off = np.abs(field.off(planes[n], one.cells))
            closer = off < nearest[one.cells]
            cells = one.cells[closer]
            nearest[cells], owner[cells] = off[closer], n
        labels = _largest_pieces(owner.reshape(left.shape), len(planes))
        planes = np.array([fitted(field, labels == n, planes[n], tolerance) for n in range(len(planes))]).reshape(-1, 3)
    keep = [n for n in range(len(planes)) if _is_plane(field, planes[n], labels == n, least, tolerance)]
    return planes[keep], _renumbered(labels, keep, len(planes))


def _is_plane(field: Field, plane: Floats, mine: Flags, least: int, tolerance: float) -> bool:
    """Return whether cells are enough, and neither a wall nor a strip along an edge."""
    slope = np.hypot(plane[0], plane[1])
    if np.count_nonzero(mine) < least or slope > STEEPEST:
        return False
    width = 2 * field.cell * ndimage.distance_transform_edt(np.pad(mine, 1)).max() * np.sqrt(1 + slope**2)
    return bool(tolerance <= _TOLERANCES[0] or width >= _NARROWEST_M)


def _without_islands(field: Field, planes: Floats, labels: Labels) -> tuple[Floats, Labels]:
    """Return planes without small ones that stand within a larger one: their cells are the larger one's obstacles."""
    keep = list(range(len(planes)))
    for n in range(len(planes)):
        mine = labels == n
        if np.count_nonzero(mine) * field.area > _ISLAND_M2:
            continue
        beside = labels[ndimage.binary_dilation(mine, _EIGHT, 2) & ~mine]
        around = np.bincount(beside[beside >= 0], minlength=len(planes))
        host = int(around.argmax())
        if around[host] > max(_SURROUNDED * around.sum(), 0.3 * beside.size) and np.count_nonzero(
            labels == host
        ) > 5 * np.count_nonzero(mine):
            labels = np.where(mine, -1, labels)
            keep.remove(n)
    return planes[keep], _renumbered(labels, keep, len(planes))


def _largest_pieces(labels: Labels, count: int) -> Labels:
    """Return labels of each plane's largest connected piece alone."""
    found = np.full_like(labels, -1)
    for n in range(count):
        pieces, number = ndimage.label(labels == n, _EIGHT)
        if number:
            found[pieces == 1 + np.bincount(pieces.ravel())[1:].argmax()] = n
    return found


def _renumbered(labels: Labels, keep: list[int], count: int) -> Labels:
    numbers = np.full(count + 1, -1, np.int32)
    numbers[keep] = np.arange(len(keep))
    return numbers[labels]


def _merged(field: Field, planes: Floats, labels: Labels, offset: float) -> tuple[Floats, Labels]:
    """Return planes of which neighbours on one plane are one."""
    x, y = field.positions()
    n = 0
    while n < len(planes):
        mine = labels == n
        around = ndimage.binary_dilation(mine, _EIGHT, 2)
        for m in range(n + 1, len(planes)):
            border = around & (labels == m)
            inner = 1 + planes[n, :2] @ planes[m, :2]
            same = inner > _SAME_COSINE * np.sqrt((1 + (planes[n, :2] ** 2).sum()) * (1 + (planes[m, :2] ** 2).sum()))
            if not same or not border.any():
                continue
            gap = (planes[n] - planes[m]) @ [x[border].mean(), y[border].mean(), 1]
            if abs(gap) < offset * np.sqrt(1 + (planes[n, :2] ** 2).sum()) and _are_one_piece(labels, n, m):
                labels = np.where(labels == m, n, labels)
                planes[n] = fitted(field, labels == n, planes[n], 0.2)
                keep = [k for k in range(len(planes)) if k != m]
                planes, labels = planes[keep], _renumbered(labels, keep, len(planes))
                break
        else:
            n += 1
    return planes, labels


def _levelled(field: Field, own: Flags, planes: Floats, labels: Labels) -> tuple[Floats, Labels]:
    """Return planes of which large level ones have all level cells near them: flat roofs fall to drains, and sag."""
    x, y = field.positions()
    keep = list(range(len(planes)))
    level = [n for n in keep if np.hypot(*planes[n, :2]) < _LEVEL]
    for n in sorted(level, key=lambda one: -np.count_nonzero(labels == one)):
        if np.count_nonzero(labels == n) * field.area < _LEVEL_M2:
            continue
        a, b, c = planes[n]
        off = np.abs(field.z - a * x - b * y - c)
        near = own & (off < max(_LEVEL_M, 3 * float(np.sqrt(np.mean(off[labels == n] ** 2)))))
        for m in level:
            if m in keep and m != n and np.mean(near[labels == m]) > _SURROUNDED and _are_one_piece(labels, n, m):
                labels = np.where(labels == m, n, labels)
                keep = [one for one in keep if one != m]
        pieces, _ = ndimage.label((labels == n) | (near & (labels < 0)), _EIGHT)
        joined = np.isin(pieces, np.unique(pieces[labels == n])) & (labels < 0) & near
        labels = np.where(joined, n, labels)
    return planes[keep], _renumbered(labels, keep, len(planes))


def _are_one_piece(labels: Labels, first: int, second: int) -> bool:
    """Return whether no third plane lies between two."""
    both = (labels == first) | (labels == second)
    pieces, _ = ndimage.label(both | (ndimage.binary_dilation(both, _EIGHT) & (labels < 0)), _EIGHT)
    return bool(np.intersect1d(pieces[labels == first], pieces[labels == second]).size)


def fitted(field: Field, mine: Flags, plane: Floats, tolerance: float) -> Floats:
    """Return the plane of cells by least squares with Tukey's weights."""
    z = field.z[mine]
    if len(z) < 4:
        return plane
    x, y = (axis[mine] for axis in field.positions())
    at = np.column_stack([x - x.mean(), y - y.mean(), np.ones_like(x)])
    now = np.array([plane[0], plane[1], plane @ [x.mean(), y.mean(), 1]])
    for _ in range(10):
        off = (z - at @ now) / np.sqrt(1 + now[0] ** 2 + now[1] ** 2)
        spread = max(0.02, 1.4826 * float(np.median(np.abs(off))))
        weight = np.clip(1 - (off / min(4.7 * spread, 2 * tolerance)) ** 2, 0, 1)
        if np.count_nonzero(weight) < 4:
            break
        before, now = now, np.linalg.lstsq(at * weight[:, None], z * weight, rcond=None)[0]
        if np.abs(now - before).max() < 1e-6:
            break
    return np.array([now[0], now[1], now[2] - now[0] * x.mean() - now[1] * y.mean()])
