"""The common parts of all figures of a report: axes, rows, keys, files."""
