"""What `solflis up` does when it is told to stop twice, and when Airflow or API answer badly."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from infra.settings import Settings
from infra.up.children import ChildEnded, Children
from infra.up.rest import Airflow, AirflowRefused, AirflowUnwell
from infra.up.runs import ForecastRuns
from infra.up.supervisor import Supervisor

# A supervisor that starts nothing, and says when it has stopped everything.
UP = """
import infra.up.supervisor as module
from infra.settings import Settings

class Idle(module.Supervisor):
    def _start(self): pass
    def _first_forecast(self): pass

module.table = lambda settings: ""
module.stop_all = lambda grace: [module.say("all stopped")] and []
raise SystemExit(Idle(Settings.from_environment()).run())
"""


@pytest.mark.parametrize("both", [(signal.SIGHUP, signal.SIGTERM), (signal.SIGINT, signal.SIGTERM)])
def test_two_signals_at_once_stop_everything(
    tmp_path: Path, both: tuple[int, int], free_port: Callable[[], int]
) -> None:
    # ports of its own: a demo that runs on this machine holds the usual ones
    ports = {f"SOLFLIS_{name}PORT": str(free_port()) for name in ("", "AIRFLOW_", "SIMULATOR_")}
    up = subprocess.Popen(
        [sys.executable, "-c", UP],
        env={**os.environ, "SOLFLIS_STATE": str(tmp_path), **ports},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert up.stdout is not None
    with up:
        assert any("Ctrl-C" in line for line in iter(up.stdout.readline, ""))
        for number in both:
            up.send_signal(number)
        said = up.stdout.read()
    assert "all stopped" in said
    assert up.returncode == 0, said


class _Answering(BaseHTTPRequestHandler):
    """Answers every request with the status, and the body, that its server was given; notes what is asked."""

    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        self.send_response(self.server.status)  # type: ignore[attr-defined]
        self.end_headers()
        self.wfile.write(self.server.body)  # type: ignore[attr-defined]

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[HTTPServer]:
    made = HTTPServer(("127.0.0.1", 0), _Answering)
    made.status, made.body, made.asked = 200, b'{"detail": "said so"}', []  # type: ignore[attr-defined]
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.mark.parametrize(("status", "error"), [(503, AirflowUnwell), (500, AirflowUnwell), (409, AirflowRefused)])
def test_a_failure_of_airflow_is_a_lost_connection_and_a_refusal_is_none(
    server: HTTPServer, status: int, error: type[Exception]
) -> None:
    server.status = status  # type: ignore[attr-defined]
    client = Airflow(server.server_port, lambda: "secret")
    client._token = "token"
    with pytest.raises(error, match=f"answered {status} to GET .*said so"):
        client.runs("forecast", "2026-06-01T00")
    assert issubclass(error, OSError) == (status >= 500), "what is tried again is an OSError"


@pytest.mark.parametrize(("served", "cycle"), [(True, datetime(2026, 6, 1, tzinfo=UTC)), (False, None)])
def test_the_api_is_asked_where_nobody_s_quota_pays(
    server: HTTPServer, tmp_path: Path, served: bool, cycle: datetime | None
) -> None:
    environment = {"SOLFLIS_STATE": str(tmp_path), "SOLFLIS_PORT": str(server.server_port)}
    settings = Settings.from_environment(environment)
    runs = ForecastRuns(settings, Airflow(settings.airflow_port, lambda: "secret"))
    forecast = {"issued_at": "2026-06-01T00:00:00Z", "served": served}
    server.body = json.dumps({"products": {"forecast": forecast}}).encode()  # type: ignore[attr-defined]
    assert runs.served_cycle() == cycle
    assert server.asked == ["/health"]  # type: ignore[attr-defined]
    server.status = 500  # type: ignore[attr-defined]
    assert runs.served_cycle() is None


class _Begun(Children):
    """Starts nothing, notes what should begin, and finds that nothing goes on."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def start(self, *_: object) -> None:
        """Start nothing."""

    def begin(self, name: str, *_: object) -> Any:
        self.names.append(name)

    def finished(self, *_: object) -> bool:
        raise ChildEnded("that is all")


@pytest.mark.parametrize(
    ("access", "begun"), [("keys", ["demo-prepare", "airflow-prepare"]), ("open", ["airflow-prepare"])]
)
def test_an_open_installation_gets_no_demo_account(tmp_path: Path, access: str, begun: list[str]) -> None:
    supervisor = Supervisor(Settings.from_environment({"SOLFLIS_STATE": str(tmp_path), "SOLFLIS_ACCESS": access}))
    supervisor._children = children = _Begun()
    with pytest.raises(ChildEnded, match="that is all"):
        supervisor._start()
    assert children.names == begun
