"""Runs migrations on the connection that `firstfault.agent.store.schema` hands in, inside its transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
context.run_migrations()
