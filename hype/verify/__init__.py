"""Whether a record is what its plans asked for, and what is wrong or worth knowing where not."""
