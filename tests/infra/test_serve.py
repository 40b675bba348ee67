"""The workers' parent: one socket, respawn, and nothing left behind."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import psutil
import pytest

from infra.serve import FIRST_BACKOFF_S, GRACE_S, PortTaken, listen

HERE = Path(__file__).parent
Eventually = Callable[..., Any]
SOON_OLD_S = 1.0


def children_that_run(parent: psutil.Process, module: str) -> set[int]:
    """The parent's children that run a module: not its adopted orphans, nor what is not started or collected yet."""
    found = set()
    for child in parent.children():
        with suppress(psutil.NoSuchProcess):
            if module in child.cmdline():
                found.add(child.pid)
    return found


class Served:
    """A parent with two stub workers."""

    def __init__(self, port: int, log: Path, mood: str = "") -> None:
        code = f"import infra.serve as it; it.serve({port}, 2, {{'STUB': '{mood}'}}, module='stub_worker')"
        if mood == "spoilt":
            code = code.replace("; ", f"; it.YOUNG_S = {SOON_OLD_S}; ", 1)
        self.port, self.log = port, log
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-c", code],
                cwd=log.parent,
                env={**os.environ, "PYTHONPATH": f"{HERE}{os.pathsep}{HERE.parents[1]}"},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        self.parent = psutil.Process(self.process.pid)

    def ask(self) -> int:
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
            return int(connection.recv(100) or 0)

    def workers(self) -> set[int]:
        return children_that_run(self.parent, "stub_worker")


@pytest.fixture
def serve(free_port: Callable[[], int], tmp_path: Path) -> Iterator[Callable[..., Served]]:
    started = []

    def begin(mood: str = "") -> Served:
        started.append(Served(free_port(), tmp_path / "log", mood))
        return started[-1]

    yield begin
    for served in started:
        served.process.kill()
        served.process.wait()


def stop_and_look(served: Served, within_s: float, how: signal.Signals = signal.SIGTERM) -> None:
    family = served.parent.children(recursive=True)
    assert family
    begun = time.monotonic()
    served.process.send_signal(how)
    assert served.process.wait(within_s) == 0
    assert time.monotonic() - begun < within_s
    assert not [process for process in family if process.is_running()]


def test_a_killed_worker_is_replaced_and_the_port_goes_on_answering(
    serve: Callable[..., Served], eventually: Eventually
) -> None:
    served = serve()
    eventually(served.ask)
    first = eventually(lambda: len(served.workers()) == 2 and served.workers())
    victim = served.ask()
    assert victim in first
    served.parent.suspend()  # no successor yet
    os.kill(victim, signal.SIGKILL)
    # A process can accept and then die of a signal that it already has: only when it is dead, it takes nothing more.
    eventually(lambda: psutil.Process(victim).status() == psutil.STATUS_ZOMBIE)
    assert served.ask() in first - {victim}
    served.parent.resume()
    second = eventually(lambda: len(served.workers()) == 2 and victim not in served.workers() and served.workers())
    assert len(second & first) == 1


def test_orphans_of_workers_are_collected_when_they_end(serve: Callable[..., Served], eventually: Eventually) -> None:
    served = serve("leaving")

    def orphans() -> list[int]:
        return [int(pid) for pid in re.findall(r"^orphan (\d+)$", served.log.read_text(), re.MULTILINE)]

    eventually(lambda: len(orphans()) == 2)
    eventually(lambda: not any(map(psutil.pid_exists, orphans())))
    os.kill(served.ask(), signal.SIGKILL)
    eventually(lambda: "ended (-9)" in served.log.read_text())


