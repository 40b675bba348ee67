"""Plants: their measurements, uploads and remembered readings; agreements by purpose."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def _moment(name: str, *, nullable: bool = False) -> "sa.Column[object]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _of_plant(**options: Any) -> "sa.Column[str]":
    return sa.Column("plant_id", sa.String(26), sa.ForeignKey("plant.id", ondelete="CASCADE"), **options)


def _number(name: str) -> "sa.Column[int]":
    return sa.Column(name, sa.Integer, primary_key=True, autoincrement=False)


def upgrade() -> None:
    """Make the change."""
    op.add_column("partner", sa.Column("purpose", sa.String(16), nullable=False, server_default="tak"))
    op.create_table(
        "plant",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.String(26), nullable=False, unique=True),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("account.id", ondelete="CASCADE"), index=True),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("lat", sa.Float(53), nullable=False),
        sa.Column("lon", sa.Float(53), nullable=False),
        sa.Column("arrays", sa.Text, nullable=False),
        sa.Column("performance_ratio", sa.Float(53), nullable=False),
        sa.Column("is_home", sa.Boolean, nullable=False),
        _moment("consent_at"),
        sa.Column("consent_version", sa.String(32), nullable=False),
        sa.Column("interpreter_consent", sa.Boolean, nullable=False),
        _moment("created_at"),
        _moment("used_at"),
        _moment("warned_at", nullable=True),
        _moment("data_at", nullable=True),
        sa.Column("calibration", sa.Text),
        _moment("calibrated_at", nullable=True),
    )
    op.create_table(
        "plant_month",
        _of_plant(primary_key=True),
        _number("month"),
        sa.Column("hours", sa.Integer, nullable=False),
        sa.Column("wh", sa.BigInteger, nullable=False),
        sa.Column("first_at", sa.BigInteger, nullable=False),
        sa.Column("last_at", sa.BigInteger, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "plant_upload",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.String(26), nullable=False, unique=True),
        _of_plant(nullable=False, index=True),
        sa.Column("state", sa.String(10), nullable=False),
        _moment("created_at"),
        _moment("expires_at"),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("hours", sa.LargeBinary),
        sa.Column("fingerprint", sa.String(64)),
        sa.Column("mapping", sa.Text),
    )
    op.create_table(
        "plant_mapping",
        _of_plant(primary_key=True),
        sa.Column("fingerprint", sa.String(64), primary_key=True),
        sa.Column("mapping", sa.Text, nullable=False),
        _moment("confirmed_at"),
    )
    op.create_table(
        "plant_weather",
        _of_plant(primary_key=True),
        _number("month"),
        _number("lead"),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    with op.batch_alter_table("job") as job:
        job.add_column(sa.Column("plant_id", sa.String(26)))
        job.create_foreign_key("fk_job_plant_id", "plant", ["plant_id"], ["id"], ondelete="CASCADE")
    op.create_index("ix_job_plant_id", "job", ["plant_id"])
