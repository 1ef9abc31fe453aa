"""A coefficient that jumps under a derivative is an interface, or refused; never silently read without its jump."""

from __future__ import annotations

import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u = sp.Function("u")(x)
v = sp.Function("u")(x, y)
ENDS = [fs.Dirichlet(0, on="x-"), fs.Dirichlet(1, on="x+")]


def on_interval(equation: sp.Expr) -> fs.Problem:
    return fs.Problem(equation, fs.Interval(0, 1), ENDS)


@pytest.mark.parametrize(
    "a",
    [
        1 + sp.Heaviside(x - 0.5),
        2 + sp.sign(x - 0.3),
        1 + sp.floor(2 * x),
    ],
)
def test_a_jumping_flux_is_refused(a: sp.Expr) -> None:
    with pytest.raises(fs.ProblemError, match=r"jumps; what.* tanh.*split"):
        on_interval((a * u.diff(x)).diff(x))


def test_in_two_dimensions() -> None:
    a = sp.Piecewise((1, x + y < 1), (3, True))
    flux = (a * v.diff(x)).diff(x) + (a * v.diff(y)).diff(y)
    problem = fs.Problem(flux, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)])
    assert [line.part.measure for line in problem.interfaces] == pytest.approx([2**0.5])


@pytest.mark.parametrize(
    "equation",
    [
        (sp.Piecewise((1, x < 0.5), (x + sp.Rational(1, 2), True)) * u.diff(x)).diff(x),  # a kink, not a jump
        u.diff(x, 2) + sp.Piecewise((1, x < 0.5), (9, True)) * u,
        u.diff(x, 2) + sp.Heaviside(x - 0.5) * u.diff(x),
        sp.Eq(u.diff(x, 2), sp.Heaviside(x - 0.5)),
    ],
)
def test_what_loses_nothing_is_taken(equation: sp.Basic) -> None:
    on_interval(equation)


HALF = sp.Rational(1, 2)
HOLE = (x - HALF) ** 2 + (y - HALF) ** 2 - sp.Rational(1, 10000)


def diffusion(a: sp.Expr, size: float = 1.0) -> fs.Problem:
    flux = (a * v.diff(x)).diff(x) + (a * v.diff(y)).diff(y)
    return fs.Problem(flux, fs.Box((0, 0), (size, size)), [fs.Dirichlet(0)])


class TestBordersOfAnyKind:
    @pytest.mark.parametrize(
        "a",
        [
            sp.Piecewise((1, HOLE < 0), (2, True)),
            sp.Piecewise((2, sp.tanh(10**6 * (x - HALF)) < 0), (3, True)),
            sp.Piecewise((1, sp.And(x > 0.25, x < 0.75)), (2, True)),
            sp.Piecewise((1e-12, x < HALF), (2e-12, True)),  # small beside nothing
            # no jump at the first border, but at the others
            sp.Piecewise((1 + (x - 0.3), (x - 0.3) * (x - 0.7) * (x - 0.71) < 0), (1, True)),
            sp.Piecewise((1 + (x - 0.3), (x - 0.3) * (x - 0.7) * (x - 0.703) < 0), (1, True)),
            sp.Piecewise((0.7 + x + y, (x + y - 0.3) * (x + y - 1.7) * (x + y - 1.71) < 0), (1, True)),
        ],
        ids=str,
    )
    def test_jumps_are_interfaces(self, a: sp.Expr) -> None:
        problem = diffusion(a)
        assert problem.interfaces
        assert any(relation.region.kind == "interface" for relation in problem.relations)

    @pytest.mark.parametrize("a", [sp.Piecewise((1, x < 5), (2, True)), sp.Piecewise((1, x**2 + 1 < y / 5), (2, True))])
    def test_borders_outside_are_none(self, a: sp.Expr) -> None:
        assert diffusion(a).interfaces == ()

    @pytest.mark.parametrize(
        "a",
        [
            sp.Piecewise((1 + HOLE**2, HOLE < 0), (1, True)),
            sp.Piecewise(((x - HALF) ** 3, x < HALF), ((x - HALF) ** 2, True)),
            sp.Piecewise((2 + sp.tanh(10**8 * (x - HALF)), x < HALF), (2, True)),
            sp.Piecewise((HALF + x + sp.sin(x), sp.sin(x) + x < HALF), (1, True)),
            sp.Piecewise((1 + sp.sin(x - HALF) / (x - HALF), sp.Ne(x, HALF)), (2, True)),
            sp.Piecewise((1, x < 1 / 3), (3 * x, x < 2 / 3), (2, True)),
            sp.Piecewise((1 + (x - 0.3) * (x - 0.7) * (x - 0.71), (x - 0.3) * (x - 0.7) * (x - 0.71) < 0), (1, True)),
            sp.Piecewise((2 + sp.sin(80 * x), sp.sin(80 * x) < 0), (2, True)),
            sp.Piecewise((1, sp.Abs(x - y) < 0.1), (0.9 + sp.Abs(x - y), True)),
        ],
        ids=str,
    )
    def test_kinks_are_taken(self, a: sp.Expr) -> None:
        assert diffusion(a).operator.order == 2

    def test_in_a_small_domain(self) -> None:
        near = sp.Float(5e-13)
        diffusion(sp.Piecewise((0.5 + 1e12 * x, x < near), (1, True)), 1e-12)
        (line,) = diffusion(sp.Piecewise((1, x < near), (2, True)), 1e-12).interfaces
        assert line.part.measure == pytest.approx(1e-12)

    def test_with_a_callable(self) -> None:
        a, f = sp.Function("a")(x, y), sp.Function("f")(x, y)
        given = {f: lambda p: p[:, 0] - 0.5, a: lambda p: 1 + p[:, 0]}
        domain, conditions = fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)]
        for beyond, refused in ((sp.Float(1.5), False), (sp.Float(2), True)):
            equation = sp.Piecewise((a, f < 0), (beyond, True)) * (v.diff(x, 2) + v.diff(y, 2))
            if refused:
                with pytest.raises(fs.ProblemError, match="jumps"):
                    fs.Problem(equation, domain, conditions, given=given)
            else:
                fs.Problem(equation, domain, conditions, given=given)
