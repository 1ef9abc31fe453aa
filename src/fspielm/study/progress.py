"""How far a study is: what has ended, what is running, the best of each cell, and the time that is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import final

from fspielm.study.costs import Costs, kind_of
from fspielm.study.job import Job
from fspielm.study.rows import Row

# Of the table of best errors: a subject and a method.
Cell = tuple[str, str]


@final
class Progress:
    """A study as it goes on. It learns what happens from `started` and `ended`, and asks nobody.

    Parameters
    ----------
    jobs : iterable of Job
        All of the plan.
    rows : iterable of Row
        What had ended before.
    clock : callable
        Seconds, from any beginning.
    """

    def __init__(
        self, jobs: Iterable[Job], rows: Iterable[Row] = (), *, clock: Callable[[], float] = perf_counter
    ) -> None:
        self._clock = clock
        self._left = {job.key: job for job in jobs}
        self._waiting = Counter(kind_of(job) for job in self._left.values())
        self.total = len(self._left)
        self.cells: dict[Cell, int] = dict(Counter((job.subject, job.method) for job in self._left.values()))
        self.failures: list[Row] = []
        self.best: dict[Cell, Row] = {}
        self.last_ended = ""
        self._running: dict[str, tuple[Job, float]] = {}
        self._costs = Costs()
        self._pace = _Pace()
        self._failed_cells: Counter[Cell] = Counter()
        for row in rows:
            self._take(row)

    @property
    def finished(self) -> int:
        """How many solves have ended, the failed ones among them."""
        return self.total - len(self._left)

    @property
    def failed(self) -> int:
        """How many solves gave no solution."""
        return len(self.failures)

    @property
    def running(self) -> list[tuple[Job, float]]:
        """The solves that are running, and for how many seconds."""
        now = self._clock()
        return [(job, now - begun) for job, begun in self._running.values()]

    def started(self, job: Job) -> None:
        """A solve has begun; a second time if it was given to another worker."""
        self._running[job.key] = job, self._clock()

    def ended(self, row: Row) -> None:
        """A solve has ended."""
        at_once = len(self._running)
        self._running.pop(row.job.key, None)
        self._take(row)
        self._pace = self._pace.after(self._clock(), row.outcome.seconds, at_once)

    def is_hopeless(self, cell: Cell) -> bool:
        """Whether all solves of a cell have ended, and none gave a solution."""
        return self._failed_cells[cell] == self.cells[cell]

    def work_left(self) -> float | None:
        """Seconds of solving that are left, as if one solve ran at a time; None while nothing is known of them.

        From the mean of what solves of the same subject, method and size took; else of the same subject and size; else
        from the work of a least-squares solve, rows x neurons^2, and how fast such work was done.
        """
        total = 0.0
        for kind, count in self._waiting.items():
            cost = self._costs.expected(kind)
            if cost is None:
                return None
            total += count * cost
        return total

    def time_left(self) -> float | None:
        """Seconds until the study ends, at the pace of this run; None while nothing is known of it."""
        work = self.work_left()
        if work is None:
            return None
        now = self._clock()
        since = now - (self._pace.last if self._pace.last is not None else now)
        return max(work * self._pace.seconds_per_work(len(self._running)) - since, 0.0)

    def _take(self, row: Row) -> None:
        if self._left.pop(row.job.key, None) is None:
            return
        kind, cell = kind_of(row.job), (row.job.subject, row.job.method)
        self._waiting[kind] -= 1
        if not self._waiting[kind]:
            del self._waiting[kind]
        self._costs.add(row)
        self.last_ended = max(self.last_ended, row.ended)
        if not row.done:
            self.failures.append(row)
            self._failed_cells[cell] += 1
        elif cell not in self.best or _error(row) < _error(self.best[cell]):
            self.best[cell] = row


@final
@dataclass(frozen=True)
class _Pace:
    """How long one waits for a second of solving: workers shorten it, measuring and storing lengthen it.

    Counted from the end of the first solve, so that starting workers is not taken for work, and brought up to date when
    a solve ends, since how far the others are is not known.
    """

    first: float | None = None
    last: float | None = None
    work: float = 0.0
    at_once: int = 1

    def after(self, now: float, seconds: float, at_once: int) -> _Pace:
        if self.first is None:
            return _Pace(now, now, 0.0, at_once)
        return _Pace(self.first, now, self.work + seconds, at_once)

    def seconds_per_work(self, running: int) -> float:
        if self.first is None or self.last is None or not self.work or self.last == self.first:
            return 1 / max(running, self.at_once, 1)
        return (self.last - self.first) / self.work


def _error(row: Row) -> float:
    return float("inf") if row.outcome.error is None else row.outcome.error
