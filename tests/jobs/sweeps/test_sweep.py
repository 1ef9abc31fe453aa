"""Rows solved, measured, kept and resumed."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.errors import WorkersWarning
from fspielm.jobs import Store
from fspielm.jobs.store import StoreError

x, k, a = sp.symbols("x k a")
u = sp.Function("u")(x)
STRING = fs.Problem(
    sp.Eq(u.diff(x, 2) + k**2 * u, 0), fs.Interval(0, 1), [fs.Dirichlet(a * sp.cos(k * x))], given={k: ..., a: ...}
)


class Middle:
    """The value in the middle, in this process: it cannot be sent to another. `trouble` is raised at a row."""

    def __init__(self) -> None:
        self.lock, self.seen = Lock(), 0
        self.trouble: dict[int, BaseException] = {}

    def __repr__(self) -> str:
        return "Middle"

    def __call__(self, solution: fs.Solution) -> Any:
        self.seen += 1
        if self.seen in self.trouble:
            raise self.trouble[self.seen]
        return {"middle": solution([[0.5]])[0], "ends": 1j * solution([[0.0], [1.0]])}


@pytest.fixture
def middle() -> Middle:
    return Middle()


def swept(values: dict[sp.Symbol, Any], measure: Any, **more: Any) -> Any:
    with pytest.warns(WorkersWarning, match=r"other processes.*in this process"):
        return fs.sweep(STRING, values, measure=measure, **more)


def test_every_combination_in_processes_of_their_own(tmp_path: Path) -> None:
    lines: list[str] = []
    found = fs.sweep(
        STRING,
        {k: [1.0, 2.0], a: [1, 3]},
        measure=lambda solution: solution([[0.5]])[0],
        workers=2,
        progress=lambda done, total, line: lines.append(f"{done} of {total}"),
    )
    expected = np.cos([[0.5], [1.0]]) * [[1, 3]]
    assert found["value"].dims == ("k", "a")
    assert np.allclose(found["value"], expected, rtol=1e-8)
    assert found["converged"].all()
    assert lines == ["1 of 4", "2 of 4", "3 of 4", "4 of 4"]
    fs.plot_sweep(found, tmp_path / "map.png")
    line = fs.plot_sweep(found.sel(a=3), tmp_path / "line.png", title="in the $ middle")
    above, below = line.axes
    assert above.get_title() == r"in the \$ middle"
    assert [text.get_text() for text in below.texts] == ["tol\n1e-08"]
    assert (tmp_path / "line.png").stat().st_size > 1000


def test_an_interrupted_sweep_goes_on(middle: Middle, tmp_path: Path) -> None:
    keep, values = tmp_path / "sweep.db", {k: np.linspace(1, 3, 5), a: 1}
    middle.trouble[3] = KeyboardInterrupt()
    with pytest.raises(fs.SolveInterrupted, match=r"interrupted; \.rows") as caught:
        swept(values, middle, keep=keep)
    rows = caught.value.rows
    assert rows["status"].values.ravel().tolist() == ["done"] * 2 + ["missing"] * 3
    assert np.allclose(rows["middle"][:2, 0], np.cos([0.5, 0.75]))
    with Store.open(keep, read_only=True) as store:
        before = [row.ended for row in store.rows()]
    assert len(before) == 2
    found = swept(values, middle, keep=keep)
    assert middle.seen == 6
    assert np.allclose(found["middle"][:, 0], np.cos(np.linspace(1, 3, 5) / 2))
    assert found["ends"].shape == (5, 1, 2)
    again = fs.sweep(STRING, values, measure=middle, keep=keep)
    assert again.equals(found)


def test_a_measure_that_raises_costs_its_row(middle: Middle, tmp_path: Path) -> None:
    middle.trouble[2] = KeyError("ear")
    values, keep = {k: [1, 2, 3], a: [1.0]}, tmp_path / "sweep.db"
    with pytest.warns(fs.AccuracyWarning, match=r"1 of 3 rows.*k=2, a=1\.0.*KeyError"):
        found = swept(values, middle, keep=keep)
    assert found["status"].values.ravel().tolist() == ["done", "failed", "done"]
    assert np.isnan(found["middle"].values[1, 0])
    assert swept(values, middle, keep=keep, retry_failed=True)["converged"].all()


class Odd:
    """Another array for every row, or nothing."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values
        self.lock = Lock()  # so that rows are solved here

    def __call__(self, _: fs.Solution) -> Any:
        return self.values.pop(0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[1, 2], [1, 2, 3], [4, 5]], r"shape \(3,\).*first.*\(2,\)"),
        ([1, None, 2], r"measure.*numbers.*value is None"),
    ],
)
def test_a_row_that_is_unlike_the_others_costs_itself(given: list[Any], message: str) -> None:
    with pytest.warns(fs.AccuracyWarning, match=message):
        found = swept({k: [1, 2, 3], a: [1.0]}, Odd(given))
    assert found["status"].values.ravel().tolist() == ["done", "failed", "done"]
    assert np.isnan(found["value"].values[1]).all()
    assert not found["converged"].values[1]


