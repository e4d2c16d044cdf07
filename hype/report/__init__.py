"""Reports of scores and timings: tables for the terminal and a page for the browser.

The package imports nothing here, so that printing a session's timing does not load pandas.
"""
