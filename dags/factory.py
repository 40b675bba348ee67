"""Airflow DAGs from the table of workflows.

One task, `build`; or, of what is built by blocks, three: `begin`, `build` for each of at most 64 groups of blocks, and
`publish`. A finished block is recorded: a run that is started again makes only what is missing.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG, Asset, CronPartitionTimetable, PartitionedAssetTimetable, PartitionedAtRuntime
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from dags.alerts import alert
from dags.partition import key_format, partition_of, start_of
from dags.settings import DagSettings, required
from dags.workflows import FORECAST_SOURCE, WORKFLOWS, Workflow, cron_of, imported
from tiles.clock import parse_iso

if TYPE_CHECKING:
    from dags.build.context import BuildContext

_FIRST = datetime(1957, 1, 1, tzinfo=UTC)
# Long builds wait for short ones that share their pool.
_LAST: dict[str, Any] = {"priority_weight": -100, "weight_rule": "absolute"}


def make_dags(settings: DagSettings) -> dict[str, DAG]:
    """Return the DAG of each workflow, by name."""
    return {row.name: _dag(row, settings) for row in WORKFLOWS.values()}


def _asset(name: str) -> Asset:
    return Asset(name=name, uri=f"solflis://{name}")


def _schedule(row: Workflow, settings: DagSettings) -> Any:
    if row.assets:
        return PartitionedAssetTimetable(assets=reduce(or_, map(_asset, row.assets)))
    # with a clock of our own `solflis up` triggers runs by it
    if row.cron and (row.until or settings.clock.is_real):
        return CronPartitionTimetable(
            cron_of(row, settings.forecast_source),
            timezone="UTC",
            run_offset=row.run_offset or None,
            key_format=key_format(row.partition),
        )
    return PartitionedAtRuntime()


def _dag(row: Workflow, settings: DagSettings) -> DAG:
    first = parse_iso(required("SOLFLIS_START_DATE", settings.start_date))
    with DAG(
        dag_id=row.name,
        description=row.description,
        schedule=_schedule(row, settings),
        # A schedule that has ended starts nothing, and is there for Airflow's backfill.
        start_date=_FIRST if row.until else first,
        end_date=datetime(row.until, 12, 31, tzinfo=UTC) if row.until else None,
        catchup=False,
        max_active_runs=row.active_runs,
        default_args={
            "owner": row.owner,
            "pool": row.pool,
            "retries": row.retries,
            "retry_delay": timedelta(minutes=5 if row.skip_after else 2 if row.pool == "timely" else 10),
            "retry_exponential_backoff": 0 if row.skip_after else 2,
            "max_retry_delay": timedelta(hours=1),
            "execution_timeout": row.timeout,
            "on_failure_callback": alert(row.urgency, row.consequence),
            **(_LAST if row.blocks else {}),
        },
        doc_md=f"{row.description} Partition: {row.partition}. If nobody acts when it fails: {row.consequence}.",
        tags=[row.builder.partition(".")[0].partition(":")[0]],
    ) as dag:
        _tasks(row)
    return dag


def _tasks(row: Workflow) -> None:
    outlets = [_asset(row.name)] if row.products else []

    def prepare(dag_run: Any) -> None:
        with _context(row, dag_run) as context:
            imported(row.before)(context)

    def announce(entry: Any, outlet_events: Any) -> str | None:
        # A run by hand has no key of its own: name the partition, so that whoever listens hears of this one too.
        for asset in outlets if entry else ():
            outlet_events[asset].add_partitions(entry.version)
        return str(entry.version) if entry else None

    def build(dag_run: Any, outlet_events: Any) -> str | None:
        with _context(row, dag_run) as context:
            return announce(row.resolve()(context), outlet_events)

    def begin(dag_run: Any) -> list[list[Any]]:
        with _context(row, dag_run) as context:
            return [[group] for group in row.resolve().begin(context)]

    def make(group: Any, dag_run: Any) -> None:
        with _context(row, dag_run) as context:
            row.resolve().make_group(context, group)

    def publish(dag_run: Any, outlet_events: Any) -> str | None:
        with _context(row, dag_run) as context:
            return announce(row.resolve().publish(context), outlet_events)

    if not row.blocks:
        PythonOperator(task_id="build", python_callable=build, outlets=outlets)
        return
    begun = PythonOperator(task_id="begin", python_callable=begin)
    made = PythonOperator.partial(task_id="build", python_callable=make).expand(op_args=begun.output)
    # also where nothing was left to be built, but not where there is nothing to build
    last = PythonOperator(
        task_id="publish", python_callable=publish, outlets=outlets, trigger_rule="none_failed_min_one_success"
    )
    [begun, made] >> last
    if row.before:
        PythonOperator(task_id=row.before.split(":")[1], python_callable=prepare) >> begun


@contextmanager
def _context(row: Workflow, dag_run: Any) -> Iterator["BuildContext"]:
    """Give the context of a run, and turn what a builder raises into what Airflow should do.

    Nothing to build, or a partition that the source will not hold any more, is a skipped run. What another try would
    find again fails at once; all else is retried.
    """
    from catalog.sources.errors import NotYetAvailable
    from dags.build.context import BuildContext, NothingToBuild
    from dags.build.executor import ExecutorSettings

    partition = None
    try:
        settings = DagSettings.from_environment()
        partition = partition_of(row.partition, dag_run, settings.clock, settings.forecast_source)
        for name in row.sources:  # says which setting is missing
            settings.url(settings.forecast_source if name == FORECAST_SOURCE else name)
        yield BuildContext(
            required("SOLFLIS_STORE", settings.store),
            settings.clock,
            partition=partition,
            source=row.source(settings.forecast_source),
            addresses=settings.urls,
            areas=settings.areas,
            run=str(dag_run.run_id),
            executor=ExecutorSettings.from_environment(),
            report=logging.getLogger(f"solflis.{row.name}").info,
            logs=settings.logs,
            log_days=settings.log_days,
        )
    except NothingToBuild as error:
        raise AirflowSkipException(f"{_name(row, partition)} is skipped: {error}") from error
    except ValueError as error:
        raise AirflowFailException(str(error)) from error
    except NotYetAvailable as error:
        if row.skip_after is None or settings.clock.now() - start_of(row.partition, str(partition)) <= row.skip_after:
            raise
        raise AirflowSkipException(f"{_name(row, partition)} is skipped: {error}") from error


def _name(row: Workflow, partition: str | None) -> str:
    return f"{row.name} {partition}" if partition else row.name
