"""Ctrl-C while the command line solves: what was found is printed and written."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

import fspielm as fs
from fspielm.cli.entry import Interrupted

from .conftest import Done

FILE = """
unknown = "u(x, y)"
equation = "laplacian(u) + 900*u = exp(x*y)"

[domain]
shape = "Box"
lower = [0, 0]
upper = [1, 1]

[[conditions]]
type = "dirichlet"
value = 0
"""


class _Interrupt:
    """A signal that arrives while a round is under way, a number of rounds having ended."""

    def __init__(self, rounds: int, number: int) -> None:
        self.rounds, self.number = rounds, number
        self.ready, self.release = Event(), Event()

    def show(self, *_: object) -> Callable[[object], None]:
        def told(event: object) -> None:
            self.rounds -= isinstance(event, fs.Round)
            if self.rounds == 0:
                self.ready.set()
                self.release.wait(300)
                sys.exit()  # ends the thread

        return told

    def run(self, work: Callable[[], Any]) -> Any:
        def quietly() -> None:
            with suppress(SystemExit):
                work()

        thread = Thread(target=quietly)
        thread.start()
        assert self.ready.wait(300)
        raise Interrupted(self.number)


@pytest.fixture
def interrupt(monkeypatch: pytest.MonkeyPatch) -> Callable[..., _Interrupt]:
    def make(rounds: int = 1, number: int = signal.SIGINT) -> _Interrupt:
        one = _Interrupt(rounds, number)
        for module in ("solve", "solve_file"):
            monkeypatch.setattr(f"fspielm.cli.{module}.show_rounds", one.show)
        monkeypatch.setattr("fspielm.cli.progress.run_interruptibly", one.run)
        monkeypatch.setattr(os, "_exit", sys.exit)
        return one

    return make


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "waves.toml"
    place.write_text(FILE)
    return place


def test_the_best_so_far_is_printed_and_written(
    fspielm: Callable[..., Done], interrupt: Callable[..., _Interrupt], path: Path
) -> None:
    one = interrupt(rounds=2)
    kept, picture = path.with_name("kept.fspielm"), path.with_name("a.png")
    done = fspielm("solve", path, "--tol", 1e-13, "--out", kept, "--plot", picture)
    one.release.set()
    assert (done.status, done.err) == (130, "fspielm: interrupted; this is the best so far\n")
    assert "NOT CONVERGED" in done.out
    assert "it was interrupted" in " ".join(done.out.split())
    assert picture.stat().st_size > 0
    solution = fs.load(kept)
    assert len(solution.report.rounds) == 2
    assert "it was interrupted" in solution.report.reason


def test_a_benchmark_as_json(fspielm: Callable[..., Done], interrupt: Callable[..., _Interrupt]) -> None:
    one = interrupt()
    done = fspielm("solve", "poisson-1d", "--json")
    one.release.set()
    assert done.status == 130
    assert len(json.loads(done.out)["rounds"]) == 1


def test_a_request_to_terminate_ends_it_at_once(
    fspielm: Callable[..., Done], interrupt: Callable[..., _Interrupt], path: Path
) -> None:
    one = interrupt(number=signal.SIGTERM)
    done = fspielm("solve", path, "--out", path.with_name("kept.fspielm"))
    one.release.set()
    assert done == Done(143, "", "fspielm: interrupted\n")
    assert not path.with_name("kept.fspielm").exists()
