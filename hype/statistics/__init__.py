"""Statistics by method: arrays and tidy frames in, frozen results out."""
