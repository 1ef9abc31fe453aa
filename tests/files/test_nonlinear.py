"""Nonlinear equations and conditions in problem files, read and written back."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y, t = sp.symbols("x y t")
u = sp.Function("u")(x, y)

HOT_PLATE = """
unknown = "u(x, y)"
equation = "div((1 + u**2)*grad(u)) - c*exp(u)/(2 + dot(grad(u), grad(u))) = sin(x)"

[parameters]
c = 3

[domain]
shape = "Box"
lower = [0, 0]
upper = [1, 1]

[[conditions]]
type = "dirichlet"
value = 1
on = ["x-", "y-", "y+"]

[[conditions]]
type = "condition"
equation = "dn(u) + c*u**4 = normal(x)*sinh(u)"
on = "x+"
"""

WAVES = """
unknown = "u(x, t)"
equation = "i*dt(u) + dx(u, 2) + 2*abs(u)**2*u = 0"
domain = { shape = "Interval", a = -1, b = 1, time = [0, 1] }
conditions = [{ type = "dirichlet", value = 0 }, { type = "initial", value = "exp(i*x)*cos(pi*x/2)" }]
"""

FLOW = """
unknowns = ["u(x, y)", "v(x, y)"]
equations = ["laplacian(u) - u*dx(u) - v*dy(u) + v = 0", "laplacian(v) + u = 1"]
domain = { shape = "Disk", center = [0, 0], radius = 1 }
conditions = [{ type = "dirichlet", value = { u = 0, v = 1 } }]
"""


@pytest.mark.parametrize("text", [HOT_PLATE, WAVES, FLOW])
def test_written_back(text: str) -> None:
    problem = fs.read_problem(text)
    assert not problem.is_linear
    again = fs.read_problem(fs.write_problem(problem))
    assert again.statement.equations == problem.statement.equations
    assert again.conditions == problem.conditions
    points = 0.5 * np.random.default_rng(0).random((20, 2))
    guess = dict.fromkeys(problem.names, 1 + x / 2)
    np.testing.assert_array_equal(again.residual(guess, points), problem.residual(guess, points))


def test_as_it_would_be_written_in_python() -> None:
    problem = fs.read_problem(HOT_PLATE)
    c = sp.Symbol("c")
    ux, uy = u.diff(x), u.diff(y)
    left = ((1 + u**2) * ux).diff(x) + ((1 + u**2) * uy).diff(y) - c * sp.exp(u) / (2 + ux**2 + uy**2)
    assert sp.expand(problem.statement.equations[0].lhs - left) == 0
    assert problem.nonlinear is not None
    assert [law.what for law in problem.nonlinear.laws] == ["the equation", "the condition"]


def test_a_modulus() -> None:
    problem = fs.read_problem(WAVES)
    assert [str(unknown.symbol.func) for unknown in problem.unknowns] == ["re u", "im u"]
    with pytest.raises(fs.ProblemError, match=r"Abs\(u\(x, y\)\).*not smooth"):
        fs.read_problem(HOT_PLATE.replace("u**4", "abs(u)"))


BRATU = """
unknown = "u(x)"
equation = "dx(u, 2) + exp(u) = 0"
domain = { shape = "Interval", a = 0, b = 1 }
conditions = [{ type = "dirichlet", value = 0 }]

[parameters]
height = 4

[solve]
rng = 0
guess = "4*height*x*(1 - x)"
"""


def test_a_guess_decides_which_solution_is_found() -> None:
    file = fs.read_problem_file(BRATU)
    high, low = file.solve(), file.solve(guess=None)
    # theta = sqrt(2) cosh(theta / 4) has two solutions, u(1/2) = 2 ln cosh(theta / 4)
    for solution, theta in ((low, 1.5171645990507543), (high, 10.938702772122106)):
        assert solution.converged
        assert solution([[0.5]])[0] == pytest.approx(2 * np.log(np.cosh(theta / 4)), rel=1e-8)


def test_a_guess_is_written_back() -> None:
    file = fs.read_problem_file(BRATU)
    text = fs.write_problem(file.problem, guess=file.guess)
    assert fs.read_problem_file(text).guess == file.guess == 16 * x * (1 - x)
    flow = fs.read_problem(FLOW)
    text = fs.write_problem(flow, guess={"u": 1, "v": x * y})
    assert fs.read_problem_file(text).guess == {"u": 1, "v": x * y}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BRATU.replace("4*height", "wide"), r"line 12.*guess.*'wide'"),
        (BRATU.replace('"4*height*x*(1 - x)"', "[1, 2]"), r"guess must.*number.*in quotes"),
        (FLOW + "[solve]\nguess = 1\n", r"guess must be a table.*unknown"),
        (FLOW + "[solve]\nguess = { w = 1 }\n", r"\[solve guess\].*no key 'w'"),
    ],
)
def test_guesses_that_are_none(text: str, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        fs.read_problem_file(text)


def test_a_linear_problem_needs_no_guess() -> None:
    with pytest.raises(fs.ProblemError, match="linear and needs none"):
        fs.read_problem_file(BRATU.replace("exp(u)", "u")).solve()
