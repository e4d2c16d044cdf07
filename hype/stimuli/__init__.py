"""Stimulus sets: folders of images with a manifest."""
