"""The DAGs that Airflow reads: one of each workflow, quickly, by the rules of the house."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dags.workflows import POOLS, WORKFLOWS, Workflow, cron_of

VARIANTS = {
    "plain": {},
    "clock": {"SOLFLIS_CLOCK": "2026-06-21T06:00:00Z"},
    "arome": {"SOLFLIS_FORECAST_SOURCE": "arome_metcoop"},
    "no start": {"SOLFLIS_START_DATE": ""},
}
# Loading Airflow takes seconds: one process reads the files under each of the variants.
DESCRIBE = f"""
import json, os
from airflow.dag_processing.dagbag import DagBag
def task(t):
    return dict(id=t.task_id, retries=t.retries, delay=t.retry_delay.total_seconds(), pool=t.pool,
        timeout=t.execution_timeout and t.execution_timeout.total_seconds(), alerts=len(t.on_failure_callback or ()),
        outlets=[a.uri.rstrip("/") for a in t.outlets])
def describe():
    bag = DagBag()
    return dict(
        errors=bag.import_errors,
        seconds=sum(s.duration.total_seconds() for s in bag.dagbag_stats),
        files=[s.file for s in bag.dagbag_stats],
        dags={{d.dag_id: dict(
            file=d.fileloc, description=d.description, catchup=d.catchup, active=d.max_active_runs,
            tags=sorted(d.tags), start=d.start_date.isoformat(), timetable=type(d.timetable).__name__,
            tasks=[task(t) for t in d.tasks], cron=getattr(d.timetable, 'expression', None),
            offset=getattr(d.timetable, 'run_offset', None),
            listens=[d.timetable.asset_condition.uri.rstrip('/')]
            if getattr(d.timetable, 'asset_condition', None) else [],
        ) for d in bag.dags.values()}},
    )
def under(settings):
    before = dict(os.environ)
    os.environ.update(settings)
    try:
        return describe()
    finally:
        os.environ.clear()
        os.environ.update(before)
print(json.dumps({{name: under(settings) for name, settings in {VARIANTS!r}.items()}}))
"""


@pytest.fixture(scope="module")
def variants(in_airflow: Callable[..., Any]) -> Any:
    return in_airflow(DESCRIBE)


@pytest.fixture
def described(variants: Any) -> Any:
    return variants["plain"]


def test_there_is_a_dag_of_each_workflow_and_they_parse_quickly(described: Any) -> None:
    assert described["errors"] == {}
    assert {Path(file).name for file in described["files"]} == {"all.py"}
    assert set(described["dags"]) == set(WORKFLOWS)
    assert described["seconds"] < 3


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_dag_keeps_the_rules(described: Any, name: str) -> None:
    row, dag = WORKFLOWS[name], described["dags"][name]
    assert dag["description"].endswith(".")
    assert dag["tags"]
    assert not dag["catchup"]
    assert dag["active"] == row.active_runs
    before = [row.before.partition(":")[2]] if row.before else []
    assert [task["id"] for task in dag["tasks"]] == (
        ["begin", "build", "publish", *before] if row.blocks else ["build"]
    )
    for task in dag["tasks"]:
        assert task["retries"] >= 1
        assert task["delay"] >= 60
        assert task["timeout"] == row.timeout.total_seconds() > 0
        assert task["alerts"] == 1
        assert task["pool"] == row.pool
        # of what is built by blocks, the last task publishes
        publishes = row.products and task["id"] == ("publish" if row.blocks else "build")
        assert task["outlets"] == ([f"solflis://{name}"] if publishes else [])


@pytest.mark.parametrize("row", [row for row in WORKFLOWS.values() if row.cron], ids=lambda row: row.name)
def test_a_row_with_a_cron_runs_by_it_or_is_triggered_by_a_clock_of_our_own(variants: Any, row: Workflow) -> None:
    dag = variants["plain"]["dags"][row.name]
    assert (dag["timetable"], dag["cron"]) == ("CronPartitionTimetable", cron_of(row, "met_nordic"))
    assert dag["start"].startswith("2026-06-21T00:00:00") or row.until
    # a schedule that has ended starts nothing by any clock, and is there for Airflow's backfill
    expected = "CronPartitionTimetable" if row.until else "PartitionedAtRuntime"
    assert variants["clock"]["dags"][row.name]["timetable"] == expected


@pytest.mark.parametrize(("name", "offset"), [("nowcast", -1), ("skill", -1), ("forecast", None)])
def test_the_run_at_half_past_ten_has_the_image_of_a_quarter_past(
    described: Any, name: str, offset: int | None
) -> None:
    assert described["dags"][name]["offset"] == offset


def test_what_depends_on_another_is_started_by_its_asset(variants: Any) -> None:
    started = {row.name: row.assets for row in WORKFLOWS.values() if row.assets}
    for described in (variants["plain"], variants["clock"]):
        by_asset = {name for name, dag in described["dags"].items() if dag["timetable"] == "PartitionedAssetTimetable"}
        assert by_asset == set(started)
        assert {name: described["dags"][name]["listens"] for name in started} == {
            name: [f"solflis://{asset}" for asset in assets] for name, assets in started.items()
        }


def test_a_source_with_cycles_every_six_hours_has_its_own_schedule(variants: Any) -> None:
    assert variants["arome"]["dags"]["forecast"]["cron"] == "0 */6 * * *"


def test_a_missing_start_date_is_one_clear_import_error(variants: Any) -> None:
    (error,) = variants["no start"]["errors"].values()
    assert "SOLFLIS_START_DATE is not set" in error


def test_a_forecast_never_queues_behind_snow_or_a_long_build(described: Any) -> None:
    """Their tasks share no pool, and full pools together leave no task waiting for a process."""
    pools = {name: {task["pool"] for task in dag["tasks"]} for name, dag in described["dags"].items()}
    assert pools["forecast"] == pools["day"] == {"timely"}
    assert pools["snow_daily"] == pools["snow_history"] == pools["snowload"] == {"waiting"}
    assert pools["horizon"] == pools["tmy"] == {"heavy"}
    assert set().union(*pools.values()) == set(POOLS)
