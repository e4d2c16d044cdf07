"""The central store: a PostgreSQL database to which several stations add what they recorded."""
