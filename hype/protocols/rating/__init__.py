"""Ratings: how much better one of two images is, or how good one is, axis by axis."""
