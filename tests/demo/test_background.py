"""Work in a thread of its own."""

from __future__ import annotations

import threading
import time

import pytest

from fspielm.demo.background import run_interruptibly


def test_returns_the_result_of_another_thread() -> None:
    assert run_interruptibly(threading.current_thread) is not threading.current_thread()


def test_raises_what_the_work_raised() -> None:
    def fail() -> None:
        raise ArithmeticError("singular")

    with pytest.raises(ArithmeticError, match="singular"):
        run_interruptibly(fail)


def test_an_interrupt_does_not_wait_for_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    started, release = threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        release.wait(30)

    def interrupted(thread: threading.Thread, timeout: float | None = None) -> None:
        assert started.wait(10)
        raise KeyboardInterrupt

    begun = time.perf_counter()
    with monkeypatch.context() as patch:
        patch.setattr("fspielm.demo.background.Thread.join", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_interruptibly(work)
    release.set()
    assert time.perf_counter() - begun < 10
