"""The forecast runs that `solflis up` starts, and what has come of them."""

import time
from contextlib import suppress
from datetime import datetime, timedelta

import httpx

from dags.partition import latest_cycle
from infra.settings import Settings
from infra.up.report import api, say
from infra.up.rest import Airflow
from tiles.clock import format_partition, parse_iso

DAG = "forecast"
# After so long a real upstream has published the cycle of an hour; the simulator has it at once.
PUBLISHED_WITHIN = timedelta(minutes=20)
# After so long the API serves what was published, or never will.
TAKEN_UP_WITHIN_S = 60.0
_UNDER_WAY = ("queued", "running", "success")


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
        self._client, self._api = client, httpx.Client(base_url=api(settings), timeout=10, trust_env=False)
        self._hour: datetime | None = None
        self._told: dict[str, str] = {}
        self._followed: list[str] = []
        self._published: dict[str, float] = {}

    def served_cycle(self) -> datetime | None:
        """Return the cycle that the API answers with; None while it has none. Nobody's quota pays for the question."""
        try:
            forecast = self._api.get("/health").raise_for_status().json()["products"]["forecast"]
        except httpx.HTTPError:
            return None
        return parse_iso(forecast["issued_at"]) if forecast["served"] else None

    def start_first(self) -> None:
        """Trigger the newest cycle, unless it is published or under way."""
        self._hour = self._newest()
        if self.served_cycle() == self._hour:
            say(f"forecast: cycle {format_partition(self._hour)} is published already")
        else:
            self._trigger(self._hour)

    def keep_pace(self) -> None:
        """Trigger the cycle of a new hour where the clock is not real time (else Airflow schedules it)."""
        hour = self._newest()
        if self._settings.clock.is_real or hour == self._hour:
            return
        # Airflow may be too busy building to answer in time: the next look tries again.
        with suppress(OSError):
            self._trigger(hour)
            self._hour = hour

    def _newest(self) -> datetime:
        """Return the newest cycle that the upstream can be expected to hold."""
        source = self._settings.forecast_source
        delay = timedelta(0) if source in self._settings.simulated_sources else PUBLISHED_WITHIN
        return latest_cycle(source, self._settings.clock.now() - delay)

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
        hope = False
        for run, tasks in states.items():
            for task, (state, attempt) in tasks.items():
                news = f"{state} (attempt {attempt})"
                if state is not None and self._told.get(run) != news:
                    self._told[run] = news
                    say(f"forecast: {run} {task} is {news}{self._log(run, task, attempt, state)}")
                hope = hope or state not in ("failed", "skipped", "success") or self._is_young(run, state)
            hope = hope or not tasks
        return hope

    def _is_young(self, run: str, state: str | None) -> bool:
        """Whether a run has published so lately that the API may still be about to take it up."""
        now = time.monotonic()
        return state == "success" and now - self._published.setdefault(run, now) < TAKEN_UP_WITHIN_S

    def _log(self, run: str, task: str, attempt: int, state: str) -> str:
        if state not in ("failed", "up_for_retry", "skipped"):
            return ""
        # While a task waits for its next try, Airflow already counts that one.
        number = max(1, attempt - (state == "up_for_retry"))
        folder = self._settings.state / "logs" / "airflow" / f"dag_id={DAG}" / f"run_id={run}" / f"task_id={task}"
        return f"; see {folder}/attempt={number}.log"
