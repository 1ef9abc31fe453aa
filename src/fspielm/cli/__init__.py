"""The command line: parse, call, print."""

from fspielm.cli.app import app
from fspielm.cli.entry import main

__all__ = ["app", "main"]
