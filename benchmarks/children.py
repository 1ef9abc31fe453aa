"""Work done in other processes: several at a time, each with one thread of the linear algebra, ended if they hang."""

from __future__ import annotations

import multiprocessing
import os
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import Thread
from time import perf_counter, sleep
from typing import Any, Literal

# Read by the library when it is loaded, which a child does anew.
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Ended:
    """A task that ended.

    Attributes
    ----------
    task : object
    how : {"done", "hung", "died"}
        By itself, by us after the limit, or by its process' death (as for want of memory).
    result : object
        What the function returned, if it did.
    seconds : float
        From the start of the task, which includes the start of a process that is fresh.
    """

    task: Any
    how: Literal["done", "hung", "died"]
    result: Any
    seconds: float


@dataclass(eq=False)
class _Child:
    process: BaseProcess
    pipe: Connection
    task: Any = None
    begun: float = 0.0

    def begin(self, task: Any) -> None:
        self.task, self.begun = task, perf_counter()
        self.pipe.send(task)

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def in_children(
    function: Callable[[Any], Any],
    tasks: Iterable[Any],
    workers: int = 1,
    limit: float = float("inf"),
    fresh: bool = False,
) -> Iterator[Ended]:
    """Call `function` on every task in child processes, and yield what became of each as it ends.

    Parameters
    ----------
    function : callable
        Found by its name in the child, as must be all that a task is made of.
    tasks : iterable
    workers : int
        How many processes at a time.
    limit : float
        Seconds after which a task is ended, its process with it.
    fresh : bool
        A new process for every task, rather than one that may have solved others before.

    Raises
    ------
    RuntimeError
        If `function` raises: what a task may do wrong is for `function` to catch.
    """
    waiting, idle, busy = deque(tasks), list[_Child](), list[_Child]()
    try:
        while waiting or busy:
            while waiting and len(busy) < workers:
                child = idle.pop() if idle else _start(function)
                child.begin(waiting.popleft())
                busy.append(child)
            ready = wait([child.pipe for child in busy], timeout=_time_left(busy, limit))
            for child in list(busy):
                spent = perf_counter() - child.begun
                if child.pipe not in ready and spent < limit:
                    continue
                busy.remove(child)
                how, result = _hear(child) if child.pipe in ready else ("hung", None)
                if fresh or how != "done":
                    child.end()
                else:
                    idle.append(child)
                yield Ended(child.task, how, result, spent)
    finally:
        for child in (*idle, *busy):
            child.end()


def _start(function: Callable[[Any], Any]) -> _Child:
    os.environ.update(_ONE_THREAD)
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(function, theirs), daemon=True)
    process.start()
    theirs.close()  # so that its end is the pipe's end
    return _Child(process, ours)


def _serve(function: Callable[[Any], Any], pipe: Connection) -> None:
    """Answer every task until the parent is gone."""
    Thread(target=_watch, args=(os.getppid(),), daemon=True).start()
    while True:
        try:
            task = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            answer = ("done", function(task))
        except Exception:
            answer = ("failed", traceback.format_exc())
        pipe.send(answer)


def _watch(parent: int) -> None:
    """End with the parent also in the middle of a task, which may be one that hangs."""
    while os.getppid() == parent:
        sleep(1.0)
    os._exit(1)


def _hear(child: _Child) -> tuple[Literal["done", "died"], Any]:
    try:
        kind, content = child.pipe.recv()
    except (EOFError, ConnectionResetError):
        return "died", None
    if kind == "failed":
        raise RuntimeError(f"{child.task}:\n{content}")
    return "done", content


def _time_left(busy: list[_Child], limit: float) -> float | None:
    left = min(child.begun for child in busy) + limit - perf_counter()
    return None if left == float("inf") else max(left, 0.0)
