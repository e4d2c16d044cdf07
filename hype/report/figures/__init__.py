"""What all figures of a report have in common: axes, rows, keys, files."""
