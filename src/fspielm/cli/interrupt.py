"""Ctrl-C, and requests to terminate."""

from __future__ import annotations


class Interrupted(BaseException):
    """Ctrl-C, or a request to terminate; not a KeyboardInterrupt, which typer answers in its own way.

    Its notes (`add_note`) are printed: what is safe, and how to go on.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number
