"""Problem files with regions: shapes side by side, data by region, and interfaces."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

TEXT = """
unknown = "u(x, y)"
equation = "-div(a*grad(u)) + k*u = 1"

[parameters]
c = 2
k = { left = 1, right = "c" }

[domain.regions]
left = { shape = "Box", lower = [0, 0], upper = [1, 1] }
right = { shape = "Box", lower = [1, 0], upper = ["c", 1] }

[given]
a = { left = 10.0, right = "1 + c*x**2" }

[[conditions]]
type = "dirichlet"
value = { left = 0, right = "x - 1" }

[[conditions]]
type = "interface"
jump = "sin(y)"
flux_jump = -1
between = ["left", "right"]

[solve]
approach = "patches"
tol = 1e-4
"""
x, y = sp.symbols("x y")
u, v, a = (sp.Function(name)(x, y) for name in "uva")
BOXES = fs.Regions(left=fs.Box((0, 0), (1, 1)), right=fs.Box((1, 0), (2, 1)))


def test_read() -> None:
    file = fs.read_problem_file(TEXT)
    problem = file.problem
    assert file.approach == "patches"
    assert problem.domain == BOXES
    assert problem.statement.given[a] == fs.ByRegion(left=10.0, right=1 + sp.Symbol("c") * x**2)
    assert problem.conditions == (
        fs.Dirichlet(fs.ByRegion(left=0, right=x - 1)),
        fs.Interface(sp.sin(y), -1, ("left", "right")),
    )
    (line,) = problem.interfaces
    assert line.sides == ("left", "right")
    assert problem.equations_at([1.5, 0.5])[0].operator.order == 2


@pytest.mark.parametrize("time", [False, True])
def test_written_and_read_again(time: bool) -> None:
    problem = fs.read_problem(TEXT)
    if time:
        w, b, t = sp.Function("u")(x, sp.Symbol("t")), sp.Function("a")(x, sp.Symbol("t")), sp.Symbol("t")
        domain = fs.Regions(left=fs.Interval(0, 1), right=fs.Interval(1, 2)) * fs.Time(0, 1)
        problem = fs.Problem(
            sp.Eq(w.diff(t), (b * w.diff(x)).diff(x)),
            domain,
            [fs.Dirichlet(0), fs.Initial(sp.sin(x)), fs.Interface(jump=1)],
            given={b: fs.ByRegion(left=1.5, right=2 + t)},
        )
    again = fs.read_problem(fs.write_problem(problem))
    assert again.statement.equations == problem.statement.equations
    assert again.statement.given == problem.statement.given
    assert again.conditions == problem.conditions
    assert again.domain == problem.domain
    assert [line.name for line in again.interfaces] == [line.name for line in problem.interfaces]


def test_jumps_of_a_system() -> None:
    laplacians = [w.diff(x, 2) + w.diff(y, 2) for w in (u, v)]
    by_unknown = fs.Dirichlet({u: fs.ByRegion(left=x, right=1), v: 0})
    jumps = fs.Interface({u: 1, v: y}, (0, sp.cos(y)))
    problem = fs.Problem(laplacians, BOXES, [by_unknown, jumps])
    again = fs.read_problem(fs.write_problem(problem))
    assert again.conditions == problem.conditions


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("left = 10.0, right", "left = 10.0, rigth", r"region 'rigth'.*left, right"),
        ('{ left = 10.0, right = "1 + c*x**2" }', '"1 + x"', r"a must be a table.*region"),
        ('"1 + c*x**2"', '"1 + q*x**2"', r"\[given a\]: right:.*'q'"),
        ("lower = [1, 0]", "lower = [0.5, 0]", r"'left' and 'right' overlap.*0.5"),
        ("lower = [1, 0]", "lower = [1.25, 0]", r"'left' touches no.*0.25"),
        ("[given]\na =", "[given]\nx =", "'x' stands for two things"),
        ('"left", "right"]', '"left", "top"]', r"region 'top'.*left, right"),
        ('approach = "patches"', 'approach = "cells"', "approach must be one of"),
        ('right = "c" }', "right = 2, top = 3 }", r"given\[k\].*region 'top'"),
    ],
)
def test_refused(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(fs.ProblemError, match=message):
        fs.read_problem(TEXT.replace(old, new))


def test_callables_have_no_place_in_a_file() -> None:
    def medium(points: np.ndarray) -> np.ndarray:
        return 1 + points[:, 0]

    data = {a: fs.ByRegion(left=medium, right=1), a.diff(x): fs.ByRegion(left=1, right=0)}
    problem = fs.Problem((a * u.diff(x)).diff(x) + u.diff(y, 2), BOXES, [fs.Dirichlet(0)], given=data)
    with pytest.raises(fs.ProblemError, match=r"given\[.*is a derivative"):
        fs.write_problem(problem)
    problem = fs.Problem(u.diff(x, 2) + u.diff(y, 2) + a * u, BOXES, [fs.Dirichlet(0)], given={a: data[a]})
    with pytest.raises(fs.ProblemError, match=r"given\[a\(x, y\)\], in 'left'.*medium"):
        fs.write_problem(problem)
