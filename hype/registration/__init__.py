"""Fixing a study, its files and its analysis under one hash, before anybody is asked."""
