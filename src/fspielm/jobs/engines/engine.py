"""The interface of engines, and engines on this machine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from queue import Queue
from threading import Lock, Thread
from typing import final

from fspielm.jobs.job import Job, Outcome, Terms, environment
from fspielm.jobs.sandbox import Sandbox
from fspielm.jobs.subject import Performer, Subject


@final
@dataclass(frozen=True)
class Task:
    """A job with everything that another process needs to do it.

    Attributes
    ----------
    job : Job
    subject : Subject
    terms : Terms
    memory : float
        Bytes that it needs.
    """

    job: Job
    subject: Subject
    terms: Terms
    memory: float


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


@final
class Here(Engine):
    """One solve at a time in this process, for problems that cannot be sent to another; a crash ends the run.

    Parameters
    ----------
    performer : Performer
    """

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
class SingleProcess(Engine):
    """One solve at a time, in one other process on this machine.

    Parameters
    ----------
    threads : int
        Of each solve.
    """

    def __init__(self, threads: int) -> None:
        self._sandbox = Sandbox(threads)

    def __exit__(self, *exception: object) -> None:
        self._sandbox.close()

    def run(self, tasks: Iterable[Task], *, starts: Callable[[Task], None] = lambda task: None) -> Iterator[Ended]:
        """Solve the tasks in their order; each is yielded before the next is planned."""
        for task in tasks:
            starts(task)
            outcome = self._sandbox.perform(task.job, task.subject, task.terms)
            yield Ended(task, outcome, self._sandbox.environment)


# How long to wait for a process to end.
_END_SECONDS = 10.0


@final
class Several(Engine):
    """Several solves at once, each in its own process on this machine, which takes the next task when it is free.

    Tasks do not wait for memory: each may use an equal part of it.

    Parameters
    ----------
    count : int
        Of processes.
    threads : int
        Of each solve.
    """

    def __init__(self, count: int, threads: int) -> None:
        self._sandboxes = [Sandbox(threads) for _ in range(count)]
        self._lock = Lock()
        self._is_over = False
        self._threads: list[Thread] = []

    def __exit__(self, *exception: object) -> None:
        self._is_over = True  # the threads check it now and then
        for thread in self._threads:
            thread.join(_END_SECONDS)
        for sandbox in self._sandboxes:
            sandbox.close()

    def run(self, tasks: Iterable[Task], *, starts: Callable[[Task], None] = lambda task: None) -> Iterator[Ended]:
        """Solve the tasks, begun in their order, and yield each as it ends."""
        rest, ended = iter(tasks), Queue[Ended | BaseException | None]()

        def work(sandbox: Sandbox) -> None:
            try:
                while not self._is_over:
                    with self._lock:
                        task = next(rest, None)
                        if task is None:
                            break
                        starts(task)
                    outcome = sandbox.perform(task.job, task.subject, task.terms, wanted=lambda: not self._is_over)
                    ended.put(Ended(task, outcome, sandbox.environment))
            except BaseException as error:  # raised again by the thread that waits
                ended.put(error)
            finally:
                ended.put(None)

        self._threads = [Thread(target=work, args=[sandbox], daemon=True) for sandbox in self._sandboxes]
        for thread in self._threads:
            thread.start()
        working = len(self._threads)
        while working:
            found = ended.get()
            if found is None:
                working -= 1
            elif isinstance(found, BaseException):
                raise found
            else:
                yield found
