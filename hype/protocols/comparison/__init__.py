"""Comparisons: choices between two images, over all pairs or in an arena."""
