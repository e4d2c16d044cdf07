"""What an outside witness saw of exposures, set against what was played."""
