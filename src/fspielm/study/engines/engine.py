"""What every engine does: takes solves, gives them back as they end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import final

from fspielm.study.job import Job
from fspielm.study.outcome import Outcome
from fspielm.study.subject import Subject
from fspielm.study.terms import Terms


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
