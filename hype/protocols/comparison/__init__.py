"""Comparisons: which of two, all pairs or an arena."""
