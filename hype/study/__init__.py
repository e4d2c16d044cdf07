"""Studies: the experimenter's file, and what is drawn from it."""
