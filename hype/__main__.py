"""`python -m hype`."""

from hype.cli import main

main()
