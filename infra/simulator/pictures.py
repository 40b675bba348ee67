"""PNG and JPEG files that say of themselves that they are simulated."""

import struct
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PALETTE, _RGB = 3, 2


def png(pixels: "NDArray[np.uint8]", *, palette: bytes | None = None, tags: Mapping[str, str] | None = None) -> bytes:
    """Return a PNG.

    Parameters
    ----------
    pixels : uint8 (rows, columns) or (rows, columns, 3)
        Row 0 is the northernmost. Indices of the palette, of which 0 is transparent; or red, green and blue.
    palette : bytes, optional
        Three for each index.
    tags : mapping of str to str, optional
        More keywords and texts.
    """
    import numpy as np  # only here: the server starts without it

    rows, columns = pixels.shape[:2]
    lines = np.zeros((rows, 1 + pixels[0].size), np.uint8)  # each begins with its filter: none
    lines[:, 1:] = pixels.reshape(rows, -1)
    kind = _RGB if palette is None else _PALETTE
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, kind, 0, 0, 0))]
    if palette is not None:
        chunks += [(b"PLTE", palette), (b"tRNS", b"\0")]
    told = {"data_origin": "simulated", **(tags or {})}
    chunks += [(b"tEXt", f"{name}\0{text}".encode("latin-1")) for name, text in told.items()]
    chunks += [(b"IDAT", zlib.compress(lines.tobytes(), 6)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def jpeg(pixels: "NDArray[np.uint8]") -> bytes:
    """Return a JPEG of red, green and blue, (rows, columns, 3), row 0 in the north."""
    import numpy as np
    import rasterio

    rows, columns = pixels.shape[:2]
    with rasterio.MemoryFile() as memory:
        with memory.open(
            driver="JPEG", width=columns, height=rows, count=3, dtype=np.uint8,
            COMMENT="data_origin=simulated", QUALITY=90,
        ) as file:  # fmt: skip
            file.write(np.moveaxis(pixels, 2, 0))
        return bytes(memory.getbuffer())
