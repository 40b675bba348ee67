"""`solflis jobs` and `solflis worker`, as the operator calls them."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from api.jobs.queue import Job, question_of
from infra.accounts import on_accounts
from infra.cli import main


@pytest.fixture(autouse=True)
def _settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("SOLFLIS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SOLFLIS_STATE", str(tmp_path / "state"))


def jobs(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["jobs", *arguments])


def asked() -> Job:
    mail = b'{"to": "kari@example.com", "subject": "Hei", "text": "Hei"}'
    return on_accounts(lambda accounts: accounts.jobs.ask("mail", question_of("mail", 1), mail, b"somebody"))


def test_an_empty_queue_says_so() -> None:
    assert "there are no jobs" in jobs("ls").stderr


def test_a_job_is_listed_shown_cancelled_and_retried() -> None:
    job = asked()
    assert jobs("ls").stdout.splitlines()[1].split()[:5] == [job.id, "mail", "queued", "0", "0"]
    assert "kari" not in jobs("show", job.id).stdout
    assert "is cancelled" in jobs("cancel", job.id).stdout
    shown = jobs("show", job.id).stdout
    assert "failed" in shown
    assert "reason      The calculation was cancelled by the operator" in shown
    assert jobs("cancel", job.id).exit_code == 1
    assert "is queued" in jobs("retry", job.id).stdout
    assert jobs("retry", job.id).exit_code == 1


def test_an_unknown_job_is_an_error() -> None:
    for command in ("show", "retry", "cancel"):
        result = jobs(command, "x")
        assert result.exit_code == 1
        assert "job x" in result.stderr


def test_a_worker_runs_what_is_queued_and_stops_when_told(tmp_path: Path, eventually: Callable[..., None]) -> None:
    job = asked()
    worker = subprocess.Popen([sys.executable, "-m", "infra.cli", "worker"], stderr=subprocess.PIPE)
    try:
        eventually(lambda: on_accounts(lambda accounts: accounts.jobs.get(job.id)).state == "done")  # type: ignore[union-attr]
    finally:
        worker.send_signal(signal.SIGTERM)
        log = worker.communicate(timeout=10)[1].decode()
    assert worker.returncode == 0
    assert len(list((tmp_path / "state" / "outbox").iterdir())) == 1
    assert "kari" not in log
