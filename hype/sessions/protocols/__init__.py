"""What sessions need to know of each protocol: one class for each, found by the kind of study."""
