"""From each schema of a record to the next. Every step is written out, and never changed again."""
