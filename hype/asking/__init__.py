"""Judges that are no people, asked over the network what a study asks people."""
