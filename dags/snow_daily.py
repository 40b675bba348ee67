"""DAG `snow_daily`: every morning, the snow of the season and the days ahead, and what it leaves of production."""

import logging
from datetime import timedelta
from typing import Any

from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG, CronPartitionTimetable, PartitionedAtRuntime
from airflow.sdk.exceptions import AirflowFailException

from dags.alerts import alert
from dags.assets import SNOW_DAILY
from dags.partition import DAY_FORMAT, SNOW_AT, morning_of
from dags.settings import ScheduleSettings, TaskSettings

_LOG = logging.getLogger("solflis.snow_daily")
_SCHEDULE = ScheduleSettings.from_environment()


def build(dag_run: Any, outlet_events: Any) -> str:
    """Build and publish the snow of the run's morning; return its version."""
    from dags.build.snow import snow_daily
    from tiles.store import open_store

    settings = TaskSettings.from_environment()
    try:
        morning = morning_of(dag_run, settings.clock)
    except ValueError as error:
        raise AirflowFailException(str(error)) from error
    ask = snow_daily.Ask(morning, settings.url("nve_gts"), settings.url("kartverket"), settings.areas)
    store = open_store(settings.store)
    try:
        entry = snow_daily.build(ask, store=store, clock=settings.clock, report=_LOG.info)
    except ValueError as error:  # another try would find the same
        raise AirflowFailException(str(error)) from error
    outlet_events[SNOW_DAILY].add_partitions(entry.version)
    return entry.version


with DAG(
    dag_id="snow_daily",
    description="Snow of the season and nine days ahead, and its factors for the forecast by municipality.",
    # the partition is the date of the run: the day that ended at 06 UTC of it is the newest that was observed
    schedule=CronPartitionTimetable(f"{SNOW_AT.minute} {SNOW_AT.hour} * * *", timezone="UTC", key_format=DAY_FORMAT)
    if _SCHEDULE.clock.is_real
    else PartitionedAtRuntime(),
    start_date=_SCHEDULE.start_date,
    catchup=False,
    max_active_runs=1,
    doc_md="""The partition is a date, `2026-11-23`. Of cells that an earlier morning of the season holds only the last
ten observed days, the new one and the forecast are asked for; a run says how many requests that were.
""",
    tags=["snow"],
) as dag:
    PythonOperator(
        task_id="build",
        python_callable=build,
        pool="heavy",
        outlets=[SNOW_DAILY],
        retries=4,
        retry_delay=timedelta(minutes=30),
        execution_timeout=timedelta(hours=1),
        on_failure_callback=alert(
            "low",
            "forecasts go without snow from 36 hours after the last morning that was published, the outlook asks the "
            "authority for each place after four days",
        ),
    )
