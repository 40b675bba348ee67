"""A version made block by block: by several processes at once, and gone on with after one was killed.

While it is being made, `<product>/<version>/building.json` says which attempt that is and who makes it, and
`<attempt>.blocks/` holds what is wanted and a record of each finished block, named after its corner and its key.
Whoever begins again with the same inputs goes on with the attempt and makes what is missing. The last to begin is the
only one: others notice it at their next block and end. An attempt that was published is never gone on with. Published,
the records are one object.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiles.arrays import THREADS
from tiles.building import Block, Building, Cells, Corner, Overtaken, building_key, under_way
from tiles.clock import iso
from tiles.errors import DraftInvalid
from tiles.manifest import Manifest
from tiles.product import Product
from tiles.shardwise import judge_block
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
    key : str
        Of the block, see `Block`.
    written : dict
        Shards and statistics of each variable, as `Draft.written` says them.
    notes : dict
        What else its builder wants to remember, such as what it read.
    """

    cells: tuple[int, ...]
    key: str
    written: dict[str, dict[str, Any]]
    notes: dict[str, Any]

    @classmethod
    def of_json(cls, values: Mapping[str, Any]) -> "Record":
        """Return a record that was written as JSON."""
        return cls(tuple(values["cells"]), values["key"], values["written"], values["notes"])


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
        self.path = f"{product.name}/{version}/{building.attempt}.zarr"
        self._folder = _records_of(self.path)
        self._opened: Draft | None = None

    @classmethod
    def begin(
        cls,
        store: Store,
        product: Product,
        version: str,
        *,
        run: str,
        inputs: str,
        wanted: Sequence[Block],
        published: Collection[str],
        base: str | None,
        axes: Mapping[str, NDArray[Any]],
        provenance: Mapping[str, Any],
    ) -> "Blocks":
        """Begin a version, or go on with an attempt of the same inputs; whoever was at it before is overtaken.

        Parameters
        ----------
        store : Store
        product : Product
        version : str
        run : str
            Names the one who begins.
        inputs : str
            Fingerprint of everything that blocks are made of.
        wanted : sequence of Block
            All blocks that the version is to hold.
        published : collection of str
            Attempts that the index names.
        base : str or None
            The attempt that is published now, which this one is to replace.
        axes : mapping of str to array
        provenance : mapping
            Of an attempt that is gone on with, the first one counts.
        """
        found = under_way(store, product.name, version)
        if found is None or not _can_go_on(store, product, version, found, inputs, published):
            draft = Draft(store, product, version, axes, provenance)
            draft.create(v.name for v in product.variables)
            attempt = draft.attempt
        else:
            attempt = found.attempt
        building = Building(attempt, inputs, run, iso(datetime.now(UTC)), base)
        blocks = cls(store, product, version, building)
        store.update(building_key(product.name, version), lambda _: building.to_bytes())
        blocks._forget_others(wanted)
        store.put(f"{blocks._folder}/wanted.json", json.dumps(wanted).encode())
        return blocks

    def _forget_others(self, wanted: Iterable[Block]) -> None:
        """Remove records of other keys at the same corners: their shards will be written over."""
        ours = {_corner_of(name): name for name in map(_name_of, wanted)}
        names = {key.rsplit("/", 1)[-1]: key for key in self.store.keys(self._folder)}
        self.store.delete_all(key for name, key in names.items() if ours.get(_corner_of(name), name) != name)

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

    @property
    def wanted(self) -> list[Block]:
        """All blocks that the version is to hold, as its last `begin` said."""
        listed = json.loads(self.store.get(f"{self._folder}/wanted.json"))
        return [Block((row, column), tuple(cells), key) for (row, column), cells, key in listed]

    def missing(self, wanted: Iterable[Block]) -> list[Block]:
        """Return those blocks that are not finished; one listing, no record is read."""
        done = {key.rsplit("/", 1)[-1] for key in self.store.keys(self._folder)}
        return [block for block in wanted if _name_of(block) not in done]

    def holds(self, block: Block) -> bool:
        """Return whether a block is finished: one request."""
        return self.store.exists(f"{self._folder}/{_name_of(block)}")

    def write(self, block: Block, packed: Mapping[str, NDArray[np.uint16]], notes: Mapping[str, Any]) -> None:
        """Judge and write a block: its shards, then its record. A block that was written before is replaced.

        Parameters
        ----------
        block : Block
            One that is wanted.
        packed : mapping of str to uint16 array (..., rows, columns)
            Whole shards, but at the grid's far edges.
        notes : mapping

        Raises
        ------
        DraftInvalid
            A validator refused it.
        Overtaken
            Somebody else has begun since.
        """
        draft = self._draft
        if wrong := judge_block(self.product, draft, block.corner, packed):
            raise DraftInvalid(f"{self.product.name} {self.version} is not published: {wrong}")
        self.join(self.store, self.product, self.version, self.building.run)
        draft.forget()
        for name, values in packed.items():
            draft.write_block(name, block.corner, values)
        written = draft.written()
        self.store.settle(f"{self.path}/{shard}" for each in written.values() for shard in each["shards"])
        self._record(block, Record(block.cells, block.key, written, dict(notes)))

    def adopt(self, manifest: Manifest, records: Mapping[Corner, Record], wanted: Iterable[Block]) -> None:
        """Take over those published blocks that are wanted with the same key, without reading them.

        One of which a shard is lost is left to be made again.
        """
        same = [
            (block, records[block.corner])
            for block in self.missing(wanted)
            if block.corner in records and records[block.corner].key == block.key
        ]

        def shards(record: Record) -> list[str]:
            return [name for written in record.written.values() for name in written["shards"]]

        def copied(found: tuple[Block, Record]) -> bool:
            try:
                for name in shards(found[1]):
                    self.store.copy(f"{manifest.path}/{name}", f"{self.path}/{name}")
            except NotFound:
                return False
            return True

        with ThreadPoolExecutor(THREADS) as pool:
            taken = [found for found, whole in zip(same, pool.map(copied, same), strict=True) if whole]
            self.store.settle(f"{self.path}/{name}" for _, record in taken for name in shards(record))
            list(pool.map(lambda found: self._record(*found), taken))

    def records(self) -> dict[Corner, Record]:
        """Return the record of every wanted block, each read once.

        Raises
        ------
        Unfinished
            Blocks are missing; the text says how many.
        """
        wanted = self.wanted
        if missing := self.missing(wanted):
            raise Unfinished(
                f"{self.product.name} {self.version} is not published: {len(missing)} of {len(wanted)} blocks are "
                f"missing, the first at row and column {missing[0].corner}; build it again, and only these are made"
            )

        def read(block: Block) -> Record:
            return Record.of_json(json.loads(self.store.get(f"{self._folder}/{_name_of(block)}")))

        with ThreadPoolExecutor(THREADS) as pool:
            return dict(zip((block.corner for block in wanted), pool.map(read, wanted), strict=True))

    def finish(self, records: Mapping[Corner, Record], more: Mapping[str, Any]) -> Draft:
        """Return the draft, ready to be published; variables of which no block holds any go.

        From then on this run writes no block any more.

        Parameters
        ----------
        records : mapping of corner to Record
            As `records` returns them.
        more : mapping
            Added to the provenance: what was only learned on the way.

        Raises
        ------
        Overtaken
            Somebody else has begun since.
        """
        self._change(lambda building: replace(building, publishing=True).to_bytes())
        draft = self._draft
        draft.describe(more)
        for record in records.values():
            for name, written in record.written.items():
                if written["shards"]:
                    draft.take(name, written["shards"], written["stats"])
        draft.drop_others()
        joined = {f"{row}-{column}": asdict(record) for (row, column), record in records.items()}
        self.store.put(f"{self._folder}/all.json", json.dumps(joined).encode())
        return draft

    def require_last(self) -> None:
        """Refuse to publish what somebody else goes on with; call it right before the index is swapped.

        Raises
        ------
        Overtaken
        """
        self._change(Building.to_bytes)

    def end(self) -> None:
        """Say that nothing is being made any more, and remove the single records; call it when it is published."""
        with suppress(Overtaken):
            self._change(lambda _: b"{}")
        self.store.delete_all(key for key in self.store.keys(self._folder) if not key.endswith("/all.json"))

    def _change(self, change: Callable[[Building], bytes]) -> None:
        """Change the note of what is being made.

        Raises
        ------
        Overtaken
            It is no longer this run's.
        """

        def ours(present: bytes | None) -> bytes:
            building = Building.parse(present)
            if building is None or building.run != self.building.run:
                raise Overtaken(f"{self.product.name} {self.version} was begun again by another run")
            return change(building)

        self.store.update(building_key(self.product.name, self.version), ours)

    def _record(self, block: Block, record: Record) -> None:
        self.store.put(f"{self._folder}/{_name_of(block)}", json.dumps(asdict(record)).encode())

    @property
    def _draft(self) -> Draft:
        """The attempt, opened once."""
        if self._opened is None:
            self._opened = Draft.reopen(self.store, self.product, self.version, self.building.attempt)
        return self._opened


