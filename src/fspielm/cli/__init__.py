"""The command line: parse, call, print."""

from fspielm.cli.entry import main

__all__ = ["main"]
