"""Progress on stderr during long commands."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from signal import SIGINT
from threading import Lock, Timer
from time import perf_counter
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from fspielm.cli.entry import Interrupted
from fspielm.resources import run_interruptibly
from fspielm.solution.report import Round
from fspielm.solvers.request import Watched
from fspielm.wording import duration

T = TypeVar("T")

_PATIENCE_SECONDS = 2.0
# Long names are cut to their last letters, which distinguish paths.
_LETTERS = 24


@contextmanager
def working(description: str) -> Iterator[Callable[[str], None]]:
    """Show that something is running, and for how long; gives a function that shows further texts, from any thread.

    A terminal gets a spinner that disappears at the end. Anything else gets lines, but none in the first two seconds.
    """
    console = Console(stderr=True)
    if console.is_terminal:
        columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
        with Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task(description, total=None)
            yield lambda text: progress.update(task, description=text)
        return
    lines = _Lines(f"{description} ...")
    try:
        yield lines.show
    finally:
        lines.close()


def show_rounds(name: str, show: Callable[[str], None], seconds: float | None) -> Callable[[object], None]:
    """A progress function for the solve of `name`.

    Of a finished round it shows the sizes, bands and estimate, with the time left of so many seconds from now on; other
    events, such as forecasts, are shown as text.
    """
    begun = perf_counter()
    short = name if len(name) <= _LETTERS else f"...{name[3 - _LETTERS :]}"

    def show_event(done: object) -> None:
        if not isinstance(done, Round):
            show(f"{name}: {done}")
            return
        bands = " x ".join(f"{width:.3g}" for width in done.widths)
        left = "" if seconds is None else f"; at most {duration(seconds - (perf_counter() - begun))} left"
        show(
            f"{short}: round {done.number}, {done.size}, estimate {done.error_estimate:.1e}\n"
            f"  {done.rows} rows, band {bands}{left}"
        )

    return show_event


def run_or_salvage(work: Callable[[], T], *, here: bool = False, note: str = "") -> tuple[T, Interrupted | None]:
    """The result of work or, after Ctrl-C, the best so far and the interrupt, to be raised once the result is written.

    The work runs in a thread of its own, or `here` if it handles interrupts itself. A `note` is added to any interrupt.
    """
    watched = Watched(work)
    try:
        return watched() if here else run_interruptibly(watched), None
    except Interrupted as interrupt:
        best = watched.best if interrupt.number == SIGINT else None
        nothing = "" if note or interrupt.number != SIGINT else "there is no result yet, and nothing is written"
        for each in (nothing if best is None else "this is the best so far", note):
            if each:
                interrupt.add_note(each)
        if best is None:
            raise
        return best, interrupt


@contextmanager
def completing(interrupt: Interrupted | None = None) -> Iterator[None]:
    """Finish the block, then raise the interrupt, if any. A Ctrl-C meanwhile waits; a second one ends the block."""
    held = [] if interrupt is None else [interrupt]

    def hold(number: int, frame: Any) -> None:
        signal.signal(SIGINT, previous)
        held.append(Interrupted(number))
        # not print, which the signal may have interrupted
        os.write(2, b"fspielm: the rest is written first; Ctrl-C again ends it at once\n")

    previous = signal.signal(SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(SIGINT, previous)
    if held:
        raise held[0]


class _Lines:
    """Prints the first line after two seconds, then every further one, until it is closed."""

    def __init__(self, first: str) -> None:
        self._lock = Lock()
        self._first = first
        self._open = False
        self._timer = Timer(_PATIENCE_SECONDS, self._begin)
        self._timer.daemon = True
        self._timer.start()

    def show(self, line: str) -> None:
        with self._lock:
            if self._open:
                print(line, file=sys.stderr, flush=True)

    def close(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._open = False

    def _begin(self) -> None:
        with self._lock:
            print(self._first, file=sys.stderr, flush=True)
            self._open = True
