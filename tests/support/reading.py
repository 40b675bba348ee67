"""Reading a made-up MET Nordic cycle, and the sentence that a bad one ends in."""

import threading
from pathlib import Path

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


def sentence(base: Path | str, kind: type[SourceError] = SourceError, deadline_s: float = 20) -> str:
    """Return what the reading says; it must name source and file, in one line."""
    with pytest.raises(SourceError) as caught:
        read(base, deadline_s)
    text = str(caught.value)
    assert type(caught.value) is kind
    assert text.startswith(f"met_nordic: {base}")
    assert "met_forecast_1_0km_nordic_20260620T06Z.nc" in text
    assert "\n" not in text
    assert not reading_threads()
    return text
