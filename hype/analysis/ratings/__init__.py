"""Ratings: which of two images is how much better on an axis, or how good one image is."""
