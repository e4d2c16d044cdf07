"""What differs in an export between kinds of answers."""
