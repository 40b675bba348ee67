"""Terrain from GeoTIFF files of any projection."""

import glob
import hashlib
import itertools
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from rasterio.errors import CRSError, NotGeoreferencedWarning, RasterioError, RasterioIOError
from rasterio.io import DatasetReader
from rasterio.warp import transform as between
from rasterio.warp import transform_bounds
from rasterio.windows import Window

from dags.build.terrain.hole_map import chart_of, read
from dags.build.terrain.holes import NARROW_M, Chart, cleaned
from dags.build.terrain.layer import Bounds, Outside, Told, corners, overlap
from dags.build.terrain.resample import EPSG, Found, Part, cells_of
from tiles.building import Corner
from tiles.grid import TERRAIN250
from tiles.products.terrain import GRIDS

NAME = "file"
COARSEST_M = 250.0
# A source of nearly 10 m makes the level of 10 m: its cells may be a few per cent off in UTM 33.
_TEN_M = 11.0
# So near, in cells, is a centre on another one.
_NEAR = 0.01
# Around a part, so that holes are filled alike on both sides of its edge.
_MARGIN_M = 2 * NARROW_M
# With it goes the margin: of cells of 1 m some 5 million are held, in a dozen arrays.
_CELLS_AT_ONCE = 1500
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

    hides_finer = True

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

    @property
    def _chart(self) -> Chart:
        return _charted(self.path, Path(self.path).stat().st_mtime_ns, self.size)

    @cached_property
    def size(self) -> float:
        """Side of its cells in UTM 33, m; the longer one where they are no squares."""
        model = self._model
        column, row = model.width / 2, model.height / 2
        points = [model.transform @ at for at in ((column, row), (column + 1, row), (column, row + 1))]
        x, y = between(model.crs, f"EPSG:{EPSG}", *zip(*points, strict=True))
        size = max(float(np.hypot(x[i] - x[0], y[i] - y[0])) for i in (1, 2))
        return float(model.res[0]) if model.crs.to_epsg() == EPSG and model.res[0] == model.res[1] else size

    @property
    def finest(self) -> int:
        """The finest level that it makes, m.

        Its surface has creases on the lines between the centres of its cells; cells of 50 m keep them only where each
        of these centres is one of theirs. Samples of that surface each 10 m show no more than it has.
        """
        return 50 if self.size >= _TEN_M and self._on_centres(50) else 10

    def _on_centres(self, cell: int) -> bool:
        """Say whether the centres of all its cells are centres of a level's cells."""
        model, grid = self._model, GRIDS[cell]
        across, down = model.width - 0.5, model.height - 0.5
        nodes = [model.transform @ at for at in ((0.5, 0.5), (1.5, 0.5), (0.5, 1.5), (across, 0.5), (across, down))]
        x, y = (np.asarray(v) for v in between(model.crs, f"EPSG:{EPSG}", *zip(*nodes, strict=True)))
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
        model = self._model
        found = transform_bounds(model.crs, f"EPSG:{EPSG}", *_bounds_of(model), densify_pts=51)
        west, south, east, north = (float(v) for v in found)
        return west, south, east, north

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
        grid = TERRAIN250
        ours = (grid.x0, grid.y0, grid.x0 + grid.n_x * grid.size, grid.y0 + grid.n_y * grid.size)
        try:
            there = self.everywhere
        except (CRSError, RasterioError, ValueError) as error:
            raise Outside(f"'{self.name}' cannot be laid on UTM 33 ({error}): it lies outside Norway's grid") from error
        if not np.isfinite(there).all() or not overlap(there, ours):
            west, south, east, north = _bounds_of(model)
            raise Outside(
                f"'{self.name}' lies outside Norway's grid: {west:.6g} to {east:.6g}, {south:.6g} to {north:.6g} in "
                f"{model.crs.to_string()[:40]}"
            )
        if self.size > COARSEST_M * 1.05:
            raise ValueError(f"'{self.name}' has cells of {self.size:.0f} m; {COARSEST_M:.0f} m is the coarsest level")

    def told(self, part: Part) -> Told:
        """Return what it has of a part of its finest level."""
        if part.cell != self.finest or not overlap(self.everywhere, part.bounds):
            return Told(None)
        at_once = max(50, int(_CELLS_AT_ONCE * self.size / part.cell))
        shape = part.rows, part.columns
        whole = Found(np.full(shape, np.nan, np.float32), np.full(shape, np.nan, np.float32), np.zeros(shape, bool))
        for row in range(0, part.rows, at_once):
            for column in range(0, part.columns, at_once):
                rows, columns = min(at_once, part.rows - row), min(at_once, part.columns - column)
                tile = self._tile(Part(part.cell, part.row + row, part.column + column, rows, columns))
                if tile is not None:
                    for all_of_it, piece in zip(whole, tile, strict=True):
                        all_of_it[row : row + rows, column : column + columns] = piece
        nothing = np.isnan(whole.ground).all() and not whole.sea.any()
        return Told(None if nothing else whole, self.dated, {"data_origin": self.data_origin})

    def _tile(self, part: Part) -> Found | None:
        model = self._model
        window = self._window(part.bounds)
        if window is None:
            return None
        row, column, rows, columns = window
        chart = self._chart
        raw = read(model, Window(column, row, columns, rows))
        sides = (row == 0, row + rows == model.height, column == 0, column + columns == model.width)
        clean = cleaned(raw, self.size, sides, chart.part(row, column, raw.shape))
        transform = model.window_transform(Window(column, row, columns, rows))
        return cells_of(clean, transform, model.crs, self.size, part)

    def _window(self, bounds: Bounds) -> tuple[int, int, int, int] | None:
        """Return first row, first column, rows and columns of what lies within bounds, and around them."""
        model = self._model
        margin = _MARGIN_M + 3 * self.size
        west, south, east, north = bounds
        around = (west - margin, south - margin, east + margin, north + margin)
        left, bottom, right, top = transform_bounds(f"EPSG:{EPSG}", model.crs, *around, densify_pts=21)
        inverse = ~model.transform
        at = [inverse @ corner for corner in ((left, bottom), (left, top), (right, bottom), (right, top))]
        columns, rows = np.array(at).T
        if not np.isfinite(at).all():
            return None
        first_row, last_row = max(0, int(rows.min())), min(model.height, int(np.ceil(rows.max())))
        first_column, last_column = max(0, int(columns.min())), min(model.width, int(np.ceil(columns.max())))
        if first_row >= last_row or first_column >= last_column:
            return None
        return first_row, first_column, last_row - first_row, last_column - first_column

    @cached_property
    def dated(self) -> int | None:
        """The year of the heights, where anybody says it."""
        if self.year is not None:
            return self.year
        found = re.match(r"(19|20)\d\d", str(self._model.tags().get("TIFFTAG_DATETIME", "")))
        return int(found.group()) if found else None

    @property
    def data_origin(self) -> str:
        """`simulated` where the file says so, else `live`."""
        said = {key.lower(): str(value) for key, value in self._model.tags().items()}
        return "simulated" if said.get("data_origin") == "simulated" else "live"

    @property
    def remarks(self) -> list[str]:
        """What was found in it, in a line; in another one what looks wrong."""
        chart, found = self._chart, self._chart.counts
        if chart.highest is None or chart.lowest is None:
            return [f"{self.name}: there is no height in it"]
        line = (
            f"{self.name}: heights {chart.lowest:.0f} to {chart.highest:.0f} m; {found['spikes']} spikes, "
            f"{found['absurd']} absurd heights, {found['no_data']} cells without data; of these cells "
            f"{found['filled']} are filled from around, {found['sea']} sea, {found['left_missing']} left missing"
        )
        if chart.lowest < chart.highest:
            return [line]
        return [line, f"warning: {self.name} is all one height, {chart.lowest:g} m: is it the right file?"]

    def about(self, notes: Sequence[dict[str, Any]]) -> dict[str, Any]:  # noqa: ARG002 - the file tells it all
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
            "grid": {
                "crs": model.crs.to_wkt(),
                "transform": list(model.transform)[:6],
                "rows": model.height,
                "columns": model.width,
            },
            "holes": self._chart.counts,
            "inputs": [
                {"file": self.name, "bytes": Path(self.path).stat().st_size, "sha256": self._digest}
            ],
        }  # fmt: skip


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
            if not inside:
                raise FileNotFoundError(f"there is no GeoTIFF in the folder '{given}'")
            found += inside
        elif not path.exists() and glob.has_magic(given):
            inside = sorted(glob.glob(given))  # noqa: PTH207 - the pattern may be absolute
            if not inside:
                raise FileNotFoundError(f"no file is named like '{given}'")
            found += inside
        else:
            found.append(given)
    files = tuple(HeightFile(str(Path(path).resolve()), year) for path in dict.fromkeys(found))
    for file in files:
        file.check()
    return files


def _bounds_of(model: DatasetReader) -> Bounds:
    """Return what a file covers in its own projection; of rasterio's, south is north where row 0 is in the south."""
    places = [model.transform @ at for at in itertools.product((0, model.width), (0, model.height))]
    x, y = np.array(places, float).T
    return float(x.min()), float(y.min()), float(x.max()), float(y.max())


@lru_cache(maxsize=8)
def _opened(path: str, modified: int) -> DatasetReader:  # noqa: ARG001 - a file that was changed is another
    with warnings.catch_warnings():
        # `check` says it in a sentence
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        return rasterio.open(path)


@lru_cache(maxsize=8)
def _charted(path: str, modified: int, size: float) -> Chart:
    return chart_of(_opened(path, modified), size)
