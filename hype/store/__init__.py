"""The durable record of sessions and trials."""
