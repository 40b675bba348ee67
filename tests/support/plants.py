"""Plants for tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Connection

from api.data.plants.measurements import HOUR_S, Hours
from api.data.plants.plant import Array, Plant, new_id
from api.database.engine import address, make_engine

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
