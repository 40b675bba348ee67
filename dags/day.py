"""DAG `day`: whenever a forecast was published, stitch the whole day to it."""

import logging
from datetime import timedelta
from typing import Any

from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG, PartitionedAssetTimetable
from airflow.sdk.exceptions import AirflowFailException

from dags.alerts import alert
from dags.assets import DAY, FORECAST
from dags.partition import partition_of
from dags.settings import ScheduleSettings, TaskSettings
from tiles.clock import format_partition

_LOG = logging.getLogger("solflis.day")


def build(dag_run: Any, outlet_events: Any) -> str:
    """Stitch and publish the day of the run's cycle; return its version."""
    from dags.build.forecast import day
    from tiles.store import open_store

    settings = TaskSettings.from_environment()
    try:
        version = format_partition(partition_of(dag_run, settings.clock, settings.forecast_source))
    except ValueError as error:
        raise AirflowFailException(str(error)) from error
    day.build_from_midnight(
        version,
        settings.forecast_source,
        url=settings.url(settings.forecast_source),
        store=open_store(settings.store),
        clock=settings.clock,
        report=_LOG.info,
    )
    outlet_events[DAY].add_partitions(version)
    return version


with DAG(
    dag_id="day",
    description="The whole day around each published forecast, from 00 UTC.",
    schedule=PartitionedAssetTimetable(assets=FORECAST),
    start_date=ScheduleSettings.from_environment().start_date,
    catchup=False,
    max_active_runs=1,
    tags=["forecast"],
) as dag:
    PythonOperator(
        task_id="build",
        python_callable=build,
        # on the first day it builds the cycle of 00 UTC too
        pool="heavy",
        outlets=[DAY],
        retries=2,
        retry_delay=timedelta(minutes=2),
        execution_timeout=timedelta(minutes=20),
        on_failure_callback=alert("low", "daily=true answers from an older cycle's day, then with the ordinary series"),
    )
