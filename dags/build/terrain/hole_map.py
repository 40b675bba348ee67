"""A terrain model read once whole, strip by strip: which of its holes are the sea, and what was found."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rasterio.errors import RasterioIOError
from rasterio.io import DatasetReader
from rasterio.windows import Window

from dags.build.terrain.holes import LAND, SEA, UNKNOWN, Chart, Heights, regions, without_absurd

# Cells of a chart: some 200 MB while it is made.
MOST_CELLS = 4_000_000
_STRIP_CELLS = 2_000_000
_ALL = (True, True, True, True)


def read(model: DatasetReader, window: Window) -> Heights:
    """Return the heights of a window, row 0 as in the file, NaN where the model has no data.

    Raises
    ------
    ValueError
        The file is damaged.
    """
    try:
        found = model.read(1, window=window, masked=True)
    except RasterioIOError as error:
        why = f": {error.__cause__}" if error.__cause__ else ""
        raise ValueError(f"'{Path(model.name).name}' is damaged or cut short{why}") from error
    z: Heights = np.where(np.ma.getmaskarray(found), np.nan, found.data).astype(np.float32)
    scale, offset = model.scales[0], model.offsets[0]
    return z if (scale, offset) == (1.0, 0.0) else (z * np.float32(scale) + np.float32(offset))


def chart_of(model: DatasetReader, cell: float) -> Chart:
    """Return what the holes of a model are.

    Parameters
    ----------
    model : rasterio dataset
    cell : float
        Side of its cells, m.
    """
    step = int(np.ceil(np.sqrt(max(1.0, model.width * model.height / MOST_CELLS))))
    lowest = np.full((-(-model.height // step), -(-model.width // step)), np.nan, np.float32)
    counts: dict[str, int] = {}
    ends: list[float] = []
    strip = max(1, _STRIP_CELLS // (model.width * step)) * step
    for first in range(0, model.height, strip):
        rows = min(strip, model.height - first)
        z, found = _strip(model, first, rows, cell)
        counts = {name: counts.get(name, 0) + number for name, number in found.items()}
        part = slice(first // step, -(-(first + rows) // step))
        lowest[part] = _lowest(z, step)
        if not np.isnan(z).all():
            ends += [float(np.nanmin(z)), float(np.nanmax(z))]
    kinds = np.full(lowest.shape, LAND, np.uint8)
    if np.isnan(lowest).any():
        # of a coarse chart the lowest counts: that of a shore is near the sea's, however steep the land behind
        holes = regions(lowest, cell * step, _ALL)
        kinds = holes.kinds[holes.labels]
    return Chart(kinds, step, _became(counts, kinds, step), min(ends, default=None), max(ends, default=None))


def _strip(model: DatasetReader, first: int, rows: int, cell: float) -> tuple[Heights, dict[str, int]]:
    """Return rows of a model without what is absurd: of spikes, the rows beside them tell."""
    before, after = min(1, first), min(1, model.height - first - rows)
    raw = read(model, Window(0, first - before, model.width, rows + before + after))
    inside = slice(before, before + rows)
    z, _ = without_absurd(raw, cell)
    missing, gone = np.isnan(raw[inside]), np.isnan(z[inside])
    with np.errstate(invalid="ignore"):
        plain = np.isnan(without_absurd(raw[inside], np.inf)[0])
    found = {"no_data": missing, "absurd": plain & ~missing, "spikes": gone & ~plain}
    return z[inside], {name: int(np.count_nonzero(mask)) for name, mask in found.items()}


def _lowest(z: Heights, step: int) -> Heights:
    if step == 1:
        return z
    rows, columns = (-(-n // step) * step for n in z.shape)
    padded = np.full((rows, columns), np.nan, np.float32)
    padded[: z.shape[0], : z.shape[1]] = z
    blocks = padded.reshape(rows // step, step, columns // step, step)
    low: Heights = np.where(np.isnan(blocks), np.inf, blocks).min(axis=(1, 3)).astype(np.float32)
    low[np.isinf(low)] = np.nan
    return low


def _became(counts: dict[str, int], kinds: NDArray[np.uint8], step: int) -> dict[str, int]:
    holes = sum(counts.values())
    sea, unknown = (min(holes, int(np.count_nonzero(kinds == kind)) * step**2) for kind in (SEA, UNKNOWN))
    return counts | {"filled": max(0, holes - sea - unknown), "sea": sea, "left_missing": unknown}
