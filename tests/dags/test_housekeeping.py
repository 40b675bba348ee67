"""Housekeeping: what goes, and what stays."""

import os
import time
from pathlib import Path

from dags.build import housekeeping
from tests.support.context import context_of


def log(path: Path, days_old: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("line")
    for made in (path, path.parent):
        os.utime(made, (time.time() - days_old * 86_400,) * 2)
    return path


def test_old_logs_and_their_folders_go_and_those_of_running_components_stay(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    old = log(logs / "airflow" / "dag_id=forecast" / "run_id=a" / "attempt=1.log", 8)
    young = log(logs / "airflow" / "dag_id=forecast" / "run_id=b" / "attempt=1.log", 6)
    before = log(logs / "api.log.1", 8)
    running = log(logs / "api.log", 8)
    said: list[str] = []
    context = context_of(tmp_path / "tiles", logs=str(logs), log_days=7, report=said.append)
    assert housekeeping.build(context) is None
    assert [path.exists() for path in (old, before, young, running)] == [False, False, True, True]
    assert said == ["0 versions and drafts removed", "2 log files removed that nobody wrote to for 7 days"]
    housekeeping.build(context_of(tmp_path / "tiles"))
    assert young.exists(), "no folder of logs was named"
    housekeeping.build(context_of(tmp_path / "tiles", logs=str(logs), log_days=0))
    assert not young.exists()
    assert running.exists()
