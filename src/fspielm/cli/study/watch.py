"""A study while it runs: a live table on a terminal, now and then a line on anything else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from time import perf_counter

from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

from fspielm.cli.progress import working
from fspielm.cli.study.screen import draw_line, draw_running
from fspielm.study import Progress, Row, Store
from fspielm.study.engines import Ended, Task

_REFRESHES_PER_SECOND = 2
# A line after so long, or after so much of the study but not more than one a second.
_LINE_SECONDS = 10.0
_LINE_SHARE = 0.05
_BETWEEN_LINES = 1.0


def read_progress(store: Path) -> Progress:
    """How far the study in a store is."""
    with Store.open(store, read_only=True) as study:
        return Progress(study.plan.jobs, study.rows())


class Watch:
    """Hears what a run does, and shows it.

    Parameters
    ----------
    store : Path
        Read when the first solve begins or ends: by then it has all that earlier runs left.
    name : str
    show : callable
        Called after every change.
    """

    def __init__(self, store: Path, name: str, show: Callable[[Progress], None] = lambda progress: None) -> None:
        self._store, self._name, self._show = store, name, show
        self._progress: Progress | None = None
        # the display is drawn by a thread of its own
        self._lock = Lock()

    def start(self, task: Task) -> None:
        """A solve begins."""
        with self._lock:
            progress = self._read()
            progress.started(task.job)
            self._show(progress)

    def end(self, ended: Ended) -> None:
        """A solve has ended, perhaps without a beginning: one that no host has the memory for."""
        with self._lock:
            progress = self._read()
            progress.ended(Row(ended.task.job, ended.outcome))
            self._show(progress)

    def _read(self) -> Progress:
        if self._progress is None:
            self._progress = read_progress(self._store)
        return self._progress

    def screen(self) -> RenderableType:
        """The live table as it is now."""
        with self._lock:
            if self._progress is None:
                return Text(f"starting {self._name} ...")
            return draw_running(self._progress, self._name)


class _Lines:
    """Lines for a log, few enough to be read."""

    def __init__(self, console: Console, clock: Callable[[], float] = perf_counter) -> None:
        self._console, self._clock = console, clock
        self._last = -float("inf")
        self._shown = 0

    def show(self, progress: Progress) -> None:
        if progress.finished and not progress.running:
            return  # between two solves; the next one says more
        since = self._clock() - self._last
        news = progress.finished - self._shown
        if since >= _LINE_SECONDS or (since >= _BETWEEN_LINES and news >= _LINE_SHARE * progress.total):
            self._last, self._shown = self._clock(), progress.finished
            self._console.print(draw_line(progress), markup=False, highlight=False, soft_wrap=True)


@contextmanager
def watching(store: Path, name: str) -> Iterator[Watch]:
    """What to tell a run's beginnings and ends to, so that it is shown on stderr."""
    console = Console(stderr=True)
    if not console.is_terminal:
        lines = _Lines(console)
        with ExitStack() as starting:
            starting.enter_context(working(f"starting {name}"))

            def show(progress: Progress) -> None:
                starting.close()
                lines.show(progress)

            yield Watch(store, name, show)
        return
    watch = Watch(store, name)
    with Live(console=console, transient=True, get_renderable=watch.screen, refresh_per_second=_REFRESHES_PER_SECOND):
        yield watch
