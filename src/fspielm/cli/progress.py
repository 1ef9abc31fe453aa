"""Signs of life while something takes long, on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

_PATIENCE_SECONDS = 2.0


@contextmanager
def working(description: str) -> Iterator[Callable[[str], None]]:
    """Show that something runs, and for how long; the value changes the description.

    A terminal gets a spinner that disappears at the end, anything else one line after two seconds.
    """
    console = Console(stderr=True)
    if console.is_terminal:
        columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
        with Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task(description, total=None)
            yield lambda text: progress.update(task, description=text)
        return
    timer = Timer(_PATIENCE_SECONDS, print, [f"{description} ..."], {"file": sys.stderr, "flush": True})
    timer.daemon = True
    timer.start()
    try:
        yield lambda text: None
    finally:
        timer.cancel()
