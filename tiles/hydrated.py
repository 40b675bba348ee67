"""Hydrated tiles: a published version decoded once into a point-major file, which all workers read by `pread`.

All series of a point lie in one place, one variable after the other: one positioned read of a few hundred bytes (a
second one would be 3 % of a request that needs two variables), no mapping that would count as a worker's own memory,
and a file that is replaced or unlinked stays readable while it is open.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import google_crc32c
import numpy as np
from numpy.typing import NDArray

from tiles.errors import TileCorrupt

HEADER = "tile.json"
POINTS = "points.u16"
FORMAT = 3
_READ = 1 << 22


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
    """

    def __init__(self, header: dict[str, Any], file: int) -> None:
        self.header = header
        self.n_times = int(header["n_times"])
        self.times: NDArray[np.int64] = np.array(header["times"], np.int64)
        self.variables = tuple(header["variables"])
        self._columns = int(header["shape"][1])
        self._row = self.n_times * 2
        self._point = self._row * len(self.variables)
        self._at = {name: place * self._row for place, name in enumerate(self.variables)}
        self._file = file

    @classmethod
    def open(cls, folder: Path, *, check: bool = True) -> "HydratedTile":
        """Open a folder that `tiles.hydrate` completed, and check its file against its header once.

        Parameters
        ----------
        folder : Path
        check : bool
            False only for who has just written it.

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
            if check:
                _verify(file, header["bytes"], header["crc32c"], folder / POINTS)
            return cls(header, file)
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
        """
        return os.pread(self._file, self._row, (i_lat * self._columns + i_lon) * self._point + self._at[variable])

    def reader(self, *variables: str) -> Callable[[int, int], bytes]:
        """Return what reads a point's packed series of some variables, given in any order, in one go.

        It takes row and column of a point and returns the series one after the other, each as `raw` returns it. It
        raises TileCorrupt where the file has been cut short, and OSError where it cannot be read.

        Raises
        ------
        KeyError
            The version has no such variable.
        """
        begins = [self._at[name] for name in variables]
        start, size = min(begins), max(begins) - min(begins) + self._row
        parts = [slice(begin - start, begin - start + self._row) for begin in begins]

        def read(i_lat: int, i_lon: int) -> bytes:
            span = os.pread(self._file, size, (i_lat * self._columns + i_lon) * self._point + start)
            if len(span) != size:
                raise TileCorrupt(f"{len(span)} of {size} bytes")
            return span if len(parts) == 1 else b"".join([span[part] for part in parts])

        return read

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


def _verify(handle: int, size: int, checksum: int, name: Path) -> None:
    crc, offset = 0, 0
    while block := os.pread(handle, _READ, offset):
        crc = google_crc32c.extend(crc, block)
        offset += len(block)
    if offset != size or crc != checksum:
        raise TileCorrupt(f"{name} is not what was hydrated: size or checksum differs")
