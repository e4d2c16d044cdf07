"""Whose answers there are, where they come from, and which an analyst chooses."""
