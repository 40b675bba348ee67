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

import httpx
import psutil
import pytest
from click.testing import CliRunner

from infra.cli import main
from infra.serve import FIRST_BACKOFF_S, GRACE_S, listen
from infra.settings import Settings
from infra.up.report import table

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
        code = f"import infra.serve as it; it.serve('127.0.0.1', {port}, 2, {{'STUB': '{mood}'}}, module='stub_worker')"
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


@pytest.mark.parametrize(
    ("how", "mood"),
    [
        *((how, "") for how in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL)),
        pytest.param(signal.SIGTERM, "stubborn", marks=pytest.mark.slow),
    ],
)
def test_whatever_ends_the_parent_ends_everything(
    serve: Callable[..., Served], eventually: Eventually, how: signal.Signals, mood: str
) -> None:
    served = serve(mood)
    eventually(lambda: len(served.parent.children(recursive=True)) == (4 if mood else 2))
    eventually(served.ask)
    family = served.parent.children(recursive=True)
    served.process.send_signal(how)
    assert served.process.wait(2 * GRACE_S if mood else GRACE_S) == (-how if how == signal.SIGKILL else 0)
    eventually(lambda: not [process for process in family if process.is_running()], 2)
    assert ("killed after" in served.log.read_text()) == bool(mood)


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
    [("TRUSTED_PROXIES", "10.0.0.0/99"), pytest.param("PLANS", "no/such/file", marks=pytest.mark.slow)],
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
    listen("127.0.0.1", port).close()


LOOPBACK, ALL_IPV4, ALL = "127.0.0.1", "0.0.0.0", "::"
TAKEN = "port {port}: address already in use; stop what uses it"
ABSENT = "cannot assign requested address; set SOLFLIS_HOST (--host) to one of this machine"


@pytest.mark.parametrize(
    ("taken", "host", "said"),
    [
        (LOOPBACK, LOOPBACK, TAKEN),
        (ALL_IPV4, LOOPBACK, TAKEN),
        ("::1", "[::1]", TAKEN),
        (ALL_IPV4, ALL, TAKEN),
        (LOOPBACK, "198.51.100.1", f"address 198.51.100.1: {ABSENT}"),
        (LOOPBACK, "2001:db8::1", f"address 2001:db8::1: {ABSENT}"),
        (LOOPBACK, "localhost", "SOLFLIS_HOST='localhost': expected an IP address such as 127.0.0.1, 0.0.0.0 or ::"),
    ],
)
@pytest.mark.parametrize("command", ["serve", "up"])
def test_an_address_that_cannot_be_listened_on_is_one_sentence(
    free_port: Callable[[], int], tmp_path: Path, command: str, taken: str, host: str, said: str
) -> None:
    ports = {f"SOLFLIS_{name}PORT": str(free_port()) for name in ("", "AIRFLOW_", "SIMULATOR_")}
    port = ports["SOLFLIS_PORT"]
    given = {"SOLFLIS_STATE": str(tmp_path), "SOLFLIS_HOST": host} | ports
    with listen(taken, int(port)):
        result = CliRunner(env=given).invoke(main, [command])
        by_option = CliRunner(env=given | {"SOLFLIS_HOST": ""}).invoke(main, ["serve", "--host", host])
    assert result.exit_code == by_option.exit_code == 1
    assert said.format(port=port) in result.output
    assert result.output.startswith("Error: ")
    assert result.output.count("\n") == 1
    if command == "serve":
        assert by_option.output == result.output


@pytest.mark.parametrize(("host", "url"), [("0.0.0.0", "127.0.0.1"), ("::", "[::1]"), ("::1", "[::1]")])
def test_up_shows_an_address_that_this_machine_reaches(tmp_path: Path, host: str, url: str) -> None:
    settings = Settings.from_environment({"SOLFLIS_STATE": str(tmp_path), "SOLFLIS_HOST": host})
    assert f"'http://{url}:8080/api/forecast?" in table(settings, lambda _: "password")


POINT = "/api/forecast?lat=59.91&lon=10.75"
COUNT = re.compile(
    r'^solflis_requests_total\{method="GET",route="/api/forecast",status="503"\} (\d+)\.0$', re.MULTILINE
)


def test_the_command_serves_on_every_address_shares_its_accounts_and_adds_up_all_metrics(
    free_port: Callable[[], int], tmp_path: Path, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    metrics = tmp_path / "state" / "metrics" / str(port)
    metrics.mkdir(parents=True)
    (metrics / "counter_1-1.db").write_bytes(b"left by a parent that was here before")
    # relative: the same folders for the commands of an operator who works where it was started
    given = {"STATE": "state", "DATABASE": "sqlite:///accounts.sqlite", "CLOCK": "2026-06-21T06:00:00Z!", "HOST": "::"}
    environment = {**os.environ, **{f"SOLFLIS_{name}": value for name, value in given.items()}}
    monkeypatch.chdir(tmp_path)
    parent = subprocess.Popen(
        [sys.executable, "-m", "infra.cli", "serve", "--port", str(port), "--workers", "2"],
        env={**environment, "PYTHONPATH": str(HERE.parents[1])},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def get(path: str, host: str = "127.0.0.1", key: str = "") -> httpx.Response:
        try:
            return httpx.get(f"http://{host}:{port}{path}", headers={"X-API-Key": key} if key else {}, timeout=20)
        except httpx.TransportError as error:
            raise OSError from error

    def ask(times: int) -> None:
        for _ in range(times):
            assert get(POINT, key=key).status_code == 503, "there is no forecast, and nothing else is wrong"

    def counted(requests: int) -> bool:
        found = COUNT.search(get("/metrics").text)
        return found is not None and int(found[1]) == requests

    def workers() -> set[int]:
        return children_that_run(psutil.Process(parent.pid), "api.core.worker")

    def count_in(pids: set[int]) -> bool:
        return {path.name.split("-")[0] for path in metrics.glob("counter_*.db")} == {f"counter_{pid}" for pid in pids}

    try:
        for host in ("127.0.0.1", "[::1]"):
            assert eventually(lambda host=host: get("/health", host)).json()["now"] == "2026-06-21T06:00:00Z"
        issued = CliRunner(env=environment).invoke(main, ["keys", "issue", "--email", "a@b.no"])
        key = issued.stdout.strip()
        assert get(POINT, key="sk_live_wrong").status_code == 401
        first = eventually(lambda: len(workers()) == 2 and workers())
        eventually(lambda: count_in(first))
        ask(40)
        eventually(lambda: counted(40))
        victim = min(first)
        os.kill(victim, signal.SIGKILL)
        second = eventually(lambda: len(workers()) == 2 and victim not in workers() and workers())
        eventually(lambda: count_in(first | second))
        ask(10)
        eventually(lambda: counted(50))
        parent.terminate()
        assert parent.wait(10) == 0
        assert not [pid for pid in second if psutil.pid_exists(pid)]
    finally:
        parent.kill()
        parent.wait()
