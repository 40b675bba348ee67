"""DAG `horizon`: the horizon of every place of the areas, on request, by blocks; first the terrain, where none is."""

import logging
from datetime import timedelta
from typing import Any

from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG, PartitionedAtRuntime
from airflow.sdk.exceptions import AirflowFailException

from dags.alerts import alert
from dags.assets import HORIZON
from dags.block_tasks import LAST, PAUSE, block_tasks
from dags.settings import ScheduleSettings, TaskSettings

_SCHEDULE = ScheduleSettings.from_environment()
_CONSEQUENCE = "the horizons that are published go on being served"
_HEIGHTS = "kartverket_wcs"


def steps(dag_run: Any) -> tuple[Any, Any, Any, Any]:
    """Return what a run asks, and who makes it."""
    from dags.build.horizon import horizon

    settings = TaskSettings.from_environment()
    ask = horizon.Ask(settings.store, settings.clock.text(), settings.areas, str(dag_run.run_id))
    return ask, horizon.begin, horizon.build_group, horizon.finish


def terrain() -> None:
    """Build the terrain of those areas that what is published does not cover."""
    from dags.build.horizon.required_terrain import ensure_terrain
    from tiles.store import open_store

    try:
        settings = TaskSettings.from_environment()
        ensure_terrain(
            settings.areas,
            url=settings.url(_HEIGHTS),
            store=open_store(settings.store),
            clock=settings.clock,
            report=logging.getLogger("solflis.horizon").info,
        )
    except ValueError as error:  # another try would find the same
        raise AirflowFailException(str(error)) from error


with DAG(
    dag_id="horizon",
    description="What terrain hides of the sky, in 720 directions, on a grid of 100 m.",
    # What is published of the terrain makes one version: there is one partition, which nobody needs to name.
    schedule=PartitionedAtRuntime(),
    start_date=_SCHEDULE.start_date,
    catchup=False,
    max_active_runs=1,
    doc_md="""Start it without a key. It is built for the areas of `SOLFLIS_AREAS` and for what is published already.
Where the published terrain does not cover an area its first task builds that from the national height model, over what
is there: of a whole country do it beforehand, `solflis build terrain`, since a task has an hour. A run that is started
again makes only what is missing; where neither the terrain nor the areas have changed, nothing is published.
""",
    tags=["terrain"],
) as dag:
    heights = PythonOperator(
        task_id="terrain",
        python_callable=terrain,
        retries=3,
        retry_delay=PAUSE,
        execution_timeout=timedelta(hours=1),
        pool="heavy",
        on_failure_callback=alert("low", _CONSEQUENCE),
        **LAST,
    )
    heights >> block_tasks(steps, HORIZON, _CONSEQUENCE)
