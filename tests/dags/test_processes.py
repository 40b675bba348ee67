"""Jobs in several processes: none goes on when one failed, or when the one that asked is told to stop."""

import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from dags.build import executor as processes
from dags.build.executor import ExecutorSettings, run

ROOT = Path(__file__).resolve().parents[2]
# Each job is long, and says when it has begun.
LONG = """
import pathlib, sys
from dags.build.executor import ExecutorSettings, run
JOB = "import pathlib, time; pathlib.Path({!r}).touch(); time.sleep(60)"
if __name__ == "__main__":
    run(exec, [JOB.format(f"{sys.argv[1]}/{n}") for n in range(3)], print, ExecutorSettings(processes=2))
"""


def workers_of(process: psutil.Process) -> list[psutil.Process]:
    found = []
    for child in process.children():
        with suppress(psutil.NoSuchProcess):  # a zombie is one as well
            if "spawn_main" in " ".join(child.cmdline()):
                found.append(child)
    return found


def test_the_first_job_that_fails_ends_the_others() -> None:
    begun = time.monotonic()
    before = {child.pid for child in psutil.Process().children()}
    with pytest.raises(TypeError):
        run(time.sleep, ["no number", 60, 60, 60], print, ExecutorSettings(processes=2))
    assert time.monotonic() - begun < 30
    left = [worker for worker in workers_of(psutil.Process()) if worker.pid not in before]
    _, alive = psutil.wait_procs(left, timeout=10)
    assert alive == []


def test_it_says_how_much_is_done_and_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter([0.0, 100.0, 140.0, 210.0])
    monkeypatch.setattr(processes, "monotonic", lambda: next(moments))
    said: list[str] = []
    run(str.upper, ["a", "b", "c"], said.append, ExecutorSettings(processes=1))
    assert said == ["1/3: A; about 3 min left", "2/3: B; about 1 min left", "3/3: C"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_whoever_started_them(tmp_path: Path, number: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LONG, str(tmp_path)], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as parent:
        deadline = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        workers = workers_of(psutil.Process(parent.pid))
        assert len(workers) == 2
        parent.send_signal(number)
        assert parent.wait(10) != 0
    _, alive = psutil.wait_procs(workers, timeout=10)
    assert alive == []
    assert len(list(tmp_path.iterdir())) == 2, "the third job has not begun"


def test_every_job_is_done_and_told() -> None:
    said: list[str] = []
    run(abs, [-1, -2, -3], said.append, ExecutorSettings(processes=2))
    assert sorted(line.split(": ")[1] for line in said) == ["1", "2", "3"]
    assert [line.split("/")[0] for line in said] == ["1", "2", "3"]
