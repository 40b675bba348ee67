"""Hydrated tiles: a published version decoded once into point-major files, which all workers read by `pread`.

A point's series lies in one place: one positioned read of a few hundred bytes, no mapping that would count as
a worker's own memory, and a file that is replaced or unlinked stays readable while it is open.
"""

import json
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiles.errors import TileCorrupt

HEADER = "tile.json"
FORMAT = 1
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
    """

    def __init__(self, header: dict[str, Any], files: dict[str, int]) -> None:
        self.header = header
        self.n_times = int(header["n_times"])
        self.times: NDArray[np.int64] = np.array(header["times"], np.int64)
        self.variables = tuple(header["variables"])
        self._columns = int(header["shape"][1])
        self._row = self.n_times * 2
        self._files = files

    @classmethod
    def open(cls, folder: Path, *, check: bool = True) -> "HydratedTile":
        """Open a folder that `tiles.hydrate` completed, and check every file against its header once.

        Parameters
        ----------
        folder : Path
        check : bool
            False only for who has just written it.

        Raises
        ------
        TileCorrupt
            A file is absent, cut short or altered.
        """
        files: dict[str, int] = {}
        try:
            header = json.loads((folder / HEADER).read_bytes())
            if header["format"] != FORMAT:
                raise TileCorrupt(f"{folder} was made by another version of this code")
            for name, described in header["variables"].items():
                files[name] = os.open(folder / f"{name}.u16", os.O_RDONLY)
                if check:
                    _verify(files[name], described["bytes"], described["crc32"], folder / name)
        except (OSError, ValueError, KeyError, TypeError, TileCorrupt) as error:
            for handle in files.values():
                os.close(handle)
            raise (
                error if isinstance(error, TileCorrupt) else TileCorrupt(f"{folder} cannot be read: {error}")
            ) from error
        return cls(header, files)

    def raw(self, variable: str, i_lat: int, i_lon: int) -> bytes:
        """Return a point's packed series: n_times little-endian uint16 (65535 missing, 65534 damaged shard).

        Raises
        ------
        KeyError
            The version has no such variable.
        """
        return os.pread(self._files[variable], self._row, (i_lat * self._columns + i_lon) * self._row)

    @property
    def damaged(self) -> tuple[str, ...]:
        """What failed its checksum when the version was decoded."""
        return tuple(self.header["damaged"])

    def scale(self, variable: str) -> tuple[float, float]:
        """Return scale and offset: physical = packed * scale + offset."""
        described = self.header["variables"][variable]
        return described["scale"], described["offset"]

    def close(self) -> None:
        """Close the files; the tile cannot be read any more."""
        for handle in self._files.values():
            os.close(handle)
        self._files = {}


def _verify(handle: int, size: int, checksum: int, name: Path) -> None:
    crc, offset = 0, 0
    while block := os.pread(handle, _READ, offset):
        crc = zlib.crc32(block, crc)
        offset += len(block)
    if offset != size or crc != checksum:
        raise TileCorrupt(f"{name} is not what was hydrated: size or checksum differs")
