"""Masks: each is shown right after an image, to stop the visual processing of that image."""
