"""`python -m hype`."""

from hype.cli.main import main

main()
