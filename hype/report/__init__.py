"""Scores and timings for reading: tables for the terminal and a page for the browser.

It re-exports nothing: what prints the timing of a session need not wait for pandas.
"""
