"""A study as a Psych-DS dataset."""
