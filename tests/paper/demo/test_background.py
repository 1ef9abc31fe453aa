"""Work in a thread of its own."""

from __future__ import annotations

import threading

import pytest

from fspielm.resources import run_interruptibly


def test_returns_the_result_of_another_thread() -> None:
    assert run_interruptibly(threading.current_thread) is not threading.current_thread()


def test_raises_what_the_work_raised() -> None:
    def fail() -> None:
        raise ArithmeticError("singular")

    with pytest.raises(ArithmeticError, match="singular"):
        run_interruptibly(fail)


def test_an_interrupt_does_not_wait_for_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    started, release, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        release.wait()
        ended.set()

    def interrupted(thread: threading.Thread, timeout: float | None = None) -> None:
        assert started.wait(300)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("fspielm.resources.Thread.join", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_interruptibly(work)
    assert not ended.is_set()
    release.set()
    assert ended.wait(300)
