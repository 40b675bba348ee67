"""Keeps the forecasts that were made for plants' places, while their tiles are still there."""

import logging
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from api.data.plants import store as plants_store
from api.data.plants import weather
from api.data.plants.measurements import HOUR_S, Longs
from api.data.plants.plant import Plant
from api.data.plants.production import corrected_watts, plant_watts
from api.data.plants.weather import LEADS, Weather
from api.database.engine import READS, WRITES
from catalog.versions import Entry, read_index
from tiles.chunked import ChunkedTile
from tiles.errors import TileError
from tiles.grid import FORECAST
from tiles.products.forecast import PRODUCT
from tiles.store import Store

log = logging.getLogger("solflis.plants")

Floats = NDArray[np.float64]

DAYS = 5
"""So many days are looked at, yesterday the last: forecasts are kept for seven, and lead 48 takes two of them."""

_GAP_H = 6  # a forecast so much older than its lead is none of that lead
_PLANTS_AT_ONCE = 500
_VARIABLES = ("ghi", "temp_air")


class Kept(NamedTuple):
    """Hours that were stored, of all leads together, and forecasts that could not be read."""

    hours: int
    damaged: int


def archive(engine: Engine, store: Store, now: datetime, report: Callable[[str], None]) -> Kept:
    """Keep the forecasts of the last days that are not kept yet, for all plants.

    Parameters
    ----------
    engine : Engine
    store : Store
        Of the tiles.
    now : datetime
    report : callable
        Takes one line.
    """
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    hours = np.arange(int((midnight - timedelta(days=DAYS)).timestamp()), int(midnight.timestamp()), HOUR_S)
    cycles = _cycles(read_index(store, PRODUCT.name).entries, hours)
    with engine.execution_options(**READS).begin() as connection:
        plants = sorted(plants_store.every(connection), key=lambda plant: FORECAST.cell_at(plant.lat, plant.lon))
    total = Kept(0, 0)
    for first in range(0, len(plants), _PLANTS_AT_ONCE):
        kept = _archive(engine, store, plants[first : first + _PLANTS_AT_ONCE], hours, cycles)
        total = Kept(total.hours + kept.hours, total.damaged + kept.damaged)
    report(
        f"weather: {total.hours} hours kept of {len(plants)} plants, from {len(cycles)} forecasts"
        + (f"; {total.damaged} could not be read" if total.damaged else "")
    )
    return total


_Cycles = dict[Entry, list[tuple[int, int]]]
"""For each forecast the leads and hours, by place in `LEADS` and among the hours, that it is the newest of."""


def _cycles(entries: Sequence[Entry], hours: Longs) -> _Cycles:
    found: _Cycles = defaultdict(list)
    issued = np.array([int(entry.issued_at.timestamp()) for entry in entries], np.int64)
    for number, lead in enumerate(LEADS):
        newest = np.searchsorted(issued, hours - lead * HOUR_S, "right") - 1
        for place, at in enumerate(newest.tolist()):
            if at >= 0 and hours[place] - issued[at] < (lead + _GAP_H) * HOUR_S:
                found[entries[at]].append((number, place))
    return found


def _archive(engine: Engine, store: Store, plants: Sequence[Plant], hours: Longs, cycles: _Cycles) -> Kept:
    wanted = np.ones((len(plants), len(LEADS), len(hours)), bool)
    with engine.execution_options(**READS).begin() as connection:
        for plant, of_plant in zip(plants, wanted, strict=True):
            known = weather.read(connection, plant.id, int(hours[0]))
            for lead, of_lead in zip(LEADS, of_plant, strict=True):
                of_lead[np.isin(hours, known[lead].starts)] = False
    found, damaged = np.full((len(_VARIABLES), *wanted.shape), np.nan), 0
    for entry, pairs in cycles.items():
        leads, places = np.array(pairs).T
        for_plants = np.flatnonzero(wanted[:, leads, places].any(axis=1))
        if not for_plants.size:
            continue
        try:
            tile = ChunkedTile(store, PRODUCT, entry.manifest)
            row = (hours[places] - int(entry.valid_from.timestamp())) // HOUR_S
            for one in for_plants.tolist():
                series = _series(tile, plants[one])
                there = row < series.shape[1]
                found[:, one, leads[there], places[there]] = series[:, row[there]]
        except (TileError, OSError):
            damaged += 1
    stored = 0
    for number, plant in enumerate(plants):
        try:
            parts = list(_parts(plant, hours, wanted[number], found[:, number]))
        except Exception as error:  # noqa: BLE001 -- that of one plant must not stop the others
            log_failure(plant, "has no forecasts kept", error)
            continue
        if parts:
            with engine.execution_options(**WRITES).begin() as connection:
                for lead, part in parts:
                    weather.put(connection, plant.id, lead, part)
                    stored += part.starts.size
    return Kept(stored, damaged)


def _series(tile: ChunkedTile, plant: Plant) -> Floats:
    """Return irradiance and temperature of a plant's cell, (2, n)."""
    cell = FORECAST.cell_at(plant.lat, plant.lon)
    return np.stack([tile.values(name, cell) for name in _VARIABLES])


def _parts(plant: Plant, hours: Longs, wanted: NDArray[np.bool_], found: Floats) -> Iterator[tuple[int, Weather]]:
    for lead, is_wanted, ghi, temp_air in zip(LEADS, wanted, *found, strict=True):
        new = is_wanted & np.isfinite(ghi) & np.isfinite(temp_air)
        if new.any():
            yield (
                lead,
                Weather(hours[new], ghi[new], temp_air[new], factor_of(plant, hours[new], ghi[new], temp_air[new])),
            )


def log_failure(plant: Plant, what: str, error: Exception) -> None:
    """Log what failed and where; the error's own text may hold a position."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}:{last.lineno}"
    log.error("plant %s %s: %s in %s", plant.id, what, type(error).__name__, where)


def factor_of(plant: Plant, starts: Longs, ghi: Floats, temp_air: Floats) -> Floats:
    """Return what a plant's calibration multiplies production by in hours, (n,); NaN in those that it was fitted to."""
    factor = np.full(starts.size, np.nan)
    unknown = starts > plant.calibration["last"] if plant.calibration else np.zeros(starts.size, bool)
    if unknown.any():
        watts = plant_watts(plant, starts[unknown], ghi[unknown], temp_air[unknown])
        total = watts.sum(axis=0)
        after = corrected_watts(plant, watts, starts[unknown]).sum(axis=0)
        factor[unknown] = np.divide(after, total, out=np.full(total.size, np.nan), where=total > 0)
    return factor
