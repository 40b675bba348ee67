"""A `solflis up` of one's own, asked from outside: API, Airflow's REST API, and what it leaves."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from email.message import Message
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[2]
STOP_S = 10.0
POINT = "/api/forecast?lat=59.91&lon=10.75"


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
            "SOLFLIS_BUILD": "forecast",
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

    def json(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """Ask with the key; return the body of a good answer."""
        data = None if body is None else json.dumps(body).encode()
        status, text, headers = self.ask(path, data, **{"X-API-Key": self.key, "Content-Type": "application/json"})
        assert status == 200, text
        assert headers["X-Data-Origin"] == "simulated"
        return json.loads(text)

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

    def states(self, dag: str) -> list[str]:
        """States of all runs."""
        return [run["state"] for run in self.airflow(f"/dags/{dag}/dagRuns")["dag_runs"]]

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
