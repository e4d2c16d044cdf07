"""Features of images: numbers by which images are compared, from a file."""