def test_who_waits_for_a_process_still_learns_how_it_ended() -> None:
    code = """
import os, subprocess
from infra.processes import collect_orphans
ours = subprocess.Popen(["sh", "-c", "exit 3"])
os.waitid(os.P_PID, ours.pid, os.WEXITED | os.WNOWAIT)
collect_orphans({ours.pid})
assert ours.wait() == 3
collect_orphans(set())
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_stops_everything(serve: Callable[..., Served], eventually: Eventually, how: signal.Signals) -> None:
    served = serve()
    eventually(lambda: len(served.workers()) == 2)
    eventually(served.ask)
    stop_and_look(served, GRACE_S, how)


@pytest.mark.slow
def test_stubborn_workers_and_their_children_are_killed(serve: Callable[..., Served], eventually: Eventually) -> None:
    served = serve("stubborn")
    eventually(served.ask)
    eventually(lambda: len(served.parent.children(recursive=True)) == 4)
    stop_and_look(served, within_s=10)
    assert "killed after" in served.log.read_text()


def test_workers_die_with_a_killed_parent(serve: Callable[..., Served], eventually: Eventually) -> None:
    served = serve()
    eventually(lambda: len(served.workers()) == 2)
    eventually(served.ask)
    family = served.parent.children(recursive=True)
    served.process.kill()
    served.process.wait()
    eventually(lambda: not [process for process in family if process.is_running()])


def test_workers_that_die_at_once_are_not_started_in_a_frenzy(
    serve: Callable[..., Served], eventually: Eventually
) -> None:
    served = serve("dying")
    begun = time.monotonic()
    eventually(lambda: served.log.read_text().count("ended (3)") >= 6)
    # Two workers, three deaths each: at least the first and the doubled wait lie between them.
    assert time.monotonic() - begun > 2.9 * FIRST_BACKOFF_S
    assert f"next in {2 * FIRST_BACKOFF_S:.1f} s" in served.log.read_text()


@pytest.mark.slow
def test_settings_that_are_spoilt_end_all_only_when_nobody_serves(
    serve: Callable[..., Served], eventually: Eventually, tmp_path: Path
) -> None:
    served = serve("spoilt")
    eventually(served.ask)
    one, other = eventually(lambda: len(served.workers()) == 2 and served.workers())
    eventually(lambda: time.time() - max(psutil.Process(pid).create_time() for pid in (one, other)) > SOON_OLD_S + 0.5)
    (tmp_path / "spoilt").touch()
    os.kill(one, signal.SIGKILL)
    eventually(lambda: served.log.read_text().count("ended (78)") >= 2)
    assert served.ask() == other
    os.kill(other, signal.SIGKILL)
    assert served.process.wait(10) == 1
    assert (
        served.log.read_text()
        .strip()
        .endswith("CannotServe: a worker cannot serve with these settings; its last line says why")
    )


@pytest.mark.parametrize(
    ("variable", "value"),
    [("SMTP", "mail:25"), ("TRUSTED_PROXIES", "10.0.0.0/99"), ("PLANS", "no/such/file"), ("SECRET", "short")],
)
def test_settings_that_no_worker_can_serve_with_end_the_command(
    free_port: Callable[[], int], tmp_path: Path, variable: str, value: str
) -> None:
    port = free_port()
    result = subprocess.run(
        [sys.executable, "-m", "infra.cli", "serve", "--port", str(port), "--workers", "2"],
        env={**os.environ, "SOLFLIS_STATE": str(tmp_path), f"SOLFLIS_{variable}": value},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert result.returncode == 1
    *said, last = result.stderr.splitlines()
    assert last == "Error: a worker cannot serve with these settings; its last line says why"
    assert any((variable if variable != "PLANS" else value) in json.loads(line)["message"] for line in said)
    listen(port).close()


def test_a_taken_port_is_one_sentence(free_port: Callable[[], int]) -> None:
    port = free_port()
    with listen(port), pytest.raises(PortTaken, match=f"port {port}: address already in use"):
        listen(port)


def test_the_command_serves_the_real_api(free_port: Callable[[], int], tmp_path: Path, eventually: Eventually) -> None:
    port = free_port()
    settings = {"SOLFLIS_STATE": str(tmp_path), "SOLFLIS_CLOCK": "2026-06-21T06:00:00Z!"}
    parent = subprocess.Popen(
        [sys.executable, "-m", "infra.cli", "serve", "--port", str(port), "--workers", "2"],
        env={**os.environ, **settings},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        with eventually(lambda: urlopen(f"http://127.0.0.1:{port}/health", timeout=5)) as response:
            assert json.load(response)["now"] == "2026-06-21T06:00:00Z"
        workers = eventually(lambda: psutil.Process(parent.pid).children())
        assert len(workers) == 2
        parent.terminate()
        assert parent.wait(10) == 0
        assert not [worker for worker in workers if worker.is_running()]
    finally:
        parent.kill()
        parent.wait()


def test_the_command_says_so_too(free_port: Callable[[], int], tmp_path: Path) -> None:
    port = free_port()
    with listen(port):
        result = subprocess.run(
            [sys.executable, "-m", "infra.cli", "serve", "--port", str(port)],
            env={**os.environ, "SOLFLIS_STATE": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
    assert result.returncode == 1
    assert result.stderr.startswith(f"Error: port {port}: address already in use")


POINT = "/api/forecast?lat=59.91&lon=10.75"
COUNT = re.compile(
    r'^solflis_requests_total\{method="GET",route="/api/forecast",status="503"\} (\d+)\.0$', re.MULTILINE
)


def test_metrics_are_the_sum_of_all_workers_also_the_killed(
    free_port: Callable[[], int], tmp_path: Path, eventually: Eventually
) -> None:
    port = free_port()
    (tmp_path / "metrics" / str(port)).mkdir(parents=True)
    (tmp_path / "metrics" / str(port) / "counter_1-1.db").write_bytes(b"left by a parent that was here before")
    parent = subprocess.Popen(
        [sys.executable, "-m", "infra.cli", "serve", "--port", str(port), "--workers", "2"],
        env={**os.environ, "SOLFLIS_STATE": str(tmp_path), "SOLFLIS_ACCESS": "open"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def get(path: str) -> str:
        try:
            with urlopen(f"http://127.0.0.1:{port}{path}", timeout=20) as answer:
                return str(answer.read().decode())
        except HTTPError as error:
            return str(error.read().decode())

    def counted() -> int:
        found = COUNT.search(get("/metrics"))
        return int(found[1]) if found else 0

    def workers() -> set[int]:
        return children_that_run(psutil.Process(parent.pid), "api.worker")

    def files() -> set[str]:
        return {path.name.split("-")[0] for path in (tmp_path / "metrics" / str(port)).glob("counter_*.db")}

    try:
        eventually(lambda: get("/health"))
        first = eventually(lambda: len(workers()) == 2 and workers())
        eventually(lambda: files() == {f"counter_{pid}" for pid in first})
        for _ in range(40):
            get(POINT)
        eventually(lambda: counted() == 40)
        for victim in first:
            os.kill(victim, signal.SIGKILL)
        second = eventually(lambda: len(workers()) == 2 and not workers() & first and workers())
        eventually(lambda: files() == {f"counter_{pid}" for pid in first | second})
        for _ in range(10):
            get(POINT)
        eventually(lambda: counted() == 50)
    finally:
        parent.terminate()
        parent.wait(15)
