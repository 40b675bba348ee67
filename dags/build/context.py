"""What a builder is given: one context, one signature, `build(context) -> Entry`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from secrets import token_hex
from typing import Any

from catalog.sources.registry import SOURCES
from catalog.versions import Entry, read_index
from dags.areas import Area
from dags.build.executor import ExecutorSettings
from tiles.clock import Clock
from tiles.products.registry import product as declared
from tiles.store import Store, open_store

Report = Callable[[str], None]


class NothingToBuild(ValueError):
    """There is nothing to build now, and nothing is wrong: the text says why. Airflow skips the run."""


def silent(_: str) -> None:
    """Report nothing."""


@dataclass(frozen=True)
class BuildContext:
    """What is to be built, where it is published, and by whose clock. Picklable: workers get it without `report`.

    Parameters
    ----------
    store_url : str
        A folder or s3://bucket/prefix.
    clock : Clock
    partition : str or None
        Cycle, day, year or whatever the builder calls its versions; None: the builder's default.
    source : str or None
        Upstream; None: the builder's default.
    addresses : mapping of str to str
        Addresses of sources by name, where they differ from the authority's own. They may hold passwords.
    areas : tuple of Area
        None of them is the whole country.
    paths : tuple of str
        Of terrain: files, folders or patterns.
    year : int or None
        Of terrain: year of the heights in these files.
    run : str
        Names the build; of two builds of one version at once the later one goes on.
    executor : ExecutorSettings
        Where blocks are made.
    logs : str
        Folder of log files that housekeeping tidies; empty: none.
    log_days : int
        So many days a log is kept.
    report : callable
        Takes one line of progress.
    """

    store_url: str
    clock: Clock
    partition: str | None = None
    source: str | None = None
    addresses: Mapping[str, str] = field(default_factory=dict, repr=False)
    areas: tuple[Area, ...] = ()
    paths: tuple[str, ...] = ()
    year: int | None = None
    run: str = field(default_factory=lambda: token_hex(8))
    executor: ExecutorSettings = field(default_factory=ExecutorSettings)
    logs: str = ""
    log_days: int = 7
    report: Report = field(default=silent, repr=False, compare=False)

    @cached_property
    def store(self) -> Store:
        """The store, opened once a process."""
        return open_store(self.store_url)

    def address(self, source: str) -> str:
        """Return where a source is read: the operator's setting, else the authority's own address.

        Raises
        ------
        ValueError
            There is no such source, or it has no address of its own and none is set.
        """
        if source not in SOURCES:
            raise ValueError(f"there is no source '{source}'; there are {', '.join(SOURCES)}")
        if not (address := SOURCES[source].address(self.addresses)):
            raise ValueError(f"{SOURCES[source].setting} is not set: {source} has to be ordered, and lies in a folder")
        return address

    def require_source(self, *known: str) -> str:
        """Return the source that is asked for, the first of those known where none is.

        Raises
        ------
        ValueError
            It is none of them.
        """
        source = self.source or known[0]
        if source not in known:
            raise ValueError(f"there is no source '{source}' for this product; there is {', '.join(known)}")
        return source

    def refuse_partition(self, why: str) -> None:
        """Refuse a partition of a product that has none.

        Raises
        ------
        ValueError
            One is given; the text says why there is none.
        """
        if self.partition is not None:
            raise ValueError(f"'{self.partition}' is no partition of this product: {why}")

    def __getstate__(self) -> dict[str, Any]:
        """Return what travels to a worker: settings, no open store and no callback."""
        return {**{name: getattr(self, name) for name in self.__dataclass_fields__}, "report": silent}


def ensured(product: str, build: Callable[["BuildContext"], Entry], context: BuildContext) -> Entry:
    """Return the version of a product that counts; where there is none, or of an older schema, it is built first."""
    entry = read_index(context.store, product).newest(context.clock.now())
    if entry is None or entry.schema != declared(product).schema:
        context.report(f"no {product} has been published yet: it is built first")
        entry = build(replace(context, partition=None, source=None))
    return entry
