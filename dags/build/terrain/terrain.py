"""The terrain: heights laid over what was built before, level by level and block by block, published together."""

from dataclasses import dataclass, field, replace
from functools import partial
from secrets import token_hex
from typing import Any

from catalog.publish import Moment, prepare, release
from catalog.versions import Entry, read_index
from dags.build.blocks import Report, adopt_published, attempts, groups, unfinished
from dags.build.executor import run
from dags.build.terrain.block import Maker
from dags.build.terrain.layer import Layer
from dags.build.terrain.plan import fingerprint, hidden, holds, provenance, touched_by
from dags.build.terrain.reading import LevelTiles, Terrain, tiles_of
from tiles.blocks import Blocks, Record, published_records
from tiles.building import Cells, Corner, under_way
from tiles.clock import Clock, format_partition, parse_partition
from tiles.errors import DraftInvalid
from tiles.products.terrain import BY_CELL, GRIDS, SIDE, name_of
from tiles.store import Store, open_store

# Fewer blocks are not worth starting processes for.
_FEW = 6
_WHOLE = (0,)  # blocks are made whole: no single cells are asked for
_COARSEST = max(GRIDS)
METHOD = (
    "Newer heights over older ones. Ground: mean of a source with smaller cells, else bilinear in its own grid at the "
    "cell's centre, each 10 m where its centres are none of ours of 50 m; top: the highest of the source in the cell "
    "and of the surface between the centres. Coarser cells from finer ones where these are known: the highest top, "
    "the mean ground. What a service resampled to our cells counts as it came: a peak narrower than them may be "
    "higher. Holes up to 200 m are filled from around; larger ones with a rim at sea level are sea (top 0, no "
    "ground), others stay missing. Heights in the national system."
)


@dataclass(frozen=True)
class Ask:
    """What is to be built.

    Parameters
    ----------
    store, clock : str
        Address and text.
    layers : tuple of Layer
        Laid over what is built already, one after the other.
    run : str
        Names the build; of two at once the later one goes on.
    """

    store: str
    clock: str
    layers: tuple[Layer, ...]
    run: str = field(default_factory=lambda: token_hex(8))


@dataclass(frozen=True)
class Work:
    """A build that has begun.

    Parameters
    ----------
    ask : Ask
        With those layers that are new.
    version : str
    base : dict of int to str
        Manifests of what was built before, by level.
    levels : dict of int to Cells
        The blocks that are left of each level that there is.
    """

    ask: Ask
    version: str
    base: dict[int, str]
    levels: dict[int, Cells]


def build(ask: Ask, report: Report, processes: int | None = None) -> Entry:
    """Build and publish the levels; what a killed build has finished is not made again.

    Parameters
    ----------
    ask : Ask
    report : callable
        Takes one line of progress.
    processes : int, optional
        As many as there are cores, when absent.

    Returns
    -------
    Entry
        Of the coarsest level, which is published last.

    Raises
    ------
    SourceError
        Heights cannot be had.
    TileCorrupt
        What was built before is damaged.
    DraftInvalid
        A validator refused a level.
    """
    work = begin(ask, report)
    if isinstance(work, Entry):
        return work
    for cell, left in work.levels.items():
        jobs = groups(left, 1)
        report(f"{name_of(cell)}: {len(left)} blocks of {cell * SIDE // 1000} km are to be made")
        run(partial(build_group, work, cell), jobs, report, processes or (1 if len(left) < _FEW else None))
    return finish(work, report)


def begin(ask: Ask, report: Report) -> Work | Entry:
    """Begin a version, or go on with one; return what is left, or the published one where it holds all layers."""
    store, clock = open_store(ask.store), Clock.parse(ask.clock)
    base = newest(store)
    layers = tuple(layer for layer in ask.layers if base is None or not holds(base, layer))
    if base is not None and not layers:
        report(f"the terrain {base.version} holds these heights already")
        return _entry_of(store, base)
    for layer in layers:
        for line in layer.remarks:
            report(line)
    plan = fingerprint(layers, base)
    # not before the newest, where the clock was set back: readers take the last one
    hour = max(format_partition(clock.now()), base.version if base is not None else "")
    version = _version_under_way(store, plan) or hour
    touched = touched_by(layers, base)
    levels = {}
    for cell, product in BY_CELL.items():
        there = set() if base is None else base.corners(cell)
        if not there | touched[cell]:
            continue
        blocks = Blocks.begin(
            store,
            product,
            version,
            run=ask.run,
            plan=plan,
            wanted=dict.fromkeys(sorted(there | touched[cell]), _WHOLE),
            published=attempts(store, product.name),
            axes={},
            variables=[v.name for v in product.variables],
            provenance={"method": METHOD, "build": plan},
        )
        adopt_published(blocks)
        if base is not None and cell in base.manifests:
            _keep(blocks, tiles_of(store, cell, base.manifests[cell]), there - touched[cell])
        levels[cell] = unfinished([blocks], dict.fromkeys(sorted(touched[cell]), _WHOLE))
    if gone := len(hidden(layers, base)):
        report(f"in {gone} blocks cells of {min(GRIDS)} m give way to these heights, whose own cells are larger")
    return Work(replace(ask, layers=layers), version, {} if base is None else base.manifests, levels)


