"""Telling how a solve goes on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeAlias

from fspielm.errors import ProblemError, blame
from fspielm.solution import Forecast, FoundMode, ModeSearch, NewtonStep, Round, Window

Event: TypeAlias = Forecast | FoundMode | ModeSearch | NewtonStep | Round | Window
Progress: TypeAlias = Callable[[Event], None]


def silence(event: Event) -> None:
    """Tell nothing."""


def reporter(progress: Any) -> Progress:
    """What to do before a long round and after each, from the `progress` argument of `solve`."""
    if progress is None or progress is False:
        return silence
    if progress is True:
        return _write
    if not callable(progress):
        raise ProblemError(f"progress must be True, or a callable that receives each round; got {progress!r}")

    def report(event: Event) -> None:
        try:
            progress(event)
        except Exception as error:
            blame(error, "progress")
            raise

    return report


def _write(event: Event) -> None:
    sys.stderr.write(f"{event}\n")
    sys.stderr.flush()
