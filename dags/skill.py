"""DAG `skill`: every morning, judge the forecasts of the day before against what was observed."""

import logging
from datetime import timedelta
from typing import Any

from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG, CronPartitionTimetable, PartitionedAtRuntime
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from dags.alerts import alert
from dags.assets import SKILL
from dags.partition import DAY_FORMAT, SKILL_AT, day_of
from dags.settings import ScheduleSettings, TaskSettings

_LOG = logging.getLogger("solflis.skill")
_SCHEDULE = ScheduleSettings.from_environment()


def build(dag_run: Any, outlet_events: Any) -> str:
    """Judge the run's day and publish the figures; return their version."""
    from dags.build.correction import skill
    from tiles.store import open_store

    settings = TaskSettings.from_environment()
    try:
        day = day_of(dag_run, settings.clock)
    except ValueError as error:
        raise AirflowFailException(str(error)) from error
    try:
        entry = skill.build(
            day,
            settings.forecast_source,
            stations_url=settings.url("frost"),
            store=open_store(settings.store),
            clock=settings.clock,
            report=_LOG.info,
        )
    except skill.NothingToJudge as error:
        raise AirflowSkipException(f"{day} is skipped: {error}") from error
    outlet_events[SKILL].add_partitions(entry.version)
    return entry.version


with DAG(
    dag_id="skill",
    description="How good the forecasts of the day before were.",
    # the partition is the day before the run; by then the evening's observations are in
    schedule=CronPartitionTimetable(
        f"{SKILL_AT.minute} {SKILL_AT.hour} * * *", timezone="UTC", run_offset=-1, key_format=DAY_FORMAT
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
        outlets=[SKILL],
        retries=3,
        retry_delay=timedelta(minutes=30),
        execution_timeout=timedelta(minutes=15),
        on_failure_callback=alert("low", "the figures of that day are missing until it is run again"),
    )
