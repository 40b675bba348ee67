"""Pictures in reports: shaded relief, and PNG."""

import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

_LIGHT_AZIMUTH, _LIGHT_ELEVATION = np.radians(315.0), np.radians(45.0)


def shade_of(z: Floats, step: float, steeper: float = 1.0) -> Floats:
    """Return how a surface is lit from the north-west, 0 to 1.

    Parameters
    ----------
    z : float (rows, columns)
        m; rows from the NORTH, columns from the west, `step` m apart.
    step : float
    steeper : float
        So many times as high as it is.
    """
    to_south, to_east = np.gradient(z * steeper, step)
    steep = np.sqrt(1 + to_east**2 + to_south**2)
    across = np.cos(_LIGHT_ELEVATION)
    light = np.sin(_LIGHT_AZIMUTH) * across, np.cos(_LIGHT_AZIMUTH) * across, np.sin(_LIGHT_ELEVATION)
    return np.asarray(np.maximum((light[2] - light[0] * to_east + light[1] * to_south) / steep, 0))


def png(pixels: NDArray[np.uint8], palette: Sequence[str] = ()) -> bytes:
    """Return a picture as PNG: grey, by numbers of colours such as `#d2ffff`, or (rows, columns, 3) in RGB."""
    height, width = pixels.shape[:2]
    rows = np.zeros((height, 1 + pixels[0].size), np.uint8)  # each begins with its filter: none
    rows[:, 1:] = pixels.reshape(height, -1)
    head = struct.pack(">IIBBBBB", width, height, 8, 2 if pixels.ndim == 3 else 3 if palette else 0, 0, 0, 0)
    colours = b"".join(bytes.fromhex(colour[1:]) for colour in palette)
    chunks = [(b"IHDR", head), (b"PLTE", colours), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b"")]
    found = b"".join(_chunk(name, data) for name, data in chunks if data or name == b"IEND")
    return b"\x89PNG\r\n\x1a\n" + found


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
