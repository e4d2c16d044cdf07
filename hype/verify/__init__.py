"""Verification of a record against its plans."""
