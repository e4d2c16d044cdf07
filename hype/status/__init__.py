"""The progress of a study, for all protocols."""
