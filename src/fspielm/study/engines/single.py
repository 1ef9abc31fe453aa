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
        """Solve the tasks in their order; each is given back while the next one is being solved."""
        last: Ended | None = None
        for task in tasks:
            starts(task)
            self._sandbox.begin(task.job, task.subject, task.terms)
            if last is not None:
                yield last
            last = Ended(task, self._sandbox.finish(), self._sandbox.environment)
        if last is not None:
            yield last