def glass() -> fs.Problem:
    y = sp.Symbol("y")
    v = sp.Function("v")(x, y)
    equation = sp.Eq(v.diff(x, 2) + v.diff(y, 2) + 4 * v, 0)
    outside, wave = fs.Exterior(fs.Disk((0, 0), 1)), fs.plane_wave(2, (1, 0))
    return fs.Problem(equation, outside, [fs.Transparent(2 * k)], given={k: ...}, incident=wave)


def test_a_value_that_the_problem_cannot_have_costs_its_row() -> None:
    with pytest.warns(fs.AccuracyWarning, match=r"1 of 2 rows.*k=0\.0: .*wavenumber.*zero"):
        found = fs.sweep(glass(), {k: [0.0, 1.0]}, workers=1)
    assert found["status"].values.tolist() == ["failed", "done"]
    # an object of the wavenumber around it adds nothing to a wave of size one
    assert found["size"].values[1] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": {k: [1.0, 2.0], a: 1}}, "other parameters or values"),
        ({"tol": 1e-6}, "another tol, 1e-08"),
        ({"rng": 3}, "another rng, 0"),
        ({"measure": None}, "another measure"),
        ({"problem": STRING.at({k: 1.0, a: 1.0})}, None),
    ],
)
def test_a_file_of_another_sweep_is_refused(change: dict[str, Any], message: str | None, tmp_path: Path) -> None:
    keep = tmp_path / "sweep.db"
    same: dict[str, Any] = {"problem": STRING, "values": {k: [1.0], a: 1}, "measure": Middle()}
    with pytest.warns(WorkersWarning):
        fs.sweep(keep=keep, **same)
    if message is None:  # values that were given mean nothing
        assert fs.sweep(keep=keep, **same | change)["converged"].all()
        return
    with pytest.raises(fs.ProblemError, match=rf"another sweep, with {message}; name another"):
        fs.sweep(keep=keep, **same | change)


def test_a_full_disk_is_told_and_loses_nothing(middle: Middle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep, values = tmp_path / "sweep.db", {k: [1.0, 2.0, 3.0], a: 1}
    record, calls = Store.record_all, []

    def full(store: Store, *rows: Any, **more: Any) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise StoreError(f"cannot write to {str(store.path)!r}: no space left on the disk; what it holds is safe")
        record(store, *rows, **more)

    monkeypatch.setattr(Store, "record_all", full)
    with pytest.raises(StoreError, match=r"no space left.*same call again"):
        swept(values, middle, keep=keep)
    monkeypatch.undo()
    assert swept(values, middle, keep=keep)["converged"].all()
    assert middle.seen == 4
    with sqlite3.connect(keep) as connection:
        assert connection.execute("SELECT count(*) FROM solves").fetchone() == (3,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": {sp.Symbol("q"): [1]}}, r"parameter q.*occur.*a, k"),
        ({"values": {x: [1]}}, "parameter x is a coordinate"),
        ({"values": {k: [1.0]}}, "^a has no value: pass problem"),
        ({"values": {k: [], a: 1}}, "values of k are empty"),
        ({"values": {k: [1.0, np.nan], a: 1}}, r"values of k.*finite.*nan"),
        ({"values": {k: ["one"], a: 1}}, r"values of k.*real.*row"),
        ({"values": {k: [2.0, 2.0], a: 1}}, r"values of k.*2\.0 more than once"),
        ({"values": [1.0]}, r"values.*mapping"),
        ({"measure": 3}, r"measure.*function of a solution"),
        ({"rng": None}, r"rng.*whole number for a sweep"),
        ({"tol": 2}, "tol must be a number"),
        ({"workers": 0}, "workers must be"),
        ({"workers": 2, "scheduler": "tcp://a:1"}, "give one"),
        ({"workers": 2, "measure": Middle()}, "sent to other processes"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        fs.sweep(**{"problem": STRING, "values": {k: [1.0], a: 1}} | arguments)
