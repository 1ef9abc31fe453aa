"""Ctrl-C while the command line solves: what was found is printed and written."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

import fspielm as fs
from fspielm.cli import report as outputs
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
        for module in ("solve", "solve", "modes"):
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


@pytest.mark.parametrize("presses", [1, 2])
def test_an_interrupt_while_files_are_written_waits_for_the_rest(
    fspielm: Callable[..., Done], monkeypatch: pytest.MonkeyPatch, path: Path, presses: int
) -> None:
    """The first one does, the second does not; either way a file is complete or not there."""

    def save(solution: fs.Solution, place: Path, **given: Any) -> None:
        for _ in range(presses):
            signal.raise_signal(signal.SIGINT)
            pressed.append(place)
        write(solution, place, **given)

    pressed: list[Path] = []
    write = outputs._WRITERS[".fspielm"]
    path.write_text(FILE.replace("+ 900*u", ""))
    monkeypatch.setitem(outputs._WRITERS, ".fspielm", save)
    monkeypatch.setattr(outputs, "run_interruptibly", lambda work: work())
    monkeypatch.setattr(os, "_exit", sys.exit)
    kept, table, picture = (path.with_name(name) for name in ("kept.fspielm", "a.csv", "a.png"))
    done = fspielm("solve", path, "--tol", 1e-3, "--out", kept, "--out", table, "--plot", picture)
    assert done.status == 130
    assert done.err.splitlines()[-1] == "fspielm: interrupted"
    assert [each.exists() for each in (kept, table, picture)] == 3 * [presses == 1]
    assert not list(path.parent.glob("*.draft*"))
    assert len(pressed) == 1


MODES = """
unknown = "u(x)"
equation = "-dx(u, 2) + 4000*x**2*u = lam*u"
parameters = { lam = 1 }
domain = { shape = "Interval", a = -1, b = 1 }
conditions = [{ type = "dirichlet", value = 0 }]
"""


def test_modes_that_were_found_are_printed_and_kept(
    fspielm: Callable[..., Done], interrupt: Callable[..., _Interrupt], tmp_path: Path
) -> None:
    one = interrupt()
    (tmp_path / "well.toml").write_text(MODES)
    done = fspielm("modes", tmp_path / "well.toml", "--within", 10, 500, "--save", tmp_path / "kept", "--json")
    one.release.set()
    assert (done.status, done.err) == (130, "fspielm: interrupted; this is the best so far\n")
    found = json.loads(done.out)
    assert "it was interrupted: modes may be missing" in found["remarks"]
    assert len(list((tmp_path / "kept").iterdir())) == len(found["modes"]) > 0


SWEEP = """
unknown = "u(x)"
equation = "dx(u, 2) + k**2*u = 0"
parameters = { k = 10 }
domain = { shape = "Interval", a = 0, b = 1 }
conditions = [{ type = "dirichlet", value = "cos(k*x)" }]
"""


@pytest.mark.parametrize("keep", [True, False])
def test_rows_that_ended_are_printed_and_written(
    fspielm: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("string.toml").write_text(SWEEP)

    @contextmanager
    def stop(*_: object) -> Iterator[Callable[[str], None]]:
        def show(line: str) -> None:
            if line.startswith("2 of"):
                raise Interrupted(signal.SIGINT)

        yield show

    monkeypatch.setattr("fspielm.cli.sweeping.working", stop)
    monkeypatch.setattr("fspielm.jobs.sweeping._pickled", lambda _: ValueError("solved here"))
    monkeypatch.setattr(os, "_exit", sys.exit)
    kept = ("--keep", "rows.db") if keep else ()
    done = fspielm("solve", "string.toml", "--set", "k=1:3:0.5", "--at", "0.5", *kept, "--out", "rows.csv")
    assert done.status == 130
    safe = "; the rows that have ended are in rows.db, and the same command goes on" if keep else ""
    assert done.err.splitlines()[-1] == f"fspielm: interrupted; this is the best so far{safe}"
    assert [line.split()[:2] for line in done.out.splitlines()[4:6]] == [["1", "0.877583"], ["1.5", "0.731689"]]
    assert Path("rows.csv").read_text(encoding="utf-8").count("missing") == 3
    assert Path("rows.db").exists() == keep
