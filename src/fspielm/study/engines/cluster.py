"""Many solves at once, on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from types import TracebackType
from typing import TYPE_CHECKING, Any, final

from fspielm.study.engines.backlog import Backlog
from fspielm.study.engines.engine import Ended, Engine, Task
from fspielm.study.engines.staff import Answered, Left, Staff
from fspielm.study.outcome import Outcome, failure

if TYPE_CHECKING:
    from distributed import Future

# A task is tried again so often when its worker dies.
_RETRIES = 2
# For an answer that is there to be fetched.
_FETCH_SECONDS = 60.0
_GIB = 2.0**30


@dataclass(frozen=True)
class _Try:
    """A task, and how many workers it has seen dying."""

    task: Task
    deaths: int = 0

    @property
    def memory(self) -> float:
        """Bytes to keep for it: one that needs more than it is allowed refuses to begin."""
        return min(self.task.memory, self.task.terms.memory)


@dataclass(frozen=True)
class _Flight:
    """A task on its way."""

    attempt: _Try
    worker: str
    future: Future[Any]


@final
class Cluster(Engine):
    """Solves on Dask workers: as many at once as they have slots and memory for.

    Every task is given to a worker of our choice, so that large ones do not meet on one host; Dask carries it there and
    the outcome back, and tells who comes and goes.

    Parameters
    ----------
    threads : int
        Of each solve. A worker with more threads than that does several at once.
    workers : int, optional
        So many processes on this machine, started for this engine.
    scheduler : str, optional
        Address of a scheduler that is there, instead.
    patience : float
        Seconds to wait when there is no worker at all, or when the only host large enough has gone.
    """

    def __init__(
        self, threads: int, *, workers: int | None = None, scheduler: str | None = None, patience: float = 300.0
    ) -> None:
        self._staff = Staff(threads, workers, scheduler, patience)
        self._numbers = count()
        self._flights: dict[int, _Flight] = {}
        # Letting go of a future is a message to the scheduler, which would delay the next task by as much as Dask keeps
        # between two: so they are kept until that is on its way.
        self._spent: list[Future[Any]] = []
        # subjects that a worker has, by its address
        self._told: dict[str, set[str]] = {}

    def __enter__(self) -> Cluster:
        self._staff.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # whatever still runs is no longer wanted
        self._flights.clear()
        self._spent.clear()
        self._staff.__exit__(kind, error, trace)

    @property
    def largest(self) -> float:
        """Bytes of memory that a solve may have for itself on the largest host."""
        return self._staff.hosts.largest

    @property
    def part(self) -> float:
        """Bytes of memory for each of the solves at once."""
        return self._staff.hosts.part

    def run(self, tasks: Iterable[Task], *, starts: Callable[[Task], None] = lambda task: None) -> Iterator[Ended]:
        """Solve the tasks, about in their order."""
        backlog = Backlog(map(_Try, tasks))
        while True:
            yield from self._send_what_fits(backlog, starts)
            self._spent.clear()
            if not self._flights and not backlog:
                return
            # before the next one is sent, or even planned: what has ended is to be safe
            yield from self._next(backlog)

    def _send_what_fits(self, backlog: Backlog[_Try], starts: Callable[[Task], None]) -> Iterator[Ended]:
        """Give tasks to workers as long as there is room; those that will never find any have ended."""
        hosts, largest = self._staff.hosts, self._staff.largest
        while hosts.has_room:
            attempt = backlog.take(lambda one: one.memory > largest or hosts.find(one.memory) is not None)
            if attempt is None:
                break
            worker = hosts.find(attempt.memory)
            if worker is None:
                reason = f"needs {attempt.memory / _GIB:.1f} GiB of memory, and no host has more than"
                yield Ended(attempt.task, failure(f"{reason} {largest / _GIB:.1f} GiB"), {})
            else:
                starts(attempt.task)
                self._send(attempt, worker)

    def _send(self, attempt: _Try, worker: str) -> None:
        task, number = attempt.task, next(self._numbers)
        request: dict[str, Any] = {"job": task.job.as_dict(), "terms": task.terms.as_dict()}
        request["digest"] = task.subject.digest
        if task.subject.digest not in self._told.get(worker, ()):
            request["subject"] = task.subject.as_dict()
        self._staff.hosts.begin(number, worker, attempt.memory)
        self._flights[number] = _Flight(attempt, worker, self._staff.submit(number, request, worker))

    def _next(self, backlog: Backlog[_Try]) -> list[Ended]:
        """Wait until something happens; what has ended with it."""
        match self._staff.next_event():
            case Answered(number) if number in self._flights:
                flight = self._flights.pop(number)
                self._staff.hosts.end(number, flight.worker)
                self._spent.append(flight.future)
                return self._close(flight, backlog)
            case Left(worker, numbers):
                self._told.pop(worker, None)
                gone = [self._flights.pop(number) for number in numbers]
                return [ended for flight in gone for ended in self._try_again(flight, backlog)]
        return []

    def _close(self, flight: _Flight, backlog: Backlog[_Try]) -> list[Ended]:
        from distributed import CancelledError, KilledWorker
        from distributed.comm.core import CommClosedError

        task = flight.attempt.task
        try:
            answer = flight.future.result(timeout=_FETCH_SECONDS)
        except (CancelledError, KilledWorker, CommClosedError, TimeoutError):
            # the worker died between doing it and handing it over
            return self._try_again(flight, backlog)
        except Exception as error:
            return [Ended(task, failure(f"the worker could not do it: {type(error).__name__}: {error}"), {})]
        told = self._told.setdefault(flight.worker, set())
        if not answer:
            # another process than the one that was told, at the same address
            told.discard(task.subject.digest)
            backlog.put_first(flight.attempt)
            return []
        told.add(task.subject.digest)
        return [Ended(task, Outcome.from_dict(answer["outcome"]), answer["environment"])]

    def _try_again(self, flight: _Flight, backlog: Backlog[_Try]) -> list[Ended]:
        attempt = replace(flight.attempt, deaths=flight.attempt.deaths + 1)
        if attempt.deaths <= _RETRIES:
            backlog.put_first(attempt)
            return []
        reason = f"{attempt.deaths} workers died while they solved it, for lack of memory perhaps"
        return [Ended(attempt.task, failure(reason), {})]
