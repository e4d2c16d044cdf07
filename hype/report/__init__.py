"""Reports of scores and timings: tables for the terminal and a page for the browser.

This file imports nothing, so that printing a session's timing does not load pandas.
"""
