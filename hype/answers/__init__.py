"""Answers: their sources, and the analyst's choices."""
