"""What a run makes of what its builder does: the tasks' own functions, without a scheduler."""

from collections.abc import Callable
from typing import Any

import pytest

CLOCK = "2026-06-21T10:10:00Z!"
# DAG, key and configuration of the run, and what the builder raises
CASES = {
    "forecast by key": ("forecast", "2026-06-21T09", None, None),
    "forecast": ("forecast", None, None, None),
    "no cycle": ("forecast", "noon", None, None),
    "young cycle": ("forecast", "2026-06-21T05", None, "NotYetAvailable('no such cycle')"),
    "old cycle": ("forecast", "2026-06-21T04", None, "NotYetAvailable('no such cycle')"),
    "broken cycle": ("forecast", "2026-06-21T04", None, "SourceError('it is truncated')"),
    "nowcast": ("nowcast", None, None, None),
    "night": ("nowcast", "2026-06-21T09:45", None, "NothingToBuild('it is night')"),
    "late image": ("nowcast", "2026-06-21T09:15", None, "NotYetAvailable('no such image')"),
    "old image": ("nowcast", "2026-06-21T09:00", None, "NotYetAvailable('no such image')"),
    "skill by conf": ("skill", None, {"partition": "2026-06-18"}, None),
    "correction": ("correction", "2026-06-22", None, None),
    "no better": ("correction", "2026-06-22", None, "NothingToBuild('10 against 9')"),
    "snow ahead": ("snow_daily", "2026-06-25", None, "ValueError('not observed before 06 UTC of it')"),
    "housekeeping": ("housekeeping", "2026-06-21", None, None),
    "calibration": ("calibration", "2026-06-21", None, None),
    "retention": ("plants_retention", "2026-06-21", None, None),
}
# Loading Airflow takes seconds: one process plays all cases.
PLAY = f"""
import importlib, json, os
from types import SimpleNamespace
from catalog.sources.errors import NotYetAvailable, SourceError
from dags.build.context import NothingToBuild
from dags.factory import make_dags
from dags.settings import DagSettings
from dags.workflows import WORKFLOWS

DAGS = make_dags(DagSettings.from_environment())
published, built = [], []

class Events(dict):
    def __missing__(self, asset):
        return SimpleNamespace(add_partitions=lambda key: published.append([asset.uri.rstrip("/"), key]))

def called(task, **kwargs):
    try:
        return task.python_callable(**kwargs)
    except Exception as error:
        return [type(error).__name__, str(error)]

def run_of(key=None, conf=None):
    return SimpleNamespace(partition_key=key, conf=conf, run_id="a run")

def play(dag, key, conf, raised):
    def build(context):
        built.append([context.partition, context.source, dict(context.addresses).get("met_nordic"), context.run])
        if raised:
            raise eval(raised)
        has_no_version = dag in ("housekeeping", "plants_retention", "calibration")
        return None if has_no_version else SimpleNamespace(version=context.partition or "v")
    module, _, function = WORKFLOWS[dag].builder.partition(":")
    setattr(importlib.import_module("dags.build." + module), function, build)
    published.clear(), built.clear()
    result = called(DAGS[dag].get_task("build"), dag_run=run_of(key, conf), outlet_events=Events())
    return dict(result=result, built=list(built), published=list(published))

played = {{name: play(*case) for name, case in {CASES!r}.items()}}
played["verify"] = called(DAGS["verify"].get_task("build"), dag_run=run_of("2026-06-21T09"), outlet_events=Events())
address = os.environ.pop("SOLFLIS_METEOSAT_URL")
played["no address"] = play("nowcast", None, None, None)["result"]

import dags.build.horizon.required_terrain as required
import dags.build.climate.tmy as tmy
GROUPS = [[{{"blocks": [[[16, 32], [0, 17, 255], "k"]]}}], [{{"blocks": []}}, {{"blocks": []}}]]
class Blocks:
    seen, lacking = [], None
    def begin(self, context):
        if self.lacking:
            raise self.lacking
        self.seen.append(["begin", context.partition, context.run])
        return GROUPS
    def make_group(self, context, group):
        self.seen.append(["make", context.partition, group])
    def publish(self, context):
        return SimpleNamespace(version="1991-2025")
tmy.build = Blocks()
def by_blocks(dag, run):
    tasks = {{task.task_id: task for task in DAGS[dag].tasks}}
    published.clear(), Blocks.seen.clear()
    groups = called(tasks["begin"], dag_run=run)
    if groups and isinstance(groups[0], str):
        return groups
    for group in json.loads(json.dumps(groups)):
        tasks["build"].partial_kwargs["python_callable"](*group, dag_run=run)
    version = called(tasks["publish"], dag_run=run, outlet_events=Events())
    return [list(Blocks.seen), version, list(published)]
required.ensure_terrain = lambda context: published.append(context.run)
published.clear()
called(DAGS["horizon"].get_task("ensure_terrain"), dag_run=run_of())
played["before"] = dict(ran=list(published), next=list(DAGS["horizon"].get_task("ensure_terrain").downstream_task_ids))
played["tmy"] = by_blocks("tmy", run_of("1991"))
Blocks.lacking = NothingToBuild("the climate archive lacks 1992")
played["tmy too early"] = by_blocks("tmy", run_of("1991"))
print(json.dumps(played))
"""


