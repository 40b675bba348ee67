"""Bring Airflow's database up to date before its components start: `python -m infra.up.airflow_prepare`.

One process in place of several `airflow` commands, each of which takes seconds to load. It runs while no
component does, so a task that the database calls running was cut off by the last stop.
"""

import sys

from airflow.models.dagrun import DagRun
from airflow.models.pool import Pool
from airflow.models.taskinstance import TaskInstance
from airflow.utils import db
from airflow.utils.session import create_session
from airflow.utils.state import DagRunState, TaskInstanceState
from sqlalchemy import update

from dags.workflows import POOLS

_UNDER_WAY = (TaskInstanceState.RUNNING, TaskInstanceState.QUEUED, TaskInstanceState.SCHEDULED)


def main() -> None:
    """Migrate the database, make the pools, and end the runs that were cut off."""
    db.initdb()
    with create_session() as session:
        for name, (slots, description) in POOLS.items():
            Pool.create_or_update_pool(
                name, slots=slots, description=description, include_deferred=False, session=session
            )
        session.execute(
            update(TaskInstance).where(TaskInstance.state.in_(_UNDER_WAY)).values(state=TaskInstanceState.FAILED)
        )
        cut_off = session.execute(
            update(DagRun)
            .where(DagRun.state.in_((DagRunState.RUNNING, DagRunState.QUEUED)))
            .values(state=DagRunState.FAILED)
        )
    if cut_off.rowcount:
        print(f"{cut_off.rowcount} runs were cut off by the last stop and are marked as failed", file=sys.stderr)


if __name__ == "__main__":
    main()
