"""Answers: where they come from, and the options for reading and scoring them."""
