"""Studies: the experimenter's file, its settings, and random draws."""
