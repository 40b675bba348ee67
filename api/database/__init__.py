"""The database of accounts, keys and quotas: SQLite by default, PostgreSQL in production."""
