"""Statistics: functions take arrays and tidy frames, and return frozen results."""
