"""Uploaded files as they were read: stored until they are confirmed, rejected or expire."""

from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

import orjson
import sqlalchemy as sa
from sqlalchemy import Connection

from api.data.plants import measurements, store
from api.data.plants.measurements import Hours
from api.database.tables import insert, plant_mapping, plant_upload
from tiles.clock import parse_iso

State = Literal["venter", "bekreftet", "avvist", "utlopt"]

KEPT = timedelta(days=14)
"""So long an upload can be confirmed."""


class Upload(NamedTuple):
    """An upload.

    Parameters
    ----------
    id, plant_id : str
    state : {"venter", "bekreftet", "avvist", "utlopt"}
    created_at, expires_at : datetime
    content : dict
        As it is answered: `tolkning`, `endringer`, `kontroll`, `forhandsvisning`; of a confirmed one also `lagret` and
        `erstattet`.
    """

    id: str
    plant_id: str
    state: State
    created_at: datetime
    expires_at: datetime
    content: dict[str, Any]

    @property
    def has_failed(self) -> bool:
        """Whether the check found errors, so that it cannot be confirmed."""
        return bool(self.content.get("kontroll", {}).get("status") == "feil")


class Reading(NamedTuple):
    """How a file was read: what a confirmation stores and remembers.

    Parameters
    ----------
    hours : Hours
    fingerprint : str or None
        Of the headings; None: nothing is to be remembered.
    mapping : dict or None
        JSON.
    """

    hours: Hours
    fingerprint: str | None = None
    mapping: dict[str, Any] | None = None


_COLUMNS = tuple(plant_upload.c[name] for name in Upload._fields)


def add(connection: Connection, upload: Upload, reading: Reading) -> None:
    """Store an upload that waits to be confirmed."""
    values: dict[str, Any] = upload._asdict() | {"content": _text(upload.content)}
    values |= {"hours": measurements.pack(reading.hours), "fingerprint": reading.fingerprint}
    connection.execute(sa.insert(plant_upload).values(values | {"mapping": _text(reading.mapping)}))


def get(connection: Connection, plant_id: str, upload_id: str, now: datetime) -> Upload | None:
    """Return an upload of a plant."""
    theirs = (plant_upload.c.id == upload_id) & (plant_upload.c.plant_id == plant_id)
    row = connection.execute(sa.select(*_COLUMNS).where(theirs)).first()
    return None if row is None else _upload(row, now)


def latest(connection: Connection, plant_id: str, now: datetime, limit: int = 10) -> list[Upload]:
    """Return the uploads of a plant, the newest first."""
    theirs = sa.select(*_COLUMNS).where(plant_upload.c.plant_id == plant_id)
    newest = theirs.order_by(plant_upload.c.number.desc()).limit(limit)
    return [_upload(row, now) for row in connection.execute(newest)]


def hours_of(connection: Connection, upload: Upload) -> Hours | None:
    """Return the hours of an upload: its own while it waits, then those that were stored; None of any other."""
    if upload.state == "venter":
        packed = connection.scalar(sa.select(plant_upload.c.hours).where(plant_upload.c.id == upload.id))
        return None if packed is None else measurements.unpack(packed)
    span = upload.content["kontroll"]["oppsummering"]
    if upload.state != "bekreftet" or span["fra"] is None:
        return None
    first, last = (round(parse_iso(span[name]).timestamp()) for name in ("fra", "til"))
    return measurements.read(connection, upload.plant_id, first, last + measurements.HOUR_S)


def confirm(connection: Connection, plant_id: str, upload_id: str, now: datetime) -> Upload | None:
    """Store the hours of an upload that waits, remember how it was read, and return it; others are only returned.

    Of hours that are there already the new value holds. Other writers of the plant wait.
    """
    if not store.lock(connection, plant_id):
        return None
    found = get(connection, plant_id, upload_id, now)
    if found is None or found.state != "venter" or found.has_failed:
        return found
    columns = plant_upload.c.hours, plant_upload.c.fingerprint, plant_upload.c.mapping
    packed, fingerprint, mapping = connection.execute(sa.select(*columns).where(plant_upload.c.id == upload_id)).one()
    stored = measurements.put(connection, plant_id, measurements.unpack(packed), "upload")
    store.note_data(connection, plant_id, now)
    if fingerprint is not None and mapping is not None:
        _remember(connection, plant_id, fingerprint, mapping, now)
    content = found.content | {"lagret": stored.hours, "erstattet": stored.replaced}
    _close(connection, plant_upload.c.id == upload_id, "bekreftet", content=_text(content))
    return found._replace(state="bekreftet", content=content)


def reject(connection: Connection, plant_id: str, upload_id: str, now: datetime) -> Upload | None:
    """Remove the hours of an upload that waits, and return it; others are only returned."""
    if not store.lock(connection, plant_id):
        return None
    found = get(connection, plant_id, upload_id, now)
    if found is None or found.state != "venter":
        return found
    _close(connection, plant_upload.c.id == upload_id, "avvist")
    return found._replace(state="avvist")


def expired(now: datetime) -> sa.ColumnElement[bool]:
    """Return the condition of uploads that nobody has confirmed in time."""
    return (plant_upload.c.state == "venter") & (plant_upload.c.expires_at <= now)


def count_expired(connection: Connection, now: datetime) -> int:
    """Return how many uploads `expire` would close."""
    return connection.scalar(sa.select(sa.func.count()).select_from(plant_upload).where(expired(now))) or 0


def expire(connection: Connection, now: datetime) -> int:
    """Remove the hours of uploads that nobody has confirmed in time; return how many."""
    return _close(connection, expired(now), "utlopt")


def remembered(connection: Connection, plant_id: str) -> dict[str, dict[str, Any]]:
    """Return how confirmed files of the plant were read, by the fingerprint of their headings."""
    query = sa.select(plant_mapping.c.fingerprint, plant_mapping.c.mapping).where(plant_mapping.c.plant_id == plant_id)
    return {fingerprint: orjson.loads(mapping) for fingerprint, mapping in connection.execute(query)}


def _remember(connection: Connection, plant_id: str, fingerprint: str, mapping: str, now: datetime) -> None:
    values = {"mapping": mapping, "confirmed_at": now}
    new = insert(plant_mapping, connection.dialect.name).values(plant_id=plant_id, fingerprint=fingerprint, **values)
    connection.execute(new.on_conflict_do_update(index_elements=["plant_id", "fingerprint"], set_=values))


def _close(connection: Connection, where: sa.ColumnElement[bool], state: State, **values: Any) -> int:
    emptied = {"state": state, "hours": None, "fingerprint": None, "mapping": None, **values}
    return connection.execute(sa.update(plant_upload).where(where).values(emptied)).rowcount


def _upload(row: Any, now: datetime) -> Upload:
    found = Upload(*row)._replace(content=orjson.loads(row.content))
    has_expired = found.state == "venter" and found.expires_at <= now
    return found._replace(state="utlopt") if has_expired else found


def _text(value: Any) -> str | None:
    return None if value is None else orjson.dumps(value).decode()
