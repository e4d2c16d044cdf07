"""Checks of a study before people come, for all protocols."""
