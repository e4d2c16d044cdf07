"""Conducting sessions: who comes, what they get, where it is kept. Joins study, protocol, store."""
