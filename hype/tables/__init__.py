"""Tables of answers, read from files or the record and checked."""
