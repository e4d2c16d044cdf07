"""A study as a BIDS dataset."""
