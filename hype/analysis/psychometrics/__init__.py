"""Thresholds of psychometric functions fitted to the answers of HYPE_time."""
