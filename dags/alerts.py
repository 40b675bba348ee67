"""The one sentence that tells an operator what failed, how urgent that is, and what it means."""

import logging
from collections.abc import Callable, Mapping
from typing import Any, Literal

Urgency = Literal["high", "low"]
_LOG = logging.getLogger("solflis.alerts")


def sentence(urgency: Urgency, consequence: str, context: Mapping[str, Any]) -> str:
    """Return the alert of a failed task.

    Parameters
    ----------
    urgency : {"high", "low"}
        Whether somebody should get up for it.
    consequence : str
        What happens now if nobody does anything.
    context : mapping
        Airflow's callback context (`dag_run`, `ti` and `exception` are read).
    """
    run, task = context["dag_run"], context["ti"]
    of = f" of {run.partition_key}" if run.partition_key else ""
    why = " ".join(str(context.get("exception") or "it ended without saying why").split()).rstrip(".")
    return f"URGENCY {urgency}: {run.dag_id}.{task.task_id}{of} (run {run.run_id}) failed: {why}; {consequence}."


def alert(urgency: Urgency, consequence: str) -> Callable[[Mapping[str, Any]], None]:
    """Return an Airflow `on_failure_callback` that logs the alert; it is called when no retry is left."""

    def on_failure(context: Mapping[str, Any]) -> None:
        _LOG.error("%s", sentence(urgency, consequence, context))

    return on_failure
