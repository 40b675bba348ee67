"""Starts everything, sees the first forecast through, and watches until it is told to stop."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

from dags.workflows import WORKFLOWS
from infra.processes import STOP_SIGNALS, adopt_orphans, collect_orphans, start, stop_all
from infra.serve import url
from infra.settings import Settings
from infra.up import airflow
from infra.up.children import ChildEnded, Children
from infra.up.pace import Pace
from infra.up.ports import check_ports, listens, take_state
from infra.up.report import say, table
from infra.up.rest import Airflow, AirflowRefused
from infra.up.runs import DAG, ForecastRuns

GRACE_S = 7.0
TICK_S = 0.2
# How often Airflow and API are asked about the first forecast, s.
FOLLOW_S = 1.0
# How often a step that takes long says so, s.
AGAIN_S = 10.0
LOOPBACK = "127.0.0.1,localhost"


class Stopped(Exception):
    """Ctrl-C, SIGTERM or SIGHUP."""


class Supervisor:
    """One run of `solflis up`.

    Parameters
    ----------
    settings : Settings
        Its clock is handed to every child process as it is, so that all show the same time.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._children = Children(settings.state / "logs")
        self._airflow = Airflow(settings.airflow_port, lambda: airflow.password(settings))
        self._runs = ForecastRuns(settings, self._airflow)
        self._pace = Pace(settings, self._airflow)
        self._told_to_stop = False

    def run(self) -> int:
        """Run until told to stop; return the exit code. Nothing that was started is left.

        Raises
        ------
        PortTaken, AddressUnusable, StateTaken
            Something is in the way; nothing was started.
        """
        check_ports(self._settings)
        with take_state(self._settings.state):
            adopt_orphans()
            for number in STOP_SIGNALS:
                signal.signal(number, self._on_signal)
            try:
                self._start()
                self._first_forecast()
                self._pace.start()
                say(f"\nSolflis answers:\n\n{table(self._settings)}\n\nCtrl-C stops everything.\n")
                build = self._build_all()
                while True:
                    self._tick()
                    if build and (code := build.poll()) is not None:
                        build = None
                        if code:
                            say("not everything could be built: `solflis build all` makes what is missing")
                    self._pace.keep()
            except Stopped:
                return 0
            except (ChildEnded, AirflowRefused, OSError) as error:
                say(f"\n{error}\n")
                return 1
            finally:
                self._stop()

    def _on_signal(self, *_: object) -> None:
        # Raised wherever we are, also in the middle of a request: all that was started descends from us.
        # Once: a second signal (a closed terminal sends SIGHUP and SIGTERM) must not interrupt the stopping.
        if not self._told_to_stop:
            self._told_to_stop = True
            raise Stopped

    def _stop(self) -> None:
        # A second Ctrl-C must not leave anything behind.
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        say("stopping ...")
        begun = time.monotonic()
        for line in stop_all(GRACE_S):
            say(f"ended by force after {GRACE_S:.0f} s: {line}")
        say(f"stopped in {time.monotonic() - begun:.1f} s")

    def _tick(self) -> None:
        """Let a little time go by.

        Raises
        ------
        ChildEnded
            A process has ended that should not.
        Stopped
            Told so where nothing can be raised, as in a finalizer.
        """
        time.sleep(TICK_S)
        if self._told_to_stop:
            raise Stopped
        self._children.check()
        collect_orphans(self._children.pids)  # a task's pool leaves some

    def _await(self, what: str, done: Callable[[], bool]) -> None:
        begun = said = time.monotonic()
        say(f"{what} ...")
        while not done():
            self._tick()
            if (now := time.monotonic()) - said >= AGAIN_S:
                said = now
                say(f"{what} ... {now - begun:.0f} s")
        say(f"{what} ... done in {time.monotonic() - begun:.1f} s")

    @property
    def _environment(self) -> dict[str, str]:
        """Return the variables of every child process."""
        return {**os.environ, **self._settings.child_environment(), "NO_PROXY": LOOPBACK, "no_proxy": LOOPBACK}

    def _start(self) -> None:
        settings, children = self._settings, self._children
        ours = self._environment
        python = [sys.executable, "-m"]
        cli = [*python, "infra.cli"]
        if settings.simulated_sources:
            names = " and ".join(settings.simulated_sources)
            say(f"simulator: port {settings.simulator_port}; SIMULATED data for {names}")
            children.start("simulator", [*cli, "simulator"], ours)
        say(f"api: {url(settings.host, settings.port)}, {settings.workers} workers")
        children.start("api", [*cli, "serve"], ours)
        children.start("worker", [*cli, "worker"], ours, if_killed_again=True)

        preparing = {}
        if settings.access == "keys":
            preparing["demo-prepare"] = children.begin("demo-prepare", [*python, "infra.up.demo_prepare"], ours)
        airflow.write_configuration(settings)
        airflow.write_private_settings(settings, os.environ)
        airflow.password(settings)
        theirs = airflow.environment(settings, ours)
        preparing["airflow-prepare"] = children.begin("airflow-prepare", [*python, "infra.up.airflow_prepare"], theirs)
        self._await("preparing the databases", lambda: all(children.finished(*one) for one in preparing.items()))
        children.start("airflow-api-server", airflow.argv("api-server"), theirs)
        children.start("airflow-dag-processor", airflow.argv("dag-processor"), theirs)
        self._await(f"airflow: starting its server on port {settings.airflow_port}", self._airflow.is_ready)
        # Only now: a task that finds no server at once fails, and is retried minutes later.
        children.start("airflow-scheduler", airflow.argv("scheduler", "--skip-serve-logs"), theirs)
        self._await("airflow: reading the DAGs", self._dags_are_read)
        if settings.simulated_sources:
            self._await("simulator: starting", lambda: listens(settings.simulator_port))

    def _dags_are_read(self) -> bool:
        try:
            errors = self._airflow.import_errors()
            known = self._airflow.dags() >= WORKFLOWS.keys()
        except OSError:
            return False
        if errors:
            raise ChildEnded(f"airflow cannot read the DAGs: {'; '.join(errors)}")
        return known

    def _build_all(self) -> subprocess.Popen[bytes] | None:
        """Start building what the other endpoints answer with; it says itself how that goes."""
        if self._settings.build != "all" or not self._settings.areas:
            return None
        say("building what the other endpoints need, one area first, then the others (SOLFLIS_BUILD=forecast: none)")
        # forecasts and answers come first; when it is stopped, Python would warn of semaphores that the kernel frees
        argv = ["nice", "-n", "10", sys.executable, "-m", "infra.cli", "build", "all"]
        build = start(argv, {**self._environment, "PYTHONWARNINGS": "ignore:resource_tracker"})
        self._children.pids.add(build.pid)
        return build

    def _first_forecast(self) -> None:
        begun = time.monotonic()
        self._pace.trigger(WORKFLOWS[DAG])
        while self._runs.served_cycle() is None:
            if not self._runs.follow(self._pace.trigger(WORKFLOWS[DAG])):
                say("forecast: no run brought a forecast; the API answers 503 until a later one does")
                return
            for _ in range(int(FOLLOW_S / TICK_S)):
                self._tick()
        say(f"forecast: answered {time.monotonic() - begun:.0f} s after the trigger")
