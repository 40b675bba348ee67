"""Terrain from GeoTIFF files of any projection."""

import glob
import hashlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio import Affine
from rasterio.errors import CRSError, NotGeoreferencedWarning, RasterioError, RasterioIOError
from rasterio.io import DatasetReader
from rasterio.warp import Resampling, transform_bounds
from rasterio.warp import transform as between
from rasterio.windows import Window

from catalog.sources.data_origin import origin_of
from catalog.sources.kartverket.heights import year_of
from dags.build.terrain import own_grid
from dags.build.terrain.holes import (
    HEIGHT,
    LAND,
    NARROW_M,
    NO_DATA,
    OUTSIDE,
    SEA,
    UNKNOWN,
    Raw,
    finished,
    holes_of,
    raw_of,
    total,
)
from dags.build.terrain.resample import (
    EPSG,
    EXTENT,
    Bounds,
    Heights,
    Mask,
    Part,
    Reading,
    corners,
    highest_nodes,
    in_memory,
    onto,
    overlap,
)
from tiles.building import Corner
from tiles.products.terrain import GRIDS
from tiles.store import Store

NAME = "file"
COARSEST_M = 250.0
# A source of nearly 10 m makes the level of 10 m: its cells may be a few per cent off in UTM 33.
_TEN_M = 11.0
# So near, in cells, is a centre on another one.
_NEAR = 0.01
# Around a part, so that holes are filled alike on both sides of its edge.
_MARGIN_M = 2 * NARROW_M
# Of the map of a whole file's wide holes.
MOST_CELLS = 4_000_000
_SUFFIXES = (".tif", ".tiff")


