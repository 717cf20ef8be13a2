"""Alembic migrations, shipped in the package; `docs/development.md` says how to add one."""
