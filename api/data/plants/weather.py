"""Forecasts that were made for a plant's place, kept by lead: what measurements are compared with later.

One row for a month and a lead. Of an hour that is stored again the newer values count.
"""

import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy import Connection

from api.data.plants import store
from api.data.plants.measurements import HOUR_S, Longs, hours_in, months_of, start_of
from api.database.tables import insert, plant_weather

LEADS = (1, 6, 12, 24, 48)
"""Hours between a forecast's cycle and the hour, or somewhat more where cycles are further apart."""

Floats = npt.NDArray[np.float64]

_MISSING = 0xFFFF
_PACKED = np.dtype("<u2")
_SCALES = ((0.1, 0.0), (0.01, -100.0), (0.0001, 0.0))
"""Scale and offset of ghi, temp_air and factor."""


class Weather(NamedTuple):
    """Forecasts of n hours with one lead.

    Parameters
    ----------
    starts : int64 (n,)
        Unix seconds of whole hours, ascending, each once.
    ghi : float64 (n,)
        Mean over the hour, W/m2.
    temp_air : float64 (n,)
        Degrees C.
    factor : float64 (n,)
        What the plant's production was multiplied by in the forecast, by a calibration that did not know the hour; NaN
        where there was no such calibration, or no production.
    """

    starts: Longs
    ghi: Floats
    temp_air: Floats
    factor: Floats


NOTHING = Weather(np.empty(0, np.int64), *(np.empty(0),) * 3)


def put(connection: Connection, plant_id: str, lead: int, weather: Weather) -> None:
    """Store forecasts of a plant; its other writers wait. Without such a plant nothing is done."""
    if not weather.starts.size or not store.lock(connection, plant_id):
        return
    months = months_of(weather.starts)
    for month in np.unique(months).tolist():
        of_month = months == month
        packed = _unpack(month, connection.scalar(_content(plant_id, month, lead)))
        index = (weather.starts[of_month] - start_of(month)) // HOUR_S
        for row, values, (scale, offset) in zip(packed, weather[1:], _SCALES, strict=True):
            row[index] = _pack(values[of_month], scale, offset)
        content = zlib.compress(packed.tobytes(), 6)
        new = insert(plant_weather, connection.dialect.name).values(
            plant_id=plant_id, month=month, lead=lead, content=content
        )
        own = ["plant_id", "month", "lead"]
        connection.execute(new.on_conflict_do_update(index_elements=own, set_={"content": new.excluded.content}))


def read(
    connection: Connection, plant_id: str, start: int | None = None, leads: Sequence[int] = LEADS
) -> dict[int, Weather]:
    """Return the forecasts of a plant by lead, of hours from `start` on, unix seconds; by default all."""
    rows = plant_weather.c
    query = sa.select(rows.lead, rows.month, rows.content).where(rows.plant_id == plant_id, rows.lead.in_(leads))
    if start is not None:
        query = query.where(rows.month >= int(months_of(np.array([start]))[0]))
    found: dict[int, list[Weather]] = {lead: [NOTHING] for lead in leads}
    for lead, month, content in connection.execute(query.order_by(rows.month)):
        packed = _unpack(month, content)
        starts = start_of(month) + HOUR_S * np.arange(packed.shape[1])
        there = packed[0] != _MISSING
        if start is not None:
            there &= starts >= start
        values = (
            np.where(row == _MISSING, np.nan, row * scale + offset)[there]
            for row, (scale, offset) in zip(packed, _SCALES, strict=True)
        )
        found[lead].append(Weather(starts[there], *values))
    return {lead: Weather(*map(np.concatenate, zip(*parts, strict=True))) for lead, parts in found.items()}


def _content(plant_id: str, month: int, lead: int) -> sa.Select[bytes]:
    rows = plant_weather.c
    return sa.select(rows.content).where(rows.plant_id == plant_id, rows.month == month, rows.lead == lead)


def _pack(values: Floats, scale: float, offset: float) -> npt.NDArray[np.uint16]:
    packed = np.clip(np.rint((np.nan_to_num(values) - offset) / scale), 0, _MISSING - 1)
    return np.where(np.isfinite(values), packed, _MISSING).astype(_PACKED)


def _unpack(month: int, content: bytes | None) -> npt.NDArray[np.uint16]:
    """Return the packed rows of a month, (3, hours), for writing; without content none is there."""
    shape = len(_SCALES), hours_in(month)
    if content is None:
        return np.full(shape, _MISSING, _PACKED)
    return np.frombuffer(bytearray(zlib.decompress(content)), _PACKED).reshape(shape)
