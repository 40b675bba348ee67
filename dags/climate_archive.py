"""DAG `climate_archive`: a year of the hourly archive, on request, by blocks."""

from typing import Any

from airflow.sdk import DAG, PartitionedAtRuntime

from dags.assets import CLIMATE_ARCHIVE
from dags.block_tasks import block_tasks
from dags.partition import year_of
from dags.settings import ScheduleSettings, TaskSettings

_SCHEDULE = ScheduleSettings.from_environment()


def steps(dag_run: Any) -> tuple[Any, Any, Any, Any]:
    """Return what a run asks of the archive, and who makes it."""
    from dags.build.climate import climate_archive
    from dags.build.climate import partition as archive_ask

    settings = TaskSettings.from_environment()
    for upstream in (*archive_ask.DEFAULT, "frost", "kartverket"):
        settings.url(upstream)  # says which setting is missing
    ask = archive_ask.Ask(
        year_of(dag_run),
        archive_ask.DEFAULT,
        settings.urls,
        settings.store,
        settings.clock.text(),
        settings.areas,
        str(dag_run.run_id),
    )
    return ask, climate_archive.begin, climate_archive.build_group, climate_archive.finish


with DAG(
    dag_id="climate_archive",
    description="A year of reanalysis and satellite-based solar model, on the cells of the 3 km grid.",
    # The partition is the year, `1991`: as the run's key, or {"partition": "1991"} as its configuration.
    schedule=PartitionedAtRuntime(),
    start_date=_SCHEDULE.start_date,
    catchup=False,
    max_active_runs=1,
    doc_md="""Start it with the partition key `1991` (or any year to 2025), or with the configuration
`{"partition": "1991"}`. It is built for the areas of `SOLFLIS_AREAS` and for what is published of that year already.
A run that is started again makes only what is missing; a year that holds everything stays as it is.
""",
    tags=["climate"],
) as dag:
    block_tasks(steps, CLIMATE_ARCHIVE, "that year is missing from the archive, and no typical year can be built")
