"""DAG `correction`: once a week, learn the table of v2.3b from past forecasts and observations."""

import logging
from datetime import timedelta
from typing import Any

from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG, CronPartitionTimetable, PartitionedAtRuntime
from airflow.sdk.exceptions import AirflowSkipException

from dags.alerts import alert
from dags.assets import CORRECTION
from dags.partition import CORRECTION_AT, DAY_FORMAT
from dags.settings import ScheduleSettings, TaskSettings

_LOG = logging.getLogger("solflis.correction")
_SCHEDULE = ScheduleSettings.from_environment()


def build(outlet_events: Any) -> str:
    """Learn a table and publish it where it is better; return its version."""
    from dags.build.correction import training as correction_training
    from tiles.store import open_store

    settings = TaskSettings.from_environment()
    try:
        entry = correction_training.build(
            settings.forecast_source,
            stations_url=settings.url("frost"),
            store=open_store(settings.store),
            clock=settings.clock,
            report=_LOG.info,
        )
    except correction_training.NotPublished as error:
        # nothing is wrong: the table in force stays, and next week there is more to learn from
        raise AirflowSkipException(str(error)) from error
    outlet_events[CORRECTION].add_partitions(entry.version)
    return entry.version


with DAG(
    dag_id="correction",
    description="Learn the correction of v2.3b from past forecasts and observations.",
    # Mondays, when the weekend's observations are in
    schedule=CronPartitionTimetable(
        f"{CORRECTION_AT.minute} {CORRECTION_AT.hour} * * 1", timezone="UTC", key_format=DAY_FORMAT
    )
    if _SCHEDULE.clock.is_real
    else PartitionedAtRuntime(),
    start_date=_SCHEDULE.start_date,
    catchup=False,
    max_active_runs=1,
    tags=["forecast"],
) as dag:
    PythonOperator(
        task_id="build",
        python_callable=build,
        pool="heavy",
        outlets=[CORRECTION],
        retries=3,
        retry_delay=timedelta(minutes=30),
        execution_timeout=timedelta(minutes=30),
        on_failure_callback=alert("low", "the table in force goes on correcting; the next attempt is next week"),
    )
