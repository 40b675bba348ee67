"""One upstream NetCDF4 file: metadata by h5py, field data by our own byte ranges, hashed as they are read."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from catalog.sources.ranges import JOIN_GAP, RangeFile, Ranges, read_many
from catalog.sources.storage import Box, Storage, Stored, storage_of
from catalog.sources.units import Packing

_DEFAULT_FILL = 9.969209968386869e36
"""What the NetCDF library writes into float variables that name no fill value of their own."""
LARGEST = 1024 * 1024 * 1024
"""So many bytes of numbers are held at once at most."""
_CELLS_GAP = 16 * 1024
"""Less than `JOIN_GAP`: between two pieces that are wanted may lie one that is costly to have."""


class NetcdfFile:
    """A NetCDF4 file opened over byte ranges. Not for several threads at once. Close it."""

    def __init__(self, ranges: Ranges) -> None:
        self.origin = ranges.origin
        self._ranges = ranges
        self.restart_hash()
        if ranges.size == 0:
            raise self.origin.error("is empty (0 bytes)")
        self._open()

    def _open(self) -> None:
        head = bytes(self._ranges.read(0, min(8, self._ranges.size)))
        if head != b"\x89HDF\r\n\x1a\n":
            raise self.origin.error("is not a NetCDF4 file")
        with self._hdf5("as NetCDF4"):
            self._h5 = h5py.File(RangeFile(self._ranges), "r")

    @contextmanager
    def _hdf5(self, what: str) -> Iterator[None]:
        """Turn what the HDF5 library says about a broken file into one sentence."""
        try:
            yield
        except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
            if "truncated file" in str(error):
                raise self.origin.error(f"is truncated: {self._ranges.size} bytes are not all") from error
            raise self.origin.error(f"cannot be read {what}: {error}") from error

    def close(self) -> None:
        """Close the file and its bytes."""
        self._h5.close()
        self._ranges.close()

    def has(self, name: str) -> bool:
        """Whether the file holds a variable of that name."""
        with self._hdf5(f"at {name}"):
            return name in self._h5 and isinstance(self._h5[name], h5py.Dataset)

    def text(self, attribute: str, variable: str | None = None) -> str | None:
        """Return an attribute (of the file or of a variable) as text, None where absent."""
        value = self.attributes(variable).get(attribute)
        return None if value is None else str(value)

    def attributes(self, variable: str | None = None) -> dict[str, Any]:
        """Return the NetCDF attributes as text, numbers and lists."""
        with self._hdf5(f"at the attributes of {variable or 'the file'}"):
            held = (self._h5 if variable is None else self._h5[variable]).attrs
            names = [name for name in held if name not in ("DIMENSION_LIST", "REFERENCE_LIST")]
            return {name: plain(held[name]) for name in names}

    def horizontal(self, name: str) -> tuple[str, ...]:
        """Return the names of a variable's last two dimensions, "" where the file attaches none."""
        with self._hdf5(f"at the dimensions of {name}"):
            scales = [list(dimension.values()) for dimension in list(self._h5[name].dims)[-2:]]
            return tuple(held[0].name.strip("/") if held else "" for held in scales)

    def storage(self, name: str) -> Storage:
        """Return how a variable of shape ([time, 1...,] y, x) is stored."""
        with self._hdf5(f"at the storage of {name}"):
            dataset = self._h5[name]
            if dataset.dtype.kind not in "fiu":
                raise self.origin.error(f"has a {name} that is not numbers")
            return storage_of(dataset, self.origin)

    def stored(self, name: str) -> Stored:
        """Return all of a small variable as stored."""
        with self._hdf5(f"at {name}"):
            return np.asarray(self._h5[name][()])

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return a small variable (an axis, a scalar) as float64, missing as NaN, unpacked."""
        stored = np.atleast_1d(self.stored(name))
        if stored.dtype.kind not in "fiu":
            raise self.origin.error(f"has a {name} that is not numbers")
        return self.packing(name, stored.dtype).unpack_exact(stored)

    def packing(self, name: str, dtype: np.dtype[Any]) -> Packing:
        """Return scale_factor, add_offset and the missing values of a variable."""
        held = self.attributes(name)
        with self._hdf5(f"at the packing of {name}"):
            named = [held[key] for key in ("_FillValue", "missing_value") if key in held]
            missing = {float(v) for values in named for v in np.atleast_1d(values)}
            scale, offset = float(held.get("scale_factor", 1.0)), float(held.get("add_offset", 0.0))
        if dtype.kind == "f":
            missing = {v for v in missing if not np.isnan(v)}
            if "_FillValue" not in held:
                missing.add(_DEFAULT_FILL)
        else:
            limits = np.iinfo(dtype)
            missing = {v for v in missing if limits.min <= v <= limits.max}
        return Packing(scale, offset, tuple(sorted(missing)))

    def check(self, storage: Storage) -> None:
        """Refuse a variable of which a piece was never written, or lies beyond the end of the file."""
        storage.pieces(storage.plane(0, storage.shape[0]), self.origin, self._ranges.size)

    def fetch(self, wanted: Sequence[tuple[Storage, Box]], gap: int = JOIN_GAP) -> list[Callable[[], Stored]]:
        """Read parts of variables; what is returned unpacks each, in its stored type and in any thread.

        Pieces at most `gap` bytes apart come in one request. The bytes (numbers, where HDF5 unpacks them) enter the
        file's hash in the order asked for.
        """
        found = [(*part, part[0].pieces(part[1], self.origin, self._ranges.size)) for part in wanted]
        held = sum(storage.held(box, pieces) for storage, box, pieces in found)
        if held > LARGEST:
            names = ", ".join(dict.fromkeys(storage.name for storage, _ in wanted))
            raise self.origin.error(
                f"stores {names} so that {held / 2**30:.1f} GiB must be held at once; ask for fewer cells at once"
            )
        ours = [(p.offset, p.size) for storage, _, pieces in found if storage.is_ours for p in pieces]
        raws = iter(read_many(self._ranges, ours, gap))
        answers: list[Callable[[], Stored]] = []
        for storage, box, pieces in found:
            if storage.is_ours:
                mine = [next(raws) for _ in pieces]
                answers.append(partial(storage.unpack, box, pieces, mine, self.origin))
            else:
                values = self._through_hdf5(storage, box)
                mine = [values.data]
                answers.append(partial(np.asarray, values))
            for raw in mine:
                self._digest.update(raw)
                self.bytes_read += raw.nbytes
        return answers

    def _through_hdf5(self, storage: Storage, box: Box) -> Stored:
        with self._hdf5(f"at {storage.name}, steps {box[0].start} to {box[0].stop - 1}"):
            dataset = self._h5[storage.name]
            stored = dataset[box[-min(dataset.ndim, 2) :] if dataset.ndim < 3 else (box[0], ..., *box[1:])]
        return np.ascontiguousarray(stored).reshape([part.stop - part.start for part in box])

    def cells(
        self, storage: Storage, rows: NDArray[np.int64], columns: NDArray[np.int64], steps: int | None = None
    ) -> Stored:
        """Return a variable at cells, (time, n_points), in its stored type: only the pieces that hold them are read.

        Parameters
        ----------
        storage : Storage
        rows, columns : int64 (n_points,)
            The file's own.
        steps : int, optional
            How many, from the first on; all of them, when absent.

        Raises
        ------
        SourceError
            The cells lie in pieces too large to be held at once, or a piece cannot be had or is corrupt.
        """
        steps = storage.shape[0] if steps is None else steps
        wide = -(-storage.shape[2] // storage.chunk[2])
        groups = rows // storage.chunk[1] * wide + columns // storage.chunk[2]
        members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
        boxes = [(slice(0, steps), _span(rows[points]), _span(columns[points])) for points in members]
        values = np.empty((steps, rows.size), storage.dtype)
        unpacks = self.fetch([(storage, box) for box in boxes], _CELLS_GAP)
        for points, (_, top, left), unpack in zip(members, boxes, unpacks, strict=True):
            values[:, points] = unpack()[:, rows[points] - top.start, columns[points] - left.start]
        return values

    def restart_hash(self) -> None:
        """Forget what was hashed so far: a pass through the fields begins."""
        self._digest, self.bytes_read = hashlib.sha256(), 0

    def receipt(self) -> dict[str, Any]:
        """Return what was read: url, bytes of the file, etag, sha256 of the field bytes in the order read."""
        return {
            "url": self.origin.url,
            "bytes": self._ranges.size,
            "etag": self._ranges.etag,
            "sha256": self._digest.hexdigest(),
        }


def _span(indices: NDArray[np.int64]) -> slice:
    return slice(int(indices.min()), int(indices.max()) + 1)


def plain(value: Any) -> Any:
    """Return an attribute as str, number or list, however it was written (bytes, arrays of one, objects)."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, np.ndarray):
        values = [plain(v) for v in value.ravel().tolist()]
        return values[0] if len(values) == 1 else values
    return value.item() if isinstance(value, np.generic) else value
