"""Reports of scores and timings: tables for the terminal and a page for the browser.

This package re-exports nothing, so that printing a session's timing does not load pandas.
"""
