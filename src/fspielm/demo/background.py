"""Long computations that Ctrl-C ends at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")

_LISTEN_SECONDS = 0.1


def run_interruptibly(function: Callable[[], T]) -> T:
    """Call `function` in a thread of its own and wait for its result, or its exception.

    Python answers Ctrl-C in the main thread and between two of its own instructions, and one call into LAPACK
    can take a minute. With the work elsewhere, the main thread is free to listen. After Ctrl-C the thread is
    left to itself: only let it compute, and write its results from the main thread.
    """
    future: Future[T] = Future()

    def work() -> None:
        try:
            future.set_result(function())
        except BaseException as error:
            future.set_exception(error)

    thread = Thread(target=work, name="fspielm-work", daemon=True)
    thread.start()
    while thread.is_alive():
        # with a time limit: without one, Windows would not deliver Ctrl-C
        thread.join(_LISTEN_SECONDS)
    return future.result()
