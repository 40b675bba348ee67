"""DAG `tmy`: the four typical years of every cell of the climate archive, on request, by blocks."""

from typing import Any

from airflow.sdk import DAG, PartitionedAtRuntime

from dags.assets import TMY
from dags.block_tasks import block_tasks
from dags.settings import ScheduleSettings, TaskSettings

_SCHEDULE = ScheduleSettings.from_environment()


def steps(dag_run: Any) -> tuple[Any, Any, Any, Any]:
    """Return what a run asks, and who makes it."""
    from dags.build.climate import tmy

    settings = TaskSettings.from_environment()
    ask = tmy.Ask(settings.store, settings.url("frost"), settings.clock.text(), settings.areas, str(dag_run.run_id))
    return ask, tmy.begin, tmy.build_group, tmy.finish


with DAG(
    dag_id="tmy",
    description="Typical meteorological years and their statistics, from the climate archive.",
    # All of the archive makes one version: there is one partition, which nobody needs to name.
    schedule=PartitionedAtRuntime(),
    start_date=_SCHEDULE.start_date,
    catchup=False,
    max_active_runs=1,
    doc_md="""Start it when the climate archive holds 1991 to 2025, without a key. It reads the observations of all
stations in the archive, corrects the ensemble by them, and builds what is missing; where nothing has changed, nothing
is published.
""",
    tags=["climate"],
) as dag:
    block_tasks(steps, TMY, "the typical years that are published go on being served")
