"""The DAG `horizon` from its first task to its last, by the real builder, on terrain that is there."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catalog.versions import read_index
from tests.support.terrain import publish_terrain
from tiles.grid import HORIZON
from tiles.products.horizon import PRODUCT
from tiles.store import open_store

PLAY = """
import json, sys
from types import SimpleNamespace
from airflow.sdk.exceptions import AirflowFailException
from dags.build.terrain import terrain
from dags.factory import make_dags
from dags.settings import DagSettings

terrain.build = lambda context: print("terrain is built", len(context.areas))
tasks = {task.task_id: task for task in make_dags(DagSettings.from_environment())["horizon"].tasks}
run = SimpleNamespace(partition_key=None, conf=None, run_id="by hand")
published = []
class Events(dict):
    def __missing__(self, asset):
        return SimpleNamespace(add_partitions=lambda key: published.append([asset.name, key]))
def play():
    tasks["ensure_terrain"].python_callable(dag_run=run)
    groups = json.loads(json.dumps(tasks["begin"].python_callable(dag_run=run)))
    for group in groups:
        tasks["build"].partial_kwargs["python_callable"](*group, dag_run=run)
    tasks["publish"].python_callable(dag_run=run, outlet_events=Events())
    return groups
try:
    told = dict(first=play(), again=play())
except AirflowFailException as error:
    told = dict(refused=str(error))
order = {name: sorted(task.downstream_task_ids) for name, task in tasks.items()}
if __name__ == "__main__":
    print(json.dumps(dict(told, published=published, order=order)))
"""
# At the south-western corner of the land, so that few of the area's blocks hold any.
CORNER = (1920, 3264)
CELLS = 260


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    y, x = np.meshgrid(np.arange(CELLS), np.arange(CELLS), indexing="ij")
    south, west = (first + HORIZON.size * at for first, at in zip((HORIZON.y0, HORIZON.x0), CORNER, strict=True))
    publish_terrain(open_store(str(tmp_path)), 100 + x * 0.5 + 40 * np.sin(y / 20), west, south)
    return tmp_path


def settings(folder: Path) -> dict[str, str]:
    lat, lon = HORIZON.centre(CORNER)
    return {
        "SOLFLIS_STORE": str(folder),
        "SOLFLIS_AREAS": f"corner:{lat:.4f},{lon:.4f}",
        "SOLFLIS_KARTVERKET_WCS_URL": "http://127.0.0.1:1",
        "SOLFLIS_CLOCK": "2026-06-21T06:00:00Z!",
    }


def test_it_builds_what_is_missing_and_publishes(in_airflow: Callable[..., Any], folder: Path) -> None:
    told = in_airflow(PLAY, **settings(folder))
    assert told["order"] == {
        "ensure_terrain": ["begin"],
        "begin": ["build", "publish"],
        "build": ["publish"],
        "publish": [],
    }
    jobs = [job for (group,) in told["first"] for job in group]
    assert [block[0] for job in jobs for block in job["blocks"]] == [list(CORNER)]
    assert told["again"] == [], "nothing is left"
    assert told["published"] == [["horizon", "2026-06-21T06"]] * 2
    entry = read_index(open_store(str(folder)), "horizon").get("2026-06-21T06")
    assert entry is not None
    assert set(entry.variables) == {variable.name for variable in PRODUCT.variables}


def test_without_the_address_of_the_heights_it_says_which_setting(in_airflow: Callable[..., Any], folder: Path) -> None:
    told = in_airflow(PLAY, **settings(folder) | {"SOLFLIS_KARTVERKET_WCS_URL": ""})
    assert "SOLFLIS_KARTVERKET_WCS_URL is not set" in told["refused"]
