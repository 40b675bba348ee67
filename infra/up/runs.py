"""The forecast run that `solflis up` waits for, and what has come of it."""

import time
from datetime import datetime

import httpx

from infra.settings import Settings
from infra.up.pace import UNDER_WAY
from infra.up.report import api, say
from infra.up.rest import Airflow
from tiles.clock import parse_iso

DAG = "forecast"
# After so long the API serves what was published, or never will.
TAKEN_UP_WITHIN_S = 60.0


class ForecastRuns:
    """Follows the run of a cycle until the API answers with it.

    Parameters
    ----------
    settings : Settings
    client : Airflow
        Where it runs.
    """

    def __init__(self, settings: Settings, client: Airflow) -> None:
        self._logs = settings.state / "logs" / "airflow" / f"dag_id={DAG}"
        self._client, self._api = client, httpx.Client(base_url=api(settings), timeout=10, trust_env=False)
        self._told, self._hoped = "", 0.0

    def served_cycle(self) -> datetime | None:
        """Return the cycle that the API answers with; None while it has none. Nobody's quota pays for the question."""
        try:
            forecast = self._api.get("/health").raise_for_status().json()["products"]["forecast"]
        except httpx.HTTPError:
            return None
        return parse_iso(forecast["issued_at"]) if forecast["served"] else None

    def follow(self, cycle: str) -> bool:
        """Say how the newest run of a cycle goes; return whether it is under way, or was within the last minute."""
        try:
            run, running = next(iter(self._client.runs(DAG, cycle).items()), ("", ""))
            tasks = self._client.task_states(DAG, run) if run else {}
        except OSError:
            return True  # too busy building to answer in time
        for task, (state, attempt) in tasks.items():
            news = f"forecast: {run} {task} is {state} (attempt {attempt})"
            if state is not None and news != self._told:
                self._told = news
                went_wrong = state in ("failed", "up_for_retry", "skipped")
                say(f"{news}; see {self._logs}/run_id={run}/task_id={task}" if went_wrong else news)
        now = time.monotonic()
        if running in UNDER_WAY or not self._hoped:
            self._hoped = now
        return now - self._hoped < TAKEN_UP_WITHIN_S
