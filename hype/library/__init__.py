"""What `import hype` offers: the functions of the program, for notebooks and other programs."""
