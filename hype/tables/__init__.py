"""From a file, a record or a store to one checked table."""
