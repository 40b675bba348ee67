"""What builds by blocks have in common: what is published, what is left, and groups of it.

A build has three steps, so that Airflow can run the middle one in many tasks: begin, then groups of blocks in any order
and by anybody, then publish.
"""

import os
from collections.abc import Callable, Sequence

from catalog.versions import read_index
from dags.build.cells import Mask
from tiles.blocks import Blocks, published_records, stitched
from tiles.building import Cells
from tiles.manifest import Manifest
from tiles.products.climate_archive import BLOCK
from tiles.store import Store

Report = Callable[[str], None]
MOST_GROUPS = 64
CELLS_AT_ONCE = 1024
"""Blocks of so many cells are held in memory together, so that a file is opened once for all of them."""


def already_published(store: Store, product: str, version: str, shape: tuple[int, int], side: int = BLOCK) -> Mask:
    """Return the cells that the published version of that name holds: a build of another area must not lose them."""
    entry = read_index(store, product).get(version)
    records = {} if entry is None else published_records(store, Manifest.read(store, entry.manifest))
    return stitched(records, shape, side)


def attempts(store: Store, product: str) -> set[str]:
    """Return the attempts that are published of a product."""
    return {entry.attempt for entry in read_index(store, product).entries}


def left(builds: Sequence[Blocks], report: Report) -> Cells:
    """Take over what is published and still true, and return which of the wanted blocks have to be made.

    Parameters
    ----------
    builds : sequence of Blocks
        Products that are made together; a block is done when all of them have it.
    report : callable
        Takes one line of progress.

    Raises
    ------
    TileCorrupt
        A published block is damaged.
    """
    for blocks in builds:
        adopt_published(blocks)
    wanted = builds[0].building.cells
    missing = unfinished(builds, wanted)
    cells = sum(map(len, wanted.values()))
    report(f"{len(wanted)} blocks of {cells} cells, {len(wanted) - len(missing)} of them are done")
    return missing


def unfinished(builds: Sequence[Blocks], cells: Cells) -> Cells:
    """Return those of some blocks that not every product has yet."""
    done = set.intersection(*(set(blocks.records()) for blocks in builds))
    return {corner: inside for corner, inside in cells.items() if corner not in done}


def adopt_published(blocks: Blocks) -> None:
    """Take over the blocks of the published version of that name that are of the same plan.

    Raises
    ------
    TileCorrupt
        One of them is damaged.
    """
    entry = read_index(blocks.store, blocks.product.name).get(blocks.version)
    if entry is None:
        return
    manifest = Manifest.read(blocks.store, entry.manifest)
    missing = unfinished([blocks], blocks.building.cells)
    for corner, record in published_records(blocks.store, manifest).items():
        if record.plan == blocks.building.plan and record.cells == missing.get(corner):
            blocks.adopt(manifest, corner, record)


def groups(cells: Cells, at_once: int = CELLS_AT_ONCE) -> list[Cells]:
    """Return groups of neighbouring blocks, each to be made by one task: of so many cells, and at most 64 of them."""
    most = max(at_once, -(-sum(map(len, cells.values())) // MOST_GROUPS))
    return _together(cells, most)


def shares(cells: Cells, processes: int | None = None) -> list[Cells]:
    """Return the blocks of a group in as many parts as there are processes (cores, when absent) to make them."""
    processes = processes or os.cpu_count() or 1
    return _together(cells, max(1, -(-sum(map(len, cells.values())) // processes)))


def portions(cells: Cells) -> list[Cells]:
    """Return the blocks of a group, as many at a time as are held in memory together."""
    return _together(cells, CELLS_AT_ONCE)


def _together(cells: Cells, most: int) -> list[Cells]:
    """Return blocks one after the other in groups of so many cells, the last block of a group included."""
    found: list[Cells] = []
    group: dict[tuple[int, int], tuple[int, ...]] = {}
    held = most
    for corner, inside in cells.items():
        if held >= most:
            found.append(group := {})
            held = 0
        group[corner] = inside
        held += len(inside)
    return found
