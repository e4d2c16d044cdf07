"""Simulated evaluators."""
