"""How clouds move, from a few images: dense optical flow (OpenCV), smoothed by where there is something to see."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

# What is smaller is smoothed away first: it lives shorter, and moves otherwise, than the clouds of the coming hours.
DETAIL_KM = 25.0
# Over which vectors are alike: the flow's own window, and the smoothing after it.
_WINDOW_KM = 80.0
_SMOOTH_KM = 60.0
# A stretch of sky without any edge says nothing of motion: its vectors count for nearly nothing.
_LEAST_TEXTURE = 1e-5
# The flow takes faint edges for none: it is made for pictures of 0 to 255, and clouds are smooth.
_CONTRAST = np.float32(2000)
# Faster than this no cloud is, m/s.
FASTEST_MS = 50.0
_KM_PER_DEGREE = 111.195


@dataclass(frozen=True)
class Motion:
    """How a field moves.

    Attributes
    ----------
    row_speed, column_speed : (n_lat, n_lon) cells per second, northwards and eastwards, nowhere missing
    pairs : int
        Pairs of images that it was seen in; with 0 nothing moves.
    """

    row_speed: Floats
    column_speed: Floats
    pairs: int


@dataclass(frozen=True)
class Scale:
    """The size of an image's cells, km; rows are all alike, columns are taken in the middle of the image."""

    row_km: float
    column_km: float

    @classmethod
    def of(cls, lats: NDArray[np.float64], lons: NDArray[np.float64]) -> "Scale":
        """Return the scale of two ascending axes in degrees."""
        row = (lats[-1] - lats[0]) / (lats.size - 1) * _KM_PER_DEGREE
        column = (lons[-1] - lons[0]) / (lons.size - 1) * _KM_PER_DEGREE * np.cos(np.radians(lats.mean()))
        return cls(float(row), float(column))


def motion_of(indices: Sequence[Floats], moments: Sequence[float], scale: Scale) -> Motion:
    """Return the mean motion of a field over some images.

    Parameters
    ----------
    indices : sequence of (n_lat, n_lon) float32
        Clear-sky index in the images, oldest first; NaN is missing.
    moments : sequence of float
        When they were seen, unix seconds.
    scale : Scale

    Notes
    -----
    Flow of each pair of neighbours: G. Farneback, Two-frame motion estimation based on polynomial expansion, SCIA 2003.
    The pairs' vectors are averaged, and spread, by a Gaussian whose weights are the texture of the images.
    """
    shape = indices[0].shape
    rows, columns, weights = (np.zeros(shape, np.float32) for _ in range(3))
    pairs = 0
    for (before, first), (after, second) in pairwise(zip(indices, moments, strict=True)):
        seen = np.isfinite(before) & np.isfinite(after)
        if not seen.any():
            continue
        mean = np.float32(before[seen].mean())
        smooth = [_blurred(np.where(seen, image, mean), scale, DETAIL_KM) for image in (before, after)]
        flow = _flow(smooth[0], smooth[1], scale)
        weight = _texture(smooth[0], seen, scale) + np.float32(_LEAST_TEXTURE) * seen
        rows += weight * flow[..., 1] / np.float32(second - first)
        columns += weight * flow[..., 0] / np.float32(second - first)
        weights += weight
        pairs += 1
    if not pairs:
        return Motion(rows, columns, 0)
    mass = np.maximum(_blurred(weights, scale, _SMOOTH_KM), np.float32(1e-12))
    row_speed, column_speed = (_blurred(way, scale, _SMOOTH_KM) / mass for way in (rows, columns))
    metres = np.hypot(row_speed * np.float32(1000 * scale.row_km), column_speed * np.float32(1000 * scale.column_km))
    excess: Floats = np.maximum(metres / np.float32(FASTEST_MS), np.float32(1))
    northwards, eastwards = ((speed / excess).astype(np.float32) for speed in (row_speed, column_speed))
    return Motion(northwards, eastwards, pairs)


def _flow(before: Floats, after: Floats, scale: Scale) -> Floats:
    """Return the way from one image to the next, cells, (n_lat, n_lon, 2): columns, rows."""
    flow = cv2.calcOpticalFlowFarneback(
        before * _CONTRAST,
        after * _CONTRAST,
        None,
        pyr_scale=0.5,
        levels=4,
        winsize=max(5, round(_WINDOW_KM / min(scale.row_km, scale.column_km))),
        iterations=4,
        poly_n=7,
        poly_sigma=1.5,
        flags=cv2.OPTFLOW_FARNEBACK_GAUSSIAN,
    )
    return np.asarray(flow, dtype=np.float32)


def _texture(image: Floats, seen: NDArray[np.bool_], scale: Scale) -> Floats:
    """Return how much there is to see: the variance around a cell; 0 at the edge of what is seen."""
    size = max(3, round(2 * DETAIL_KM / scale.column_km)), max(3, round(2 * DETAIL_KM / scale.row_km))
    share = cv2.blur(seen.astype(np.float32), size)
    mean, square = cv2.blur(image, size), cv2.blur(image**2, size)
    return np.where(share > 0.999, np.maximum(square - mean**2, 0), 0).astype(np.float32)


def _blurred(field: Floats, scale: Scale, km: float) -> Floats:
    columns, rows = km / scale.column_km, km / scale.row_km
    # sums of weights have nothing beyond the edge, a picture goes on as it ends
    border = cv2.BORDER_REPLICATE if km == DETAIL_KM else cv2.BORDER_CONSTANT
    return np.asarray(cv2.GaussianBlur(field, (0, 0), columns, sigmaY=rows, borderType=border), np.float32)
