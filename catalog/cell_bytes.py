"""The values of one cell as bytes: packed as the product declares, in one chunk of a shard with its checksums."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tiles.errors import TileCorrupt
from tiles.product import FILL, Product, Variable
from tiles.shard import ArrayLayout


def pack(product: Product, values: Mapping[str, NDArray[np.floating]]) -> bytes:
    """Return the bytes of a cell.

    Parameters
    ----------
    product : Product
        Of at most one dimension beside the grid.
    values : mapping of str to float array (n,) or ()
        Each variable, in its unit; NaN is missing.
    """
    packed = np.concatenate([of.pack(np.atleast_1d(values[of.name])) for of in product.variables])
    return _layout(packed.size).encode_shard(packed) or b""


def unpack(product: Product, size: int, body: bytes) -> dict[str, NDArray[np.float64]]:
    """Return what `pack` made bytes of, as a published tile of the product would give it.

    Parameters
    ----------
    product : Product
    size : int
        Values along the product's own dimension.
    body : bytes

    Raises
    ------
    TileCorrupt
        The bytes are damaged, or of another size.
    """
    sizes = [_size(of, size) for of in product.variables]
    packed = np.full(sum(sizes), FILL, np.uint16)
    if len(body) < _layout(packed.size).index_bytes:
        raise TileCorrupt(f"a cell of {product.name} is cut short")
    _layout(packed.size).decode_shard(body, product.name, packed)
    parts = np.split(packed, np.cumsum(sizes)[:-1])
    return {
        of.name: of.unpack(part).reshape(() if of.over == () else -1)
        for of, part in zip(product.variables, parts, strict=True)
    }


def _size(variable: Variable, size: int) -> int:
    return 1 if variable.over == () else size


def _layout(size: int) -> ArrayLayout:
    return ArrayLayout((size,), (size,), (size,), FILL)
