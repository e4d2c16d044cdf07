"""Tables of judgements: text, then cells, then rows that are checked."""
