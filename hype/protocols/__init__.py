"""The protocols: their interface, their registry, and a folder for each."""
