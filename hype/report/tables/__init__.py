"""Tables of a report: what they hold, in which order they stand, and as files."""
