"""A session of any protocol: enrolling, running, recording and resuming."""
