"""Signs of life while something takes long, on stderr."""

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
# Of a name in lines that must not be wider than a terminal, its last letters: a path ends with what tells it apart.
_LETTERS = 24


@contextmanager
def working(description: str) -> Iterator[Callable[[str], None]]:
    """Show that something runs, and for how long; the value tells how far it is, from any thread.

    A terminal gets a spinner that disappears at the end, anything else lines, and none in the first two seconds.
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
    """What to do with the news of the solve of `name`.

    Of a round that ended, its sizes, its bands and its estimate are shown; anything else, such as what the solver
    expects of a long round before it begins, says itself what it is.

    Parameters
    ----------
    name : str
    show : callable
        Shows a text, of two lines here: one would be wider than a terminal.
    seconds : float or None
        What the solve may take, from now on.
    """
    begun = perf_counter()
    short = name if len(name) <= _LETTERS else f"...{name[3 - _LETTERS :]}"

    def show_event(event: object) -> None:
        if isinstance(event, Round):
            show_round(event)
        else:
            show(f"{name}: {event}")

    def show_round(done: Round) -> None:
        bands = " x ".join(f"{width:.3g}" for width in done.widths)
        left = "" if seconds is None else f"; at most {duration(seconds - (perf_counter() - begun))} left"
        show(
            f"{short}: round {done.number}, {done.size}, estimate {done.error_estimate:.1e}\n"
            f"  {done.rows} rows, band {bands}{left}"
        )

    return show_event


def run_or_salvage(work: Callable[[], T], *, here: bool = False, note: str = "") -> tuple[T, Interrupted | None]:
    """What work returns, or, after Ctrl-C, the best so far with the interrupt: raise it once that is written.

    The work is done in a thread of its own, or `here`, if it listens itself; a `note` is added to any interrupt.
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
    """Print and write all, then raise the interrupt, if any: a Ctrl-C meanwhile waits, a further one ends it."""
    held = [] if interrupt is None else [interrupt]

    def hold(number: int, frame: Any) -> None:
        signal.signal(SIGINT, previous)
        held.append(Interrupted(number))
        os.write(2, b"fspielm: the rest is written first; Ctrl-C again ends it at once\n")  # print may be under way

    previous = signal.signal(SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(SIGINT, previous)
    if held:
        raise held[0]


class _Lines:
    """The first line after a while, then every further one; nothing once closed."""

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
