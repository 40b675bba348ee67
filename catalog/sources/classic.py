"""A NetCDF 3 file (classic, 64-bit offset, 64-bit data) over byte ranges: read as if it were a NetCDF4 file.

The format keeps one header at its beginning, then the variables one after the other, big-endian, without chunks or
compression; those on the record dimension lie interleaved, record by record. (The NetCDF Classic Format
Specification, Unidata.)
"""

import hashlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from catalog.sources.chunks import Cells, Layout, Stored, by_steps, check_complete, three
from catalog.sources.errors import Origin
from catalog.sources.netcdf import NetcdfFile
from catalog.sources.ranges import Ranges, read_many

MAGIC = b"CDF"
_FIRST_READ = 64 * 1024
_LARGEST_HEADER = 16 * 1024 * 1024
_DIMENSIONS, _VARIABLES, _ATTRIBUTES = 10, 11, 12
_TYPES = {1: ">i1", 2: "S1", 3: ">i2", 4: ">i4", 5: ">f4", 6: ">f8", 7: ">u1", 8: ">u2", 9: ">u4", 10: ">i8", 11: ">u8"}


@dataclass(frozen=True)
class _Variable:
    """One variable as its header has it; `shape` with the number of records put in."""

    dimensions: tuple[str, ...]
    shape: tuple[int, ...]
    attributes: dict[str, Any]
    dtype: np.dtype[Any]
    begin: int
    is_record: bool

    @property
    def part_bytes(self) -> int:
        """Bytes of the variable, or of one record of it, without padding."""
        return math.prod(self.shape[1:] if self.is_record else self.shape) * self.dtype.itemsize


class _Short(Exception):
    """The header goes on beyond the bytes at hand."""


