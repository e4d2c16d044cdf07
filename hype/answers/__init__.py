"""Whose answers there are, where they come from, and what an analyst chooses of them."""
