"""Problems read from files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.files import example, read_draft

x, y, t, k = sp.symbols("x y t k")
u, v = sp.Function("u")(x, y), sp.Function("v")(x, t)


def test_every_table(disk: str, tmp_path: Path) -> None:
    path = tmp_path / "disk.toml"
    path.write_text(disk, encoding="utf-8")
    file = fs.read_problem_file(path)
    assert file.title == "Waves in a disk"
    assert file.problem.equation == sp.Eq(-u.diff(x, 2) - u.diff(y, 2) - k**2 * u, y * sp.sin(k * x))
    assert file.problem.givens.symbols == {k: 3 * sp.pi / 2}
    assert file.problem.domain == fs.Disk((0, 0.5), 2)
    assert file.problem.conditions == (fs.Dirichlet(0.1 * x, on=x < 0), fs.Neumann(0, on=x >= 0))
    assert (file.tol, file.rng, file.budget) == (1e-6, 7, fs.Budget(neurons=500, seconds=4.0))
    assert file.exact == sp.sin(3 * sp.pi * x / 2)
    assert (file.plot, file.table) == (tmp_path / "disk.png", tmp_path / "out" / "disk.csv")


def test_what_may_be_left_out(heat: str) -> None:
    file = fs.read_problem_file(heat)
    a = 2 + sp.cos(x)
    assert file.problem.equation == sp.Eq(v.diff(t), sp.diff(a * v.diff(x), x) + 0.5)
    assert file.problem.domain == fs.Interval(0, np.pi) * fs.Time(0, 0.5)
    assert file.problem.conditions == (
        fs.Dirichlet(0, on=["x-", "x+"]),
        fs.Initial(sp.Piecewise((x, x < 1), (1, True))),
    )
    assert (file.title, file.tol, file.rng, file.budget, file.exact) == ("", 1e-8, None, fs.Budget(), None)
    assert (file.plot, file.table) == (None, None)


def test_read_problem_is_the_problem_alone(heat: str, tmp_path: Path) -> None:
    path = tmp_path / "heat.toml"
    path.write_text(heat, encoding="utf-8")
    for source in (heat, path, str(path)):
        assert fs.read_problem(source).unknown == v


def test_windows_lines_and_a_byte_order_mark(heat: str, tmp_path: Path) -> None:
    path = tmp_path / "heat.toml"
    path.write_bytes(b"\xef\xbb\xbf" + heat.replace("\n", "\r\n").encode())
    assert fs.read_problem(path).unknown == v


def test_a_parameter_that_nothing_uses_is_no_mistake(heat: str) -> None:
    assert fs.read_problem(heat + "[parameters]\nspare = 3\n").givens.symbols == {}


def test_parameters_may_be_called_as_python_words(heat: str) -> None:
    problem = fs.read_problem(heat.replace("0.5", "lambda*x") + '[parameters]\nlambda = "1/2"\n')
    assert problem.right_hand_side(np.array([[1.0, 0.0]])) == [0.5]


def test_the_example_is_complete() -> None:
    file = fs.read_problem_file(example())
    assert file.problem.domain == fs.Box((0, 0), (1.3, 0.75))
    assert [c.name for c in file.problem.constraints] == ["dirichlet x-", "dirichlet x+", "dirichlet y-", "neumann y+"]


def test_what_the_example_only_mentions_is_right_too() -> None:
    lines = [line.removeprefix("# ") if line.startswith(("# [", "# plot", "# table", "# exact")) else line
             for line in example().splitlines()]  # fmt: skip
    file = fs.read_problem_file("\n".join(lines))
    assert (file.plot, file.table) == (Path("solution.png"), Path("solution.csv"))
    assert file.exact == sp.sin(8 * sp.pi * x) * sp.sin(8 * sp.pi * y)


def test_solve_and_measure() -> None:
    file = fs.read_problem_file(
        """
        unknown = "u(x)"
        equation = "dx(u, 2) + 100*u = 0"
        domain = { shape = "Interval", a = 0, b = 1 }
        conditions = [
            { type = "dirichlet", value = 1, on = "x-" },
            { type = "dirichlet", value = "cos(10)", on = "x+" },
        ]
        solve = { tol = 1e-9, rng = 3 }
        reference = { exact = "cos(10*x)" }
        """
    )
    solution = file.solve()
    assert solution.report.rng == 3
    assert solution.report.tol == 1e-9
    assert file.relative_error(solution) < 1e-9
    assert file.solve(rng=4).report.rng == 4
    assert file.relative_error(lambda points: 1.5 * np.cos(10 * points[:, 0])) == pytest.approx(0.5)


def test_without_a_reference_nothing_can_be_measured(heat: str) -> None:
    with pytest.raises(fs.ProblemError, match=r"no \[reference\] to measure"):
        fs.read_problem_file(heat).relative_error(lambda points: points[:, 0])


def test_a_statement_need_not_be_a_problem(disk: str) -> None:
    statement = read_draft(disk.replace("x >= 0", "x > 0.5"))
    assert len(statement.conditions) == 2
    with pytest.raises(fs.ProblemError, match=r"piece of.*part 'circle'"):
        statement.problem_file()


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        ('shape = "Box"\nlower = [0, "-pi"]\nupper = [1, 2.5]', fs.Box((0, -np.pi), (1, 2.5))),
        ('shape = "Pacman"', fs.Pacman()),
        ('shape = "Pacman"\nmouth = "3/4"', fs.Pacman(mouth=0.75)),
        ('shape = "Panda"\nradius = 0.5', fs.Panda(0.5)),
        ('shape = "PolarCurve"\nradius = "2 + cos(3*theta)"\ncenter = [1, 1]', None),
    ],
)
def test_shapes(disk: str, domain: str, expected: fs.Disk | None) -> None:
    begin, end = disk.index('shape = "Disk"'), disk.index("[[conditions]]")
    everywhere = disk[end : disk.index("[[conditions]]", end + 1)].replace('where = "x < 0"', "")
    problem = fs.read_problem(f"{disk[:begin]}{domain}\n\n{everywhere}")
    theta = sp.Symbol("theta", real=True)
    assert problem.domain == (expected or fs.PolarCurve(2 + sp.cos(3 * theta), center=(1, 1)))


def test_memory_may_be_a_size() -> None:
    text = (
        'unknown = "u(x)"\nequation = "dx(u, 2) = 1"\ndomain = { shape = "Interval", a = 0, b = 1 }\n'
        'conditions = [{ type = "dirichlet", value = 0 }]\nsolve = { memory = "4GB" }\n'
    )
    assert fs.read_problem_file(text).budget == fs.Budget(memory=4e9)
