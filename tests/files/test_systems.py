"""Several equations, conditions by unknown and complex numbers in problem files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.errors import ProblemError
from fspielm.files import EXAMPLES, example, read_draft
from fspielm.files.toml import write_toml

x, y, t, k = sp.symbols("x y t k")
u, v, p = (sp.Function(name)(x, y) for name in "uvp")

PAIR = """\
unknowns = ["v(x, y)", "u(x, y)"]
equations = ["laplacian(u) + k*v = 0", "laplacian(v) - k*u = z*x"]

[parameters]
k = 2
z = "1 + 2*i"

[domain]
shape = "Box"
lower = [0, 0]
upper = [1, 1]

[[conditions]]
type = "dirichlet"
value = { u = "i*x", v = 1 }
on = ["x-", "x+"]

[[conditions]]
type = "robin"
alpha = "-i*k"
beta = 1
value = { v = "dn(exp(i*x))", u = 0 }
on = "rest"

[reference]
exact = { u = "z*x" }
"""


def test_what_a_file_says() -> None:
    file = fs.read_problem_file(PAIR)
    problem = file.problem
    assert [str(unknown.symbol) for unknown in problem.unknowns] == ["v(x, y)", "u(x, y)"]  # the order of the file
    assert problem.statement.equations[0] == sp.Eq(u.diff(x, 2) + u.diff(y, 2) + k * v, 0)
    assert problem.dtype == np.complex128
    assert problem.conditions[0] == fs.Dirichlet({u: sp.I * x, v: 1}, on=["x-", "x+"])
    assert problem.equations[1].value(np.array([[0.5, 0.1]])) == 0.5 + 1j
    assert file.exact == {"u": (1 + 2 * sp.I) * x}


def test_either_number_of_the_keys_will_do() -> None:
    singular = PAIR.replace("unknowns", "unknown").replace("equations", "equation")
    assert fs.write_problem(fs.read_problem(singular)) == fs.write_problem(fs.read_problem(PAIR))
    single = 'unknowns = "u(x)"\nequations = ["dx(u, 2) = 0"]\n' + (
        'domain = { shape = "Interval", a = 0, b = 1 }\nconditions = [{ type = "dirichlet", value = { u = 1 } }]\n'
    )
    assert fs.read_problem(single).equation == sp.Eq(sp.Function("u")(x).diff(x, 2), 0)


@pytest.mark.parametrize("text", [PAIR, example("flow"), example("absorbing")])
def test_written_and_read_again(text: str, tmp_path: Path) -> None:
    file = fs.read_problem_file(text)
    written = fs.write_problem(file.problem, tmp_path / "again.toml", exact=file.exact)
    again = fs.read_problem_file(tmp_path / "again.toml")
    assert again.problem.statement.equations == file.problem.statement.equations
    assert again.problem.conditions == file.problem.conditions
    assert [u.symbol for u in again.problem.unknowns] == [u.symbol for u in file.problem.unknowns]
    assert again.exact == file.exact
    assert fs.write_problem(again.problem, exact=again.exact) == written


def test_complex_numbers_of_python_to_the_last_bit() -> None:
    values = [0.1 - 0.3j, 1 / 3, 2]
    problem = fs.Problem(
        sp.Eq(u.diff(x, 2) + u.diff(y, 2) + (0.1 + 1j / 3) * u, 0),
        fs.Box((0, 0), (1, 1)),
        [fs.Dirichlet(1 / 3 - 0.7j), fs.Measured([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], values)],
    )
    again = fs.read_problem(fs.write_problem(problem))
    assert again.conditions[1] == problem.conditions[1]
    points = problem.domain.sample(20, np.random.default_rng(0))
    for one, other in zip(problem.constraints, again.constraints, strict=True):
        where = one.sample(3, np.random.default_rng(1)).points
        np.testing.assert_array_equal(one.value(where), other.value(where))
    sites = fs.geometry.Sites(points)
    for one, other in zip(problem.operator.terms, again.operator.terms, strict=True):
        np.testing.assert_array_equal(one.at(sites), other.at(sites))


def test_conditions_of_every_kind_by_unknown() -> None:
    w, s = (sp.Function(name)(x, t) for name in "ws")
    problem = fs.Problem(
        [sp.Eq(w.diff(t), s.diff(x)), sp.Eq(s.diff(t), w.diff(x))],
        fs.Interval(0, 1) * fs.Time(0, 1),
        [
            fs.Dirichlet({"w": 0}, on="x-"),
            fs.Condition(sp.Eq(w + 2 * s, t), on="x+"),
            fs.Initial({w: sp.sin(x), s: 0}),
            fs.Measured([[0.5, 0.5], [0.5, 0.6]], {s: [1, 2], w: x}, weight=0.5),
        ],
    )
    again = fs.read_problem(fs.write_problem(problem))
    assert again.conditions[1:] == problem.conditions[1:]
    assert again.conditions[0] == fs.Dirichlet({w: 0}, on="x-")  # a name becomes the unknown


def test_long_equations_have_lines_of_their_own() -> None:
    text = write_toml({"equations": ["x" * 70, "y" * 70], "unknowns": ["u(x)", "v(x)"]})
    assert text == f'equations = [\n    "{"x" * 70}",\n    "{"y" * 70}",\n]\nunknowns = ["u(x)", "v(x)"]\n'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"v(x, y)", "u(x, y)"', '"v(x, y)", "u(y, x)"', r"v\(x, y\) and u\(y, x\).*coordinates"),
        ('"v(x, y)", "u(x, y)"', '"v(x, y)", "v(x, y)"', r"line 1, column 1.*'v'.*two things"),
        ('"v(x, y)", "u(x, y)"', '"v(x, y)", "u"', "unknowns must be a function"),
        ('["v(x, y)", "u(x, y)"]', "[]", "unknowns must be text in quotes"),
        ('["v(x, y)", "u(x, y)"]', '"u(x, y)"', "unknown name 'v'"),
        ("unknowns =", 'unknown = "u(x, y)"\nunknowns =', r"unknown and unknowns.*same"),
        (', "laplacian(v) - k*u = z*x"', "", "1 equation for 2 unknown"),
        ("- k*u = z*x", "- k*q = z*x", r"line 2, column 58:.*'q'.*parameters.*--set q=.*--symbol q"),
        ('{ u = "i*x", v = 1 }', '{ u = "i*x", w = 1 }', r"no key 'w'.*keys are v, u"),
        ('{ u = "i*x", v = 1 }', '{ u = "i*z", v = "sin(" }', r"expected.*got the end"),
        ('{ u = "i*x", v = 1 }', "{}", r"Dirichlet: value.*empty"),
        ('{ u = "i*x", v = 1 }', "1", "there are 2 unknowns"),
        ("lower = [0, 0]", 'lower = [0, "z"]', r"expected.*real.*imaginary unit"),
        ("lower = [0, 0]", 'lower = [0, "i"]', "lower: expected something real"),
        ('on = "rest"', 'where = "x < z"', r"comparison.*real numbers"),
        ('exact = { u = "z*x" }', 'exact = "z*x"', "exact must be a table"),
        ('exact = { u = "z*x" }', 'exact = { w = "z*x" }', "no key 'w' here"),
    ],
)
def test_mistakes(old: str, new: str, message: str) -> None:
    assert old in PAIR
    with pytest.raises(ProblemError, match=message):
        fs.read_problem(PAIR.replace(old, new))


def test_errors_of_each_unknown() -> None:
    file = fs.read_problem_file(PAIR.replace('{ u = "z*x" }', '{ u = "x", v = "y" }'))

    def found(points: np.ndarray) -> np.ndarray:
        return np.column_stack([3 * points[:, 1], 1.25 * points[:, 0]])  # v, then u

    assert file.relative_errors(found) == pytest.approx({"u": 0.25, "v": 2.0})
    assert file.relative_error(found) == pytest.approx(2.0)
    with pytest.raises(ProblemError, match=r"no \[reference\] of u"):
        fs.read_problem_file(PAIR.replace('{ u = "z*x" }', '{ v = "y" }')).exact_values(np.zeros((1, 2)), "u")


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_are_complete(name: str) -> None:
    assert max(map(len, example(name).splitlines())) <= 120
    assert fs.read_problem_file(example(name)).title


@pytest.mark.parametrize("name", ["flow", "absorbing"])
def test_the_examples_solve(name: str) -> None:
    file = fs.read_problem_file(example(name))
    assert file.solve(rng=0).converged


def test_latex_and_places_of_a_draft() -> None:
    draft = read_draft(PAIR)
    assert r"u &= i x,\quad v = 1 && \text{ on x-, x+ }" in draft.latex()
    assert set(draft.by_place()) == {"x-", "x+", "y-", "y+"}
