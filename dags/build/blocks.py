"""How products are built block by block: one mechanism, and what a product declares of itself.

A build has three steps, so that Airflow can run the middle one in many tasks: `begin`, then groups of blocks in any
order and by anybody, then `publish`. A product declares what its blocks are made of (`inputs`), which are wanted
(`plan`) and how they are made (`make`); resuming, adopting what is published, judging and publishing are done here.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment, prepare, release
from catalog.versions import Entry, read_index
from dags.build.context import BuildContext
from dags.build.executor import ExecutorSettings, cpus, run
from tiles.blocks import Blocks, Record, published_records, stitched
from tiles.building import Block, Building, Corner, Overtaken, under_way
from tiles.errors import DraftInvalid
from tiles.manifest import Manifest
from tiles.product import Product

MOST_GROUPS = 64
Records = Mapping[Corner, Record]
Group = list[dict[str, Any]]
"""Jobs of one Airflow task, as JSON values."""


class Inputs(Protocol):
    """Opened inputs of blocks."""

    @property
    def fingerprint(self) -> str:
        """The same as long as all of it is the same."""


I = TypeVar("I", bound=Inputs)  # noqa: E741


class Made(NamedTuple):
    """A block as it is stored: by product, by variable; and what its record remembers."""

    block: Block
    packed: Mapping[str, Mapping[str, NDArray[np.uint16]]]
    notes: Mapping[str, Any]


@dataclass(frozen=True)
class Stage:
    """Products on one grid whose blocks are made together; of several stages each is made of the one before.

    Parameters
    ----------
    products : tuple of Product
    wanted : tuple of Block
    axes : mapping of str to array
        Values of the products' own dimensions; each takes those that it has.
    """

    products: tuple[Product, ...]
    wanted: tuple[Block, ...]
    axes: Mapping[str, NDArray[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """Planned content of a version.

    Parameters
    ----------
    version : str
    stages : tuple of Stage
    provenance : mapping of str to mapping
        By product, as far as it is known before the blocks are made.
    """

    version: str
    stages: tuple[Stage, ...]
    provenance: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Work(Generic[I]):
    """What `make` is given beside the blocks.

    Parameters
    ----------
    context : BuildContext
    inputs : Inputs
    drafts : mapping of str to str
        Key of the Zarr group that is being made, by product; those of earlier stages are finished.
    products : tuple of str
        Those that are made now.
    remarks : list of str
        What `make` wants to be reported when the job is done.
    """

    context: BuildContext
    inputs: I
    drafts: Mapping[str, str]
    products: tuple[str, ...]
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Job:
    """Blocks that one worker makes one after the other. Picklable: it holds settings and block ids, never arrays."""

    build: "BlockBuild[Any]"
    context: BuildContext
    version: str
    products: tuple[str, ...]
    blocks: tuple[Block, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values, without the context."""
        return {"version": self.version, "products": self.products, "blocks": self.blocks}


