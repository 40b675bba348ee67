"""DAG `nowcast`: every quarter of an hour the newest satellite image becomes a published nowcast."""

import logging
from datetime import timedelta
from typing import Any

from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG, CronPartitionTimetable, PartitionedAtRuntime
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from dags.alerts import alert
from dags.assets import NOWCAST
from dags.partition import IMAGE_KEY_FORMAT, image_of
from dags.settings import ScheduleSettings, TaskSettings
from tiles.clock import IMAGE_EVERY_MIN, format_moment

# An image that is not there after so long is overtaken by those that followed it.
NEWS_FOR = timedelta(minutes=60)

_LOG = logging.getLogger("solflis.nowcast")
_SCHEDULE = ScheduleSettings.from_environment()


def build(dag_run: Any, outlet_events: Any) -> str:
    """Build and publish the nowcast of the run's image; return its version."""
    from catalog.sources.errors import NotYetAvailable
    from dags.build.forecast import nowcast
    from tiles.store import open_store

    settings = TaskSettings.from_environment()
    try:
        image = image_of(dag_run, settings.clock)
    except ValueError as error:
        raise AirflowFailException(str(error)) from error
    version = format_moment(image)
    try:
        nowcast.build(
            version,
            url=settings.url("meteosat"),
            store=open_store(settings.store),
            clock=settings.clock,
            report=_LOG.info,
        )
    except nowcast.NothingToSee as error:
        raise AirflowSkipException(f"nowcast {version} is skipped: {error}") from error
    except NotYetAvailable as error:
        if settings.clock.now() - image > NEWS_FOR:
            raise AirflowSkipException(f"nowcast {version} is skipped: {error}") from error
        raise
    outlet_events[NOWCAST].add_partitions(version)
    return version


with DAG(
    dag_id="nowcast",
    description="Each satellite image, and how its clouds move, as a published nowcast.",
    # The run at 10:30 is for the image of 10:15, which is out by then at the earliest. The clock in place of real
    # time: `solflis up` triggers each of its quarters of an hour.
    schedule=CronPartitionTimetable(
        f"*/{IMAGE_EVERY_MIN} * * * *", timezone="UTC", run_offset=-1, key_format=IMAGE_KEY_FORMAT
    )
    if _SCHEDULE.clock.is_real
    else PartitionedAtRuntime(),
    start_date=_SCHEDULE.start_date,
    catchup=False,
    # A late image does not keep the next one waiting.
    max_active_runs=6,
    tags=["forecast"],
) as dag:
    PythonOperator(
        task_id="build",
        python_callable=build,
        pool="heavy",
        outlets=[NOWCAST],
        # Twelve looks in an hour, then the image is no news any more.
        retries=12,
        retry_delay=timedelta(minutes=5),
        execution_timeout=timedelta(minutes=8),
        on_failure_callback=alert("low", "callers get v2.3b in the nowcast's place, and the answer says so"),
    )
