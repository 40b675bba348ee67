"""A version made block by block: by several processes at once, and gone on with after one was killed.

While it is being made, `<product>/<version>/building.json` names the attempt, and each finished block leaves a record
beside it. Whoever begins again with the same plan finds them, and makes what is missing.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiles.clock import iso, parse_iso
from tiles.manifest import Manifest
from tiles.product import Product
from tiles.store import NotFound, Store
from tiles.writer import Draft

Corner = tuple[int, int]


@dataclass(frozen=True)
class Building:
    """An attempt at a version that is under way.

    Parameters
    ----------
    attempt : str
    plan : str
        Fingerprint of what it is made of and how; blocks of another plan must not lie beside its own.
    begun : str
        ISO 8601, real time: when somebody last began, or went on.
    provenance : dict
    """

    attempt: str
    plan: str
    begun: str
    provenance: dict[str, Any]

    @property
    def moment(self) -> datetime:
        """When somebody last began, or went on."""
        return parse_iso(self.begun)


def building_key(product: str, version: str) -> str:
    """Return the key of the note that says what is being made."""
    return f"{product}/{version}/building.json"


def under_way(store: Store, product: str, version: str) -> Building | None:
    """Return the attempt at a version that is under way, or None."""
    try:
        return Building(**json.loads(store.get(building_key(product, version))))
    except (NotFound, ValueError, TypeError):  # one that cannot be read is begun anew
        return None


@dataclass(frozen=True)
class Record:
    """A finished block.

    Parameters
    ----------
    cells : tuple of int
        Which of its cells were asked for, counted row by row from its corner.
    plan : str
    written : dict
        Shards and statistics of each variable, as `Draft.written` says them.
    notes : dict
        What else its builder wants to remember, such as what it read.
    """

    cells: tuple[int, ...]
    plan: str
    written: dict[str, dict[str, Any]]
    notes: dict[str, Any]

    @classmethod
    def read(cls, data: bytes) -> "Record":
        """Read a record."""
        values = json.loads(data)
        return cls(tuple(values["cells"]), values["plan"], values["written"], values["notes"])


class Blocks:
    """The blocks of a version that is being made; get one by `begin`, and by `join` in another process.

    Parameters
    ----------
    store : Store
    product : Product
    version : str
    building : Building
    """

    def __init__(self, store: Store, product: Product, version: str, building: Building) -> None:
        self.store, self.product, self.version, self.building = store, product, version, building
        self._axes: dict[str, NDArray[Any]] | None = None
        self._folder = records_of(f"{product.name}/{version}/{building.attempt}.zarr")

    @classmethod
    def begin(
        cls,
        store: Store,
        product: Product,
        version: str,
        *,
        axes: Mapping[str, NDArray[Any]],
        variables: Iterable[str],
        provenance: Mapping[str, Any],
        plan: str,
    ) -> "Blocks":
        """Begin a version, or go on with an attempt of the same plan.

        Parameters
        ----------
        store : Store
        product : Product
        version : str
        axes : mapping of str to array
        variables : iterable of str
            Those that blocks will hold.
        provenance : mapping
            Of an attempt that is gone on with, the first one counts.
        plan : str
        """
        found, now = under_way(store, product.name, version), iso(datetime.now(UTC))
        if found is not None and found.plan == plan:
            building = Building(found.attempt, plan, now, found.provenance)
        else:
            draft = Draft(store, product, version, axes, provenance)
            draft.create(variables)
            building = Building(draft.attempt, plan, now, dict(provenance))
        store.put(building_key(product.name, version), json.dumps(asdict(building)).encode())
        return cls(store, product, version, building)

    @classmethod
    def join(cls, store: Store, product: Product, version: str) -> "Blocks":
        """Take part in an attempt that somebody has begun.

        Raises
        ------
        RuntimeError
            Nobody has.
        """
        building = under_way(store, product.name, version)
        if building is None:
            raise RuntimeError(f"{product.name} {version} is not being built; begin it first")
        return cls(store, product, version, building)

    def records(self) -> dict[Corner, Record]:
        """Return what is finished."""
        return _records(self.store, self._folder)

    def write(
        self, corner: Corner, cells: Iterable[int], packed: Mapping[str, NDArray[np.uint16]], notes: Mapping[str, Any]
    ) -> None:
        """Write a block: its shards, then its record. A block that was written before is replaced.

        Parameters
        ----------
        corner : (int, int)
            Row and column of its first cell.
        cells : iterable of int
            Of its cells, those that were asked for.
        packed : mapping of str to uint16 array (..., rows, columns)
            Whole shards, but at the grid's far edges.
        notes : mapping
        """
        draft = self._draft({})
        for name, values in packed.items():
            draft.write_block(name, corner, values)
        self._record(corner, Record(tuple(cells), self.building.plan, draft.written(), dict(notes)))

    def adopt(self, manifest: Manifest, corner: Corner, record: Record) -> None:
        """Take over a block of a published attempt, byte for byte.

        Raises
        ------
        TileCorrupt
            It is not what was written.
        """
        path = f"{self.product.name}/{self.version}/{self.building.attempt}.zarr"
        for written in record.written.values():
            for name in written["shards"]:
                self.store.put(f"{path}/{name}", manifest.fetch(self.store, name))
        self._record(corner, record)

    def finish(self, more: Mapping[str, Any]) -> Draft:
        """Return the draft with every finished block, ready to be published; variables of which none holds any go.

        Parameters
        ----------
        more : mapping
            Added to the provenance: what was only learned on the way.
        """
        draft = self._draft(self.building.provenance)
        draft.describe(more)
        for record in self.records().values():
            for name, written in record.written.items():
                if written["shards"]:
                    draft.take(name, written["shards"], written["stats"])
        draft.drop_others()
        return draft

    def end(self) -> None:
        """Say that nothing is being made any more; call it when the draft is published."""
        self.store.delete(building_key(self.product.name, self.version))

    def _record(self, corner: Corner, record: Record) -> None:
        self.store.put(f"{self._folder}/{corner[0]}-{corner[1]}.json", json.dumps(asdict(record)).encode())

    def _draft(self, provenance: Mapping[str, Any]) -> Draft:
        if self._axes is None:
            opened = Draft(self.store, self.product, self.version, {}, {}, self.building.attempt)
            self._axes = {d.name: opened.axis(d.name) for d in self.product.dimensions}
        return Draft(self.store, self.product, self.version, self._axes, provenance, self.building.attempt)


def records_of(path: str) -> str:
    """Return the folder of the records of an attempt, by the path of its Zarr group."""
    return path.removesuffix(".zarr") + ".blocks"


def published_records(store: Store, path: str) -> dict[Corner, Record]:
    """Return the blocks of a published attempt, by the path of its Zarr group."""
    return _records(store, records_of(path))


def _records(store: Store, folder: str) -> dict[Corner, Record]:
    found = {}
    for key in store.keys(folder):
        if key.endswith(".json"):
            row, column = key.rsplit("/", 1)[-1].removesuffix(".json").split("-")
            found[int(row), int(column)] = Record.read(store.get(key))
    return dict(sorted(found.items()))


def stitched(records: Mapping[Corner, Record], shape: tuple[int, int], side: int) -> NDArray[np.bool_]:
    """Return which cells of a grid are in finished blocks.

    Parameters
    ----------
    records : mapping of corner to Record
    shape : (int, int)
        Rows and columns of the grid.
    side : int
        Cells of a block along a side.

    Returns
    -------
    bool (rows, columns)
    """
    built = np.zeros(shape, bool)
    for (row, column), record in records.items():
        rows, columns = np.divmod(np.array(record.cells, np.int64), side)
        built[row + rows, column + columns] = True
    return built
