"""What `solflis up` does when it is told to stop twice, and when Airflow or API answer badly."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from infra.settings import Settings
from infra.up import children as of_children
from infra.up.children import ChildEnded, Children
from infra.up.rest import Airflow, AirflowRefused, AirflowUnwell
from infra.up.runs import ForecastRuns
from tests.support.http_server import serving

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


# Is killed when it runs for the first time, and gives up by itself when it runs again.
KILLED_ONCE = """
import os, pathlib, signal
mark = pathlib.Path("mark")
if mark.exists():
    raise SystemExit(1)
mark.touch()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_worker_that_is_killed_runs_again_and_one_that_gives_up_ends_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(of_children, "PAUSE_S", 0.0)
    children = Children(tmp_path)
    children.start("worker", [sys.executable, "-c", KILLED_ONCE], os.environ, if_killed_again=True)
    (first,) = children.pids
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    children.check()
    (second,) = children.pids - {first}
    os.waitid(os.P_PID, second, os.WEXITED | os.WNOWAIT)
    with pytest.raises(ChildEnded, match="worker ended with exit code 1"):
        children.check()


@pytest.mark.parametrize(("status", "error"), [(503, AirflowUnwell), (500, AirflowUnwell), (409, AirflowRefused)])
def test_a_failure_of_airflow_is_a_lost_connection_and_a_refusal_is_none(status: int, error: type[Exception]) -> None:
    with serving(lambda *_: (status, {}, b'{"detail": "said so"}')) as url:
        client = Airflow(int(url.rpartition(":")[2]), lambda: "secret")
        with pytest.raises(error, match=f"answered {status} to GET .*said so"):
            client.runs("forecast", "2026-06-01T00")
    assert issubclass(error, OSError) == (status >= 500), "what is tried again is an OSError"


@pytest.mark.parametrize(
    ("status", "served", "cycle"),
    [(200, True, datetime(2026, 6, 1, tzinfo=UTC)), (200, False, None), (500, True, None)],
)
def test_the_api_is_asked_where_nobody_s_quota_pays(
    tmp_path: Path, status: int, served: bool, cycle: datetime | None
) -> None:
    forecast = {"issued_at": "2026-06-01T00:00:00Z", "served": served}

    def respond(path: str, *_: object) -> tuple[int, dict[str, str], bytes]:
        assert path == "/health"
        return status, {}, json.dumps({"products": {"forecast": forecast}}).encode()

    with serving(respond) as url:
        given = {"SOLFLIS_STATE": str(tmp_path), "SOLFLIS_PORT": url.rpartition(":")[2]}
        settings = Settings.from_environment(given)
        assert ForecastRuns(settings, Airflow(settings.airflow_port, lambda: "secret")).served_cycle() == cycle
