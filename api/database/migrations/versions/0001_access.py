"""Accounts, keys, registrations, quotas: where every database began. New ones are made of `tables.metadata`."""

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None
