"""A build's context in one line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dags.areas import Area
from dags.build.context import BuildContext, silent
from dags.build.executor import ExecutorSettings
from tiles.clock import Clock
from tiles.store import Store


def context_of(
    store: Store | Path | str,
    clock: Clock | str = "",
    areas: tuple[Area, ...] = (),
    *,
    report: Callable[[str], None] = silent,
    processes: int = 1,
    addresses: dict[str, str] | None = None,
    **more: Any,
) -> BuildContext:
    """Return the context of a build in this process; `more` are other fields of the context."""
    return BuildContext(
        store.url if isinstance(store, Store) else str(store),
        Clock.parse(clock) if isinstance(clock, str) else clock,
        addresses=addresses or {},
        areas=areas,
        executor=ExecutorSettings(processes=processes),
        report=report,
        **more,
    )
