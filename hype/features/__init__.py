"""Features of images: numbers by which images are compared, from a file or from a small network."""
