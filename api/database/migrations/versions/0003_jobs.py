"""Jobs: the queue of long work."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the change."""
    alive = sa.text("state <> 'failed'")
    op.create_table(
        "job",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.String(22), nullable=False, unique=True),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("question", sa.LargeBinary(32), nullable=False),
        sa.Column("input", sa.LargeBinary),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("runs", sa.Integer, nullable=False),
        sa.Column("lease", sa.Integer, nullable=False),
        sa.Column("after", sa.String(22)),
        sa.Column("not_before", sa.DateTime(timezone=True)),
        sa.Column("progress", sa.Float(53), nullable=False),
        sa.Column("phrase", sa.String(200), nullable=False),
        sa.Column("result", sa.String(64)),
        sa.Column("reason", sa.Text),
        sa.Column("request_id", sa.String(32), nullable=False),
        sa.Column("client", sa.LargeBinary(32), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_job_state", "job", ["state", "number"])
    op.create_index("uq_job_question", "job", ["question"], unique=True, sqlite_where=alive, postgresql_where=alive)
