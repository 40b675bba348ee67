"""Leads of the download form of typical years."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the change."""
    op.create_table(
        "lead",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("company", sa.String(100), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("phone", sa.String(100)),
        sa.Column("address", sa.String(100)),
        sa.Column("lat", sa.Float(53), nullable=False),
        sa.Column("lon", sa.Float(53), nullable=False),
        sa.Column("product", sa.String(32)),
        sa.Column("format", sa.String(32)),
        sa.Column("license_version", sa.String(64), nullable=False),
    )
