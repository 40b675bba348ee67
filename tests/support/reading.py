"""Reading a made-up MET Nordic cycle, and the sentences in which asking a source fails."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catalog.sources import met_nordic
from catalog.sources.errors import SourceError
from tests.support.netcdf import CYCLE, MadeUp

LARGE = MadeUp(nx=300, ny=200, steps=6)
"""Its fields lie beyond the first block, so that they are read by ranges."""


def read(base: Path | str, deadline_s: float = 20) -> int:
    with met_nordic.open_cycle(str(base), CYCLE, user_agent="tests", deadline_s=deadline_s) as cycle:
        return sum(1 for _ in cycle.instants())


def reading_threads() -> list[str]:
    """Return the names of those that read a cycle and still run; threads of a server may linger."""
    return [thread.name for thread in threading.enumerate() if thread.name.startswith(("inflate", "fetch"))]


def sentence_of(source: str, ask: Callable[[], Any], kind: type[SourceError] = SourceError) -> str:
    """Return the one line in which asking a source fails; it begins with the source's name."""
    with pytest.raises(kind) as caught:
        ask()
    text = str(caught.value)
    assert type(caught.value) is kind
    assert text.startswith(f"{source}: ")
    assert "\n" not in text
    return text


def sentence(base: Path | str, kind: type[SourceError] = SourceError, deadline_s: float = 20) -> str:
    """Return the sentence in which reading a bad cycle ends; it names the file, and no thread reads on."""
    text = sentence_of("met_nordic", lambda: read(base, deadline_s), kind)
    assert text.startswith(f"met_nordic: {base}")
    assert "met_forecast_1_0km_nordic_20260620T06Z.nc" in text
    assert not reading_threads()
    return text