@dataclass(frozen=True)
class HeightFile:
    """One file: a layer.

    Parameters
    ----------
    path : str
    year : int, optional
        Of the heights; the file's own date when absent.
    """

    path: str
    year: int | None = None

    @property
    def model(self) -> str:
        """Each file is a model of its own."""
        return self.fingerprint

    @property
    def name(self) -> str:
        """The file's name, without the folder."""
        return Path(self.path).name

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the file's bytes, and the year that was said."""
        return self._digest if self.year is None else f"{self._digest}-{self.year}"

    @cached_property
    def _digest(self) -> str:
        with Path(self.path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    @property
    def _model(self) -> DatasetReader:
        return _opened(self.path, Path(self.path).stat().st_mtime_ns)

    @cached_property
    def size(self) -> float:
        """Side of its cells in UTM 33, m; the longer one where they are no squares."""
        column, row = self._model.width / 2, self._model.height / 2
        x, y = self._places([(column, row), (column + 1, row), (column, row + 1)])
        return round(float(np.hypot(x[1:] - x[0], y[1:] - y[0]).max()), 6)

    def _places(self, at: Sequence[tuple[float, float]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return x and y (m in UTM 33) of columns and rows."""
        points = [self._model.transform @ one for one in at]
        x, y = between(self._model.crs, f"EPSG:{EPSG}", *zip(*points, strict=True))
        return np.asarray(x), np.asarray(y)

    @cached_property
    def finest(self) -> int:
        """The finest level that it makes, m.

        Its surface has creases on the lines between the centres of its cells; cells of 50 m keep them only where each
        of these centres is one of theirs. Samples of that surface each 10 m show no more than it has.
        """
        return 50 if self.size >= _TEN_M and self._on_centres(50) else 10

    def _on_centres(self, cell: int) -> bool:
        """Say whether the centres of all its cells are centres of a level's cells."""
        grid = GRIDS[cell]
        across, down = self._model.width - 0.5, self._model.height - 0.5
        x, y = self._places([(0.5, 0.5), (1.5, 0.5), (0.5, 1.5), (across, 0.5), (across, down)])
        off = np.stack([(x - grid.x0) / cell, (y - grid.y0) / cell]) - 0.5
        return bool((np.abs(off - np.rint(off)) < _NEAR).all())

    def bounds(self, cell: int) -> Bounds | None:
        """Return the rectangle that it covers; of coarser levels, and finer ones, it has no heights of its own."""
        return self.everywhere if cell == self.finest else None

    def blocks(self, cell: int) -> set[Corner]:
        """Return the blocks of a level that it touches."""
        return corners(cell, self.bounds(cell))

    @cached_property
    def everywhere(self) -> Bounds:
        """The rectangle that it covers, m in UTM 33."""
        west, one, east, other = self._model.bounds
        edges = west, min(one, other), east, max(one, other)
        found: Bounds = transform_bounds(self._model.crs, f"EPSG:{EPSG}", *edges, densify_pts=50)
        return found

    def check(self) -> None:
        """Refuse what is no terrain model of ours.

        Raises
        ------
        FileNotFoundError
            It does not exist.
        ValueError
            It is no raster, has no projection, several bands, too large cells, or lies elsewhere.
        """
        if not Path(self.path).exists():
            raise FileNotFoundError(f"there is no file '{self.path}'")
        try:
            model = self._model
        except RasterioIOError as error:
            raise ValueError(f"'{self.name}' is no raster that can be read: {error}") from error
        if model.crs is None:
            raise ValueError(f"'{self.name}' does not say its projection (CRS), so nobody knows where it lies")
        if model.count != 1:
            raise ValueError(f"'{self.name}' has {model.count} bands; a terrain model has one, of heights in m")
        try:
            there = self.everywhere
        except (CRSError, RasterioError, ValueError) as error:
            raise ValueError(
                f"'{self.name}' cannot be laid on UTM 33 ({error}): it lies outside Norway's grid"
            ) from error
        if not np.isfinite(there).all() or not overlap(there, EXTENT):
            edges = ", ".join(f"{edge:.6g}" for edge in model.bounds)
            raise ValueError(f"'{self.name}' lies outside Norway's grid: {edges} in {model.crs.to_string()[:40]}")
        if self.size > COARSEST_M * 1.05:
            raise ValueError(f"'{self.name}' has cells of {self.size:.0f} m; {COARSEST_M:.0f} m is the coarsest level")

    def read(self, part: Part) -> Reading:
        """Return what it has of a part of its finest level, and one cell around."""
        wide = part.wider(1 + round(_MARGIN_M / part.cell))
        try:
            raw = self._finer(wide) if self.size < 0.99 * part.cell else self._coarser(wide)
        except RasterioError as error:
            why = f": {error.__cause__}" if error.__cause__ else ""
            raise ValueError(f"'{self.name}' is damaged or cut short{why}") from error
        found, counts = finished(raw, wide, part, lambda: self._wide_holes_of(wide))
        z = found.ground[1:-1, 1:-1]
        ends = [] if np.isnan(z).all() else [float(np.nanmin(z)), float(np.nanmax(z))]
        notes = {"layer": self.fingerprint, "data_origin": self.data_origin, "holes": counts, "ends": ends}
        return Reading(found, self.dated, notes)

    def _finer(self, part: Part) -> Raw:
        """Return cells that are larger than its own."""
        mean, low, high = (
            self._scaled(onto(self._model, part, how)) for how in (Resampling.average, Resampling.min, Resampling.max)
        )
        raw = raw_of(mean, low, high, part.cell)
        raw.kind[(raw.kind == NO_DATA) & self._outside(part)] = OUTSIDE
        return raw

    def _coarser(self, part: Part) -> Raw:
        """Return its bilinear surface at the centres of cells, as far as its own cells reach."""
        z, transform = self._read(part.bounds)
        z, _, kinds = raw_of(z, z, z, self.size)
        crs = self._model.crs
        with in_memory(z, transform, crs) as heights, in_memory(kinds, transform, crs, nodata=OUTSIDE) as what:
            ground = onto(heights, part, Resampling.bilinear)
            kind = onto(what, part, Resampling.nearest, nodata=OUTSIDE)
        there = kind == HEIGHT
        ground[~there] = np.nan
        top = np.where(there, np.fmax(ground, highest_nodes(z, transform, crs, part)), np.float32(np.nan))
        return Raw(ground, top, kind)

    def _read(self, bounds: Bounds) -> tuple[Heights, Affine]:
        """Return its own cells within bounds in UTM 33 and around them, NaN where it has no data."""
        model = self._model
        west, south, east, north = transform_bounds(f"EPSG:{EPSG}", model.crs, *bounds, densify_pts=21)
        at = [~model.transform @ corner for corner in ((west, south), (west, north), (east, south), (east, north))]
        # two more around, and one even where it ends beside the bounds
        size = np.array([model.width, model.height])
        first = np.clip(np.floor(np.min(at, axis=0)) - 2, 0, size - 1).astype(int)
        columns, rows = np.maximum(1, np.clip(np.ceil(np.max(at, axis=0)) + 2, 0, size).astype(int) - first)
        window = Window(int(first[0]), int(first[1]), int(columns), int(rows))
        return self._masked(window), model.window_transform(window)

    def _masked(self, window: Window) -> Heights:
        found = self._model.read(1, window=window, masked=True)
        return self._scaled(found.astype(np.float32).filled(np.nan))

    def _scaled(self, z: Heights) -> Heights:
        return z * np.float32(self._model.scales[0]) + np.float32(self._model.offsets[0])

    def _outside(self, part: Part) -> Mask:
        """Return which cells of a part have their centre beyond it."""
        whole = self._model.transform @ Affine.scale(self._model.width, self._model.height)
        with in_memory(np.ones((1, 1), np.uint8), whole, self._model.crs, nodata=0) as inside:
            outside: Mask = onto(inside, part, Resampling.nearest, nodata=0) == 0
        return outside

    def _wide_holes_of(self, part: Part) -> NDArray[np.uint8]:
        """Return what its wide holes are in the cells of a part, as `holes_of` takes them."""
        larger, kinds = self._wide_holes
        with in_memory(kinds[::-1], larger.transform, f"EPSG:{EPSG}", nodata=LAND) as raster:
            return onto(raster, part, Resampling.nearest, nodata=LAND)

    @cached_property
    def _wide_holes(self) -> tuple[Part, NDArray[np.uint8]]:
        """What its wide holes are, in cells so large that all of them can be held.

        Of these the lowest height counts: that of a shore is near the sea's, however steep the land behind.
        """
        whole = Part.covering(self.finest, self.everywhere)
        step = int(np.ceil(max(1.0, self.size / whole.cell, (whole.rows * whole.columns / MOST_CELLS) ** 0.5)))
        part = Part.covering(whole.cell * step, self.everywhere)
        low = self._scaled(onto(self._model, part, Resampling.min))
        z, outside = raw_of(low, low, low, np.inf).ground, self._outside(part)
        fill, sea = holes_of(z, outside, part.cell)
        wide = np.isnan(z) & ~outside & ~fill
        return part, np.where(wide, np.where(sea, SEA, UNKNOWN), LAND).astype(np.uint8)

    @property
    def _own_grid(self) -> dict[str, Any]:
        """Where its own cells are stored, if samples of 10 m round off the creases between them."""
        needed = self.finest == min(GRIDS) and self.size >= own_grid.FROM_M
        return {"grid": own_grid.described(self._digest, self._model)} if needed else {}

    def keep(self, store: Store) -> None:
        """Store its own cells, where those that look at the land near by need them."""
        if self._own_grid:
            own_grid.write(store, self._own_grid["grid"]["heights"], self._model.shape, self._masked)

    @cached_property
    def dated(self) -> int | None:
        """The year of the heights, where anybody says it."""
        if self.year is not None:
            return self.year
        return year_of(self._model.tags().get("TIFFTAG_DATETIME"))

    @property
    def data_origin(self) -> str:
        """`simulated` where the file says so, else `live`."""
        said = {key.lower(): str(value) for key, value in self._model.tags().items()}
        return origin_of(said.get("data_origin"))

    def remarks(self, notes: Sequence[dict[str, Any]]) -> list[str]:
        """Return what was found in it, in a line; in another one what looks wrong."""
        found, ends = self._counts(notes)
        if not ends:
            return [f"{self.name}: there is no height in it"]
        line = (
            f"{self.name}: heights {min(ends):.0f} to {max(ends):.0f} m; {found['spikes']} spikes, "
            f"{found['absurd']} absurd heights, {found['no_data']} cells without data; of these cells "
            f"{found['filled']} are filled from around, {found['sea']} sea, {found['left_missing']} left missing"
        )
        if min(ends) < max(ends):
            return [line]
        return [line, f"warning: {self.name} is all one height, {min(ends):g} m: is it the right file?"]

    def _counts(self, notes: Sequence[dict[str, Any]]) -> tuple[dict[str, int], list[float]]:
        """Return what was counted in the cells of the finest level, and heights of which some are the outermost."""
        ours = [note for note in notes if note.get("layer") == self.fingerprint]
        return total([note["holes"] for note in ours]), [end for note in ours for end in note["ends"]]

    def about(self, notes: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return what the provenance says of it."""
        model = self._model
        return {
            "name": NAME,
            "licence": "not stated in the file",
            "attribution": self.name,
            "data_origin": self.data_origin,
            "crs": model.crs.to_string(),
            "cell_m": round(self.size, 3),
            "year": self.dated,
            "cells": model.width * model.height,
            **self._own_grid,
            "holes": self._counts(notes)[0],
            "holes_in_cells_m": self.finest,
            "inputs": [{"file": self.name, "bytes": Path(self.path).stat().st_size, "sha256": self._digest}],
        }


def files_of(paths: Sequence[str], year: int | None) -> tuple[HeightFile, ...]:
    """Return the files that paths mean: files, folders of GeoTIFFs, or patterns; each is checked.

    Raises
    ------
    FileNotFoundError
        There is none.
    ValueError
        One is no terrain model; see `HeightFile.check`.
    """
    found: list[str] = []
    for given in paths:
        path = Path(given)
        if path.is_dir():
            inside = sorted(str(p) for p in path.iterdir() if p.suffix.lower() in _SUFFIXES)
        elif not path.exists() and glob.has_magic(given):
            inside = sorted(glob.glob(given))  # noqa: PTH207 - the pattern may be absolute
        else:
            inside = [given]
        if not inside:
            raise FileNotFoundError(f"there is no GeoTIFF in the folder, or of the name, '{given}'")
        found += inside
    files = tuple(HeightFile(str(Path(path).resolve()), year) for path in dict.fromkeys(found))
    for file in files:
        file.check()
    return files


@lru_cache(maxsize=8)  # of a folder of files few stay open
def _opened(path: str, modified: int) -> DatasetReader:  # noqa: ARG001 - a file that was changed is another
    with warnings.catch_warnings():
        # `check` says it in a sentence
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        return rasterio.open(path)
