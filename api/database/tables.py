"""The tables, of which new databases are made. A change here needs a migration beside it; a test compares the two."""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, Date, Float, ForeignKey, Integer, LargeBinary, MetaData, String, Table, Text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Moment(sa.TypeDecorator[datetime]):
    """A moment in UTC; SQLite, which keeps no time zone, gives it back with one."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Refuse a moment without zone."""
        if value is not None and value.tzinfo is None:
            raise ValueError("a moment needs a time zone")
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Return it in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


# Who has shown that an e-mail address is theirs, or was entered by the operator.
account = Table(
    "account",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("email", String(254), nullable=False, unique=True),
    Column("plan", String(32), nullable=False),
    Column("created_at", Moment, nullable=False),
)

# A key is known by its digest alone; `hint` is its beginning, for people who look for one in a list.
api_key = Table(
    "api_key",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("account_id", ForeignKey("account.id"), nullable=False, index=True),
    Column("digest", LargeBinary(32), nullable=False, unique=True),
    Column("hint", String(16), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("deactivated_at", Moment),
)

# An address that has asked for a key and not yet opened its link.
registration = Table(
    "registration",
    metadata,
    Column("email", String(254), primary_key=True),
    Column("token_digest", LargeBinary(32), nullable=False, unique=True),
    Column("expires_at", Moment, nullable=False),
    Column("created_at", Moment, nullable=False),
)

# What a payer (see api/access) has used of a day. The row is what concurrent charges lock.
quota_day = Table(
    "quota_day",
    metadata,
    Column("day", Date, primary_key=True),
    Column("payer", String(80), primary_key=True),
    Column("requests", Integer, nullable=False),
    Column("plants", Integer, nullable=False),
)

# The day's plants: coordinates rounded to 4 decimals, and how many charges asked for each. Gone with the day.
quota_plant = Table(
    "quota_plant",
    metadata,
    Column("day", Date, primary_key=True),
    Column("payer", String(80), primary_key=True),
    Column("point", BigInteger, primary_key=True),
    Column("charges", Integer, nullable=False),
    sqlite_with_rowid=False,
)

# What a request was charged, by its id, so that it can be given back exactly once. Kept for a short while.
quota_charge = Table(
    "quota_charge",
    metadata,
    Column("request_id", String(32), primary_key=True),
    Column("day", Date, nullable=False),
    Column("payer", String(80), nullable=False),
    Column("points", Text, nullable=False),
    sqlite_with_rowid=False,
)

# Who wants to be written to about typical years, and for what site: from the download form (see api/tmy).
lead = Table(
    "lead",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("created_at", Moment, nullable=False),
    Column("company", String(100), nullable=False),
    Column("name", String(100), nullable=False),
    Column("email", String(254), nullable=False),
    Column("phone", String(100)),
    Column("address", String(100)),
    Column("lat", Float(53), nullable=False),
    Column("lon", Float(53), nullable=False),
    Column("product", String(32)),
    Column("format", String(32)),
    Column("license_version", String(64), nullable=False),
)

# Long work (see api/jobs), the oldest first by number. `question` is the digest of kind, input and input versions: one
# job that has not failed answers it. `runs` counts begun runs; what a worker writes names its run. `lease` is a counter
# that the worker raises while it lives. `after` is the job that has to end before. `not_before` is real time, other
# moments are of the service's clock. `reason` is a problem as JSON. `input` is removed when the job
# is done, and else when it expires: `solflis jobs retry` needs it. A job that is about a plant goes with it.
job = Table(
    "job",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", String(22), nullable=False, unique=True),
    Column("kind", String(32), nullable=False),
    Column("question", LargeBinary(32), nullable=False),
    Column("input", LargeBinary),
    Column("state", String(8), nullable=False),
    Column("runs", Integer, nullable=False),
    Column("lease", Integer, nullable=False),
    Column("after", String(22)),
    Column("not_before", Moment),
    Column("progress", Float(53), nullable=False),
    Column("phrase", String(200), nullable=False),
    Column("result", String(64)),
    Column("reason", Text),
    Column("request_id", String(32), nullable=False),
    Column("client", LargeBinary(32), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("ended_at", Moment),
    Column("expires_at", Moment, nullable=False),
    Column("plant_id", ForeignKey("plant.id", ondelete="CASCADE"), index=True),
    sa.Index("ix_job_state", "state", "number"),
    sa.Index(
        "uq_job_question",
        "question",
        unique=True,
        sqlite_where=sa.text("state <> 'failed'"),
        postgresql_where=sa.text("state <> 'failed'"),
    ),
)

# Who has an agreement, and on what (see api/access/partners.py); a password is known by its digest alone.
partner = Table(
    "partner",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(100), nullable=False),
    Column("digest", LargeBinary(32), nullable=False, unique=True),
    Column("created_at", Moment, nullable=False),
    Column("revoked_at", Moment),
    Column("purpose", String(16), nullable=False, server_default="tak"),
)

# A registered plant (see api/data/plants). What refers to it goes with it. Without account: `SOLFLIS_ACCESS=open`.
# `arrays` and `calibration` are JSON; `warned_at` is when the owner was told that it is about to be deleted.
plant = Table(
    "plant",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", String(26), nullable=False, unique=True),
    Column("account_id", ForeignKey("account.id", ondelete="CASCADE"), index=True),
    Column("name", String(100), nullable=False),
    Column("lat", Float(53), nullable=False),
    Column("lon", Float(53), nullable=False),
    Column("arrays", Text, nullable=False),
    Column("performance_ratio", Float(53), nullable=False),
    Column("is_home", sa.Boolean, nullable=False),
    Column("consent_at", Moment, nullable=False),
    Column("consent_version", String(32), nullable=False),
    Column("interpreter_consent", sa.Boolean, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("used_at", Moment, nullable=False),
    Column("warned_at", Moment),
    Column("data_at", Moment),
    Column("calibration", Text),
    Column("calibrated_at", Moment),
)


def _of_plant(**options: Any) -> "Column[str]":
    return Column("plant_id", ForeignKey("plant.id", ondelete="CASCADE"), **options)


# Hours of a month (year * 12 + month - 1, UTC) as `api.data.plants.measurements` packs them, and what they sum up to:
# a plant is shown without reading the blobs. `first_at` and `last_at` are starts of hours, unix seconds.
plant_month = Table(
    "plant_month",
    metadata,
    _of_plant(primary_key=True),
    Column("month", Integer, primary_key=True, autoincrement=False),
    Column("hours", Integer, nullable=False),
    Column("wh", BigInteger, nullable=False),
    Column("first_at", BigInteger, nullable=False),
    Column("last_at", BigInteger, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

# An uploaded file as it was read. `content` is JSON, as it is answered; `hours` is what a confirmation stores, and is
# removed by it. `mapping` is JSON, remembered for `fingerprint` when it is confirmed.
plant_upload = Table(
    "plant_upload",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", String(26), nullable=False, unique=True),
    _of_plant(nullable=False, index=True),
    Column("state", String(10), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("content", Text, nullable=False),
    Column("hours", LargeBinary),
    Column("fingerprint", String(64)),
    Column("mapping", Text),
)

# How files with such headings are read, from an upload that was confirmed.
plant_mapping = Table(
    "plant_mapping",
    metadata,
    _of_plant(primary_key=True),
    Column("fingerprint", String(64), primary_key=True),
    Column("mapping", Text, nullable=False),
    Column("confirmed_at", Moment, nullable=False),
)

# Forecasts that were made for a plant's place, by month and lead, h.
plant_weather = Table(
    "plant_weather",
    metadata,
    _of_plant(primary_key=True),
    Column("month", Integer, primary_key=True, autoincrement=False),
    Column("lead", Integer, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
)

# The fingerprint of the secret that the digests are made with: one row.
secret_mark = Table(
    "secret_mark",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("fingerprint", LargeBinary(32), nullable=False),
)


def insert(table: sa.Table, dialect: str) -> Any:
    """Return an INSERT that knows `on_conflict_do_nothing` and `on_conflict_do_update`, which both databases have.

    Parameters
    ----------
    table : Table
    dialect : str
        `sqlite` or `postgresql`.
    """
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
