"""A page in the experimenter's own browser, whose buttons are the program's commands."""
