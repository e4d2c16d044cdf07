"""Runs the migrations. Alembic runs this file; `hype.store.update` gives a connection.

That has begun a transaction already, in which everything happens.
"""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
