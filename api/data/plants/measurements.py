"""Measured hours of plants: whole Wh by hour in UTC, with their origin, one row a month."""

import zlib
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy import Connection

from api.data.plants import store
from api.database.tables import insert, plant_month

Origin = Literal["upload", "api"]

HOUR_S = 3600
_ORIGINS: dict[Origin, int] = {"upload": 1, "api": 2}
_MISSING = 0xFFFFFFFF
_MOST = _MISSING - 1
_WH, _ORIGIN = np.dtype("<u4"), np.dtype("u1")
_EPOCH = 1970 * 12

Longs = npt.NDArray[np.int64]


class Hours(NamedTuple):
    """Energy by hour.

    Parameters
    ----------
    starts : int64 (n,)
        Unix seconds of whole hours, ascending, each once.
    wh : float64 (n,)
    """

    starts: Longs
    wh: npt.NDArray[np.float64]


class Stored(NamedTuple):
    """Hours that were stored, and of those how many replaced others."""

    hours: int
    replaced: int


class Summary(NamedTuple):
    """Measurements of a plant; `first` and `last` are starts of hours, unix seconds, None where there are none."""

    hours: int
    wh: int
    first: int | None
    last: int | None


NO_HOURS = Hours(np.empty(0, np.int64), np.empty(0))


class _Month(NamedTuple):
    wh: npt.NDArray[np.uint32]
    origin: npt.NDArray[np.uint8]


def put(connection: Connection, plant_id: str, hours: Hours, origin: Origin) -> Stored:
    """Store hours of a plant; those that are there already are replaced. Other writers of the plant wait.

    Parameters
    ----------
    connection : Connection
    plant_id : str
    hours : Hours
        Below 0 is stored as 0.
    origin : {"upload", "api"}
    """
    store.lock(connection, plant_id)
    months = months_of(hours.starts)
    span = (plant_month.c.plant_id == plant_id) & plant_month.c.month.in_(np.unique(months).tolist())
    there = {row.month: row.content for row in connection.execute(_CONTENT.where(span))}
    rows, replaced = [], 0
    for number in np.unique(months).tolist():
        month = _unpack(number, there.get(number))
        of_month = months == number
        index = (hours.starts[of_month] - start_of(number)) // HOUR_S
        replaced += int((month.origin[index] > 0).sum())
        month.wh[index] = np.clip(np.rint(hours.wh[of_month]), 0, _MOST).astype(_WH)
        month.origin[index] = _ORIGINS[origin]
        rows.append({"plant_id": plant_id, "month": number, **_row(number, month)})
    if rows:
        new = insert(plant_month, connection.dialect.name)
        others = {name: new.excluded[name] for name in rows[0] if name not in ("plant_id", "month")}
        connection.execute(new.on_conflict_do_update(index_elements=["plant_id", "month"], set_=others), rows)
    return Stored(len(hours.starts), replaced)


def read(connection: Connection, plant_id: str, start: int | None = None, end: int | None = None) -> Hours:
    """Return the hours of a plant from `start` to before `end`, unix seconds; by default all."""
    starts, wh, _ = _read(connection, plant_id, start, end)
    return Hours(starts, wh.astype(np.float64))


def count_among(connection: Connection, plant_id: str, starts: Longs) -> int:
    """Return how many of some hours of a plant are there."""
    if not len(starts):
        return 0
    there = read(connection, plant_id, int(starts[0]), int(starts[-1]) + HOUR_S).starts
    return int(np.isin(starts, there).sum())


def count_by_origin(connection: Connection, plant_id: str) -> dict[Origin, int]:
    """Return how many hours of a plant came from files, and how many by the API."""
    _, _, origin = _read(connection, plant_id, None, None)
    return {name: int((origin == code).sum()) for name, code in _ORIGINS.items()}


def summary(connection: Connection, plant_id: str) -> Summary:
    """Return what the measurements of a plant sum up to, without reading them."""
    columns, total = plant_month.c, sa.func.sum
    sums = sa.select(
        total(columns.hours), total(columns.wh), sa.func.min(columns.first_at), sa.func.max(columns.last_at)
    )
    hours, wh, first, last = connection.execute(sums.where(columns.plant_id == plant_id)).one()
    return Summary(int(hours or 0), int(wh or 0), first, last)