class BlockBuild(ABC, Generic[I]):
    """How one product, or several that are made and published together, is built. Instances hold no state.

    Attributes
    ----------
    products : tuple of Product
        In the order in which they are published; readers find the others by the last one.
    side : int
        Cells of a block along a side.
    cells_per_job : int
        So many are made by a worker at a time.
    paced : bool
        Whether a public authority is asked, one thing at a time.
    """

    products: tuple[Product, ...]
    side: int
    cells_per_job: int
    paced: bool = False

    # What a product declares.

    @abstractmethod
    def inputs(self, context: BuildContext) -> I:
        """Return what the blocks are made of; called once in every process that takes part."""

    @abstractmethod
    def plan(self, context: BuildContext, inputs: I) -> Plan:
        """Return what the version is to hold, what is published of it already included."""

    @abstractmethod
    def make(self, work: Work[I], blocks: Sequence[Block]) -> Iterator[Made]:
        """Make blocks, one after the other; a product of which a block holds nothing may be left out of it."""

    @abstractmethod
    def moment(self, context: BuildContext, version: str) -> Moment:
        """Return when a version stands for."""

    def learned(
        self,
        work: Work[I],  # noqa: ARG002
        records: Mapping[str, Records],  # noqa: ARG002
    ) -> Mapping[str, Any]:
        """Return what provenance says that was only known when all blocks were made."""
        return {}

    def ensure(self, context: BuildContext) -> None:
        """Build first what this build needs and nobody has published."""

    def unit(self, corner: Corner) -> Any:
        """Return what names the blocks that are made together because they read the same."""
        return corner

    def base(self, context: BuildContext, product: Product, version: str) -> str | None:
        """Return the manifest that the version extends; its blocks of the same key are taken over."""
        entry = read_index(context.store, product.name).get(version)
        return None if entry is None else entry.manifest

    # The mechanism.

    def __call__(self, context: BuildContext) -> Entry:
        """Build and publish; what a killed build has finished is not made again.

        Raises
        ------
        ValueError
            There is nothing to build, or the inputs have changed meanwhile; the text says what to do.
        SourceError
            An upstream cannot be asked. Nothing is published.
        DraftInvalid
            A validator refused a block or the whole.
        Overtaken
            Somebody else has begun the same version since.
        """
        for jobs in self._begin(context):
            self._run(context, jobs)
        return self.publish(context)

    def begin(self, context: BuildContext) -> list[Group]:
        """Begin a version, or go on with it; return what is left in at most 64 groups of jobs."""
        jobs = [job for stage in self._begin(context) for job in stage]
        size = -(-len(jobs) // MOST_GROUPS) or 1
        return [[job.to_json() for job in jobs[first : first + size]] for first in range(0, len(jobs), size)]

    def make_group(self, context: BuildContext, group: Group) -> None:
        """Make the blocks of a group that are not finished."""
        self._run(context, [_job(self, context, **values) for values in group])

    def publish(self, context: BuildContext) -> Entry:
        """Publish what this run has made, all products at once; return the entry of the last product.

        Raises
        ------
        Unfinished
            Blocks are missing.
        DraftInvalid
            A validator refused it.
        Overtaken
            Somebody else has begun the same version since.
        """
        store, inputs = context.store, self.inputs(context)
        version = self._version_of(context, lambda building: building.run == context.run)
        if version is None:
            if (entry := self._complete(context, self.plan(context, inputs))) is not None:
                return entry
            raise Overtaken(f"{self.products[-1].name} is no longer built by this run: another one has begun it")
        builds = {
            product.name: Blocks.join(store, product, version, context.run, to_publish=True)
            for product in self.products
            if (building := under_way(store, product.name, version)) and building.run == context.run
        }
        self._require_unchanged(context, inputs, builds)
        records = {name: blocks.records() for name, blocks in builds.items()}
        work = Work(context, inputs, {name: blocks.path for name, blocks in builds.items()}, tuple(builds))
        learned = self.learned(work, records)
        ready = []
        for name, blocks in builds.items():
            draft = blocks.finish(records[name], learned)
            if draft.names():
                absent = [v.name for v in blocks.product.variables if v.name not in draft.names()]
                draft.describe({"missing_variables": absent} | dict(learned))
                moment = self.moment(context, version)
                ready.append(prepare(draft, moment, now=context.clock.now(), expected=None, report=context.report))
            else:
                context.report(f"{name} exists in none of these cells: it is not published")
        if not ready or ready[-1].entry.product != self.products[-1].name:
            raise DraftInvalid(f"{self.products[-1].name} {version} is not published: no block holds any value")
        for blocks in builds.values():
            blocks.require_last()
        # all of it was just written: others had the time to publish
        self._require_unchanged(context, self.inputs(context), builds)
        entries = [release(prepared, context.report) for prepared in ready]
        for blocks in builds.values():
            blocks.end()
        return entries[-1]

    def _begin(self, context: BuildContext) -> list[list[Job]]:
        """Begin every product; return the jobs that are left, stage by stage."""
        self.ensure(context)
        inputs = self.inputs(context)
        plan = self.plan(context, inputs)
        if (entry := self._complete(context, plan)) is not None:
            context.report(f"{entry.product} {entry.version} holds all of it already")
            return []
        begun = self._version_of(context, lambda building: building.inputs == inputs.fingerprint)
        if begun and self.moment(context, begun).issued_at <= context.clock.now():
            plan = replace(plan, version=begun)
        return [self._begin_stage(context, plan, stage, inputs.fingerprint) for stage in plan.stages]

    def _begin_stage(self, context: BuildContext, plan: Plan, stage: Stage, inputs: str) -> list[Job]:
        store, left = context.store, dict.fromkeys(stage.wanted, False)
        for product in stage.products:
            base = self.base(context, product, plan.version)
            blocks = Blocks.begin(
                store,
                product,
                plan.version,
                run=context.run,
                inputs=inputs,
                wanted=stage.wanted,
                published={entry.attempt for entry in read_index(store, product.name).entries},
                base=base,
                axes={d.name: stage.axes[d.name] for d in product.dimensions},
                provenance=plan.provenance[product.name],
            )
            if base is not None:
                manifest = Manifest.read(store, base)
                if manifest.schema == product.schema:
                    blocks.adopt(manifest, published_records(store, manifest), stage.wanted)
            left |= dict.fromkeys(blocks.missing(stage.wanted), True)
        missing = [block for block, lacks in left.items() if lacks]
        names = ", ".join(product.name for product in stage.products)
        context.report(f"{names}: {len(left)} blocks, {len(left) - len(missing)} of them are done")
        settings = self._settings(context)
        workers = 1 if self.paced else settings.processes or cpus()
        return [
            Job(self, context, plan.version, tuple(product.name for product in stage.products), blocks)
            for blocks in self._shares(missing, workers)
        ]

    def _shares(self, blocks: Sequence[Block], workers: int) -> Iterator[tuple[Block, ...]]:
        """Give blocks in jobs of whole units: so many cells each, fewer where workers would have nothing to do."""
        units: dict[Any, list[Block]] = {}
        for block in blocks:
            units.setdefault(self.unit(block.corner), []).append(block)
        most = min(self.cells_per_job, -(-sum(len(block.cells) for block in blocks) // workers))
        share: list[Block] = []
        for unit in units.values():
            share += unit
            if sum(len(block.cells) for block in share) >= most:
                yield tuple(share)
                share = []
        if share:
            yield tuple(share)

    def _run(self, context: BuildContext, jobs: Sequence[Job]) -> None:
        run(make_job, jobs, context.report, self._settings(context))

    def _settings(self, context: BuildContext) -> ExecutorSettings:
        return ExecutorSettings(processes=1) if self.paced else context.executor

    def _complete(self, context: BuildContext, plan: Plan) -> Entry | None:
        """Return the published entry of the last product where all blocks of the plan are published."""
        newest: Entry | None = None
        for stage in plan.stages:
            for product in stage.products:
                key = self.base(context, product, plan.version)
                newest = next((e for e in read_index(context.store, product.name).entries if e.manifest == key), None)
                if newest is None:  # a product may exist in none of the cells; the last one may not
                    continue
                held = published_records(context.store, Manifest.read(context.store, newest.manifest))
                if newest.schema != product.schema or {(corner, record.key) for corner, record in held.items()} != {
                    (block.corner, block.key) for block in stage.wanted
                }:
                    return None
        return newest

    def _version_of(self, context: BuildContext, is_it: Callable[[Building], bool]) -> str | None:
        """Return the newest version of the last product that is being made by somebody, and not published."""
        product, store = self.products[-1].name, context.store
        published = {entry.attempt for entry in read_index(store, product).entries}
        for folder in reversed(store.folders(product)):
            version = folder.rsplit("/", 1)[-1]
            building = under_way(store, product, version)
            if building is not None and is_it(building) and building.attempt not in published:
                return version
        return None

    def _require_unchanged(self, context: BuildContext, inputs: I, builds: Mapping[str, Blocks]) -> None:
        """Refuse to publish what was made of something else, or would hide what others have published since.

        Raises
        ------
        ValueError
        """
        for blocks in builds.values():
            require_same(inputs, blocks.building)
            if self.base(context, blocks.product, blocks.version) != blocks.building.base:
                raise ValueError(
                    f"another {blocks.product.name} was published since this build began: begin it again, its finished "
                    "blocks are kept"
                )


def require_same(inputs: Inputs, building: Building) -> None:
    """Refuse to go on with inputs that are not those with which a build began.

    Raises
    ------
    ValueError
    """
    if inputs.fingerprint != building.inputs:
        raise ValueError("what these blocks are made of has changed since this build began: begin it again")


_held: dict[str, Any] = {}


def make_job(job: Job) -> str:
    """Make those blocks of a job that are not finished; return what was done."""
    context, store = job.context, job.context.store
    joined = {
        product.name: Blocks.join(store, product, job.version, context.run)
        for product in job.build.products
        if product.name in job.products or under_way(store, product.name, job.version) is not None
    }
    builds = {name: joined[name] for name in job.products}
    begun = [blocks.building for blocks in builds.values()]
    if _held.get("begun") != begun:  # what all jobs of a process share, of the last build alone
        _held.clear()
        _held.update(begun=begun, inputs=job.build.inputs(context))
    inputs = _held["inputs"]
    for blocks in builds.values():
        require_same(inputs, blocks.building)
    left = [block for block in job.blocks if not all(blocks.holds(block) for blocks in builds.values())]
    work = Work(context, inputs, {name: blocks.path for name, blocks in joined.items()}, job.products)
    for made in job.build.make(work, left) if left else ():
        for name, blocks in builds.items():
            blocks.write(made.block, made.packed.get(name, {}), made.notes)
    done = f"{job.version}: {len(left)} blocks, {sum(len(block.cells) for block in left)} cells"
    return "; ".join([done, *work.remarks])


def published_cells(context: BuildContext, product: Product, version: str, side: int) -> NDArray[np.bool_]:
    """Return the cells that a published version holds: a build of another area must not lose them."""
    assert product.grid is not None  # noqa: S101 - what is built by blocks lies on a grid
    entry = read_index(context.store, product.name).get(version)
    held = {} if entry is None else published_records(context.store, Manifest.read(context.store, entry.manifest))
    return stitched({corner: record.cells for corner, record in held.items()}, product.grid.shape, side)


def fingerprint_of(*said: Any) -> str:
    """Return the fingerprint of some values."""
    return Block.of((0, 0), (), *said).key


def _job(
    build: BlockBuild[Any], context: BuildContext, version: str, products: Sequence[str], blocks: Sequence[Any]
) -> Job:
    """Return a job that was written as JSON values."""
    parsed = (Block((row, column), tuple(cells), key) for (row, column), cells, key in blocks)
    return Job(build, context, version, tuple(products), tuple(parsed))
