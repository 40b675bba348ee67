"""Accounts, keys, registrations, quotas."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the change."""
    op.create_table(
        "account",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("plan", sa.String(32), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_account"),
        sa.UniqueConstraint("email", name="uq_account_email"),
    )
    op.create_table(
        "api_key",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("account_id", sa.Integer, nullable=False),
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
        sa.Column("hint", sa.String(16), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("deactivated_at", _MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_api_key"),
        sa.UniqueConstraint("digest", name="uq_api_key_digest"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_api_key_account_id"),
    )
    op.create_index("ix_api_key_account_id", "api_key", ["account_id"])
    op.create_table(
        "registration",
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("token_digest", sa.LargeBinary(32), nullable=False),
        sa.Column("expires_at", _MOMENT, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("email", name="pk_registration"),
        sa.UniqueConstraint("token_digest", name="uq_registration_token_digest"),
    )
    op.create_table(
        "quota_day",
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("payer", sa.String(80), nullable=False),
        sa.Column("requests", sa.Integer, nullable=False),
        sa.Column("plants", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("day", "payer", name="pk_quota_day"),
    )
    op.create_table(
        "quota_plant",
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("payer", sa.String(80), nullable=False),
        sa.Column("point", sa.BigInteger, nullable=False),
        sa.Column("charges", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("day", "payer", "point", name="pk_quota_plant"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "quota_charge",
        sa.Column("request_id", sa.String(32), nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("payer", sa.String(80), nullable=False),
        sa.Column("points", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("request_id", name="pk_quota_charge"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "secret_mark",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.LargeBinary(32), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_secret_mark"),
    )


def downgrade() -> None:
    """Take the change back."""
    for table in ("secret_mark", "quota_charge", "quota_plant", "quota_day", "registration", "api_key", "account"):
        op.drop_table(table)
