"""Automated judges and preference models, held against people."""
