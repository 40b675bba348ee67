"""`solflis up` from an empty state: the real DAGs through Airflow, asked at the API, and nothing left afterwards.

Also keys, plans and quotas as a newcomer meets them.
"""

import json
import os
import re
import shlex
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.message import Message
from pathlib import Path
from typing import Any

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[2]
STOP_S = 10.0
POINT = "/api/forecast?lat=59.91&lon=10.75"
pytestmark = pytest.mark.timeout(600)


def free_ports(count: int) -> list[int]:
    """Different ports: all are held until the last is found."""
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


class Up:
    """A `solflis up` with ports and state of its own."""

    def __init__(self, state: Path, **settings: str) -> None:
        self.port, self.airflow_port, simulator_port = free_ports(3)
        self.state = state
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("AIRFLOW", "_AIRFLOW", "SOLFLIS_"))}
        self.environment = {
            **clean,
            "SOLFLIS_STATE": str(state),
            "SOLFLIS_PORT": str(self.port),
            "SOLFLIS_AIRFLOW_PORT": str(self.airflow_port),
            "SOLFLIS_SIMULATOR_PORT": str(simulator_port),
            "SOLFLIS_SIMULATOR_SPACING_KM": "20",
            **settings,
        }
        self.output = state.with_name(f"{state.name}.log")
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "infra.cli", "up"],
                cwd=ROOT,
                env=self.environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._family: set[psutil.Process] = set()
        self._token = ""

    def said(self) -> str:
        return self.output.read_text()

    def until(self, done: Callable[[], Any], within_s: float = 300.0) -> Any:
        """Ask until the answer is true; what `solflis up` said explains a failure."""
        deadline = time.monotonic() + within_s
        while True:
            try:
                if answer := done():
                    return answer
            except (urllib.error.URLError, ConnectionError):
                pass
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline, self.said()
            self.look()
            time.sleep(0.3)

    def look(self) -> None:
        """Note who descends from it now."""
        self._family |= set(psutil.Process(self.process.pid).children(recursive=True))

    def ask(self, path: str, data: bytes | None = None, **headers: str) -> tuple[int, str, Message]:
        """Ask the API; return status, body and headers."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, headers)
        try:
            with urllib.request.urlopen(request) as response:
                return response.status, response.read().decode(), response.headers
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(), error.headers

    @property
    def key(self) -> str:
        """The key that is shown at start."""
        return re.findall(r"^  Key +(\S+)", self.said(), re.MULTILINE)[-1]

    def forecast(self) -> tuple[dict[str, Any], Message]:
        """Ask with the key, as long as this takes: a new cycle comes to one worker a moment before the other."""
        _, text, headers = self.until(lambda: (asked := self.ask(POINT, **{"X-API-Key": self.key}))[0] == 200 and asked)
        return json.loads(text), headers

    def airflow(self, path: str, body: dict[str, Any] | None = None) -> Any:
        base = f"http://127.0.0.1:{self.airflow_port}"
        headers = {"Content-Type": "application/json"}
        if not self._token:
            passwords = json.loads((self.state / "airflow" / "passwords.json").read_text())
            login = json.dumps({"username": "admin", "password": passwords["admin"]}).encode()
            with urllib.request.urlopen(urllib.request.Request(f"{base}/auth/token", login, headers)) as response:
                self._token = json.load(response)["access_token"]
        headers["Authorization"] = f"Bearer {self._token}"
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{base}/api/v2{path}", data, headers)) as response:
            return json.load(response)

    def runs(self, dag: str) -> dict[tuple[str, str | None], str]:
        """State of each run by how it was started and its partition key."""
        runs = self.airflow(f"/dags/{dag}/dagRuns")["dag_runs"]
        return {(run["run_type"], run["partition_key"]): run["state"] for run in runs}

    def stop(self) -> float:
        """SIGTERM; return how long it took, s."""
        self.look()
        begun = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(3 * STOP_S)
        return time.monotonic() - begun

    def left(self) -> list[str]:
        """What runs still: seen as our descendant, or started with our state folder."""
        mine = f"SOLFLIS_STATE={self.state}"
        found = {process for process in self._family if process.is_running()}
        for process in psutil.process_iter():
            try:
                environment = process.environ()
            except (psutil.Error, OSError):
                continue
            if f"SOLFLIS_STATE={environment.get('SOLFLIS_STATE')}" == mine:
                found.add(process)
        return [str(process) for process in found]


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Callable[..., Up]]:
    started: list[Up] = []

    def start(name: str = "state", **settings: str) -> Up:
        started.append(Up(tmp_path / name, **settings))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.stop()


def hour_of(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)


def test_every_dag_runs_by_schedule_by_asset_and_by_hand(up: Callable[..., Up]) -> None:
    # As if first started three hours ago: Airflow schedules the latest hour at once.
    begun = hour_of(datetime.now(UTC))
    one = up(SOLFLIS_START_DATE=f"{begun - timedelta(hours=3):%Y-%m-%dT%H:%M:%SZ}")
    one.until(lambda: "Ctrl-C stops everything" in one.said())
    body, headers = one.forecast()
    cycle = body["cycle_time"][:13]
    assert cycle in {f"{hour:%Y-%m-%dT%H}" for hour in (begun, begun + timedelta(hours=1))}
    assert headers["X-Data-Origin"] == "simulated"
    assert 59 <= len(body["ghi_timeseries"]) <= 67
    assert one.runs("forecast")["scheduled", cycle] == "success"

    # By asset: the version that was published is read back.
    one.until(lambda: one.runs("verify").get(("asset_triggered", cycle)) == "success")

    # By hand, configured, without a key of its own: an older cycle changes nothing for the reader.
    older = f"{begun - timedelta(hours=1):%Y-%m-%dT%H}"
    for dag in ("forecast", "verify"):
        one.airflow(f"/dags/{dag}/dagRuns", {"logical_date": None, "conf": {"partition": older}})
        one.until(lambda dag=dag: one.runs(dag).get(("manual", None)) == "success")
    one.until(lambda: one.runs("verify").get(("asset_triggered", older)) == "success")
    assert one.forecast()[0]["cycle_time"][:13] >= cycle

    the_example_runs_as_printed(one)
    without_a_key_there_are_24_requests(one)
    whoever_registers_gets_a_key(one)
    metrics_are_shown(one)
    a_second_up_is_refused(one)
    secrets_are_kept(one)
    assert one.stop() < STOP_S, one.said()
    assert one.process.returncode == 0, one.said()
    assert one.left() == []


def the_example_runs_as_printed(one: Up) -> None:
    [example] = re.findall(r"^  Try +curl (.+)$", one.said(), re.MULTILINE)
    option, header, url = shlex.split(example)
    assert (option, header) == ("-H", f"X-API-Key: {one.key}")
    status, _, headers = one.ask(url.removeprefix(f"http://127.0.0.1:{one.port}"), **{"X-API-Key": one.key})
    assert (status, headers["X-Quota-Limit"]) == (200, "100000")


def without_a_key_there_are_24_requests(one: Up) -> None:
    """None of them was used up by `solflis up` itself."""
    while True:
        answers = [one.ask(POINT) for _ in range(25)]
        if len({headers["X-Quota-Reset"] for *_, headers in answers}) == 1:
            break  # else it was midnight
    assert [(status, headers["X-Quota-Remaining"]) for status, _, headers in answers] == [
        *((200, str(left)) for left in reversed(range(24))),
        (401, "0"),
    ]
    _, text, headers = answers[-1]
    assert "24" in json.loads(text)["error"]
    assert int(headers["Retry-After"]) <= 24 * 3600
    assert one.ask("/api/sites")[0] == 200, "what is not counted goes on"
    assert one.forecast()[0]["cycle_time"]


def whoever_registers_gets_a_key(one: Up) -> None:
    body = json.dumps({"email": "kari@example.com"}).encode()
    assert one.ask("/api/register", body, **{"Content-Type": "application/json"})[0] == 200
    [mail] = (one.state / "outbox").glob("*.eml")
    assert stat.S_IMODE(mail.stat().st_mode) == 0o600
    [(place, token)] = re.findall(r"(http://\S+/api/verify)\?token=(\S+)", mail.read_text())
    assert place == f"http://127.0.0.1:{one.port}/api/verify"
    form = urllib.parse.urlencode({"token": token}).encode()
    for _ in range(2):
        assert "<button>" in one.ask(f"/api/verify?token={token}")[1], "looking spends nothing"
    page = one.ask("/api/verify", form, **{"Content-Type": "application/x-www-form-urlencoded"})[1]
    [key] = set(re.findall(r"sk_live_\w{64}", page))
    status, _, headers = one.ask(POINT, Authorization=f"Bearer {key}")
    assert (status, headers["X-Quota-Limit"], headers["X-Quota-Remaining"]) == (200, "1000", "999")
    assert one.ask(f"/api/verify?token={token}")[0] == 404
    listed = subprocess.run(
        [sys.executable, "-m", "infra.cli", "keys", "list"],
        cwd=ROOT,
        env=one.environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert {row.split()[0]: row.split()[1] for row in listed.splitlines()[1:]} == {
        "demo@localhost": "pro",
        "kari@example.com": "free",
    }


def metrics_are_shown(one: Up) -> None:
    text = one.ask("/metrics")[1]
    counted = r'^solflis_requests_total\{method="GET",route="/api/forecast",status="(\d+)"\} (\S+)$'
    answers = {status: float(count) for status, count in re.findall(counted, text, re.MULTILINE)}
    assert answers["401"] == 1, "both workers' are added up"
    assert answers["200"] >= 24
    assert one.ask("/metrics", **{"X-Forwarded-For": "203.0.113.7"})[0] == 403


def a_second_up_is_refused(one: Up) -> None:
    def refusal(**settings: str) -> str:
        result = subprocess.run(
            [sys.executable, "-m", "infra.cli", "up"],
            cwd=ROOT,
            env={**one.environment, **settings},
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 1
        assert "Traceback" not in result.stderr
        return result.stderr

    assert f"SOLFLIS_PORT: port {one.port}: address already in use" in refusal()
    others = dict(zip(("PORT", "AIRFLOW_PORT", "SIMULATOR_PORT"), map(str, free_ports(3)), strict=True))
    said = refusal(**{f"SOLFLIS_{name}": port for name, port in others.items()})
    assert f"already runs with the state folder {one.state} (process {one.process.pid})" in said


def secrets_are_kept(one: Up) -> None:
    folder = one.state / "airflow"
    password = json.loads((folder / "passwords.json").read_text())["admin"]
    assert f"user admin, password {password}" in one.said()
    for name in ("passwords.json", "airflow.cfg"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    keys = [
        line.split(" = ")[1]
        for line in (folder / "airflow.cfg").read_text().splitlines()
        if "_key " in line or "_secret " in line
    ]
    assert len(keys) == 2
    assert stat.S_IMODE((one.state / "demo_key").stat().st_mode) == 0o600
    assert (one.state / "demo_key").read_text().strip() == one.key
    for log in (one.state / "logs").rglob("*.log"):
        text = log.read_text(errors="replace")
        assert not [secret for secret in (password, one.key, *keys) if secret in text], log


@pytest.mark.slow
def test_a_clock_triggers_its_own_hours_and_a_dead_process_stops_everything(up: Callable[..., Up]) -> None:
    one = up(SOLFLIS_CLOCK="2026-06-21T09:58:00Z")
    one.until(lambda: "Ctrl-C stops everything" in one.said())
    assert "schedules are off" in one.said()
    assert one.runs("forecast")["manual", "2026-06-21T09"] == "success"
    # The clock ticks: its next hour is triggered when it comes, and then served.
    one.until(lambda: one.runs("forecast").get(("manual", "2026-06-21T10")) == "success")
    one.until(lambda: one.forecast()[0]["cycle_time"] == "2026-06-21T10:00:00Z")
    assert not [run for run in one.runs("forecast") if run[0] == "scheduled"]
    key = one.key

    scheduler = next(
        child
        for child in psutil.Process(one.process.pid).children()
        if any("scheduler" in part for part in child.cmdline())
    )
    scheduler.kill()
    assert one.process.wait(3 * STOP_S) == 1
    assert "airflow-scheduler was killed by signal 9" in one.said()
    assert one.left() == []

    # From the same state, the same cycle is there at once; what was cut off does not stand in the way.
    again = up(SOLFLIS_CLOCK="2026-06-21T10:05:00Z!")
    again.until(lambda: "Ctrl-C stops everything" in again.said())
    assert again.key == key, "what was copied at the first start still works"
    assert again.forecast()[0]["cycle_time"] == "2026-06-21T10:00:00Z"
    assert "cycle 2026-06-21T10 is published already" in again.said()

    # Killed without a word, it still takes its children with it.
    again.look()
    again.process.kill()
    again.process.wait()
    deadline = time.monotonic() + 2 * STOP_S
    while again.left():
        assert time.monotonic() < deadline, again.left()
        time.sleep(0.2)
