"""The DAGs that Airflow reads, one of each workflow, and its own backfill over years of the climate archive."""

from collections.abc import Callable
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
import json, os, unittest.mock
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
        dags={{d.dag_id: dict(
            catchup=d.catchup, active=d.max_active_runs,
            start=d.start_date.isoformat(), timetable=type(d.timetable).__name__,
            tasks=[task(t) for t in d.tasks], cron=getattr(d.timetable, 'expression', None),
            offset=getattr(d.timetable, 'run_offset', None),
            listens=[d.timetable.asset_condition.uri.rstrip('/')]
            if getattr(d.timetable, 'asset_condition', None) else [],
        ) for d in bag.dags.values()}},
    )
def under(settings):
    with unittest.mock.patch.dict(os.environ, settings):
        return describe()
print(json.dumps({{name: under(settings) for name, settings in {VARIANTS!r}.items()}}))
"""


@pytest.fixture(scope="module")
def variants(in_airflow: Callable[..., Any]) -> Any:
    return in_airflow(DESCRIBE)


def test_there_is_a_dag_of_each_workflow_and_they_parse_quickly(variants: Any) -> None:
    assert variants["plain"]["errors"] == {}
    assert set(variants["plain"]["dags"]) == set(WORKFLOWS)
    assert variants["plain"]["seconds"] < 3


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_dag_keeps_the_rules(variants: Any, name: str) -> None:
    row, dag = WORKFLOWS[name], variants["plain"]["dags"][name]
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


def test_the_run_at_half_past_ten_has_the_image_of_a_quarter_past(variants: Any) -> None:
    offsets = [variants["plain"]["dags"][name]["offset"] for name in ("nowcast", "skill", "forecast")]
    assert offsets == [-1, -1, None]


def test_what_depends_on_another_is_started_by_its_asset(variants: Any) -> None:
    started = {row.name: row.assets for row in WORKFLOWS.values() if row.assets}
    for dags in (variants["plain"]["dags"], variants["clock"]["dags"]):
        assert {name for name, dag in dags.items() if dag["timetable"] == "PartitionedAssetTimetable"} == set(started)
        for name, assets in started.items():
            assert dags[name]["listens"] == [f"solflis://{asset}" for asset in assets]


def test_settings_of_a_source_and_of_a_start_date_reach_the_dags(variants: Any) -> None:
    assert variants["arome"]["dags"]["forecast"]["cron"] == "0 */6 * * *"
    (error,) = variants["no start"]["errors"].values()
    assert "SOLFLIS_START_DATE is not set" in error


def test_a_forecast_never_queues_behind_snow_or_a_long_build(variants: Any) -> None:
    """Their tasks share no pool, and full pools together leave no task waiting for a process."""
    pools = {name: {task["pool"] for task in dag["tasks"]} for name, dag in variants["plain"]["dags"].items()}
    assert pools["forecast"] == pools["day"] == {"timely"}
    assert pools["snow_daily"] == pools["snow_history"] == pools["snowload"] == {"waiting"}
    assert pools["horizon"] == pools["tmy"] == {"heavy"}
    assert set().union(*pools.values()) == set(POOLS)


PLAY = """
import json
from airflow.utils.session import create_session
from infra.up.airflow_prepare import main
main()
from airflow.dag_processing.bundles.manager import DagBundlesManager
from airflow.dag_processing.dagbag import DagBag, sync_bag_to_db
DagBundlesManager().sync_bundles_to_db()
sync_bag_to_db(DagBag(), "dags-folder", None)

from sqlalchemy import select
from starlette.testclient import TestClient
from airflow.api_fastapi.app import create_app
from airflow.models.dagrun import DagRun
from airflow.models.pool import Pool

with TestClient(create_app()) as client:
    token = client.get("/auth/token").json()["access_token"]
    def backfill(dag):
        body = {"dag_id": dag, "from_date": "1991-01-01T00:00:00Z", "to_date": "1993-12-31T00:00:00Z"}
        answer = client.post("/api/v2/backfills", json=body, headers={"Authorization": "Bearer " + token})
        return [answer.status_code, answer.text[:200]]
    asked = {dag: backfill(dag) for dag in ("climate_archive", "terrain")}
with create_session() as session:
    runs = session.execute(select(DagRun.partition_key, DagRun.run_type).order_by(DagRun.partition_key)).all()
    pools = dict(session.execute(select(Pool.pool, Pool.slots)).all())
print(json.dumps(dict(asked=asked, pools=pools, runs=[list(map(str, run)) for run in runs])))
"""


@pytest.mark.slow
def test_the_pools_are_made_and_years_of_the_archive_backfilled_whatever_the_clock(
    in_airflow: Callable[..., Any],
) -> None:
    settings = {"AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "True", "AIRFLOW__API_AUTH__JWT_SECRET": "x" * 64}
    done = in_airflow(PLAY, SOLFLIS_CLOCK="2026-06-21T06:00:00Z", **settings)
    assert {name: done["pools"][name] for name in POOLS} == {name: slots for name, (slots, _) in POOLS.items()}
    assert done["asked"]["climate_archive"][0] == 200, done
    assert done["asked"]["terrain"][0] == 422, "it has no schedule"
    assert [key for key, kind in done["runs"] if "backfill" in kind.lower()] == ["1991", "1992", "1993"]
