"""``--out`` and ``fspielm show``: solutions into files, and what files say of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fspielm as fs
from fspielm.cli import report as outputs
from fspielm.cli import solve as solving
from fspielm.cli import solve as solving_files
from fspielm.paper.demo import draw_run

PROBLEM = """
title = "A string"
unknown = "u(x)"
equation = "dx(u, 2) + 100*u = 0"

[domain]
shape = "Interval"
a = 0
b = 1

[[conditions]]
type = "dirichlet"
value = "cos(10*x)"
"""
WAVE = """
unknown = "u(x, t)"
equation = "dt(u, 2) = dx(u, 2)"
domain = { shape = "Interval", a = 0, b = 1, time = [0, 1] }
conditions = [
    { type = "dirichlet", value = 0 },
    { type = "initial", value = "sin(pi*x)" },
    { type = "initial", value = 0, order = 1 },
]
"""


@pytest.fixture
def problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("string.toml").write_text(PROBLEM, encoding="utf-8")
    Path("wave.toml").write_text(WAVE, encoding="utf-8")
    return "string.toml"


def test_every_format_by_its_suffix(fspielm: Any, problem: str) -> None:
    pyvista = pytest.importorskip("pyvista")
    xarray = pytest.importorskip("xarray")
    names = ["r.csv", "r.NC", "r.npz", "r.vtu", "r.vtr", "r.vti", "r.vtk", "r.fspielm"]
    done = fspielm("solve", problem, *(word for name in names for word in ("--out", name)), "--plot", "r.png")
    assert done.status == 0
    assert "\nWritten: r.fspielm\nWritten: r.NC\nWritten: r.npz\nWritten: r.csv\n" in done.out
    assert Path("r.png").exists()
    solution = fs.load("r.fspielm")
    expected = solution.to_numpy()["u"]
    np.testing.assert_array_equal(np.loadtxt("r.csv", delimiter=",", skiprows=1)[:, 1], expected)
    with xarray.open_dataset("r.NC") as dataset, np.load("r.npz") as arrays:
        np.testing.assert_array_equal(dataset.u, expected)
        np.testing.assert_array_equal(arrays["u"], expected)
    for name in ("r.vtu", "r.vtr", "r.vti", "r.vtk"):
        np.testing.assert_allclose(pyvista.read(name)["u"], expected, rtol=0, atol=1e-13)
    assert not [entry for entry in Path().iterdir() if entry.name.startswith(".")]


def test_a_benchmark_in_silence(fspielm: Any, tmp_path: Path) -> None:
    done = fspielm("solve", "poisson-1d", "--json", "--out", tmp_path / "r.fspielm")
    assert done.status == 0
    assert done.out.startswith("{")
    assert "Written" not in done.out
    assert fs.load(tmp_path / "r.fspielm").converged


def test_a_series_in_time(fspielm: Any, problem: str) -> None:
    assert fspielm("solve", "wave.toml", "--tol", "1e-3", "--out", "wave.pvd").status == 0
    assert len(list(Path("wave").iterdir())) == 100


KNOWN = ".fspielm, .nc, .npz, .csv, .vtu, .vtr, .vti, .vtk, .pvd"


@pytest.mark.parametrize("case", ["wave.toml", "wave-1d"])
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("r.xyz", f"the name of the file must end in {KNOWN}; got 'r.xyz'"),
        ("r", f"the name of the file must end in {KNOWN}; got 'r'"),
        ("none/r.nc", "cannot write 'none/r.nc': its folder does not exist"),
        ("folder.csv", "cannot write 'folder.csv': it is a folder"),
        ("r.vtu", "at all times; name a series in time with .pvd"),
    ],
)
def test_what_cannot_be_written_is_refused_before_the_solve(
    fspielm: Any, problem: str, monkeypatch: pytest.MonkeyPatch, case: str, name: str, message: str
) -> None:
    def refuse(*args: Any) -> None:
        raise AssertionError("solved before the outputs were checked")

    monkeypatch.setattr(solving, "run_case", refuse)
    monkeypatch.setattr(solving_files, "run_file", refuse)
    Path("folder.csv").mkdir()
    done = fspielm("solve", case, "--out", "good.npz", "--out", name)
    assert done.status == 2
    assert message in done.error
    assert not Path("good.npz").exists()


def test_a_missing_package_is_named_before_the_solve(
    fspielm: Any, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fspielm.solution.export.arrays.find_spec", lambda name: None)
    done = fspielm("solve", problem, "--out", "r.nc")
    assert done.status == 2
    assert "pip install 'fspielm[export]'" in done.error


def test_the_solution_is_safe_whatever_happens_to_the_others(
    fspielm: Any, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device", "r.csv")

    monkeypatch.setitem(outputs._WRITERS, ".csv", full)
    done = fspielm("solve", problem, "--out", "r.csv", "--out", "r.fspielm")
    assert done.status == 1
    assert done.err.endswith("fspielm: error: r.csv: No space left on device\n")
    assert fs.load("r.fspielm").converged


class TestShow:
    def test_prints_statement_verdict_and_report(self, fspielm: Any, problem: str) -> None:
        fspielm("solve", problem, "--out", "r.fspielm")
        done = fspielm("show", "r.fspielm")
        assert done.status == 0
        assert max(map(len, done.out.splitlines())) <= 80
        text = " ".join(done.out.split())
        for fact in (
            "r.fspielm: A string",
            'equation = "100*u + dx(u, 2) = 0"',
            'shape = "Interval"',
            "verdict converged: the error estimate",
            "rng 0",
            f"saved by fspielm {fs.__version__}, python",
            "dirichlet x-",
            "round functions rows estimate time",
        ):
            assert fact in text

    def test_exports_and_draws(self, fspielm: Any, problem: str) -> None:
        fspielm("solve", problem, "--out", "r.fspielm", "--out", "r.csv")
        done = fspielm("show", "r.fspielm", "--out", "s.csv", "--plot", "s.png")
        assert done.out.endswith("\nPicture: s.png\n\nWritten: s.csv\n")
        assert Path("s.csv").read_bytes() == Path("r.csv").read_bytes()
        assert Path("s.png").read_bytes().startswith(b"\x89PNG")

    def test_titles_are_those_of_the_file(self, fspielm: Any, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """Kept through a second file; a solution that has none goes by its unknown, its picture by the file."""
        titles = []
        monkeypatch.setattr(outputs, "draw_run", lambda run, title: titles.append(title) or draw_run(run, title))
        fspielm("solve", problem, "--out", "r.fspielm", "--plot", "r.png")
        fspielm("show", "r.fspielm", "--out", "s.fspielm", "--plot", "s.png")
        assert fspielm("show", "s.fspielm").out.startswith("s.fspielm: A string\n")
        fs.load("s.fspielm").save("t.fspielm")
        assert fspielm("show", "t.fspielm", "--plot", "t.png").out.startswith("t.fspielm: u(x)\n")
        assert titles[0].startswith("A string")
        assert "functions" not in titles[0]
        assert titles[1:] == ["A string", "t.fspielm"]

    def test_several_pictures(self, fspielm: Any, problem: str) -> None:
        done = fspielm("solve", problem, "--out", "r.fspielm", "--plot", "a.png", "--plot", "b.svg")
        assert done.out.endswith("\nPicture: a.png\nPicture: b.svg\n")
        done = fspielm("show", "r.fspielm", "--plot", "c.png", "--plot", "d.svg")
        assert done.out.endswith("\nPicture: c.png\nPicture: d.svg\n")
        for name in ("a.png", "c.png"):
            assert Path(name).read_bytes().startswith(b"\x89PNG")
        for name in ("b.svg", "d.svg"):
            assert "<svg" in Path(name).read_text(encoding="utf-8")
        assert "must end in" in fspielm("show", "r.fspielm", "--plot", "e.png", "--plot", "e.xyz").error
        assert not Path("e.png").exists()

    def test_what_was_not_stored(self, fspielm: Any, tmp_path: Path, make_solution: Any) -> None:
        solution = make_solution("2d", conditions=[fs.Dirichlet(lambda points: points[:, 0])])
        with pytest.warns(fs.StorageWarning):
            solution.save(tmp_path / "r.fspielm")
        done = fspielm("show", tmp_path / "r.fspielm")
        assert done.status == 0
        text = " ".join(done.out.split())
        assert "equation Derivative(u(x, y), (x, 2)) + Derivative(u(x, y), (y, 2)) = sin(x)" in text
        assert "condition Dirichlet(value=<function" in text
        assert "not stored Dirichlet: value is the callable" in text
        assert "verdict NOT CONVERGED: nothing was solved" in text

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ("none.fspielm", "none.fspielm: no such file"),
            ("string.toml", "string.toml: not a solution that fspielm saved"),
        ],
    )
    def test_refused(self, fspielm: Any, problem: str, arguments: str, message: str) -> None:
        done = fspielm("show", arguments)
        assert done.status == 2
        assert message in done.error

    def test_an_impossible_output(self, fspielm: Any, problem: str) -> None:
        fspielm("solve", problem, "--out", "r.fspielm")
        assert "the name of the file must end in" in fspielm("show", "r.fspielm", "--out", "r.xyz").error
        assert "the name of a picture must end in" in fspielm("show", "r.fspielm", "--plot", "r.xyz").error
