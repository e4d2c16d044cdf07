"""The command line: wiring only."""

from hype.cli.main import main

__all__ = ["main"]
