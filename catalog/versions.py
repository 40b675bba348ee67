"""Which versions of a product are published, and which one counts at a moment. Light: the API reads it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer, TypeAdapter

from tiles.clock import iso, parse_iso
from tiles.store import NotFound, Store

_Moment = Annotated[datetime, BeforeValidator(parse_iso), PlainSerializer(iso)]


@dataclass(frozen=True)
class Entry:
    """One published version.

    Parameters
    ----------
    product, version, attempt : str
    issued_at : datetime
        The moment it stands for (a forecast's cycle hour); readers take the newest that is not after now.
    valid_from, valid_to : datetime
    schema : int
    path, manifest : str
        Keys of the Zarr group and of its manifest.
    source, data_origin : str
        Which upstream, and `live` or `simulated`.
    variables : tuple of str
    published_at : datetime
    pinned : bool
        Spared by `gc`.
    bbox : tuple of float
        West, south, east and north of what is built, degrees; empty in entries of an older Solflis.
    """

    product: str
    version: str
    attempt: str
    issued_at: _Moment
    valid_from: _Moment
    valid_to: _Moment
    schema: int
    path: str
    manifest: str
    source: str
    data_origin: str
    variables: tuple[str, ...]
    published_at: _Moment
    pinned: bool = False
    bbox: tuple[float, ...] = ()


@dataclass(frozen=True)
class Index:
    """The published versions of a product, oldest first."""

    entries: tuple[Entry, ...]

    def newest(self, now: datetime, variable: str | None = None) -> Entry | None:
        """Return the newest version that is not after `now` (and holds a variable), or None."""
        for entry in reversed(self.entries):
            if entry.issued_at <= now and (variable is None or variable in entry.variables):
                return entry
        return None

    def get(self, version: str) -> Entry | None:
        """Return a version by name, or None."""
        return next((entry for entry in self.entries if entry.version == version), None)

    def with_entry(self, entry: Entry) -> "Index":
        """Return the index with a version added, in place of an earlier one of that name."""
        others = (e for e in self.entries if e.version != entry.version)
        return Index(tuple(sorted((*others, entry), key=lambda e: (e.issued_at, e.version))))

    def without(self, versions: set[str]) -> "Index":
        """Return the index without some versions."""
        return Index(tuple(e for e in self.entries if e.version not in versions))

    def to_bytes(self) -> bytes:
        """Return the index as JSON."""
        return _INDEX.dump_json(self, indent=1)

    @classmethod
    def from_bytes(cls, data: bytes | None) -> "Index":
        """Read an index; absent bytes are an empty one."""
        return cls(()) if data is None else _INDEX.validate_json(data)


_INDEX = TypeAdapter(Index)


def index_key(product: str) -> str:
    """Return the key of a product's index."""
    return f"{product}/index.json"


def read_index(store: Store, product: str) -> Index:
    """Read a product's index; empty when nothing was ever published."""
    try:
        return Index.from_bytes(store.get(index_key(product)))
    except NotFound:
        return Index(())