def build_group(work: Work, cell: int, group: Cells) -> str:
    """Make those blocks of a group that are not finished; return what was done."""
    store, maker = _maker(work)
    blocks = Blocks.join(store, BY_CELL[cell], work.version, work.ask.run)
    group = unfinished([blocks], group)
    for corner in group:
        packed, notes = maker.block(cell, corner)
        blocks.write(corner, packed, {"layers": notes})
    grid = GRIDS[cell]
    places = (f"{(grid.x0 + c * cell) / 1000:.0f}/{(grid.y0 + r * cell) / 1000:.0f}" for r, c in group)
    return f"{name_of(cell)}, the blocks of x/y km {', '.join(places) or '(none: they were made meanwhile)'}"


def finish(work: Work, report: Report) -> Entry:
    """Publish the levels at once, the coarsest last: readers find the others by it.

    Raises
    ------
    ValueError
        Another terrain was published since this build began.
    Unfinished
        Blocks are missing.
    DraftInvalid
        A validator refused a level.
    """
    ask = work.ask
    store, clock = open_store(ask.store), Clock.parse(ask.clock)
    base = _require_base(store, work)
    begun = parse_partition(work.version)
    builds = {cell: Blocks.join(store, BY_CELL[cell], work.version, ask.run, to_publish=True) for cell in work.levels}
    notes = [note for blocks in builds.values() for record in blocks.records().values() for note in _notes(record)]
    drafts = {cell: draft for cell, blocks in builds.items() if (draft := blocks.finish({})).names()}
    levels = {cell: draft.path.removesuffix(".zarr") + ".manifest.json" for cell, draft in drafts.items()}
    ready = []
    for draft in drafts.values():
        missing = [v.name for v in draft.product.variables if v.name not in draft.names()]
        draft.describe(provenance(ask.layers, base, notes) | {"levels": levels, "missing_variables": missing})
        ready.append(prepare(draft, Moment(begun, begun, begun), now=clock.now(), expected=None, report=report))
    if _COARSEST not in drafts:
        raise DraftInvalid("the terrain is not published: there is no height in what it was to be made of")
    for blocks in builds.values():
        blocks.require_last()
    # all of it was just written: others had the time to publish
    _require_base(store, work)
    entries = [release(prepared, report) for prepared in ready]
    for blocks in builds.values():
        blocks.end()
    return entries[-1]


def _require_base(store: Store, work: Work) -> Terrain | None:
    """Return the terrain that is published; refuse to hide what a build did not begin with."""
    base = newest(store)
    if (base.manifests if base else {}) != work.base:
        raise ValueError("another terrain was published since this build began: begin it again")
    return base


def newest(store: Store) -> Terrain | None:
    """Return the terrain that is published; None where there is none yet."""
    return Terrain(store) if read_index(store, name_of(_COARSEST)).entries else None


def _entry_of(store: Store, terrain: Terrain) -> Entry:
    entry = read_index(store, name_of(_COARSEST)).get(terrain.version)
    assert entry is not None  # noqa: S101 - it was found by it
    return entry


def _version_under_way(store: Store, plan: str) -> str | None:
    """Return the version that somebody has begun with this plan and not published, however long ago."""
    name = name_of(_COARSEST)
    for folder in store.folders(name):
        version = folder.rsplit("/", 1)[-1]
        found = under_way(store, name, version)
        if found is not None and found.plan == plan and found.attempt not in attempts(store, name):
            return version
    return None


def _keep(blocks: Blocks, published: LevelTiles, kept: set[Corner]) -> None:
    """Take over blocks of before that nothing new lies on."""
    done = blocks.records()
    for corner, record in published_records(blocks.store, published.manifest).items():
        if corner in kept and corner not in done:
            blocks.adopt(published.manifest, corner, replace(record, plan=blocks.building.plan, cells=_WHOLE))


def _maker(work: Work) -> tuple[Store, Maker]:
    """Return what all groups of a process share; of the last build alone."""
    if _held.get("run") != (work.ask.run, work.version):
        store = open_store(work.ask.store)
        drafts = {c: Blocks.join(store, BY_CELL[c], work.version, work.ask.run).path for c in work.levels}
        _held.clear()
        _held.update(run=(work.ask.run, work.version), tools=(store, Maker(store, work.ask.layers, drafts, work.base)))
    tools: tuple[Store, Maker] = _held["tools"]
    return tools


_held: dict[str, Any] = {}


def _notes(record: Record) -> list[dict[str, Any]]:
    notes: list[dict[str, Any]] = record.notes.get("layers", [])
    return notes
