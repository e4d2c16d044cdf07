"""A study's server as it is run, people at it, and what befalls both from outside."""
