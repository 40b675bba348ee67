"""A version made block by block: by several processes at once, and gone on with after one was killed.

While it is being made, `<product>/<version>/building.json` says which attempt that is, of what it is made (`plan`), who
makes it (`run`) and which blocks are wanted; each finished block leaves a record beside the attempt. Whoever begins
again with the same plan goes on with the attempt and makes what is missing. The last to begin is the only one: others
notice it at their next block and end. An attempt that is being published, or was, is never gone on with.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiles.building import Building, Cells, Corner, Overtaken, building_key, under_way
from tiles.clock import iso
from tiles.manifest import Manifest
from tiles.product import Product
from tiles.store import NotFound, Store
from tiles.writer import Draft


class Unfinished(ValueError):
    """Blocks are missing, so the version cannot be published."""


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

    def is_in(self, manifest: Manifest) -> bool:
        """Whether a manifest lists every shard of the block as it was written."""
        shards = (shard for written in self.written.values() for shard in written["shards"].items())
        return all(manifest.objects.get(name) == printed for name, printed in shards)


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
        self.path = f"{product.name}/{version}/{building.attempt}.zarr"
        self._folder = _records_of(self.path)

    @classmethod
    def begin(
        cls,
        store: Store,
        product: Product,
        version: str,
        *,
        run: str,
        plan: str,
        wanted: Cells,
        published: Collection[str],
        axes: Mapping[str, NDArray[Any]],
        variables: Iterable[str],
        provenance: Mapping[str, Any],
    ) -> "Blocks":
        """Begin a version, or go on with an attempt of the same plan; whoever was at it before is overtaken.

        Parameters
        ----------
        store : Store
        product : Product
        version : str
        run : str
            Names the one who begins.
        plan : str
        wanted : Cells
            All blocks that the version is to hold.
        published : collection of str
            Attempts that the index names.
        axes : mapping of str to array
        variables : iterable of str
            Those that blocks may hold.
        provenance : mapping
            Of an attempt that is gone on with, the first one counts.
        """
        found, draft = under_way(store, product.name, version), None
        if found is None or not _can_go_on(store, product, version, found, plan, published):
            draft = Draft(store, product, version, axes, provenance)
            draft.create(variables)
        attempt = draft.attempt if draft else found.attempt  # type: ignore[union-attr]
        said = dict(provenance) if draft else found.provenance  # type: ignore[union-attr]
        listed = [[*corner, list(cells)] for corner, cells in wanted.items()]
        building = Building(attempt, plan, run, iso(datetime.now(UTC)), said, listed)
        store.update(building_key(product.name, version), lambda _: building.to_bytes())
        return cls(store, product, version, building)

    @classmethod
    def join(cls, store: Store, product: Product, version: str, run: str, *, to_publish: bool = False) -> "Blocks":
        """Take part in what a run has begun; to publish it, also where a first try at that has failed.

        Raises
        ------
        Overtaken
            Nobody has, or somebody else since.
        """
        building = under_way(store, product.name, version)
        if building is None or building.run != run or (building.publishing and not to_publish):
            raise Overtaken(
                f"{product.name} {version} is no longer built by this run: another one has begun it, or it is done"
            )
        return cls(store, product, version, building)

    def records(self) -> dict[Corner, Record]:
        """Return what is finished, of what is wanted and with this plan."""
        wanted = self.building.cells
        found = _records(self.store, self._folder)
        return {c: r for c, r in found.items() if r.plan == self.building.plan and r.cells == wanted.get(c)}

    def write(self, corner: Corner, packed: Mapping[str, NDArray[np.uint16]], notes: Mapping[str, Any]) -> None:
        """Write a block: its shards, then its record. A block that was written before is replaced.

        Parameters
        ----------
        corner : (int, int)
            Of one that is wanted.
        packed : mapping of str to uint16 array (..., rows, columns)
            Whole shards, but at the grid's far edges.
        notes : mapping

        Raises
        ------
        Overtaken
            Somebody else has begun since.
        """
        self._require_ours()
        draft = self._draft({})
        for name, values in packed.items():
            draft.write_block(name, corner, values)
        self._record(corner, Record(self.building.cells[corner], self.building.plan, draft.written(), dict(notes)))

    def adopt(self, manifest: Manifest, corner: Corner, record: Record) -> None:
        """Take over a block of a published attempt, byte for byte.

        Raises
        ------
        TileCorrupt
            It is not what was written.
        """
        for written in record.written.values():
            for name in written["shards"]:
                self.store.put(f"{self.path}/{name}", manifest.fetch(self.store, name))
        self._record(corner, record)

    def finish(self, more: Mapping[str, Any]) -> Draft:
        """Return the draft with every wanted block, ready to be published; variables of which none holds any go.

        From then on this run writes no block any more.

        Parameters
        ----------
        more : mapping
            Added to the provenance: what was only learned on the way.

        Raises
        ------
        Unfinished
            Blocks are missing; the text says how many.
        Overtaken
            Somebody else has begun since.
        """
        records, wanted = self.records(), self.building.cells
        if missing := [corner for corner in wanted if corner not in records]:
            raise Unfinished(
                f"{self.product.name} {self.version} is not published: {len(missing)} of {len(wanted)} blocks are "
                f"missing, the first at row and column {missing[0]}; build it again, and only these are made"
            )
        self._close()
        draft = self._draft(self.building.provenance)
        draft.describe(more)
        for record in records.values():
            for name, written in record.written.items():
                if written["shards"]:
                    draft.take(name, written["shards"], written["stats"])
        draft.drop_others()
        return draft

    def require_last(self) -> None:
        """Refuse to publish what somebody else goes on with; call it right before the index is swapped.

        Raises
        ------
        Overtaken
        """
        building = under_way(self.store, self.product.name, self.version)
        if building is None or building.run != self.building.run:
            raise Overtaken(f"{self.product.name} {self.version} was begun again by another run while it was published")

    def end(self) -> None:
        """Say that nothing is being made any more; call it when the draft is published."""

        def nothing(present: bytes | None) -> bytes:
            building = Building.parse(present)
            return b"{}" if building is None or building.run == self.building.run else building.to_bytes()

        self.store.update(building_key(self.product.name, self.version), nothing)

    def _close(self) -> None:
        def publishing(present: bytes | None) -> bytes:
            building = Building.parse(present)
            if building is None or building.run != self.building.run:
                raise Overtaken(f"{self.product.name} {self.version} was begun again by another run")
            return replace(building, publishing=True).to_bytes()

        self.store.update(building_key(self.product.name, self.version), publishing)

    def _require_ours(self) -> None:
        self.join(self.store, self.product, self.version, self.building.run)

    def _record(self, corner: Corner, record: Record) -> None:
        self.store.put(_record_key(self._folder, corner), json.dumps(asdict(record)).encode())

    def _draft(self, provenance: Mapping[str, Any]) -> Draft:
        if self._axes is None:
            opened = Draft(self.store, self.product, self.version, {}, {}, self.building.attempt)
            self._axes = {d.name: opened.axis(d.name) for d in self.product.dimensions}
        return Draft(self.store, self.product, self.version, self._axes, provenance, self.building.attempt)


def _can_go_on(
    store: Store, product: Product, version: str, found: Building, plan: str, published: Collection[str]
) -> bool:
    """Say whether an attempt may be written to: of one that is served, a reader would see every change."""
    if found.plan != plan or found.attempt in published:
        return False
    return store.exists(f"{product.name}/{version}/{found.attempt}.zarr/zarr.json")  # else `gc` took it


def published_records(store: Store, manifest: Manifest) -> dict[Corner, Record]:
    """Return the blocks of a published attempt; a record of what its manifest does not list is none of them."""
    found = _records(store, _records_of(manifest.path))
    return {corner: record for corner, record in found.items() if record.is_in(manifest)}


def published_record(store: Store, manifest: Manifest, corner: Corner) -> Record | None:
    """Return one block of a published attempt; a record of what its manifest does not list is none."""
    try:
        record = Record.read(store.get(_record_key(_records_of(manifest.path), corner)))
    except NotFound:
        return None
    return record if record.is_in(manifest) else None


def _record_key(folder: str, corner: Corner) -> str:
    return f"{folder}/{corner[0]}-{corner[1]}.json"


def _records_of(path: str) -> str:
    return path.removesuffix(".zarr") + ".blocks"


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
