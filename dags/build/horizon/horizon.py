"""The horizon of every place whose ground is known, from the published terrain: block by block."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache, partial
from hashlib import sha256
from secrets import token_hex
from typing import Any

import numpy as np

from catalog.publish import Moment, prepare, release
from catalog.versions import Entry, read_index
from dags.areas import Area
from dags.build.blocks import MOST_GROUPS, Report, adopt_published, attempts, unfinished
from dags.build.executor import run
from dags.build.horizon.block import base_of, blocks_of_piece, together
from dags.build.horizon.pieces import blocks_of, by_pieces, groups, pieces_of, rectangle
from dags.build.provenance import code_version
from dags.build.terrain.reading import Terrain
from kernels.horizon.block import REACH
from kernels.horizon.levels import MISSING
from tiles.blocks import Blocks, published_records
from tiles.building import Building, Cells, Corner, Overtaken, under_way
from tiles.clock import Clock, format_partition, iso, parse_partition
from tiles.grid import HORIZON
from tiles.manifest import Manifest
from tiles.products.horizon import AZIMUTHS, BLOCK, OBSERVER_M, PRODUCT, STEP_DEG
from tiles.store import Store, open_store

# Raised by one when the method changes what a profile holds.
RECORD = 2
METHOD = (
    "Highest angle to the terrain in 720 directions from true north, with the earth's curvature and refraction (k = "
    "0.13), seen from {observer} m over the bilinear surface (of a coarse source to 250 m on its own grid), to "
    "{reach:g} km; beyond 100 of its cells a coarser level of tops is looked at (of what they are the highest: "
    "`sources`). The far end of the data ends a ray."
)
SIDE_KM = BLOCK * HORIZON.size / 1000
_FOR_EVER = datetime(2100, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Ask:
    """What is to be built.

    Parameters
    ----------
    store, clock : str
        Address and text.
    areas : tuple of Area
        None of them is the whole country, as far as its terrain is published.
    run : str
        Names the build; of two at once the later one goes on.
    reach : float
        The farthest that is looked at, m.
    """

    store: str
    clock: str = ""
    areas: tuple[Area, ...] = ()
    run: str = field(default_factory=lambda: token_hex(8))
    reach: float = REACH


def build(ask: Ask, report: Report, processes: int | None = None) -> Entry:
    """Build and publish the horizons; what a killed build has finished is not made again.

    Parameters
    ----------
    ask : Ask
    report : callable
        Takes one line of progress.
    processes : int, optional
        As many as there are cores, when absent.

    Raises
    ------
    ValueError
        No terrain is published, or it knows no ground in these areas.
    TileCorrupt
        The terrain, or what is published of horizons, is damaged.
    DraftInvalid
        A validator refused the draft.
    """
    run(partial(build_group, ask), begin(ask, report), report, processes)
    return finish(ask, report)


def begin(ask: Ask, report: Report) -> list[Cells]:
    """Begin a version, or go on with it; return the groups of blocks that are left.

    Raises
    ------
    ValueError
        No terrain is published, or it knows no ground in these areas.
    """
    store = open_store(ask.store)
    terrain = Terrain(store)
    plan = plan_of(terrain, ask.reach)
    wanted = _wanted(store, ask, terrain, report)
    if (entry := _complete(store, ask, plan, wanted)) is not None:
        report(f"the horizons {entry.version} hold every block of these areas already")
        return []
    blocks = Blocks.begin(
        store,
        PRODUCT,
        _version(store, ask, plan),
        run=ask.run,
        plan=plan,
        wanted=wanted,
        published=attempts(store, PRODUCT.name),
        axes={"azimuth": np.arange(AZIMUTHS) * STEP_DEG},
        variables=[variable.name for variable in PRODUCT.variables],
        provenance=_provenance(terrain, ask.reach) | {"build": plan},
    )
    adopt_published(blocks)
    missing = unfinished([blocks], wanted)
    report(f"{len(wanted)} blocks of {SIDE_KM} km, {len(wanted) - len(missing)} of them are done")
    return groups(missing, MOST_GROUPS)


def build_group(ask: Ask, group: Cells) -> str:
    """Make those blocks of a group that are not finished; return what was done."""
    store = open_store(ask.store)
    blocks = _join(store, ask)
    terrain = _terrain(ask.store, blocks.building.plan, ask.reach)
    group = unfinished([blocks], group)
    begun, points = time.perf_counter(), 0
    for place, corners in pieces_of(group):
        for made in blocks_of_piece(terrain, place, corners, ask.reach):
            blocks.write(made.corner, made.packed, made.notes)
            points += made.notes["points"]
    return f"{len(group)} blocks, {points} points at {points / (time.perf_counter() - begun):.0f} a second"


def finish(ask: Ask, report: Report) -> Entry:
    """Publish what was built.

    Raises
    ------
    ValueError
        Blocks were published since this build began that it does not hold.
    Unfinished
        Blocks are missing.
    DraftInvalid
        A validator refused one.
    """
    store, clock = open_store(ask.store), Clock.parse(ask.clock)
    try:
        blocks = _join(store, ask, to_publish=True)
    except Overtaken:
        if (entry := _unchanged(store, ask)) is None:
            raise
        return entry
    _require_base(store, ask, blocks)
    draft = blocks.finish({"rays": together([record.notes for record in blocks.records().values()])})
    absent = [variable.name for variable in PRODUCT.variables if variable.name not in draft.names()]
    draft.describe({"missing_variables": absent})
    hour = parse_partition(blocks.version)
    moment = Moment(hour, hour, _FOR_EVER)
    ready = prepare(draft, moment, now=clock.now(), expected=None, report=report)
    blocks.require_last()
    # all of it was just written: others had the time to publish
    _require_base(store, ask, blocks)
    entry = release(ready, report)
    blocks.end()
    return entry


def _require_base(store: Store, ask: Ask, blocks: Blocks) -> None:
    """Refuse to hide blocks that others have published since this build began."""
    newest = _newest(store, ask)
    # by the shards, not the records, of which a country has thousands to be read: nobody is to publish meanwhile
    shards = [name.split("/")[2:] for name in (newest[1].objects if newest else ()) if name.startswith("ground/c/")]
    later = {(int(row) * BLOCK, int(column) * BLOCK) for row, column in shards} - set(blocks.building.cells)
    # what has no ground any more was left out when it began
    if later and _with_ground(Terrain(store), later):
        raise ValueError("other horizons were published since this build began: begin it again")


def plan_of(terrain: Terrain, reach: float) -> str:
    """Return the fingerprint of what horizons are made of, and how."""
    said = code_version(), RECORD, PRODUCT.schema, OBSERVER_M, reach, terrain.fingerprint
    return sha256(repr(said).encode()).hexdigest()[:16]


def _newest(store: Store, ask: Ask) -> tuple[Entry, Manifest] | None:
    entry = read_index(store, PRODUCT.name).newest(Clock.parse(ask.clock).now())
    return None if entry is None else (entry, Manifest.read(store, entry.manifest))


def _wanted(store: Store, ask: Ask, terrain: Terrain, report: Report) -> Cells:
    """Return the blocks of the areas, and those that are published already: a build of another area keeps them."""
    newest = _newest(store, ask)
    asked = blocks_of(ask.areas)
    known = _with_ground(terrain, asked | set(published_records(store, newest[1]) if newest else ()))
    if not known & asked:
        raise ValueError(
            "the terrain that is published knows no ground in these areas: build it for them with "
            "'solflis build terrain'"
        )
    if ask.areas and (lacking := len(asked - known)):
        report(f"{lacking} of the areas' {len(asked)} blocks are left out: no ground is known there")
    return by_pieces(known)


def _with_ground(terrain: Terrain, corners: set[Corner]) -> set[Corner]:
    """Return the blocks in which there is ground, and not the sea alone."""
    cell = base_of(terrain.cells)
    shards = terrain.extents(cell)
    found: set[Corner] = set()
    for piece, blocks in pieces_of(by_pieces(corners)):
        if not any(_meet(piece.bounds, shard) for shard in shards):
            continue
        for corner in blocks:
            z = terrain.surface(cell, *rectangle(corner, corner).bounds).z
            if np.any((z != MISSING) & (z != 0)):
                found.add(corner)
    return found


def _meet(one: Sequence[float], other: Sequence[float]) -> bool:
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]


def _version(store: Store, ask: Ask, plan: str) -> str:
    """Return the version that is extended or gone on with, where it is of the same plan; else a new one."""
    now = Clock.parse(ask.clock).now()
    newest = _newest(store, ask)
    if newest is not None and newest[1].provenance.get("build") == plan:
        return newest[0].version
    begun = [
        version for version, building in _under_way(store) if building.plan == plan and parse_partition(version) <= now
    ]
    return begun[-1] if begun else format_partition(now)


def _under_way(store: Store) -> Iterator[tuple[str, Building]]:
    for folder in store.folders(PRODUCT.name):
        version = folder.rsplit("/", 1)[-1]
        if (building := under_way(store, PRODUCT.name, version)) is not None:
            yield version, building


def _join(store: Store, ask: Ask, *, to_publish: bool = False) -> Blocks:
    """Take part in what a run has begun, whatever its version is called."""
    for version, building in _under_way(store):
        if building.run == ask.run:
            return Blocks.join(store, PRODUCT, version, ask.run, to_publish=to_publish)
    raise Overtaken("these horizons are no longer built by this run: another one has begun them, or it is done")


def _complete(store: Store, ask: Ask, plan: str, wanted: Cells) -> Entry | None:
    """Return the published version where it is of this plan and holds these blocks."""
    newest = _newest(store, ask)
    if newest is None or newest[1].provenance.get("build") != plan:
        return None
    return newest[0] if set(published_records(store, newest[1])) == set(wanted) else None


def _unchanged(store: Store, ask: Ask) -> Entry | None:
    """Return the published version where there was nothing to begin."""
    terrain = Terrain(store)
    return _complete(store, ask, plan_of(terrain, ask.reach), _wanted(store, ask, terrain, lambda _: None))


@lru_cache(maxsize=1)
def _terrain(store_url: str, plan: str, reach: float) -> Terrain:
    """Return what all groups of a process share.

    Raises
    ------
    ValueError
        What is published now is not what the build began with.
    """
    terrain = Terrain(open_store(store_url))
    if plan_of(terrain, reach) != plan:
        raise ValueError("the terrain has changed since this build began: begin it again")
    return terrain


def _provenance(terrain: Terrain, reach: float) -> dict[str, Any]:
    said = terrain.provenance
    return {
        **said,
        "source": ", ".join(dict.fromkeys(source["name"] for source in said["sources"])),
        "data_origin": terrain.origin,
        "method": METHOD.format(observer=OBSERVER_M, reach=reach / 1000),
        "observer_height_m": OBSERVER_M,
        "reach_m": reach,
        "terrain_version": terrain.version,
        "terrain_levels_m": list(terrain.cells),
        "generator": f"Solflis horizon, record {RECORD} ({code_version()})",
        "code_version": code_version(),
        "built_at": iso(datetime.now(UTC)),
    }
