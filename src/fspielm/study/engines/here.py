"""One solve after the other in this very process, for what cannot be sent to another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import final

from fspielm.study.engines.engine import Ended, Engine, Task
from fspielm.study.environment import environment
from fspielm.study.subject import Performer


@final
class Here(Engine):
    """No process of its own: a solve that takes its process down takes the run with it, but nothing that has ended.

    Parameters
    ----------
    performer : Performer
    """

    def __init__(self, performer: Performer) -> None:
        self._performer = performer

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def run(self, tasks: Iterable[Task], *, starts: Callable[[Task], None] = lambda task: None) -> Iterator[Ended]:
        """Solve the tasks in their order."""
        where = environment()
        for task in tasks:
            starts(task)
            yield Ended(task, self._performer.perform(task.job, task.terms), where)
