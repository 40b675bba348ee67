"""How Alembic runs our migrations: on the connection that it is given, in the transaction that is open."""

from alembic import context

from api.database.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
