"""Several solves at once, each in a process of its own on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from queue import Queue
from threading import Lock, Thread
from types import TracebackType
from typing import final

from fspielm.study.engines.engine import Ended, Engine, Task
from fspielm.study.sandbox import Sandbox

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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
