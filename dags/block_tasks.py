"""The three tasks of what is built by blocks: begin, the groups of blocks, publish."""

import logging
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import Asset
from airflow.sdk.exceptions import AirflowFailException

from dags.alerts import alert

PAUSE = timedelta(minutes=10)
# What is built on request waits for forecasts and nowcasts, which share the pool.
LAST: dict[str, Any] = {"priority_weight": -100, "weight_rule": "absolute"}

Steps = Callable[[Any], tuple[Any, Any, Any, Any]]
"""From a run to what is asked, and the builder's `begin`, `build_group` and `finish`; imported when a task runs."""


def block_tasks(steps: Steps, outlet: Asset, consequence: str, processes: int | None = None) -> Any:
    """Add the tasks to the DAG that is being declared; return the first of them.

    Parameters
    ----------
    steps : callable
    outlet : Asset
        Of what is published.
    consequence : str
        What happens if nobody does anything when a task has failed.
    processes : int, optional
        That make blocks at once; as many as there are cores, when absent.
    """
    log = logging.getLogger(f"solflis.{outlet.name}")

    def begin(dag_run: Any) -> list[list[Any]]:
        ask, start, _, _ = _asked(steps, dag_run)
        try:
            return [[_to_json(cells)] for cells in start(ask, log.info)]
        except ValueError as error:  # another try would find the same
            raise AirflowFailException(str(error)) from error

    def build(blocks: Sequence[Any], dag_run: Any) -> None:
        from dags.build.blocks import shares
        from dags.build.executor import run

        ask, _, build_group, _ = _asked(steps, dag_run)
        run(partial(build_group, ask), shares(_from_json(blocks), processes), log.info, processes)

    def publish(dag_run: Any, outlet_events: Any) -> str:
        ask, _, _, finish = _asked(steps, dag_run)
        version: str = finish(ask, log.info).version
        outlet_events[outlet].add_partitions(version)
        return version

    common: dict[str, Any] = {
        "retries": 3,
        "retry_delay": PAUSE,
        "execution_timeout": timedelta(hours=1),
        "on_failure_callback": alert("low", consequence),
    }
    begun = PythonOperator(task_id="begin", python_callable=begin, **common)
    # What a killed task has finished is not made again.
    built = PythonOperator.partial(task_id="build", python_callable=build, pool="heavy", **common, **LAST).expand(
        op_args=begun.output
    )
    # also where nothing was left to be built
    published = PythonOperator(
        task_id="publish", python_callable=publish, outlets=[outlet], trigger_rule="none_failed", **common
    )
    built >> published
    return begun


def _asked(steps: Steps, dag_run: Any) -> tuple[Any, Any, Any, Any]:
    try:
        return steps(dag_run)
    except ValueError as error:
        raise AirflowFailException(str(error)) from error


def _to_json(cells: Any) -> list[list[Any]]:
    return [[row, column, list(inside)] for (row, column), inside in cells.items()]


def _from_json(blocks: Sequence[Any]) -> dict[tuple[int, int], tuple[int, ...]]:
    return {(row, column): tuple(inside) for row, column, inside in blocks}
