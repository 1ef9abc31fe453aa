"""The progress of a study: what has ended, what is running, the best errors, and the time left."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, final

from fspielm.jobs.job import Job, Row

# ---- The cost of solves, learned from those that have ended


# Subject, method and neurons: solves of one kind cost the same.
Kind = tuple[str, str, int | None]


def kind_of(job: Job) -> Kind:
    """The kind of a job."""
    return job.subject, job.method, job.neurons


@final
class Costs:
    """Predicts the seconds of a solve from those of others."""

    def __init__(self) -> None:
        # the sum and how many: by kind, by subject and neurons, by subject, and of all
        self._seconds: dict[tuple[Any, ...], tuple[float, int]] = {}
        # of least-squares solves by subject, and of all
        self._work: defaultdict[tuple[Any, ...], _Work] = defaultdict(_Work)

    def add(self, row: Row) -> None:
        """Learn from a solve that has ended."""
        subject, _, neurons = kind = kind_of(row.job)
        outcome = row.outcome
        # the time of a failure says nothing about other kinds
        for similar in (kind, (subject, neurons), (subject,), ()) if row.done else (kind,):
            total, count = self._seconds.get(similar, (0.0, 0))
            self._seconds[similar] = total + outcome.seconds, count + 1
        if row.done and neurons is not None and outcome.rows:
            for similar in ((subject,), ()):
                self._work[similar].add(outcome.seconds, outcome.rows, neurons)

    def expected(self, kind: Kind) -> float | None:
        """Seconds of a solve, from the most similar ones that have ended; None if none has."""
        subject, _, neurons = kind
        found = self._mean(kind, (subject, neurons))
        work = [self._work[similar] for similar in ((subject,), ()) if similar in self._work]
        if found is None and neurons is not None and work:
            return work[0].expected(neurons)
        return self._mean((subject,), ()) if found is None else found

    def _mean(self, *kinds: tuple[Any, ...]) -> float | None:
        """The mean of the first kind of which any has ended."""
        total, count = next((self._seconds[kind] for kind in kinds if kind in self._seconds), (0.0, 0))
        return total / count if count else None


@dataclass
class _Work:
    """The speed of least-squares solves; from sums, so that large solves count more than small ones."""

    seconds: float = 0.0
    done: float = 0.0
    rows: int = 0
    neurons: int = 0

    def add(self, seconds: float, rows: int, neurons: int) -> None:
        self.seconds += seconds
        self.done += float(rows) * neurons**2
        self.rows += rows
        self.neurons += neurons

    def expected(self, neurons: int) -> float:
        """Seconds for so many neurons, with the rows per neuron of the earlier solves."""
        return self.seconds / self.done * (self.rows / self.neurons) * float(neurons) ** 3


# ---- Progress


# A cell of the table of best errors: a subject and a method.
Cell = tuple[str, str]


@final
class Progress:
    """A study as it goes on, kept up to date by calls of `started` and `ended`.

    Parameters
    ----------
    jobs : iterable of Job
        All of the plan.
    rows : iterable of Row
        The solves that ended in earlier runs.
    clock : callable
        Seconds, from any origin.
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
            self._count(row)

    @property
    def finished(self) -> int:
        """How many solves have ended, including the failed ones."""
        return self.total - len(self._left)

    @property
    def failed(self) -> int:
        """How many solves gave no solution."""
        return len(self.failures)

    @property
    def running(self) -> list[tuple[Job, float]]:
        """The solves that are running, each with its seconds so far."""
        now = self._clock()
        return [(job, now - begun) for job, begun in self._running.values()]

    def started(self, job: Job) -> None:
        """Note that a solve begins; again if it is given to another worker."""
        self._running[job.key] = job, self._clock()

    def ended(self, row: Row) -> None:
        """Note that a solve has ended."""
        at_once = len(self._running)
        self._running.pop(row.job.key, None)
        self._count(row)
        self._pace = self._pace.after(self._clock(), row.outcome.seconds, at_once)

    def is_hopeless(self, cell: Cell) -> bool:
        """Whether all solves of a cell have failed."""
        return self._failed_cells[cell] == self.cells[cell]

    def work_left(self) -> float | None:
        """Seconds of solving that are left, as if one solve ran at a time; None if still unknown.

        From the mean time of solves of the same subject, method and size; else of the same subject and size; else from
        the work of a least-squares solve, rows x neurons^2, and the speed so far.
        """
        total = 0.0
        for kind, count in self._waiting.items():
            cost = self._costs.expected(kind)
            if cost is None:
                return None
            total += count * cost
        return total

    def time_left(self) -> float | None:
        """Seconds until the study ends, at the pace of this run; None if still unknown."""
        work = self.work_left()
        if work is None:
            return None
        now = self._clock()
        since = now - (self._pace.last if self._pace.last is not None else now)
        return max(work * self._pace.seconds_per_work(len(self._running)) - since, 0.0)

    def _count(self, row: Row) -> None:
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
    """Seconds that pass for each second of solving: less than one with several workers.

    Counted from the end of the first solve, to leave out the start of the workers, and updated when a solve ends.
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
