"""One solve after the other, in one process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import final

from fspielm.study.engines.engine import Ended, Engine, Task
from fspielm.study.sandbox import Sandbox


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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sandbox.close()

    def run(self, tasks: Iterable[Task], *, starts: Callable[[Task], None] = lambda task: None) -> Iterator[Ended]:
        """Solve the tasks in their order; each is given back before anything is done about the next."""
        for task in tasks:
            starts(task)
            outcome = self._sandbox.perform(task.job, task.subject, task.terms)
            yield Ended(task, outcome, self._sandbox.environment)
