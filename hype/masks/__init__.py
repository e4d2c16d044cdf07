"""Masks: images that stop the visual processing of the image before them."""
