"""Every DAG file: parses quickly, and keeps the rules of the house."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FILES = {
    "climate_archive", "correction", "day", "forecast", "horizon", "nowcast", "skill", "snow_daily", "snow_history",
    "snowload", "tmy", "verify",
}  # fmt: skip
YEARLY = {"snow_history", "snowload"}
BY_BLOCKS = {"climate_archive", "horizon", "tmy", *YEARLY}
# What else a DAG that is built by blocks does, before.
BEFORE = {"horizon": [("terrain", "heavy")]}

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


def test_the_files_are_the_dags_and_parse_quickly(described: Any) -> None:
    assert described["errors"] == {}
    assert {Path(file).stem for file in described["files"]} == FILES
    assert {Path(dag["file"]).stem for dag in described["dags"].values()} == FILES
    assert described["seconds"] < 3


def test_every_dag_keeps_the_rules(described: Any) -> None:
    assert set(described["dags"]) == FILES
    for name, dag in described["dags"].items():
        assert Path(dag["file"]).stem == name
        assert dag["description"].endswith(".")
        assert dag["tags"]
        assert not dag["catchup"]
        # a late image does not keep the next one waiting
        assert dag["active"] == (6 if name == "nowcast" else 1)
        assert dag["start"].startswith("2026-06-21T00:00:00")
        for task in dag["tasks"]:
            assert task["retries"] >= 1
            assert task["delay"] >= 60
            assert 0 < task["timeout"] <= 3600
            assert task["alerts"] == 1
            # of what is built by blocks, the last task publishes
            assert bool(task["outlets"]) == (name not in BY_BLOCKS or task["id"] == "publish")
            assert all(uri.startswith("solflis://") for uri in task["outlets"])


def test_the_forecast_is_hourly_heavy_and_says_what_it_publishes(described: Any) -> None:
    forecast = described["dags"]["forecast"]
    assert forecast["timetable"] == "CronPartitionTimetable"
    assert forecast["cron"] == "0 */1 * * *"
    assert [task["pool"] for task in forecast["tasks"]] == ["heavy"]
    assert [task["outlets"] for task in forecast["tasks"]] == [["solflis://forecast"]]
    for name in ("day", "verify"):
        assert described["dags"][name]["timetable"] == "PartitionedAssetTimetable"


def test_the_nowcast_is_for_the_image_before(described: Any) -> None:
    nowcast = described["dags"]["nowcast"]
    assert (nowcast["timetable"], nowcast["cron"]) == ("CronPartitionTimetable", "*/15 * * * *")
    assert nowcast["offset"] == -1, "the run at 10:30 has the key 10:15"
    assert [task["outlets"] for task in nowcast["tasks"]] == [["solflis://nowcast"]]


def test_what_is_built_by_blocks_runs_on_request(described: Any) -> None:
    for name in BY_BLOCKS:
        dag = described["dags"][name]
        assert dag["timetable"] == ("CronPartitionTimetable" if name in YEARLY else "PartitionedAtRuntime")
        assert [(task["id"], task["pool"]) for task in dag["tasks"]] == [
            *BEFORE.get(name, []), ("begin", "default_pool"), ("build", "heavy"), ("publish", "default_pool"),
        ]  # fmt: skip


def test_with_a_clock_the_schedule_is_off(variants: Any) -> None:
    assert variants["clock"]["errors"] == {}
    for name in ("forecast", "nowcast", "snow_daily", *YEARLY):
        assert variants["clock"]["dags"][name]["timetable"] == "PartitionedAtRuntime"


def test_a_source_with_cycles_every_six_hours_has_its_own_schedule(variants: Any) -> None:
    assert variants["arome"]["dags"]["forecast"]["cron"] == "0 */6 * * *"


def test_a_missing_start_date_is_one_clear_import_error(variants: Any) -> None:
    errors = variants["no start"]["errors"]
    assert len(errors) == len(FILES)
    assert all("SOLFLIS_START_DATE is not set" in error for error in errors.values())


def test_what_is_judged_and_learned_runs_in_the_morning(described: Any) -> None:
    assert described["dags"]["skill"]["cron"] == "20 4 * * *"
    assert described["dags"]["correction"]["cron"] == "40 4 * * 1"


def test_snow_is_daily_and_what_is_made_of_all_its_days_yearly(described: Any) -> None:
    daily = described["dags"]["snow_daily"]
    assert (daily["timetable"], daily["cron"], daily["offset"]) == ("CronPartitionTimetable", "10 7 * * *", None)
    assert [(task["pool"], task["outlets"]) for task in daily["tasks"]] == [("heavy", ["solflis://snow_daily"])]
    assert described["dags"]["snow_history"]["cron"] == "0 2 15 10 *"
    assert described["dags"]["snowload"]["cron"] == "0 2 16 10 *"
