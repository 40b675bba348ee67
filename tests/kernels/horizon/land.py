"""Heights to look at: made up, and real."""

from pathlib import Path

import numpy as np
import rasterio
import rasterio.warp
import scipy.fft
from numpy.typing import ArrayLike, NDArray

from kernels.horizon.levels import MISSING, Level

OSLO, FINSE = "oslo_tin_50m_utm33.tif", "ASTER_Finse.tif"
NORTH = 6_650_000.0
"""On the central meridian (x = 500 km) at this y the grid's north is true."""


def fractal(shape: tuple[int, int], seed: int, cell: float, slope: float, hurst: float = 0.8) -> NDArray[np.float32]:
    """Rough land without a preferred scale, by its spectrum; it goes on over its edges.

    Parameters
    ----------
    shape : (rows, columns)
    seed : int
        The same heights for the same seed.
    cell : float
        Metres.
    slope : float
        Root mean square of the rise from cell to cell, m/m.
    hurst : float
        0 rough everywhere .. 1 smooth near by and high far off.
    """
    noise = scipy.fft.rfft2(np.random.default_rng(seed).standard_normal(shape, dtype=np.float32))
    wave = np.hypot(scipy.fft.fftfreq(shape[0])[:, None], scipy.fft.rfftfreq(shape[1])[None]).astype(np.float32)
    wave[0, 0] = np.inf
    z = scipy.fft.irfft2(noise * wave ** np.float32(-1 - hurst), s=shape)
    steep = np.sqrt(np.mean(np.diff(z, axis=1) ** 2)) / cell
    return np.asarray(z * (slope / steep), dtype=np.float32)


def bilinear(z: NDArray[np.floating], row: NDArray[np.float64], column: NDArray[np.float64]) -> NDArray[np.float64]:
    """Heights between the centres of cells."""
    i, j = np.floor(row).astype(int), np.floor(column).astype(int)
    p, q = row - i, column - j
    low, high = (z[k, j] * (1 - q) + z[k, j + 1] * q for k in (i, i + 1))
    return np.asarray(low * (1 - p) + high * p, np.float64)


def land_around(z: ArrayLike, cell: float = 50.0) -> Level:
    """Heights of which the middle cell lies where the grid's north is true."""
    heights = np.ascontiguousarray(z, dtype=np.float32)
    rows, columns = heights.shape
    return Level(heights, 5e5 - columns // 2 * cell, NORTH - rows // 2 * cell, cell)


def pyramid(finest: Level, factor: int = 5) -> list[Level]:
    return [finest, maxima(finest, factor)]


def maxima(level: Level, factor: int) -> Level:
    """The highest of each `factor` x `factor` cells, what is left over at the edges cut off."""
    rows, columns = (n // factor for n in level.z.shape)
    z = level.z[: rows * factor, : columns * factor].reshape(rows, factor, columns, factor).max((1, 3))
    off = (factor - 1) / 2 * level.cell
    return Level(np.ascontiguousarray(z), level.x0 + off, level.y0 + off, level.cell * factor)


def around(level: Level, x: float, y: float, radius: float, whole: int = 1) -> Level:
    """What a level has within a square, else `MISSING`; `whole` divides the number of its first cell."""
    first = [int((at - radius - o) // (level.cell * whole)) * whole for at, o in ((x, level.x0), (y, level.y0))]
    size = int(2 * radius / level.cell) + whole + 2
    z = np.full((size, size), MISSING, dtype=np.float32)
    rows, columns = (np.arange(max(f, 0), min(f + size, n)) for f, n in zip(first[::-1], level.z.shape, strict=True))
    z[np.ix_(rows - first[1], columns - first[0])] = level.z[np.ix_(rows, columns)]
    return Level(z, level.x0 + first[0] * level.cell, level.y0 + first[1] * level.cell, level.cell)


def cone_over_sea(
    observer: tuple[float, float], peak: tuple[float, float], height: float, slope: float, cell: float
) -> Level:
    """A cone whose tip is the centre of a cell, in a sea of height 0 that reaches from the observer to behind it."""
    margin = height / slope + 5 * cell
    first = [int((min(o, p) - p - margin) // cell) // 5 * 5 - 2 for o, p in zip(observer, peak, strict=True)]
    size = [int((max(o, p) + margin - p) // cell) - f + 1 for o, p, f in zip(observer, peak, first, strict=True)]
    east, north = (cell * (f + np.arange(n // 5 * 5 + 5)) for f, n in zip(first, size, strict=True))
    z = np.maximum(height - slope * np.hypot(east[None], north[:, None]), 0).astype(np.float32)
    return Level(z, peak[0] + east[0], peak[1] + north[0], cell)


def read(path: Path, cell: float) -> Level:
    """A file of heights as a level in UTM 33, row 0 in the south; bilinear if it lies in another projection."""
    with rasterio.open(path) as file:
        z, transform, nodata = file.read(1).astype(np.float32), file.transform, file.nodata
        if file.crs.to_epsg() != 25833:
            transform, columns, rows = rasterio.warp.calculate_default_transform(
                file.crs, "EPSG:25833", file.width, file.height, *file.bounds, resolution=cell
            )
            warped = np.full((rows, columns), MISSING, dtype=np.float32)
            rasterio.warp.reproject(
                z, warped, src_transform=file.transform, src_crs=file.crs, src_nodata=nodata, dst_transform=transform,
                dst_crs="EPSG:25833", dst_nodata=float(MISSING), resampling=rasterio.warp.Resampling.bilinear,
            )  # fmt: skip
            z, nodata = warped, float(MISSING)
    if nodata is not None:
        z[z == np.float32(nodata)] = MISSING
    x0, y0 = transform.c + transform.a / 2, transform.f + transform.e * (z.shape[0] - 0.5)
    return Level(np.ascontiguousarray(z[::-1]), x0, y0, cell)