def _can_go_on(
    store: Store, product: Product, version: str, found: Building, inputs: str, published: Collection[str]
) -> bool:
    """Return whether an attempt may be written to: of one that is served, a reader would see every change."""
    if found.inputs != inputs or found.attempt in published:
        return False
    return store.exists(f"{product.name}/{version}/{found.attempt}.zarr/zarr.json")  # else `gc` took it


def published_records(store: Store, manifest: Manifest) -> dict[Corner, Record]:
    """Return the blocks of a published attempt, by one request; none where it was not made by blocks."""
    try:
        joined = json.loads(store.get(f"{_records_of(manifest.path)}/all.json"))
    except NotFound:
        return {}
    found = {tuple(map(int, place.split("-"))): Record.of_json(values) for place, values in joined.items()}
    return {(row, column): record for (row, column), record in found.items()}


def _name_of(block: Block) -> str:
    return f"{block.corner[0]}-{block.corner[1]}.{block.key}.json"


def _corner_of(name: str) -> str:
    return name.partition(".")[0]


def _records_of(path: str) -> str:
    return path.removesuffix(".zarr") + ".blocks"


def stitched(cells: Cells, shape: tuple[int, int], side: int) -> NDArray[np.bool_]:
    """Return which cells of a grid are in blocks.

    Parameters
    ----------
    cells : mapping of corner to tuple of int
        Of each block.
    shape : (int, int)
        Rows and columns of the grid.
    side : int
        Cells of a block along a side.

    Returns
    -------
    bool (rows, columns)
    """
    built = np.zeros(shape, bool)
    for (row, column), inside in cells.items():
        rows, columns = np.divmod(np.array(inside, np.int64), side)
        built[row + rows, column + columns] = True
    return built
