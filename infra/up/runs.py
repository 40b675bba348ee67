"""The forecast runs that `solflis up` starts, and what has come of them."""

import json
import urllib.error
import urllib.request
from contextlib import suppress
from datetime import datetime, timedelta

from infra.settings import Settings
from infra.up.report import example, say
from infra.up.rest import Airflow
from tiles.clock import floor_hour, format_partition, parse_iso

DAG = "forecast"
_UNDER_WAY = ("queued", "running", "success")
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class ForecastRuns:
    """Triggers runs by the installation's clock and follows them.

    Parameters
    ----------
    settings : Settings
        Its clock names the cycles.
    client : Airflow
        Where runs are triggered.
    """

    def __init__(self, settings: Settings, client: Airflow) -> None:
        self._settings = settings
        self._client = client
        self._hour: datetime | None = None
        self._told: dict[str, str] = {}
        self._followed: list[str] = []

    def served_cycle(self) -> datetime | None:
        """Return the cycle that the API answers with; None while it has none."""
        try:
            with _DIRECT.open(example(self._settings), timeout=10) as response:
                return parse_iso(json.load(response)["cycle_time"])
        except (urllib.error.HTTPError, OSError):
            return None

    def start_first(self) -> None:
        """Trigger the cycle of the clock's hour, unless it is published or under way.

        An upstream other than the simulator may not have it yet: where nothing is served so far, the cycle
        before is built first.
        """
        hour = floor_hour(self._settings.clock.now())
        served = self.served_cycle()
        self._hour = hour
        if served == hour:
            say(f"forecast: cycle {format_partition(hour)} is published already")
            return
        live = self._settings.forecast_source not in self._settings.simulated_sources
        for cycle in [hour - timedelta(hours=1), hour] if live and served is None else [hour]:
            self._trigger(cycle)

    def keep_pace(self) -> None:
        """Trigger the cycle of a new hour where the clock is not real time (else Airflow schedules it)."""
        hour = floor_hour(self._settings.clock.now())
        if self._settings.clock.is_real or hour == self._hour:
            return
        # Airflow may be too busy building to answer in time: the next look tries again.
        with suppress(OSError):
            self._trigger(hour)
            self._hour = hour

    def _trigger(self, cycle: datetime) -> None:
        partition = format_partition(cycle)
        for run, state in self._client.runs(DAG, partition).items():
            if state in _UNDER_WAY:
                say(f"forecast: cycle {partition} is {state} as run {run}")
                self._followed.append(run)
                return
        run = self._client.trigger(DAG, partition)
        say(f"forecast: triggered cycle {partition} as run {run}")
        self._followed.append(run)

    def follow(self) -> bool:
        """Say what changed; return whether any of the runs may still bring a forecast."""
        try:
            states = {run: self._client.task_states(DAG, run) for run in self._followed}
        except OSError:
            return True  # too busy building to answer in time
        ended = 0
        for run, tasks in states.items():
            for task, (state, attempt) in tasks.items():
                news = f"{state} (attempt {attempt})"
                if state is not None and self._told.get(run) != news:
                    self._told[run] = news
                    say(f"forecast: {run} {task} is {news}{self._log(run, task, attempt, state)}")
                ended += state in ("failed", "skipped", "upstream_failed", "removed", "success")
        return ended < len(self._followed)

    def _log(self, run: str, task: str, attempt: int, state: str) -> str:
        if state not in ("failed", "up_for_retry", "skipped"):
            return ""
        # While a task waits for its next try, Airflow already counts that one.
        number = max(1, attempt - (state == "up_for_retry"))
        folder = (
            self._settings.state / "logs" / "airflow" / f"dag_id={DAG}" / f"run_id={run}" / f"task_id={task}"
        )
        return f"; see {folder}/attempt={number}.log"
