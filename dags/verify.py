"""DAG `verify`: whenever a forecast was published, read it back and compare it with its manifest."""

import logging
from datetime import timedelta
from typing import Any

from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG, PartitionedAssetTimetable
from airflow.sdk.exceptions import AirflowFailException

from dags.alerts import alert
from dags.assets import FORECAST, FORECAST_VERIFIED
from dags.partition import partition_of
from dags.settings import ScheduleSettings, TaskSettings
from tiles.clock import format_partition

_LOG = logging.getLogger("solflis.verify")


def verify(dag_run: Any, outlet_events: Any) -> str:
    """Check the version that the run is for; return its name."""
    from catalog.verify import verify as problems_of
    from catalog.versions import read_index
    from tiles.store import open_store

    settings = TaskSettings.from_environment()
    try:
        version = format_partition(partition_of(dag_run, settings.clock, settings.forecast_source))
    except ValueError as error:
        raise AirflowFailException(str(error)) from error
    store = open_store(settings.store)
    if read_index(store, "forecast").get(version) is None:
        raise AirflowFailException(f"forecast {version} is not published; there is nothing to verify")
    problems = problems_of(store, "forecast", version, report=_LOG.info)
    if problems:
        raise AirflowFailException(f"forecast {version}: {'; '.join(problems)}")
    outlet_events[FORECAST_VERIFIED].add_partitions(version)
    return version


with DAG(
    dag_id="verify",
    description="Read a published forecast back and compare it with its manifest.",
    schedule=PartitionedAssetTimetable(assets=FORECAST),
    start_date=ScheduleSettings.from_environment().start_date,
    catchup=False,
    max_active_runs=1,
    tags=["forecast"],
) as dag:
    PythonOperator(
        task_id="verify",
        python_callable=verify,
        outlets=[FORECAST_VERIFIED],
        retries=2,
        retry_delay=timedelta(minutes=1),
        execution_timeout=timedelta(minutes=5),
        on_failure_callback=alert("high", "readers get 503 for what is damaged; run the forecast of that cycle again"),
    )
