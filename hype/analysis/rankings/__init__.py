"""Rankings: groups of images that people put in order, and the strengths that follow."""
