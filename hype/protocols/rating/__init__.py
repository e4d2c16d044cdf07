"""Ratings, axis by axis: how much better one of two images is, or how good a single image is."""
