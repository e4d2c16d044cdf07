"""What all figures of a report share: axes, rows, keys, files."""
