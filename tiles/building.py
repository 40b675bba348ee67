"""What is being made: the note beside a version's attempts that says which of them, by whom, and what is wanted."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from tiles.clock import parse_iso
from tiles.store import NotFound, Store

Corner = tuple[int, int]
Cells = Mapping[Corner, tuple[int, ...]]
"""Of each block, by its corner (row and column of its first cell), the cells that are meant: counted row by row."""


class Overtaken(RuntimeError):
    """Somebody else has begun the same version since."""


@dataclass(frozen=True)
class Building:
    """An attempt at a version that is under way.

    Parameters
    ----------
    attempt : str
    plan : str
        Fingerprint of what it is made of and how; blocks of another plan must not lie beside its own.
    run : str
        Who makes it.
    begun : str
        ISO 8601, real time: when somebody last began, or went on.
    provenance : dict
    wanted : list of [row, column, cells]
    publishing : bool
        From then on its run writes no block any more.
    """

    attempt: str
    plan: str
    run: str
    begun: str
    provenance: dict[str, Any]
    wanted: list[Any]
    publishing: bool = False

    @property
    def moment(self) -> datetime:
        """When somebody last began, or went on."""
        return parse_iso(self.begun)

    @property
    def cells(self) -> dict[Corner, tuple[int, ...]]:
        """What is wanted."""
        return {(row, column): tuple(cells) for row, column, cells in self.wanted}

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
