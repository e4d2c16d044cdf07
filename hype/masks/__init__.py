"""Masks: images that stop the processing of the one they follow."""
