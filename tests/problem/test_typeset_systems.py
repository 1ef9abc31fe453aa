"""What a notebook shows for systems and complex problems."""

from __future__ import annotations

from xml.etree import ElementTree

import sympy as sp

import fspielm as fs

x, y, t = sp.symbols("x y t")
u, v, p = (sp.Function(name)(x, y) for name in "uvp")
SQUARE = fs.Box((0, 0), (1, 1))


def words(problem: fs.Problem) -> list[str]:
    """The text of the cells of its HTML, which is written as strictly as XML."""
    table = ElementTree.fromstring(problem._repr_html_())
    return ["".join(cell.itertext()) for cell in table.iter("td")]


def stokes() -> fs.Problem:
    """With a condition for two of three unknowns."""
    equations = [
        sp.Eq(-u.diff(x, 2) - u.diff(y, 2) + p.diff(x), 0),
        sp.Eq(-v.diff(x, 2) - v.diff(y, 2) + p.diff(y), 0),
        u.diff(x) + v.diff(y),
    ]
    conditions = [fs.Dirichlet({u: x * (1 - x), "v": 0}, on="y+"), fs.Dirichlet({u: 0, v: 0}, on="rest")]
    return fs.Problem(equations, SQUARE, conditions, unknowns=[u, v, p])


def test_one_line_for_each_equation_and_each_condition() -> None:
    latex = stokes()._repr_latex_()
    lines = latex.split("\\\\\n")
    assert len(lines) == 5
    assert r"x \in \left(0, 1\right)" in lines[0]
    assert lines[1].strip().endswith("= 0 &&")
    assert r"\frac{\partial u}{\partial x} + \frac{\partial v}{\partial y} = 0" in lines[2]
    assert lines[3].strip() == r"& u = x \left(1 - x\right),\quad v = 0 && \text{ on y+ }"
    assert "on the rest of the boundary" in lines[4]


def test_html() -> None:
    cells = words(stokes())
    assert len(cells) == 10
    assert cells[1].startswith("x")
    assert cells[3] == cells[5] == ""
    assert cells[6].split(",\N{EM SPACE}")[1] == "v=0"


def test_other_conditions_by_unknown() -> None:
    w, s = (sp.Function(name)(x, t) for name in "ws")
    problem = fs.Problem(
        [sp.Eq(w.diff(t, 2), w.diff(x, 2) + s), sp.Eq(s.diff(t, 2), s.diff(x, 2) - w)],
        fs.Interval(0, 1) * fs.Time(0, 2),
        [
            fs.Robin(1, 2, {w: 0, s: 3}, on="x-"),
            fs.Neumann({w: 0, s: 1}, on="x+"),
            fs.Initial({w: 0, s: sp.sin(x)}),
            fs.Initial({w: 1, s: 2}, order=1),
            fs.Measured([[0.5, 0.5]], {w: [1.0], s: 2}),
        ],
    )
    latex = problem._repr_latex_()
    assert r"w + 2 \partial_n w = 0,\quad s + 2 \partial_n s = 3" in latex
    assert r"\partial_n w = 0,\quad \partial_n s = 1" in latex
    assert r"w = 0,\quad s = \sin{\left(x \right)} && \text{ at } t = 0" in latex
    assert r"\frac{\partial w}{\partial t} = 1,\quad \frac{\partial s}{\partial t} = 2" in latex
    assert r"w,\quad s = 2 && \text{ measured at 1 point }" in latex


def test_one_field_still_shows_the_whole() -> None:
    assert r"\quad v" in stokes().field(u)._repr_latex_()


def test_the_imaginary_unit() -> None:
    k = 3
    problem = fs.Problem(
        sp.Eq(u.diff(x, 2) + u.diff(y, 2) + (k**2 + sp.I) * u, 0), SQUARE, [fs.Robin(-sp.I * k, 1, 1 - 2.5j)]
    )
    assert r"\left(9 + i\right) u" in problem._repr_latex_()
    assert r"- 3 i u + \partial_n u = 1 - 2.5 i" in problem._repr_latex_()
    assert "<mi>i</mi>" in problem._repr_html_()
