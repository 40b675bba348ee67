"""The workflow `calibration`: the real command, on a database of its own."""

import shutil
from pathlib import Path

import pytest

from dags.build.plants import calibration
from dags.build.plants.command import solflis
from tests.support.context import context_of

CLOCK = "2026-06-20T03:10:00Z!"


def test_the_command_runs_with_the_store_and_the_clock_of_the_context(
    migrated_sqlite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOLFLIS_STATE", str(tmp_path))
    monkeypatch.setenv("SOLFLIS_CLOCK", "2001-01-01T00:00:00Z")
    shutil.copy(migrated_sqlite, tmp_path / "solflis.sqlite")
    lines: list[str] = []
    calibration.build(context_of(tmp_path / "tiles", CLOCK, report=lines.append))
    assert lines == ["weather: 0 hours kept of 0 plants, from 0 forecasts", "calibration: 0 plants"]
    assert not list(tmp_path.glob("var"))


def test_what_the_command_says_of_its_failure_is_the_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOLFLIS_STATE", str(tmp_path))
    monkeypatch.setenv("SOLFLIS_DATABASE", "mysql://x/y")
    with pytest.raises(
        RuntimeError, match=r"plants calibrate ended with code 1: Error: SOLFLIS_DATABASE: expected sqlite:///path"
    ):
        calibration.build(context_of(tmp_path / "tiles", CLOCK))
    with pytest.raises(RuntimeError, match=r"solflis nothing ended with code 2"):
        solflis(context_of(tmp_path / "tiles", CLOCK), "nothing")
