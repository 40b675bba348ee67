"""Everything that answers need, one product after the other: first for one area, then for all."""

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from shutil import get_terminal_size

import click

from catalog.sources.errors import SourceError
from catalog.sources.registry import FORECAST_SOURCES
from catalog.versions import read_index
from dags.build.context import BuildContext
from dags.partition import latest_cycle
from dags.workflows import BUILD_ALL, WORKFLOWS, Workflow
from tiles.clock import format_partition
from tiles.errors import TileError


class NotAllBuilt(click.ClickException):
    """Some products could not be built; the text says which, and why."""


def build_all(context: BuildContext, report: Callable[[str, str], None]) -> None:
    """Build what `BUILD_ALL` lists for the first area, then for all areas.

    One that fails does not keep the others from being built. What is published already is not built again, apart from
    products of areas, whose builders make only what is missing.

    Parameters
    ----------
    context : BuildContext
        Its source is that of the forecast.
    report : callable
        Takes the name of a product, and a line: what is done, how far it is, how long it still takes.

    Raises
    ------
    NotAllBuilt
    """
    failed: dict[str, str] = {}
    first = replace(context, areas=context.areas[:1], run=f"{context.run}-first")
    rounds = [context] if len(context.areas) < 2 else [first, context]
    for number, one in enumerate(rounds):
        where = ", ".join(area.name for area in one.areas) or "the whole country"
        for row in (WORKFLOWS[name] for name in BUILD_ALL):
            if (number and not row.by_area) or (not row.by_area and _is_published(row, one)):
                continue
            failed.pop(row.name, None)
            report(row.name, f"begins for {where}" if row.by_area else "begins")
            try:
                entry = row.resolve()(_context(row, one, report))
            except (SourceError, TileError, ValueError, OSError, RuntimeError) as error:
                failed[row.name] = str(error)
                report(row.name, f"failed: {error}")
            else:
                report(row.name, f"{entry.version} is published" + (f" for {where}" if row.by_area else ""))
    if failed:
        raise NotAllBuilt("; ".join(f"{name} is not built: {why}" for name, why in failed.items()))


def live_lines() -> Callable[[str, str], None]:
    """Return what prints one line per product: on a terminal it is written over until the next product begins."""
    begun, last = time.monotonic(), ""

    def report(product: str, line: str) -> None:
        nonlocal last
        text = f"{time.monotonic() - begun:7.1f} s  {product:<21}{line}"
        if not sys.stdout.isatty():
            print(text, flush=True)
            return
        if last not in ("", product):
            print()
        last = product
        print(f"\r\x1b[K{text[: get_terminal_size().columns - 1]}", end="", flush=True)

    return report


def _context(row: Workflow, context: BuildContext, report: Callable[[str, str], None]) -> BuildContext:
    source = row.source(context.source or "")
    return replace(context, source=source or None, report=lambda line: report(row.name, line))


def _is_published(row: Workflow, context: BuildContext) -> bool:
    """Whether a product without areas is there: of cycles the latest, else any version."""
    index, now = read_index(context.store, row.products[0]), context.clock.now()
    if row.partition == "cycle":
        return (
            index.get(format_partition(latest_cycle(context.source or next(iter(FORECAST_SOURCES)), now))) is not None
        )
    return index.newest(now) is not None
