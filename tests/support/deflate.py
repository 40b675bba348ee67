"""Bodies that unpack to far more than they take."""

import zlib


def bomb() -> bytes:
    """Return 2.9 MB of deflate that unpack to 3 GB: a piece that stands for itself, again and again."""
    packer = zlib.compressobj(9)
    zeros = bytes(1_000_000)
    head = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + piece * ((2_900_000 - len(head)) // len(piece))
