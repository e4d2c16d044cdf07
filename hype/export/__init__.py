"""The data of a study for other tools: tidy tables, BIDS, Psych-DS."""
