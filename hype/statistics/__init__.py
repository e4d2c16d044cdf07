"""Statistics: functions take arrays or tidy data frames, and return frozen dataclasses."""
