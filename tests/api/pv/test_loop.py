"""The event loop answers others while production is calculated: it loads no machine code."""

import builtins
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import Start
from tests.api.pv.conftest import pv

_DEAR = ("kernels.pv", "api.pv.answer", "api.pv.calculation")


async def test_what_loads_the_kernels_is_imported_beside_the_loop(
    start: Start, hilly: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import is noted even of what is there already: in a new worker it would take 0.1 s."""
    api = await start(store_folder=hilly)
    loop, noted = threading.current_thread(), set()
    load = builtins.__import__

    def noting(
        name: str,
        globals: Mapping[str, Any] | None = None,  # noqa: A002 - as it is called
        locals: Mapping[str, Any] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        for one in (name, *(f"{name}.{part}" for part in fromlist or ())):
            if one.startswith(_DEAR):
                noted.add((one, threading.current_thread() is loop))
        return load(name, globals, locals, fromlist or (), level)

    monkeypatch.setattr(builtins, "__import__", noting)
    for form in ("json", "csv", "png"):
        assert (await api.ask(pv(format=form, optimize="both", maxpower=1), "HEAD")).status == 200
    monkeypatch.undo()
    assert {"api.pv.calculation", "api.pv.answer"} <= {name for name, _ in noted}
    assert {name for name, on_loop in noted if on_loop} == set()
    assert "kernels.pv.plant" in sys.modules
