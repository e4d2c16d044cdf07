"""From a file or a record to one checked table."""
