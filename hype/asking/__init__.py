"""Judges that are not people, asked over the network what a study asks people."""
