"""What is being made: the note beside a version's attempts that says which of them, by whom and of what."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from tiles.clock import parse_iso
from tiles.store import NotFound, Store

Corner = tuple[int, int]
Cells = Mapping[Corner, tuple[int, ...]]
"""Of each block, by its corner (row and column of its first cell), the cells that are meant: counted row by row."""


class Overtaken(RuntimeError):
    """Somebody else has begun the same version since."""


class Block(NamedTuple):
    """A block that is wanted.

    Parameters
    ----------
    corner : (int, int)
        Row and column of its first cell.
    cells : tuple of int
        The cells that are meant, counted row by row from the corner.
    key : str
        Fingerprint of the method and of what this block is made of: a block of the same key is never made again.
    """

    corner: Corner
    cells: tuple[int, ...]
    key: str

    @classmethod
    def of(cls, corner: Corner, cells: tuple[int, ...], *inputs: Any) -> "Block":
        """Return a block whose key is the fingerprint of its cells and of these inputs."""
        return cls(corner, cells, sha256(repr((cells, inputs)).encode()).hexdigest()[:16])


@dataclass(frozen=True)
class Building:
    """An attempt at a version that is under way.

    Parameters
    ----------
    attempt : str
    inputs : str
        Fingerprint of everything it is made of.
    run : str
        Who makes it.
    begun : str
        ISO 8601, real time: when somebody last began, or went on.
    base : str or None
        The attempt that was published of this product when it was begun.
    publishing : bool
        From then on its run writes no block any more.
    """

    attempt: str
    inputs: str
    run: str
    begun: str
    base: str | None = None
    publishing: bool = False

    @property
    def moment(self) -> datetime:
        """When somebody last began, or went on."""
        return parse_iso(self.begun)

    @classmethod
    def parse(cls, data: bytes | None) -> "Building | None":
        """Read it; None where nothing is being made, or where it cannot be read: then it is begun anew."""
        try:
            return cls(**json.loads(data or b""))
        except (ValueError, TypeError):
            return None

    def to_bytes(self) -> bytes:
        """Return it as JSON."""
        return json.dumps(asdict(self)).encode()


def building_key(product: str, version: str) -> str:
    """Return the key of the note that says what is being made."""
    return f"{product}/{version}/building.json"


def under_way(store: Store, product: str, version: str) -> Building | None:
    """Return the attempt at a version that is under way, or None."""
    try:
        return Building.parse(store.get(building_key(product, version)))
    except NotFound:
        return None
