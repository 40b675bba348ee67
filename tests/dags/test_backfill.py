"""An Airflow as `solflis up` prepares it: its pools, and its own backfill over years of the climate archive by REST."""

from collections.abc import Callable
from typing import Any

import pytest

from dags.workflows import POOLS

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


SETTINGS = {"AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "True", "AIRFLOW__API_AUTH__JWT_SECRET": "x" * 64}


@pytest.fixture(scope="module")
def done(in_airflow: Callable[..., Any]) -> Any:
    return in_airflow(PLAY, SOLFLIS_CLOCK="2026-06-21T06:00:00Z", **SETTINGS)


@pytest.mark.slow
def test_years_of_the_climate_archive_are_backfilled_whatever_the_clock(done: Any) -> None:
    assert done["asked"]["climate_archive"][0] == 200, done
    assert done["asked"]["terrain"][0] == 422, "it has no schedule"
    assert [key for key, kind in done["runs"] if "backfill" in kind.lower()] == ["1991", "1992", "1993"]


@pytest.mark.slow
def test_the_pools_of_the_table_are_made(done: Any) -> None:
    assert {name: done["pools"][name] for name in POOLS} == {name: slots for name, (slots, _) in POOLS.items()}
