"""The command line; it only connects commands to functions."""

from hype.cli.main import main

__all__ = ["main"]
