"""Hydrated tiles: a published version decoded once into a point-major file, which all workers read by `pread`.

All series of a point lie in one place, one variable after the other: one positioned read of a few hundred bytes (a
second one would be 3 % of a request that needs two variables), no mapping that would count as a worker's own memory,
and a file that is replaced or unlinked stays readable while it is open.

The header holds a checksum per row of the grid (0.5 MB of a national forecast). A row is checked at its first reading
(0.2 ms), and again by `HydratedTile.recheck`; until then its place in the file is unknown, so that reading a row that
was checked costs as much as if there were no checksums.
"""

import itertools
import json
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import google_crc32c
import numpy as np
from numpy.typing import NDArray

from tiles.errors import TileCorrupt
from tiles.product import CORRUPT, FILL

HEADER = "tile.json"
POINTS = "points.u16"
FORMAT = 4


def checksums(rows: NDArray[np.uint16]) -> list[int]:
    """Return the CRC-32C of each row of a point-major array, (rows, columns, variables, times)."""
    return [google_crc32c.value(row) for row in rows]


def hydrated_dir(state: Path, entry_path: str) -> Path:
    """Return the folder of a version's hydrated tile below the state folder.

    Parameters
    ----------
    state : Path
    entry_path : str
        The key of the version's Zarr group, `forecast/2015-08-24T00/<attempt>.zarr`.
    """
    return state / "hydrated" / entry_path.removesuffix(".zarr")


class HydratedTile:
    """An open hydrated tile.

    Attributes
    ----------
    header : dict
        What `tiles.hydrate` wrote: product, version, schema, provenance, statistics, corrupt shards.
    n_times : int
    times : (n_times,) int64
        Starts of the hours, unix seconds.
    variables : tuple of str
        In the order of a point's series.
    altered : str or None
        Which row turned out not to be what was hydrated; what was checked before is served on.
    """

    def __init__(self, header: dict[str, Any], file: int) -> None:
        self.header = header
        self.n_times = int(header["n_times"])
        self.times: NDArray[np.int64] = np.array(header["times"], np.int64)
        self.variables = tuple(header["variables"])
        self.altered: str | None = None
        self._series = self.n_times * 2
        self._point = self._series * len(self.variables)
        self._row = self._point * int(header["shape"][1])
        self._checksums: list[int] = header["checksums"]
        self._begins: list[int | None] = [None] * len(self._checksums)  # of a row that is not checked: None
        self._walk = itertools.cycle(range(len(self._checksums)))
        self._at = {name: place * self._series for place, name in enumerate(self.variables)}
        self._file, self._modified = file, os.fstat(file).st_mtime_ns
        self._readers = {name: self.reader(name) for name in self.variables}

    @classmethod
    def open(cls, folder: Path, *, check: bool = False) -> "HydratedTile":
        """Open a folder that `tiles.hydrate` completed.

        Parameters
        ----------
        folder : Path
        check : bool
            Whether to check all rows now, rather than each when it is read first.

        Raises
        ------
        TileCorrupt
            The file is absent, cut short or altered.
        """
        file = -1
        try:
            header = json.loads((folder / HEADER).read_bytes())
            if header["format"] != FORMAT:
                raise TileCorrupt(f"{folder} was made by another version of this code")
            file = os.open(folder / POINTS, os.O_RDONLY)
            tile = cls(header, file)
            if os.fstat(file).st_size != tile._row * len(tile._begins):
                raise TileCorrupt(f"{folder / POINTS} has another size than was hydrated")
            if check:
                tile._check_all()
            return tile
        except (OSError, ValueError, KeyError, TypeError, TileCorrupt) as error:
            if file >= 0:
                os.close(file)
            raise (
                error if isinstance(error, TileCorrupt) else TileCorrupt(f"{folder} cannot be read: {error}")
            ) from error

    def raw(self, variable: str, i_lat: int, i_lon: int) -> bytes:
        """Return a point's packed series: n_times little-endian uint16 (65535 missing, 65534 damaged shard).

        Raises
        ------
        KeyError
            The version has no such variable.
        TileCorrupt, OSError
            As what `reader` returns.
        """
        return self._readers[variable](i_lat, i_lon)

    def values(self, variable: str, cell: tuple[int, int]) -> NDArray[np.float64]:
        """Return a point's series in the variable's unit, (n_times,), NaN where missing.

        Raises
        ------
        KeyError
            The version has no such variable.
        TileCorrupt, OSError
            As what `reader` returns; or the point's shard failed its checksum.
        """
        packed, (scale, offset) = np.frombuffer(self.raw(variable, *cell), "<u2"), self.scale(variable)
        if CORRUPT in packed:
            raise TileCorrupt("its shard failed the checksum")
        return np.where(packed == FILL, np.nan, packed * np.float64(scale) + offset)

    def row_at(self, start: datetime) -> int | None:
        """Return the row of the hour that starts at a moment, or None where the series do not reach it."""
        row = int(start.timestamp() - self.times[0]) // 3600
        return row if 0 <= row < self.n_times else None

    def reader(self, *variables: str) -> Callable[[int, int], bytes]:
        """Return what reads a point's packed series of some variables, given in any order, in one go.

        It takes row and column of a point and returns the series one after the other, each as `raw` returns it. It
        raises TileCorrupt where the row is not what was hydrated, and OSError where it cannot be read.

        Raises
        ------
        KeyError
            The version has no such variable.
        """
        begins = [self._at[name] for name in variables]
        start, size = min(begins), max(begins) - min(begins) + self._series
        parts = [slice(begin - start, begin - start + self._series) for begin in begins]
        rows, point = self._begins, self._point

        def read(i_lat: int, i_lon: int) -> bytes:
            row = rows[i_lat]
            if row is None:
                row = self._check(i_lat)
            span = os.pread(self._file, size, row + i_lon * point + start)
            if len(span) != size:
                raise TileCorrupt(f"{len(span)} of {size} bytes")
            return span if len(parts) == 1 else b"".join([span[part] for part in parts])

        return read

    def recheck(self) -> None:
        """Check the next row, in turn, or all of them where the file was written to since it was opened.

        It reads 0.5 MB, or the whole file (0.2 s): not for the event loop.

        Raises
        ------
        TileCorrupt
            A row is not what was hydrated; `altered` says which.
        """
        if (modified := os.fstat(self._file).st_mtime_ns) != self._modified:
            self._begins[:] = [None] * len(self._begins)  # readings check for themselves from now on
            self._check_all()
            self._modified = modified
        self._check(next(self._walk))

    def _check_all(self) -> None:
        for row in range(len(self._begins)):
            self._check(row)

    def _check(self, row: int) -> int:
        """Return where a row begins in the file, once it is known to be what was hydrated."""
        begin = row * self._row
        try:
            found: object = google_crc32c.value(os.pread(self._file, self._row, begin))
        except OSError as error:
            found = error
        if found != self._checksums[row]:
            self._begins[row] = None
            self.altered = f"row {row} of {POINTS} fails its checksum: {found}"
            raise TileCorrupt(self.altered)
        self._begins[row] = begin
        return begin

    @property
    def damaged(self) -> tuple[str, ...]:
        """What failed its checksum when the version was decoded."""
        return tuple(self.header["damaged"])

    def scale(self, variable: str) -> tuple[float, float]:
        """Return scale and offset: physical = packed * scale + offset."""
        described = self.header["variables"][variable]
        return described["scale"], described["offset"]

    def close(self) -> None:
        """Close the file; the tile cannot be read any more."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
