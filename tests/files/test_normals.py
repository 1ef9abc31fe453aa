"""Components of the normal in problem files."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u, v = (sp.Function(name)(x, y) for name in "uv")


def test_tractions_are_written_and_read() -> None:
    pull = fs.traction(fs.stress([u, v], 1.5, sp.Rational(1, 3)))
    conditions = [
        fs.Dirichlet({u: 0, v: sp.sin(x) * fs.normal(y)}, on="x-"),
        *(fs.Condition(sp.Eq(pull[i], fs.normal(x) * sp.exp(y)), on="rest") for i in range(2)),
    ]
    balance = list(fs.divergence(fs.stress([u, v], 1.5, sp.Rational(1, 3))))
    problem = fs.Problem(balance, fs.Box((0, 0), (1, 1)), conditions)
    text = fs.write_problem(problem)
    assert "normal(x)" in text
    again = fs.read_problem(text)
    assert fs.write_problem(again) == text
    for one, other in zip(again.conditions[1:], conditions[1:], strict=True):
        assert sp.expand((one.equation.lhs - one.equation.rhs) - (other.equation.lhs - other.equation.rhs)) == 0


def stated(equation: str, condition: str) -> str:
    return f"""
unknown = "u(x, y)"
equation = "{equation}"
domain = {{ shape = "Box", lower = [0, 0], upper = [1, 1] }}
conditions = [{{ type = "dirichlet", value = "{condition}" }}]
"""


@pytest.mark.parametrize(
    ("equation", "condition", "message"),
    [
        ("laplacian(u) = normal(x)", "0", r"normal, a component.*conditions"),
        ("laplacian(u) = 1", "normal(z)", r"expected a coordinate \(x, y\)"),
        ("laplacian(u) = 1", "normal(x, y)", "normal takes 1 argument; got 2"),
    ],
)
def test_what_has_no_meaning_is_refused(equation: str, condition: str, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        fs.read_problem(stated(equation, condition))


def test_a_parameter_may_still_be_called_normal() -> None:
    text = stated("laplacian(u) = normal*x", "0") + "[parameters]\nnormal = 3\n"
    assert fs.read_problem(text).right_hand_side(np.array([[0.5, 0.5]]))[0] == 1.5