@pytest.fixture(scope="module")
def played(in_airflow: Callable[..., Any]) -> Any:
    names = ("METEOSAT", "FROST", "NVE_GTS", "KARTVERKET", "KARTVERKET_WCS", "NORA3", "SARAH3")
    addresses = {f"SOLFLIS_{name}_URL": f"http://127.0.0.1:{number}" for number, name in enumerate(names, 2)}
    return in_airflow(PLAY, SOLFLIS_CLOCK=CLOCK, **addresses)


@pytest.mark.parametrize(
    ("case", "partition", "source"),
    [
        ("forecast by key", "2026-06-21T09", "met_nordic"),
        ("forecast", "2026-06-21T10", "met_nordic"),
        ("nowcast", "2026-06-21T09:45", None),
        ("skill by conf", "2026-06-18", "met_nordic"),
    ],
)
def test_a_run_builds_its_partition_and_publishes_it(
    played: Any, case: str, partition: str, source: str | None
) -> None:
    assert played[case] == {
        "result": partition,
        "built": [[partition, source, "http://127.0.0.1:1", "a run"]],
        "published": [[f"solflis://{CASES[case][0]}", partition]],
    }


def test_without_a_partition_the_key_only_names_the_run(played: Any) -> None:
    assert played["correction"]["built"][0][0] is None
    assert played["correction"]["published"] == [["solflis://correction", "v"]]
    for case in ("housekeeping", "retention"):
        assert (played[case]["result"], played[case]["published"]) == (None, [])


def test_what_is_late_is_retried_and_what_will_not_come_is_skipped(played: Any) -> None:
    """A cycle is waited for for six hours, an image for one."""
    assert played["young cycle"]["result"] == ["NotYetAvailable", "no such cycle"]
    assert played["old cycle"]["result"] == [
        "AirflowSkipException",
        "forecast 2026-06-21T04 is skipped: no such cycle",
    ]
    assert played["late image"]["result"] == ["NotYetAvailable", "no such image"]
    assert played["old image"]["result"][0] == "AirflowSkipException"
    assert played["broken cycle"]["result"] == ["SourceError", "it is truncated"]
    assert not [name for name in ("old cycle", "broken cycle", "old image") if played[name]["published"]]


def test_nothing_to_build_is_a_skipped_run_with_a_sentence(played: Any) -> None:
    for case, text in (
        ("night", "nowcast 2026-06-21T09:45 is skipped: it is night"),
        ("no better", "correction is skipped: 10 against 9"),
    ):
        assert played[case]["result"] == ["AirflowSkipException", text]
        assert played[case]["published"] == []
    assert played["tmy too early"] == ["AirflowSkipException", "tmy is skipped: the climate archive lacks 1992"]


def test_what_another_try_would_find_again_fails_at_once(played: Any) -> None:
    kind, text = played["no cycle"]["result"]
    assert kind == "AirflowFailException"
    assert "'noon' is not a cycle" in text
    assert played["no cycle"]["built"] == []
    assert played["snow ahead"]["result"] == ["AirflowFailException", "not observed before 06 UTC of it"]
    assert played["verify"][0] == "AirflowFailException"
    assert "there is nothing to verify" in played["verify"][1]
    assert played["no address"][0] == "AirflowFailException"
    assert "SOLFLIS_METEOSAT_URL is not set" in played["no address"][1]


def test_groups_of_blocks_pass_through_airflow_as_they_were(played: Any) -> None:
    seen, version, published = played["tmy"]
    assert seen[0] == ["begin", None, "a run"], "of all years one version is made, whichever year started the run"
    assert [step[2] for step in seen[1:]] == [
        [{"blocks": [[[16, 32], [0, 17, 255], "k"]]}],
        [{"blocks": []}, {"blocks": []}],
    ]
    assert (version, published) == ("1991-2025", [["solflis://tmy", "1991-2025"]])


def test_terrain_that_horizons_lack_is_built_before_they_begin(played: Any) -> None:
    assert played["before"] == {"ran": ["a run"], "next": ["begin"]}
