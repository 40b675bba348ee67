"""DAG `snow_history`: once a year, the daily snow since 1957 of every cell, by blocks."""

from typing import Any

from airflow.sdk import DAG, CronPartitionTimetable, PartitionedAtRuntime

from dags.assets import SNOW_HISTORY
from dags.block_tasks import block_tasks
from dags.partition import DAY_FORMAT
from dags.settings import ScheduleSettings, TaskSettings

_SCHEDULE = ScheduleSettings.from_environment()
# A public authority is asked one thing at a time.
_PROCESSES = 1


def steps(dag_run: Any) -> tuple[Any, Any, Any, Any]:
    """Return what a run asks, and who makes it."""
    from dags.build.snow.snow_history import LINE
    from dags.build.snow.yearly import Ask

    settings = TaskSettings.from_environment()
    ask = Ask(
        settings.store,
        settings.url("nve_gts"),
        settings.url("kartverket"),
        settings.clock.text(),
        settings.areas,
        str(dag_run.run_id),
    )
    return ask, LINE.begin, LINE.build_group, LINE.finish


with DAG(
    dag_id="snow_history",
    description="Daily snow since 1957 on the cells of the 3 km grid, to the last 31 August.",
    # in October, when the authority has gone over the summer's and the last winter's values
    schedule=CronPartitionTimetable("0 2 15 10 *", timezone="UTC", key_format=DAY_FORMAT)
    if _SCHEDULE.clock.is_real
    else PartitionedAtRuntime(),
    start_date=_SCHEDULE.start_date,
    catchup=False,
    max_active_runs=1,
    doc_md="""Start it without a key: it builds the days from 1 September 1957 to the last 31 August by the clock, for
the areas of `SOLFLIS_AREAS` and for what is published already. Of cells that a version of an earlier year holds only
the years since are asked for. A run that is started again makes only what is missing.
""",
    tags=["climate", "snow"],
) as dag:
    block_tasks(
        steps,
        SNOW_HISTORY,
        "the history that is published goes on being served; places without one are asked of the authority",
        processes=_PROCESSES,
    )
