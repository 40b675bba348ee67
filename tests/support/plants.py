"""Plants for tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Connection

from api.core.app import Application
from api.data.plants import store
from api.data.plants.measurements import HOUR_S, Hours
from api.data.plants.plant import Array, Plant, new_id
from api.database.engine import address, make_engine

# As `api.plants.calibrate` stores them.
SKY: dict[str, Any] = {"altitude_m": 0.0, "turbidity": [3.0] * 12, "last": 1_748_000_000}
SOILED: dict[str, Any] = {
    "method": "klarvaer", "factor": 0.8, "preliminary": True, "clip_w": None, "sun": None, "month": None, "snow": None,
    "reason": "clear_days", "values": {"factor": 0.8, "days": 9.0}, "figures": {}, **SKY,
}  # fmt: skip
"""Calibration of a plant that gives a fifth less than the model."""
NOON = datetime(2026, 6, 20, 12, tzinfo=UTC)


def made_plant(account: int = 0, **others: Any) -> Plant:
    """Return a plant of 10 kWp."""
    fields: dict[str, Any] = {
        "name": "Mitt anlegg", "lat": 59.91, "lon": 10.75, "arrays": (Array("tak", 10.0, 35.0, 180.0),),
        "performance_ratio": 0.85, "is_home": True, "consent_at": NOON, "consent_version": "2026-09",
        "interpreter_consent": False, "created_at": NOON, "used_at": NOON,
    }  # fmt: skip
    return Plant(new_id("anl_"), account, **{**fields, **others})


def hours_from(start: datetime, wh: Any) -> Hours:
    """Return consecutive hours."""
    energy = np.atleast_1d(np.asarray(wh, np.float64))
    return Hours(int(start.timestamp()) + HOUR_S * np.arange(len(energy)), energy)


@contextmanager
def writing(database_url: str) -> Iterator[Connection]:
    """Yield a connection in a transaction, as jobs have it."""
    engine = make_engine(address(database_url, Path()))
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


async def register(app: Application, plant: Plant, calibration: dict[str, Any] | None = None) -> Plant:
    """Store a plant with its calibration in an application's database, and return it."""
    async with app.resources.database.engine.begin() as connection:
        await connection.run_sync(store.add, plant)
        if calibration is not None:
            await connection.run_sync(store.set_calibration, plant.id, calibration, NOON)
    return plant
