"""What a notebook shows for a problem."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y, t, k = sp.symbols("x y t k")
u = sp.Function("u")(x, y)
laplace = u.diff(x, 2) + u.diff(y, 2)
SQUARE = fs.Box((0, 0), (1, 2.5))


def wall(points: Any) -> Any:
    return np.sin(points[:, 0])


def words(problem: fs.Problem) -> str:
    """The text of its HTML, which is written as strictly as XML, with spaces between cells."""
    table = ElementTree.fromstring(problem._repr_html_())
    return " | ".join("".join(cell.itertext()) for cell in table.iter("td"))


def test_the_equation_stands_first_with_its_domain() -> None:
    problem = fs.Problem(sp.Eq(laplace + k**2 * u, sp.exp(x)), SQUARE, [fs.Dirichlet(0)], given={k: 3.0})
    latex = problem._repr_latex_()
    assert latex.startswith("$\\displaystyle \\begin{aligned}")
    assert latex.endswith("\\end{aligned}$")
    assert r"\frac{\partial^{2} u}{\partial x^{2}}" in latex
    assert r"x \in \left(0, 1\right) , y \in \left(0, 2.5\right)" in latex
    assert r"& u = 0 && \text{ on the boundary }" in latex
    html = problem._repr_html_()
    assert "<mfrac><mrow><msup><mo>∂</mo><mn>2</mn></msup><mi>u</mi></mrow>" in html
    assert "<mrow><mo>∂</mo><msup><mi>x</mi><mn>2</mn></msup></mrow></mfrac>" in html
    assert "<msup><mi>e</mi><mi>x</mi></msup>" in html
    assert html == problem._repr_html_()


def test_an_expression_is_meant_to_be_zero() -> None:
    assert "= 0" in fs.Problem(laplace, SQUARE, [fs.Dirichlet(1)])._repr_latex_()


@pytest.mark.parametrize(
    ("conditions", "shown"),
    [
        ([fs.Dirichlet(x * y)], "u=x\u2062y | on the boundary"),
        ([fs.Dirichlet(wall)], "u=wall(x,y) | on the boundary"),
        ([fs.Dirichlet(lambda points: points[:, 0])], "u=g(x,y) | on the boundary"),
        ([fs.Dirichlet(0, on=["x-", "x+"]), fs.Neumann(1, on=["y-", "y+"])], "u=0 | on x-, x+ | ∂nu=1 | on y-, y+"),
        ([fs.Dirichlet(0, on=x + y < 1), fs.Dirichlet(0, on=x + y >= 1)], "u=0 | where x+y<1 | u=0 | where x+y≥1"),
        ([fs.Robin(1, 2, 3)], "u+2\u2062∂nu=3 | on the boundary"),
        ([fs.Periodic("x"), fs.Dirichlet(0, on=["y-", "y+"])], "periodic | in x | u=0 | on y-, y+"),
        ([fs.Periodic("x", factor=-1), fs.Dirichlet(0, on=["y-", "y+"])], "periodic | in x times -1 | u=0 | on y-, y+"),
        ([fs.Periodic(("x-", "x+")), fs.Dirichlet(0, on=["y-", "y+"])], "periodic | from x- to x+ | u=0"),
        ([fs.Symmetry(on="x-"), fs.Dirichlet(0, on=["x+", "y-", "y+"])], "∂nu=0 | by symmetry on x- | u=0"),
        ([fs.Dirichlet(0), fs.Measured([[0.5, 0.5], [0.2, 0.2]], [1, 2])], "u | measured at 2 points"),
        ([fs.Dirichlet(0), fs.Measured([[0.5, 0.5]], x)], "u=x | measured at 1 point"),
        ([fs.Dirichlet(0), fs.Condition(sp.Eq(u, 3), at=[[0.5, 0.5]])], "u=3 | at 1 point"),
        ([fs.Condition(fs.normal_derivative(u) + u)], "u+∂nu=0 | on the boundary"),
    ],
)
def test_every_condition_is_written_out(conditions: list[Any], shown: str) -> None:
    problem = fs.Problem(sp.Eq(laplace - u, 0), SQUARE, conditions)
    assert shown in words(problem)
    assert problem._repr_latex_().count("&&") == 1 + len(conditions)


def test_time_and_shapes() -> None:
    v = sp.Function("v")(x, y, t)
    problem = fs.Problem(
        sp.Eq(v.diff(t, 2), v.diff(x, 2) + v.diff(y, 2)),
        fs.Pacman() * fs.Time(0, 1.5),
        [fs.Dirichlet(0), fs.Initial(0), fs.Initial(x, order=1)],
    )
    shown = words(problem)
    assert "in Pacman(center=(0.5, 0.5), radius=0.4, mouth=0.7854), t∈(0,1.5]" in shown
    assert shown.endswith("v=0 | at t=0 | ∂v∂t=x | at t=0")


def test_names_are_escaped() -> None:
    s = sp.Symbol("<b>")
    w = sp.Function("w")(s)
    html = fs.Problem(sp.Eq(w.diff(s, 2), 0), fs.Interval(0, 1), [fs.Dirichlet(0, on=s < 2)])._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;" in html
    ElementTree.fromstring(html)
