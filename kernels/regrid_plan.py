"""Which source cells make each target, when an even grid in some projection goes to a latitude-longitude grid."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

REACH = 1.5
"""How far from the nearest source centre a target may lie, in source spacings."""


@dataclass(frozen=True)
class RegridPlan:
    """Which source cells make each target.

    Targets are numbered i_lat * n_lon + i_lon, sources i_y * nx + i_x.

    Attributes
    ----------
    n_target, n_source : int
        Numbers of cells.
    first : int32 (n_target + 1,)
        Target t averages the sources `source[first[t] : first[t + 1]]`; none for a bilinear or a missing one.
    source : int32 (...)
        Source cells by target, ascending within each.
    bilinear : int32 (m,)
        Targets that are interpolated, ascending.
    corner : int32 (m, 4)
        Their four source cells.
    weight : float32 (m, 4)
        The weights, summing to 1; edge-clamped outside the outer centres.
    covered : bool (n_target,)
        False where the target is missing.
    """

    n_target: int
    n_source: int
    first: NDArray[np.int32]
    source: NDArray[np.int32]
    bilinear: NDArray[np.int32]
    corner: NDArray[np.int32]
    weight: NDArray[np.float32]
    covered: NDArray[np.bool_]


def plan(
    source_lat: NDArray[np.float64],
    source_lon: NDArray[np.float64],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    target_x: NDArray[np.float64],
    target_y: NDArray[np.float64],
    lat0: float,
    lon0: float,
    step: float,
) -> RegridPlan:
    """Work out once which source cells make each target.

    Parameters
    ----------
    source_lat, source_lon : float64 (ny, nx)
        Source centres, degrees.
    x, y : float64 (nx,), (ny,)
        Source centres in their projection, ascending and evenly spaced, at least two each, m.
    target_x, target_y : float64 (n_lat, n_lon)
        Target centres in the source's projection, m; not finite where the projection has no answer (missing).
    lat0, lon0 : float
        Centre of target (0, 0), degrees.
    step : float
        Target spacing, degrees; a target reaches half a step to each side (the lower edge included).

    Raises
    ------
    ValueError
        Where shapes disagree or x or y is not ascending and evenly spaced.
    """
    _require_even(x, "x")
    _require_even(y, "y")
    shape = (y.size, x.size)
    if source_lat.shape != shape or source_lon.shape != shape:
        msg = f"source_lat and source_lon have shapes {source_lat.shape} and {source_lon.shape}, not {shape}"
        raise ValueError(msg)
    if target_x.shape != target_y.shape or target_x.ndim != 2:
        msg = f"target_x and target_y have shapes {target_x.shape} and {target_y.shape}"
        raise ValueError(msg)
    first, source = _sources_by_target(source_lat.ravel(), source_lon.ravel(), lat0, lon0, step, target_x.shape)
    column, row = _position(target_x, x), _position(target_y, y)
    with np.errstate(invalid="ignore"):
        to_column = column - np.clip(np.rint(column), 0, x.size - 1)
        to_row = row - np.clip(np.rint(row), 0, y.size - 1)
    distance = np.hypot(to_column, to_row)
    averaged = np.diff(first) > 0
    bilinear = np.flatnonzero(~averaged & (distance <= REACH)).astype(np.int32)
    corner, weight = _corners(column[bilinear], row[bilinear], x.size, y.size)
    covered = averaged.copy()
    covered[bilinear] = True
    return RegridPlan(covered.size, x.size * y.size, first, source, bilinear, corner, weight, covered)


def compact(plan: RegridPlan) -> tuple[NDArray[np.int32], RegridPlan]:
    """Number only the sources that some target uses, so that the others need not be computed at all.

    Parameters
    ----------
    plan : RegridPlan

    Returns
    -------
    used : int32 (n_used,)
        The sources in use, ascending: `field.ravel()[used]` is a field of the second plan.
    plan : RegridPlan
        The same plan over those n_used sources.
    """
    is_used = np.zeros(plan.n_source, np.bool_)
    is_used[plan.source] = True
    is_used[plan.corner] = True
    used = np.flatnonzero(is_used).astype(np.int32)
    number = np.full(plan.n_source, -1, np.int32)
    number[used] = np.arange(used.size, dtype=np.int32)
    return used, replace(plan, n_source=used.size, source=number[plan.source], corner=number[plan.corner])


def _require_even(axis: NDArray[np.float64], name: str) -> None:
    steps = np.diff(axis)
    if axis.ndim != 1 or axis.size < 2 or not (steps > 0).all() or np.ptp(steps) > 1e-3 * steps.mean():
        msg = f"{name} must hold at least two ascending, evenly spaced numbers"
        raise ValueError(msg)


def _position(target: NDArray[np.float64], axis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the targets' positions along an axis, in source spacings from its first centre."""
    # Rounded, so that a target on a centre takes nothing, and no missing value, from the next one.
    spacing = (axis[-1] - axis[0]) / (axis.size - 1)
    position: NDArray[np.float64] = np.round((target.ravel() - axis[0]) / spacing, 6)
    return position


def _corners(
    column: NDArray[np.float64], row: NDArray[np.float64], nx: int, ny: int
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Give the four sources around each position and their bilinear weights."""
    i = np.clip(np.floor(column), 0, nx - 2).astype(np.int32)
    j = np.clip(np.floor(row), 0, ny - 2).astype(np.int32)
    u, v = np.clip(column - i, 0, 1), np.clip(row - j, 0, 1)
    low = j * nx + i
    corner = np.stack([low, low + 1, low + nx, low + nx + 1], axis=1)
    weight = np.stack([(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v], axis=1)
    return corner.astype(np.int32), weight.astype(np.float32)


def _sources_by_target(
    lat: NDArray[np.float64], lon: NDArray[np.float64], lat0: float, lon0: float, step: float, shape: tuple[int, int]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Give `first` and `source` of the plan: the sources whose centres fall in each target."""
    i, j = (np.floor((at - origin) / step + 0.5).astype(np.int32) for at, origin in ((lat, lat0), (lon, lon0)))
    inside = np.flatnonzero((i >= 0) & (i < shape[0]) & (j >= 0) & (j < shape[1])).astype(np.int32)
    target_of = i[inside] * shape[1] + j[inside]
    counts = np.bincount(target_of, minlength=shape[0] * shape[1])
    # Stable, so that sources ascend within a target.
    return np.append(0, np.cumsum(counts)).astype(np.int32), inside[np.argsort(target_of, kind="stable")]
