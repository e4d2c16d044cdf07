"""Reports of scores and timings: tables for the terminal and a page for the browser.

It re-exports nothing, so that printing the timing of a session need not load pandas.
"""
