"""What every engine does; engines on this machine."""

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

# ---- What every engine does: takes solves, gives them back as they end


@final
@dataclass(frozen=True)
class Task:
    """A job with all that another machine needs to do it.

    Attributes
    ----------
    job : Job
    subject : Subject
    terms : Terms
    memory : float
        Bytes that it will need.
    """

    job: Job
    subject: Subject
    terms: Terms
    memory: float


@final
@dataclass(frozen=True)
class Ended:
    """A task that has ended, and where."""

    task: Task
    outcome: Outcome
    environment: Mapping[str, str]


class Engine(AbstractContextManager["Engine"], ABC):
    """Solves tasks. Used in a ``with`` block, whose end stops whatever is still running."""

    @abstractmethod
    def run(self, tasks: Iterable[Task], *, starts: Callable[[Task], None] = lambda task: None) -> Iterator[Ended]:
        """Solve the tasks; each is given back as soon as it ends, in any order.

        Parameters
        ----------
        tasks : iterable of Task
        starts : callable
            Called when a task is given to a worker.
        """


# ---- One solve after the other in this very process, for what cannot be sent to another


@final
class Here(Engine):
    """No process of its own: a solve that takes its process down takes the run with it, but nothing that has ended.

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


# ---- One solve after the other, in one process


@final
class SingleProcess(Engine):
    """One solve at a time on this machine.

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
        """Solve the tasks in their order; each is given back before anything is done about the next."""
        for task in tasks:
            starts(task)
            outcome = self._sandbox.perform(task.job, task.subject, task.terms)
            yield Ended(task, outcome, self._sandbox.environment)


# ---- Several solves at once, each in a process of its own on this machine


# How long a process that is told to end is waited for.
_END_SECONDS = 10.0


@final
class Several(Engine):
    """Processes that each take the next task as soon as they are free.

    Nothing is placed by memory: for solves of about the same size, whose number says how much each may use.

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
        self._is_over = True  # which each of them asks for now and then
        for thread in self._threads:
            thread.join(_END_SECONDS)
        for sandbox in self._sandboxes:
            sandbox.close()

    def run(self, tasks: Iterable[Task], *, starts: Callable[[Task], None] = lambda task: None) -> Iterator[Ended]:
        """Solve the tasks, begun in their order; each is given back as soon as it ends."""
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
            except BaseException as error:  # for whoever waits
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
