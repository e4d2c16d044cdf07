"""Scores for reading: a table for the terminal and a page for the browser."""

from hype.report.page import write_report
from hype.report.table import score_table

__all__ = ["score_table", "write_report"]
