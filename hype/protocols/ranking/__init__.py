"""Rankings: a group of images put in order."""
