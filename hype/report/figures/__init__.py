"""What all figures of a report have in common: axes, rows, legends, files."""
