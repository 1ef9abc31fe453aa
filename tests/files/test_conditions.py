"""Every condition, in a file and back."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.expr import Scope
from fspielm.files import describe_condition, read_draft
from fspielm.files.conditions import CONDITIONS
from fspielm.files.domain import describe_domain
from fspielm.files.toml import write_toml
from fspielm.problem import AnyCondition

x, y, t, k = sp.symbols("x y t k")
u = sp.Function("u")(x, y)
BOX = fs.Box((0, 0), (1, 1))
LAPLACE = u.diff(x, 2) + u.diff(y, 2)

# Conditions that make a problem for Laplace's equation on the box; every kind appears.
PROBLEMS = {
    "dirichlet": [fs.Dirichlet(x * y)],
    "neumann": [fs.Dirichlet(0, on=["x-", "x+"]), fs.Neumann(sp.sin(k * x), on=sp.Eq(y, 0)), fs.Neumann(1, on="y+")],
    "robin": [fs.Robin(1 + x, 2.5, sp.exp(-y), weight=3.0)],
    "periodic": [fs.Periodic("x"), fs.Dirichlet(0, on=["y-", "y+"])],
    "factor": [fs.Periodic("x", factor=sp.exp(sp.I / 2)), fs.Dirichlet(0, on=["y-", "y+"])],
    "faces": [fs.Periodic(("y-", "y+")), fs.Dirichlet(0, on=["x-", "x+"])],
    "symmetry": [fs.Symmetry(on="x-"), fs.Dirichlet(1, on=["x+", "y-", "y+"])],
    "condition": [
        fs.Dirichlet(0, on=["x-", "x+", "y-"]),
        fs.Condition(sp.Eq(fs.normal_derivative(u) + k * u.diff(x), y**2), on="y+"),
    ],
    "rest": [fs.Dirichlet(x, on="x?"), fs.Neumann(0, on=["y-"]), fs.Robin(1, 2, 0, on="rest")],
    "rest of a relation": [fs.Dirichlet(x, on=x < 0.25), fs.Neumann(y, on="rest")],
    "slopes of known functions": [
        fs.Neumann(fs.normal_derivative(sp.sin(k * x) * y, 2), on=["x-", "x+"]),
        fs.Robin(1, fs.normal_derivative(x), 3 * fs.normal_derivative(x * y + 1) + x, on="y-"),
        fs.Condition(sp.Eq(u, fs.normal_derivative(sp.exp(y))), on="y+"),
    ],
    "inside": [fs.Dirichlet(0), fs.Condition(u - 3, at=[[0.5, 0.25], [0.1, 0.7]])],
    "measured": [
        fs.Dirichlet(0),
        fs.Measured([[0.5, 0.5], [0.25, 0.75]], [1.0, 0.1]),
        fs.Measured([[0.3, 0.3]], x * y),
    ],
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_back(name: str) -> None:
    conditions = PROBLEMS[name]
    uses_k = any(isinstance(e, sp.Basic) and e.has(k) for c in conditions for e in c.expressions)
    problem = fs.Problem(LAPLACE, BOX, conditions, given={k: 0.3} if uses_k else None)
    again = fs.read_problem(fs.write_problem(problem))
    assert again.conditions == problem.conditions
    assert [c.name for c in again.constraints] == [c.name for c in problem.constraints]
    for one, other in zip(again.constraints, problem.constraints, strict=True):
        sites = one.sample(20, np.random.default_rng(1))
        values = (c.value(sites.points, sites.normals) for c in (one, other))
        np.testing.assert_array_equal(*values)


def test_every_kind_is_tried() -> None:
    tried = {condition.kind for conditions in PROBLEMS.values() for condition in conditions}
    # with a time, between regions, and on open domains: see test_read, test_regions and test_open_domains
    tried |= {"initial", "interface", "transparent"}
    assert tried == CONDITIONS.keys()


def read(condition: str) -> AnyCondition:
    """The condition that a table writes, beside others that make a problem of it."""
    content = write_toml({"unknown": "u(x, y)", "equation": "laplacian(u)", "domain": describe_domain(BOX)})
    return fs.read_problem(
        f'{content}\n[[conditions]]\ntype = "dirichlet"\nvalue = 0\n[[conditions]]\n{condition}\n'
    ).conditions[1]


def test_as_people_write_it() -> None:
    text = 'type = "Condition"\nequation = "u = 1/2"\nat = [[0.5, "1/4"]]'
    assert read(text) == fs.Condition(sp.Eq(u, sp.Rational(1, 2)), at=[[0.5, 0.25]])
    assert read('type = "measured"\npoints = [[0.5, 0.5]]\nvalues = "x + y"') == fs.Measured([[0.5, 0.5]], x + y)
    assert read('type = "measured"\npoints = [[0.5, 0.5]]\nvalues = 3') == fs.Measured([[0.5, 0.5]], 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('type = "robin"\nalpha = 1\nvalue = 0', r"conditions.*2.*'beta'.*missing"),
        ('type = "robin"\nalpha = "u"\nbeta = 0\nvalue = 0', "alpha: unknown name 'u'"),
        ('type = "periodic"\nfaces = 3', r"faces.*in quotes; got 3"),
        ('type = "periodic"\nfaces = ["x-"]', r"Periodic: faces.*coordinate"),
        ('type = "condition"\nequation = "dn(2*u) = 0"\non = "x-"', r"equation: normal_der.*unknown"),
        ('type = "condition"\nequation = "max(dn(u), u) = 0"\non = "x-"', "equation: max of the unknown"),
        ('type = "measured"\npoints = [[0.5, 0.5]]\nvalues = "dn(x)"', r"Measured is.*boundary alone"),
        ('type = "neumann"\nvalue = "dn(u)"', "value: unknown name 'u'"),
        ('type = "condition"\nequation = "u"\nat = "x"', "at: unknown name 'x'"),
        ('type = "measured"\npoints = [[0.5, true]]\nvalues = 0', r"points.*number.*in quotes"),
    ],
)  # fmt: skip
def test_refused(text: str, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        read(text)


def test_a_curve_inside_has_no_word() -> None:
    condition = fs.Condition(u - 3, at=lambda s: np.column_stack([s, s]))
    with pytest.raises(fs.ProblemError, match=r"Condition: at.*<lambda>.*hold"):
        describe_condition(condition, Scope((x, y), None, (u,)))


def test_by_place() -> None:
    """Names with wildcards and the rest are resolved; a part that does not exist takes none of them away."""
    content = write_toml({"unknown": "u(x, y)", "equation": "laplacian(u)", "domain": describe_domain(BOX)})
    statement = read_draft(
        f"{content}\n"
        '[[conditions]]\ntype = "neumann"\nvalue = 0\non = "rest"\n'
        '[[conditions]]\ntype = "dirichlet"\nvalue = 0\non = ["x*", "x-", "z+"]\n'
    )
    kinds = {place: [condition.kind for condition in there] for place, there in statement.by_place().items()}
    assert kinds == {"x-": ["dirichlet"], "x+": ["dirichlet"], "y-": ["neumann"], "y+": ["neumann"]}
    assert r"\text{ on the rest of the boundary }" in statement.latex()
