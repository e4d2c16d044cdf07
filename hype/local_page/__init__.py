"""A page in the experimenter's own browser, whose buttons run the program's commands."""