class _Reader:
    """Takes the header apart."""

    def __init__(self, data: bytes, origin: Origin) -> None:
        self._data, self._origin, self._at = data, origin, 4
        self._version = data[3]
        if self._version not in (1, 2, 5):
            raise origin.error(f"is NetCDF of an unknown version: {self._version}")

    def _take(self, length: int) -> bytes:
        self._at += length
        if self._at > len(self._data):
            raise _Short
        return self._data[self._at - length : self._at]

    def _number(self, wide: bool = False) -> int:
        length = 8 if wide else 4
        return int.from_bytes(self._take(length), "big")

    def _count(self) -> int:
        return self._number(self._version == 5)

    def _name(self) -> str:
        length = self._count()
        text = self._take(-(-length // 4) * 4)[:length]
        return text.decode("utf-8", "replace")

    def _list(self, tag: int) -> range:
        found, length = self._number(), self._count()
        if found not in (0, tag) or (found == 0 and length):
            raise self._origin.error("cannot be read as NetCDF 3: its header is damaged")
        return range(length)

    def _type(self) -> np.dtype[Any]:
        code = self._number()
        if code not in _TYPES:
            raise self._origin.error(f"cannot be read as NetCDF 3: it has a type {code}")
        return np.dtype(_TYPES[code])

    def _attributes(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for _ in self._list(_ATTRIBUTES):
            name, dtype, length = self._name(), self._type(), self._count()
            data = self._take(-(-length * dtype.itemsize // 4) * 4)[: length * dtype.itemsize]
            if dtype.kind == "S":
                found[name] = data.rstrip(b"\0").decode("utf-8", "replace")
            else:
                values = np.frombuffer(data, dtype).tolist()
                found[name] = values[0] if len(values) == 1 else values
        return found

    def read(self) -> tuple[int, dict[str, Any], dict[str, _Variable]]:
        """Return the number of records, the file's attributes and its variables."""
        records = self._count()
        if records == (2**64 - 1 if self._version == 5 else 2**32 - 1):
            raise self._origin.error("is unfinished: it does not say how many records it has")
        dimensions = [(self._name(), self._count()) for _ in self._list(_DIMENSIONS)]
        attributes, variables = self._attributes(), {}
        for _ in self._list(_VARIABLES):
            name = self._name()
            places = [self._count() for _ in range(self._count())]
            if any(place >= len(dimensions) for place in places):
                raise self._origin.error("cannot be read as NetCDF 3: its header is damaged")
            own, dtype = self._attributes(), self._type()
            self._count()  # the size, which is wrong for large variables: the shape tells
            lengths = [dimensions[place][1] for place in places]
            is_record = bool(lengths) and lengths[0] == 0
            shape = (records, *lengths[1:]) if is_record else tuple(lengths)
            names = tuple(dimensions[place][0] for place in places)
            begin = self._number(wide=self._version != 1)
            variables[name] = _Variable(names, shape, own, dtype, begin, is_record)
        return records, attributes, variables


class ClassicFile(NetcdfFile):
    """A NetCDF 3 file opened over byte ranges; what it offers is what `NetcdfFile` offers."""

    def __init__(self, ranges: Ranges) -> None:
        self.origin = ranges.origin
        self._ranges = ranges
        self._digest, self.bytes_read = hashlib.sha256(), 0
        length = min(_FIRST_READ, ranges.size)
        while True:
            try:
                _, self._attributes, self._variables = _Reader(bytes(ranges.read(0, length)), self.origin).read()
                break
            except _Short:
                if length >= min(ranges.size, _LARGEST_HEADER):
                    raise self.origin.error(f"is truncated: its header goes beyond byte {length}") from None
                length = min(4 * length, ranges.size, _LARGEST_HEADER)
        records = [v.part_bytes for v in self._variables.values() if v.is_record]
        # a single variable of records is not padded to four bytes
        self._record_bytes = records[0] if len(records) == 1 else sum(-(-size // 4) * 4 for size in records)

    def close(self) -> None:
        """Close the file."""
        self._ranges.close()

    def has(self, name: str) -> bool:
        """Whether the file holds a variable of that name."""
        return name in self._variables

    def attributes(self, variable: str | None = None) -> dict[str, Any]:
        """Return the NetCDF attributes as text, numbers and lists."""
        return dict(self._attributes if variable is None else self._variables[variable].attributes)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a variable as stored."""
        return self._variables[name].shape

    def horizontal(self, name: str) -> tuple[str, ...]:
        """Return the names of a variable's last two dimensions."""
        return self._variables[name].dimensions[-2:]

    def _dtype(self, name: str) -> np.dtype[Any]:
        return self._variables[name].dtype

    def _stored(self, name: str) -> Stored:
        variable = self._complete(name)
        steps = variable.shape[0] if variable.is_record else 1
        apart = self._record_bytes if variable.is_record else 0
        parts = [(variable.begin + step * apart, variable.part_bytes) for step in range(steps)]
        return np.frombuffer(b"".join(read_many(self._ranges, parts)), variable.dtype).reshape(variable.shape)

    def _complete(self, name: str) -> _Variable:
        """Return a variable that the file is long enough for.

        Before anything is listed record by record, for a damaged header may have any number of them.
        """
        variable = self._variables[name]
        if variable.part_bytes == 0:
            raise self.origin.error(f"cannot be read as NetCDF 3: its header is damaged, {name} has no length")
        later = max(variable.shape[0] - 1, 0) * self._record_bytes if variable.is_record else 0
        end = variable.begin + later + variable.part_bytes
        if 0 not in variable.shape and end > self._ranges.size:
            raise self.origin.error(f"is truncated: it has {self._ranges.size} bytes, {name} reaches to byte {end}")
        return variable

    def layout(self, name: str, cells: Cells | None = None) -> Layout:  # noqa: ARG002 - there is no index to spare
        """Return where the (time, y, x) of a variable lie."""
        variable = self._complete(name)
        if variable.dtype.kind not in "fiu":
            raise self.origin.error(f"has a {name} that is not numbers")
        shape = three(variable.shape, self.origin, name)
        if shape[0] == 0:
            raise self.origin.error(f"is empty: {name} has no time steps")
        plane = shape[1] * shape[2] * variable.dtype.itemsize
        layout = by_steps(shape, variable.dtype, variable.begin, self._record_bytes if variable.is_record else plane)
        check_complete(layout, self.origin, name, self._ranges.size)
        return layout
