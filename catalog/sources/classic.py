"""A NetCDF 3 file (classic, 64-bit offset) over byte ranges: read as if it were a NetCDF4 file.

scipy reads the header, from an empty file of the same size that it maps into memory: the arrays it makes tell where the
numbers lie, and nothing of them is read.
"""

import tempfile
from typing import Any, NamedTuple

import numpy as np
from scipy.io import netcdf_file

from catalog.sources.netcdf import NetcdfFile, plain
from catalog.sources.ranges import RangeFile, Ranges, read_many
from catalog.sources.storage import Storage, Stored, flat, three


class _Variable(NamedTuple):
    dimensions: tuple[str, ...]
    shape: tuple[int, ...]
    attributes: dict[str, Any]
    dtype: np.dtype[Any]
    offset: int
    apart: int
    """Bytes from one step or record to the next."""


class _Header(RangeFile):
    """The bytes of the file to those who read; an empty file of its size to those who map it."""

    def __init__(self, ranges: Ranges) -> None:
        super().__init__(ranges)
        self._empty = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        self._empty.truncate(ranges.size)

    def read(self, size: int = -1) -> bytes:
        """Return exactly so many bytes."""
        if not 0 <= size <= self._ranges.size - self.tell():
            raise EOFError(f"its header goes beyond byte {self._ranges.size}")
        return bytes(super().read(size))

    def fileno(self) -> int:
        """Return the descriptor of the empty file."""
        return self._empty.fileno()

    def close(self) -> None:
        """Close the empty file."""
        self._empty.close()
        super().close()


class ClassicFile(NetcdfFile):
    """A NetCDF 3 file opened over byte ranges; what it offers is what `NetcdfFile` offers."""

    def _open(self) -> None:
        head = self._ranges.read(0, min(8, self._ranges.size))
        if head[3:4] not in (b"\x01", b"\x02"):
            raise self.origin.error(f"is NetCDF of an unknown version: {head[3:4].hex()}")
        if head[4:] == b"\xff" * 4:
            raise self.origin.error("is unfinished: it does not say how many records it has")
        try:
            with netcdf_file(_Header(self._ranges), mmap=True) as held:
                begin = held._mm_buf.__array_interface__["data"][0]
                self._attributes = {key: plain(value) for key, value in held._attributes.items()}
                self._variables = {name: _located(variable, begin) for name, variable in held.variables.items()}
        except (EOFError, OSError, ValueError, KeyError, IndexError, TypeError, OverflowError, MemoryError) as error:
            what = f"cannot be read as NetCDF 3: it is truncated or damaged: {error}"
            raise self.origin.error(what) from error.with_traceback(None)  # its frames would keep the mapping open

    def close(self) -> None:
        """Close the file."""
        self._ranges.close()

    def has(self, name: str) -> bool:
        """Whether the file holds a variable of that name."""
        return name in self._variables

    def attributes(self, variable: str | None = None) -> dict[str, Any]:
        """Return the NetCDF attributes as text, numbers and lists."""
        return dict(self._attributes if variable is None else self._variables[variable].attributes)

    def horizontal(self, name: str) -> tuple[str, ...]:
        """Return the names of a variable's last two dimensions."""
        return self._variables[name].dimensions[-2:]

    def storage(self, name: str) -> Storage:
        """Return where the (time, y, x) of a variable lie."""
        variable = self._variables[name]
        if variable.dtype.kind not in "fiu":
            raise self.origin.error(f"has a {name} that is not numbers")
        return flat(name, three(variable.shape, name, self.origin), variable.dtype, variable.offset, variable.apart)

    def stored(self, name: str) -> Stored:
        """Return all of a small variable as stored."""
        variable = self._variables[name]
        steps = variable.shape[0] if variable.shape else 1
        part = int(np.prod(variable.shape[1:])) * variable.dtype.itemsize
        parts = [(variable.offset + step * variable.apart, part) for step in range(steps)]
        return np.frombuffer(b"".join(read_many(self._ranges, parts)), variable.dtype).reshape(variable.shape)


def _located(variable: Any, begin: int) -> _Variable:
    """Return a variable of scipy's, `begin` being the address at which its file is mapped."""
    data = variable.data
    attributes = {key: plain(value) for key, value in variable._attributes.items()}
    apart = data.strides[0] if data.ndim else 0
    return _Variable(
        variable.dimensions, data.shape, attributes, data.dtype, data.__array_interface__["data"][0] - begin, apart
    )
