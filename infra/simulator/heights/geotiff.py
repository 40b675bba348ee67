"""A GeoTIFF of float32 heights, written by hand: one strip a file, the head in front.

As the real service's, it has no tag for nodata: `NODATA` stands in the cells themselves.
"""

import struct
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

NODATA = np.float32(-3.4028235e38)
_SHORT, _LONG, _ASCII, _DOUBLE = 3, 4, 2, 12
_FORMATS = {_SHORT: "H", _LONG: "I", _DOUBLE: "d"}


def encode(z: NDArray[np.float32], west: float, north: float, cell: float, *, epsg: int, date: str) -> bytes:
    """Return a file.

    Parameters
    ----------
    z : float32 (rows, columns)
        m, row 0 in the south; NaN is written as `NODATA`.
    west, north : float
        Corner of the file's first cell, m.
    cell : float
        m.
    epsg : int
        Of a projected coordinate system.
    date : str
        `2021:07:01 12:00:00`.
    """
    rows, columns = z.shape
    body = np.where(np.isnan(z), NODATA, z)[::-1].astype("<f4").tobytes()
    about = f"<GDALMetadata><Item name={quoteattr('data_origin')}>simulated</Item></GDALMetadata>"
    tags: list[tuple[int, int, tuple[float, ...] | str]] = [
        (256, _LONG, (columns,)),
        (257, _LONG, (rows,)),
        (258, _SHORT, (32,)),
        (259, _SHORT, (1,)),  # not compressed
        (262, _SHORT, (1,)),
        (270, _ASCII, "SIMULATED heights"),
        (273, _LONG, (0,)),  # where the strip begins: filled in below
        (277, _SHORT, (1,)),
        (278, _LONG, (rows,)),
        (279, _LONG, (len(body),)),
        (284, _SHORT, (1,)),
        (306, _ASCII, date),
        (339, _SHORT, (3,)),  # IEEE floating point
        (33550, _DOUBLE, (cell, cell, 0.0)),
        (33922, _DOUBLE, (0.0, 0.0, 0.0, west, north, 0.0)),
        # version 1.1.0, three keys: projected, cells are areas, which system
        (34735, _SHORT, (1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, epsg)),
        (42112, _ASCII, about),
    ]
    head = _head(tags, 0)
    return _head(tags, len(head)) + body


def _head(tags: list[tuple[int, int, tuple[float, ...] | str]], strip: int) -> bytes:
    """Return what stands before the strip, which begins at a byte."""
    entries, more = bytearray(), bytearray()
    behind = 8 + 2 + 12 * len(tags) + 4
    for tag, kind, value in tags:
        if isinstance(value, str):
            data = value.encode("ascii") + b"\0"
            count = len(data)
        else:
            values = (strip,) if tag == 273 else value
            data = struct.pack(f"<{len(values)}{_FORMATS[kind]}", *values)
            count = len(values)
        if len(data) > 4:
            more += b"\0" * (-len(more) % 8)
            entries += struct.pack("<HHII", tag, kind, count, behind + len(more))
            more += data
        else:
            entries += struct.pack("<HHI", tag, kind, count) + data.ljust(4, b"\0")
    more += b"\0" * (-len(more) % 8)
    return struct.pack("<2sHIH", b"II", 42, 8, len(tags)) + bytes(entries) + b"\0" * 4 + bytes(more)
