"""Planning a study: its power, and how many people it needs."""
