"""One upstream NetCDF4 file: metadata by h5py, field data by our own byte ranges, hashed as they are read."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from catalog.sources.chunks import Cells, Layout, Stored, decode_block, layout_of
from catalog.sources.ranges import JOIN_GAP, RangeFile, Ranges, read_many
from catalog.sources.units import Packing

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_DEFAULT_FILL = 9.969209968386869e36
"""What the NetCDF library writes into float variables that name no fill value of their own."""


class NetcdfFile:
    """A NetCDF4 file opened over byte ranges. Not for several threads at once. Close it."""

    def __init__(self, ranges: Ranges) -> None:
        self.origin = ranges.origin
        self._ranges = ranges
        self._digest, self.bytes_read = hashlib.sha256(), 0
        if ranges.size == 0:
            raise self.origin.error("is empty (0 bytes)")
        head = bytes(ranges.read(0, min(8, ranges.size)))
        if head != _SIGNATURE:
            what = "is NetCDF 3, not NetCDF4" if head.startswith(b"CDF") else "is not a NetCDF4 file"
            raise self.origin.error(what)
        with self._hdf5("as NetCDF4"):
            self._h5 = h5py.File(RangeFile(ranges), "r")

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
            return {name: _plain(held[name]) for name in names}

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a variable as stored."""
        return tuple(self._h5[name].shape)

    def horizontal(self, name: str) -> tuple[str, ...]:
        """Return the names of a variable's last two dimensions, "" where the file attaches none."""
        with self._hdf5(f"at the dimensions of {name}"):
            scales = [list(dimension.values()) for dimension in list(self._h5[name].dims)[-2:]]
            return tuple(held[0].name.strip("/") if held else "" for held in scales)

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return a small variable (an axis, a scalar) as float64, missing as NaN, unpacked."""
        stored = np.atleast_1d(self._stored(name))
        if stored.dtype.kind not in "fiu":
            raise self.origin.error(f"has a {name} that is not numbers")
        packing = self.packing(name)
        values = stored.astype(np.float64) * packing.factor + packing.offset
        for missing in packing.missing:
            values[stored == stored.dtype.type(missing)] = np.nan
        return values

    def _stored(self, name: str) -> Stored:
        with self._hdf5(f"at {name}"):
            return np.asarray(self._h5[name][()])

    def _dtype(self, name: str) -> np.dtype[Any]:
        with self._hdf5(f"at {name}"):
            held: np.dtype[Any] = self._h5[name].dtype
        return held

    def layout(self, name: str, cells: Cells | None = None) -> Layout:
        """Return how a variable of shape ([time, 1...,] y, x) is stored, of `cells` alone where they are named."""
        with self._hdf5(f"at the storage of {name}"):
            dataset = self._h5[name]
            if dataset.dtype.kind not in "fiu":
                raise self.origin.error(f"has a {name} that is not numbers")
            return layout_of(dataset, self.origin, self._ranges.size, cells)

    def packing(self, name: str) -> Packing:
        """Return scale_factor, add_offset and the missing values of a variable."""
        held = self.attributes(name)
        dtype = self._dtype(name)
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

    def fetch(self, wanted: Sequence[tuple[str, Layout, int]], gap: int = JOIN_GAP) -> list[list[memoryview] | Stored]:
        """Read blocks of variables: the bytes of their chunks, or numbers where HDF5 itself must decode.

        Chunks at most `gap` bytes apart come in one request. The bytes enter the file's hash in the order asked for.
        """
        chunks = [chunk for _, layout, block in wanted for chunk in layout.chunks.get(block, [])]
        parts = [(chunk.offset, chunk.size) for chunk in chunks]
        raws = iter(read_many(self._ranges, parts, gap))
        answers: list[list[memoryview] | Stored] = []
        for name, layout, block in wanted:
            if not layout.chunks:
                stored = self._through_hdf5(name, layout, block)
                self._note(np.ascontiguousarray(stored).data)
                answers.append(stored)
                continue
            pieces = [next(raws) for _ in layout.chunks[block]]
            for piece in pieces:
                self._note(piece)
            answers.append(pieces)
        return answers

    def decode(self, layout: Layout, block: int, fetched: list[memoryview] | Stored) -> Stored:
        """Return the (steps, y, x) array of a fetched block in its stored type; may run in any thread."""
        return decode_block(layout, block, fetched, self.origin) if isinstance(fetched, list) else fetched

    def _through_hdf5(self, name: str, layout: Layout, block: int) -> Stored:
        first, end = layout.steps_of(block)
        with self._hdf5(f"at {name}, steps {first} to {end - 1}"):
            dataset = self._h5[name]
            stored = dataset[()] if dataset.ndim < 3 else dataset[first:end]
        return np.asarray(stored).reshape(end - first, *layout.shape[1:])

    def hyperslab(self, name: str, rows: slice, columns: slice) -> Stored:
        """Return (time, rows, columns) of a variable that HDF5 itself must decode, in its stored type."""
        with self._hdf5(f"at {name}"):
            dataset = self._h5[name]
            stored = np.asarray(dataset[..., rows, columns])
        self._note(np.ascontiguousarray(stored).data)
        return stored.reshape(-1, *stored.shape[-2:])

    def _note(self, data: memoryview) -> None:
        self._digest.update(data)
        self.bytes_read += data.nbytes

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


def _plain(value: Any) -> Any:
    """Return an attribute as str, number or list, however it was written (bytes, arrays of one, objects)."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, np.ndarray):
        values = [_plain(v) for v in value.ravel().tolist()]
        return values[0] if len(values) == 1 else values
    return value.item() if isinstance(value, np.generic) else value