def hours_by_plant(connection: Connection) -> dict[str, int]:
    """Return how many hours each plant has, of those that have any."""
    counted = sa.select(plant_month.c.plant_id, sa.func.sum(plant_month.c.hours)).group_by(plant_month.c.plant_id)
    return {plant_id: int(hours) for plant_id, hours in connection.execute(counted)}


def pack(hours: Hours) -> bytes:
    """Return hours as bytes, for `unpack`."""
    return zlib.compress(hours.starts.astype(np.int64).tobytes() + hours.wh.astype(np.float64).tobytes())


def unpack(content: bytes) -> Hours:
    """Return hours that were packed."""
    both = zlib.decompress(content)
    half = len(both) // 2
    return Hours(
        np.frombuffer(both[:half], "<i8").astype(np.int64), np.frombuffer(both[half:], "<f8").astype(np.float64)
    )


_CONTENT = sa.select(plant_month.c.month, plant_month.c.content)


def _read(
    connection: Connection, plant_id: str, start: int | None, end: int | None
) -> tuple[Longs, npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
    query = _CONTENT.where(plant_month.c.plant_id == plant_id)
    if start is not None:
        query = query.where(plant_month.c.month >= int(months_of(np.array([start]))[0]))
    if end is not None:
        query = query.where(plant_month.c.month <= int(months_of(np.array([end]))[0]))
    starts, wh, origin = [NO_HOURS.starts], [np.empty(0, _WH)], [np.empty(0, _ORIGIN)]
    for number, content in connection.execute(query.order_by(plant_month.c.month)):
        month = _unpack(number, content)
        starts.append(start_of(number) + HOUR_S * np.arange(len(month.wh)))
        wh.append(month.wh)
        origin.append(month.origin)
    when, energy, source = np.concatenate(starts), np.concatenate(wh), np.concatenate(origin)
    wanted = source > 0
    if start is not None:
        wanted &= when >= start
    if end is not None:
        wanted &= when < end
    return when[wanted], energy[wanted], source[wanted]


def months_of(starts: Longs) -> Longs:
    """Return year * 12 + month - 1 of each moment."""
    return starts.astype("datetime64[s]").astype("datetime64[M]").astype(np.int64) + _EPOCH


def start_of(month: int) -> int:
    """Return the first moment of a month, unix seconds."""
    return int(np.datetime64(month - _EPOCH, "M").astype("datetime64[s]").astype(np.int64))


def hours_in(month: int) -> int:
    """Return how many hours a month has."""
    return (start_of(month + 1) - start_of(month)) // HOUR_S


def _unpack(number: int, content: bytes | None) -> _Month:
    """Return the hours of a month, for writing; without content none is there."""
    n = hours_in(number)
    if content is None:
        return _Month(np.full(n, _MISSING, _WH), np.zeros(n, _ORIGIN))
    raw = bytearray(zlib.decompress(content))
    by_byte = np.frombuffer(raw, np.uint8, n * _WH.itemsize).reshape(_WH.itemsize, n)
    wh = np.ascontiguousarray(by_byte.T).view(_WH)[:, 0]
    return _Month(wh, np.frombuffer(raw, _ORIGIN, n, n * _WH.itemsize))


def _row(number: int, month: _Month) -> dict[str, int | bytes]:
    """Return a month as it is stored: the first bytes of all hours, the second ones and so on, then the origins.

    In this order it takes a fifth less, and a sixth of the time.
    """
    present = np.flatnonzero(month.origin)
    by_byte = np.ascontiguousarray(month.wh.view(np.uint8).reshape(-1, _WH.itemsize).T)
    return {
        "hours": len(present),
        "wh": int(month.wh[present].sum(dtype=np.int64)),
        "first_at": start_of(number) + HOUR_S * int(present[0]),
        "last_at": start_of(number) + HOUR_S * int(present[-1]),
        "content": zlib.compress(by_byte.tobytes() + month.origin.tobytes()),
    }
