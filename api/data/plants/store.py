"""Plants in the database. All functions are synchronous, on a connection in a transaction; tasks call them by
`run_sync`."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy import Connection

from api.data.plants.plant import Array, Plant
from api.database.tables import job, plant

USE_NOTED_EVERY = timedelta(days=1)

_AS_STORED = ("account", "arrays", "calibration")
_COLUMNS = (
    *(plant.c[name] for name in Plant._fields if name not in _AS_STORED),
    plant.c.account_id,
    plant.c.arrays,
    plant.c.calibration,
)


def add(connection: Connection, new: Plant) -> None:
    """Store a new plant."""
    values: dict[str, Any] = new._asdict()
    values |= {"account_id": values.pop("account") or None, "arrays": _text([list(one) for one in new.arrays])}
    connection.execute(sa.insert(plant).values(values | {"calibration": _text(new.calibration)}))


def count(connection: Connection, account: int) -> int:
    """Return how many plants an account has."""
    return connection.scalar(sa.select(sa.func.count()).select_from(plant).where(_of(account))) or 0


def get(connection: Connection, account: int, plant_id: str) -> Plant | None:
    """Return a plant of an account; None also where it is another's."""
    return _one(connection, (plant.c.id == plant_id) & _of(account))


def find(connection: Connection, plant_id: str) -> Plant | None:
    """Return a plant, whosever it is: for jobs and commands."""
    return _one(connection, plant.c.id == plant_id)


def listing(connection: Connection, account: int) -> list[Plant]:
    """Return the plants of an account, the oldest first."""
    return _many(connection, _of(account))


def every(connection: Connection) -> list[Plant]:
    """Return all plants, the oldest first."""
    return _many(connection, sa.true())


def to_calibrate(connection: Connection) -> list[Plant]:
    """Return the plants with measurements that came after their last calibration."""
    is_new = plant.c.calibrated_at.is_(None) | (plant.c.calibrated_at < plant.c.data_at)
    return _many(connection, plant.c.data_at.is_not(None) & is_new)


def lock(connection: Connection, plant_id: str) -> bool:
    """Let other writers of a plant wait for the end of the transaction; return False where there is none.

    In SQLite a transaction that writes is alone anyway.
    """
    return connection.scalar(sa.select(plant.c.id).where(plant.c.id == plant_id).with_for_update()) is not None


def delete(connection: Connection, plant_ids: Iterable[str]) -> list[str]:
    """Delete plants with all that belongs to them; return the ids of their jobs, whose files the caller removes.

    Afterwards `api.database.engine.truncate_log` removes what the log still has.
    """
    gone = list(plant_ids)
    jobs = list(connection.scalars(sa.select(job.c.id).where(job.c.plant_id.in_(gone))))
    connection.execute(sa.delete(plant).where(plant.c.id.in_(gone)))
    return jobs


def note_use(connection: Connection, plant_id: str, now: datetime) -> None:
    """Note that a plant is used, at most once a day: what is noted, and that its owner was warned, is then void."""
    stale = (plant.c.id == plant_id) & (plant.c.used_at <= now - USE_NOTED_EVERY)
    connection.execute(sa.update(plant).where(stale).values(used_at=now, warned_at=None))


def note_data(connection: Connection, plant_id: str, now: datetime) -> None:
    """Note that measurements were stored."""
    connection.execute(sa.update(plant).where(plant.c.id == plant_id).values(data_at=now))


def set_calibration(connection: Connection, plant_id: str, calibration: dict[str, Any] | None, now: datetime) -> None:
    """Store a calibration of the measurements that were there at a moment."""
    values = {"calibration": _text(calibration), "calibrated_at": now}
    connection.execute(sa.update(plant).where(plant.c.id == plant_id).values(values))


def _of(account: int) -> sa.ColumnElement[bool]:
    return plant.c.account_id == account if account else plant.c.account_id.is_(None)


def _one(connection: Connection, where: sa.ColumnElement[bool]) -> Plant | None:
    row = connection.execute(sa.select(*_COLUMNS).where(where)).first()
    return None if row is None else _plant(row)


def _many(connection: Connection, where: sa.ColumnElement[bool]) -> list[Plant]:
    ordered = sa.select(*_COLUMNS).where(where).order_by(plant.c.number)
    return [_plant(row) for row in connection.execute(ordered)]


def _plant(row: Any) -> Plant:
    values = dict(row._mapping)
    arrays = tuple(Array(*one) for one in orjson.loads(values.pop("arrays")))
    calibration = values.pop("calibration")
    return Plant(
        account=values.pop("account_id") or 0,
        arrays=arrays,
        calibration=None if calibration is None else orjson.loads(calibration),
        **values,
    )


def _text(value: Any) -> str | None:
    return None if value is None else orjson.dumps(value).decode()
