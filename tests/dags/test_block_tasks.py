"""What is built by blocks, as Airflow runs it: groups go to tasks as JSON and come back as they were."""

import json
from collections.abc import Callable
from typing import Any

PLAY = """
import json
from types import SimpleNamespace
import dags.tmy as tmy_dag
import dags.build.climate.tmy as builder
from dags.build import blocks as block_build
from dags import climate_archive as archive_dag
from airflow.sdk.exceptions import AirflowFailException

seen = []
block_build.os.cpu_count = lambda: 1  # a pool's processes would know nothing of this one's stubs
GROUPS = [{(16, 32): (0, 17, 255)}, {(32, 0): (1,), (32, 16): (2, 3)}]
builder.begin = lambda ask, report: GROUPS
builder.build_group = lambda ask, group: seen.append([list(map(list, group)), [list(c) for c in group.values()]])
builder.finish = lambda ask, report: SimpleNamespace(version="1991-2025")
called = {task.task_id: task for task in tmy_dag.dag.tasks}
run = SimpleNamespace(partition_key=None, conf=None, run_id="by hand")
groups = json.loads(json.dumps(called["begin"].python_callable(dag_run=run)))
build = called["build"].partial_kwargs["python_callable"]
for group in groups:
    build(*group, dag_run=run)
published = []
class Events(dict):
    def __missing__(self, asset):
        return SimpleNamespace(add_partitions=lambda key: published.append([asset.name, key]))
called["publish"].python_callable(dag_run=run, outlet_events=Events())
refused = []
for key, conf in (("noon", None), (None, None), ("1991", {"partition": "1992"})):
    try:
        from dags.partition import year_of
        year_of(SimpleNamespace(partition_key=key, conf=conf))
    except ValueError as error:
        refused.append(str(error))
print(json.dumps(dict(seen=seen, published=published, refused=refused, again=called["build"].trigger_rule,
    last=called["publish"].trigger_rule, year=year_of(SimpleNamespace(partition_key=None, conf={"partition": 1991})))))
"""


def test_groups_pass_through_airflow_as_they_were(in_airflow: Callable[..., Any]) -> None:
    told = in_airflow(PLAY, SOLFLIS_FROST_URL="http://127.0.0.1:1")
    assert told["seen"] == [[[[16, 32]], [[0, 17, 255]]], [[[32, 0], [32, 16]], [[1], [2, 3]]]]
    assert told["published"] == [["tmy", "1991-2025"]]
    assert told["year"] == "1991"
    assert len(told["refused"]) == 3
    assert all("partition key 1991" in text for text in told["refused"])
    assert told["last"] == "none_failed", json.dumps(told)
