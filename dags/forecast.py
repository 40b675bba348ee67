"""DAG `forecast`: every hour (or as often as the source has cycles) a cycle becomes a published forecast."""

import logging
from datetime import timedelta
from typing import Any

from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG, CronPartitionTimetable, PartitionedAtRuntime
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from dags.alerts import alert
from dags.assets import FORECAST
from dags.partition import CYCLE_EVERY_H, KEY_FORMAT, partition_of
from dags.settings import ScheduleSettings, TaskSettings
from tiles.clock import format_partition

# A cycle that is not there after so long will not come: the upstream dropped it, or never made it.
UPSTREAM_HOLDS = timedelta(hours=6)

_LOG = logging.getLogger("solflis.forecast")
_SCHEDULE = ScheduleSettings.from_environment()


def build(dag_run: Any, outlet_events: Any) -> str:
    """Build and publish the run's cycle; return its version."""
    from catalog.sources.errors import NotYetAvailable
    from dags.build.forecast import forecast, turbidity
    from tiles.store import open_store

    settings = TaskSettings.from_environment()
    try:
        cycle = partition_of(dag_run, settings.clock, settings.forecast_source)
    except ValueError as error:
        raise AirflowFailException(str(error)) from error
    version = format_partition(cycle)
    try:
        forecast.build(
            version,
            settings.forecast_source,
            url=settings.url(settings.forecast_source),
            store=open_store(settings.store),
            clock=settings.clock,
            report=_LOG.info,
            stations_url=settings.urls.get("frost"),
        )
    except NotYetAvailable as error:
        if settings.clock.now() - cycle > UPSTREAM_HOLDS:
            raise AirflowSkipException(f"cycle {version} is skipped: {error}") from error
        raise
    # After the forecast, which needs it least: the clear sky of hours beyond it does.
    turbidity.ensure(open_store(settings.store), settings.clock, _LOG.info)
    # A run by hand has no key of its own: name the partition, so that whoever listens hears of this one too.
    outlet_events[FORECAST].add_partitions(version)
    return version


with DAG(
    dag_id="forecast",
    description="Each cycle of the upstream as a published forecast.",
    # The clock in place of real time: `solflis up` triggers each of its hours.
    schedule=CronPartitionTimetable(
        f"0 */{CYCLE_EVERY_H[_SCHEDULE.forecast_source]} * * *", timezone="UTC", key_format=KEY_FORMAT
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
        outlets=[FORECAST],
        # The upstream publishes a cycle some time after its hour: eight retries look for it in 40 minutes.
        retries=8,
        retry_delay=timedelta(minutes=5),
        execution_timeout=timedelta(minutes=15),
        on_failure_callback=alert("high", "the last good cycle is served until it is 12 hours old"),
    )
