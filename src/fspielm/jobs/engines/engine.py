"""The interface of engines, and engines on this machine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from queue import Queue
from threading import Event, Thread
from typing import Generic, TypeVar, final

from fspielm.jobs.job import Job, Outcome, Terms, environment
from fspielm.jobs.sandbox import ANSWER_SECONDS, Sandbox
from fspielm.jobs.subject import Performer, Subject
from fspielm.numerics.tolerances import SAME


@final
@dataclass(frozen=True)
class Task:
    """A job with everything that another process needs to do it."""

    job: Job
    subject: Subject
    terms: Terms
    # bytes that it needs
    memory: float

    @property
    def reserved(self) -> float:
        """Bytes to reserve: a task that needs more than it may use refuses to begin."""
        return min(self.memory, self.terms.memory)


@final
@dataclass(frozen=True)
class Ended:
    """A task that has ended, its outcome, and the environment it ran in."""

    task: Task
    outcome: Outcome
    environment: Mapping[str, str]


class Engine(AbstractContextManager["Engine"], ABC):
    """Solves tasks. To be used in a ``with`` block, whose end stops what is still running."""

    @abstractmethod
    def run(self, tasks: Iterable[Task], *, starts: Callable[[Task], None] = lambda task: None) -> Iterator[Ended]:
        """Solve the tasks, and yield each as it ends, in any order.

        Parameters
        ----------
        tasks : iterable of Task
        starts : callable
            Called when a task is given to a worker.
        """


# ---- Tasks that wait for room


T = TypeVar("T")

# How many waiting tasks are searched for one that fits.
_WINDOW = 64
# How many tasks may overtake the first one.
_OVERTAKINGS = 16


@final
class Backlog(Generic[T]):
    """Tasks in order, except that small ones may overtake a large one that waits for memory.

    They are read only as far as needed, since planning a task takes time.
    """

    def __init__(self, tasks: Iterable[T]) -> None:
        self._rest = iter(tasks)
        self._waiting: deque[T] = deque()
        self._overtaken = 0

    def __bool__(self) -> bool:
        return bool(self._waiting) or self._read()

    def put_first(self, task: T) -> None:
        """Put a task back, as the next one."""
        self._waiting.appendleft(task)

    def take(self, fits: Callable[[T], bool]) -> T | None:
        """Remove and return the first task that fits; None if none does."""
        place = 0
        while place < len(self._waiting) or (place < _WINDOW and self._read()):
            if fits(self._waiting[place]):
                self._overtaken = 0 if place == 0 else self._overtaken + 1
                task = self._waiting[place]
                del self._waiting[place]
                return task
            if self._overtaken >= _OVERTAKINGS:
                return None
            place += 1
        return None

    def _read(self) -> bool:
        for task in self._rest:
            self._waiting.append(task)
            return True
        return False


# ---- Engines on this machine


@final
class Here(Engine):
    """One solve at a time in this process, for problems that cannot be sent to another; a crash ends the run."""

    def __init__(self, performer: Performer) -> None:
        self._performer = performer

    def __exit__(self, *exception: object) -> None:
        pass

    def run(self, tasks: Iterable[Task], *, starts: Callable[[Task], None] = lambda task: None) -> Iterator[Ended]:
        """Solve the tasks in their order."""
        where = environment()
        for task in tasks:
            starts(task)
            yield Ended(task, self._performer.perform(task.job, task.terms), where)


@final
class Processes(Engine):
    """So many solves at once, each in its own process on this machine; each is yielded before another is planned.

    Parameters
    ----------
    count : int
        Of processes.
    threads : int
        Of each solve.
    memory : float
        Bytes for all solves together; a solve alone may use more.
    """

    def __init__(self, count: int, threads: int, memory: float = float("inf")) -> None:
        self._idle = [Sandbox(threads) for _ in range(count)]
        self._sandboxes = tuple(self._idle)
        self._memory = memory
        self._is_over = Event()
        self._threads: list[Thread] = []

    def __exit__(self, *exception: object) -> None:
        self._stop()
        for sandbox in self._sandboxes:
            sandbox.close()

    def run(self, tasks: Iterable[Task], *, starts: Callable[[Task], None] = lambda task: None) -> Iterator[Ended]:
        """Solve the tasks, roughly in their order."""
        backlog, answers = Backlog(tasks), Queue[tuple[Task, Ended | BaseException]]()
        running: list[Task] = []
        over = self._is_over = Event()

        def solve(sandbox: Sandbox, task: Task) -> None:
            answer: Ended | BaseException
            try:
                outcome = sandbox.perform(task.job, task.subject, task.terms, wanted=lambda: not over.is_set())
                answer = Ended(task, outcome, sandbox.environment)
            except BaseException as error:  # raised again by the thread that waits
                answer = error
            self._idle.append(sandbox)
            answers.put((task, answer))

        def fits(task: Task) -> bool:
            # tasks with equal parts of the memory fill it, in spite of rounding
            used = sum(other.reserved for other in running)
            return not running or used + task.reserved <= self._memory * (1 + SAME)

        try:
            while True:
                while self._idle and (task := backlog.take(fits)) is not None:
                    starts(task)
                    running.append(task)
                    self._threads.append(Thread(target=solve, args=(self._idle.pop(), task), daemon=True))
                    self._threads[-1].start()
                if not running:
                    return
                task, answer = answers.get()
                running.remove(task)
                if isinstance(answer, BaseException):
                    raise answer
                yield answer
        finally:
            self._stop()

    def _stop(self) -> None:
        """Give up what is still running; the threads check now and then whether they should."""
        self._is_over.set()
        for thread in self._threads:
            thread.join(ANSWER_SECONDS)
        self._threads.clear()
