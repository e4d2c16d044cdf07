"""Reward models that are trained on people's choices."""
