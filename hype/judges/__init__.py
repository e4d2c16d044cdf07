"""Automated judges and preference models, compared with people."""
