"""What a protocol is, the registry of all, and a folder for each."""
