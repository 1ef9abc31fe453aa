"""Strain, stress and traction, divergence and curl: by hand, by identities, and in conditions on curved boundaries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y, z, t = sp.symbols("x y z t")
u, v, w = (sp.Function(name)(x, y, z) for name in "uvw")
a, b = (sp.Function(name)(x, y) for name in "ab")
# neither polynomials nor products of functions of one coordinate
FIELD = [sp.sin(x + 2 * y) * sp.exp(x * y / 2), sp.cos(x - y) + sp.log(3 + x * y)]
LAME = (1.7, 0.6)


def test_divergence_and_curl_are_those_of_the_plane_and_of_space() -> None:
    assert fs.divergence([a, b]) == a.diff(x) + b.diff(y)
    assert fs.divergence(sp.Matrix([u, v, w])) == u.diff(x) + v.diff(y) + w.diff(z)
    assert fs.curl([a, b]) == b.diff(x) - a.diff(y)
    assert fs.curl((u, v, w)) == sp.Matrix([w.diff(y) - v.diff(z), u.diff(z) - w.diff(x), v.diff(x) - u.diff(y)])


def test_the_divergence_of_a_curl_and_the_curl_of_a_gradient_vanish() -> None:
    assert sp.simplify(fs.divergence(fs.curl([u, v, w]))) == 0
    slopes = [u.diff(symbol) for symbol in (x, y, z)]
    assert fs.curl(slopes) == sp.zeros(3, 1)


def test_strain_is_the_symmetric_part_of_the_gradient() -> None:
    strain = fs.strain([a, b])
    assert strain == sp.Matrix([[a.diff(x), (a.diff(y) + b.diff(x)) / 2], [(a.diff(y) + b.diff(x)) / 2, b.diff(y)]])
    # a rotation strains nothing
    assert fs.strain([-y, x], coordinates=[x, y]) == sp.zeros(2, 2)


def test_the_balance_of_forces_is_that_of_navier() -> None:
    lam, mu = sp.symbols("lam mu")
    balance = fs.divergence(fs.stress([u, v, w], lam, mu))
    for component, symbol, force in zip((u, v, w), (x, y, z), balance, strict=True):
        laplacian = sum(component.diff(s, 2) for s in (x, y, z))
        navier = (lam + mu) * fs.divergence([u, v, w]).diff(symbol) + mu * laplacian
        assert sp.expand(force - navier.doit()) == 0


def test_coordinates_of_time_dependent_fields_are_those_of_space() -> None:
    moving = [sp.Function(name)(x, y, t) for name in "ab"]
    assert fs.divergence(moving) == moving[0].diff(x) + moving[1].diff(y)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fs.divergence(a), r"divergence.*vector.*got a\(x, y\)"),
        (lambda: fs.curl([u]), r"curl.*2 or 3 components; got 1"),
        (lambda: fs.curl([x, y]), r"curl:.*coordinates=\[x, y\]"),
        (lambda: fs.strain([a, b], [x]), r"strain: coordinates.*\(x,\)"),
        (lambda: fs.strain(["u", 1]), r"strain.*components.*got 'u'"),
        (lambda: fs.traction([a, b]), r"traction.*Matrix.*fs.stress"),
        (lambda: fs.normal("x"), r"normal takes a coord.*got 'x'"),
    ],
)
def test_refuses_what_is_no_field(call: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        call()


class TestNormals:
    """Components of the normal in equations, conditions and typeset lines."""

    def test_are_held_fixed_under_derivatives(self) -> None:
        assert (fs.normal(x) * x).diff(x) == fs.normal(x)

    def test_print_and_typeset(self) -> None:
        assert str(2 * fs.normal(x)) == "2*normal(x)"
        assert sp.latex(fs.normal(x)) == "n_{x}"

    def test_have_no_meaning_inside(self) -> None:
        box = fs.Box((0, 0), (1, 1))
        with pytest.raises(fs.ProblemError, match=r"contains a normal,.*a boundary"):
            fs.Problem(sp.Eq(a.diff(x, 2) + a.diff(y, 2), fs.normal(x)), box, [fs.Dirichlet(0)])
        probe = fs.Condition(sp.Eq(a * fs.normal(x), 1), at=[[0.5, 0.5]])
        with pytest.raises(fs.ProblemError, match="no normal at points inside"):
            fs.Problem(a.diff(x, 2) + a.diff(y, 2), box, [fs.Dirichlet(0), probe])

    def test_make_a_normal_derivative(self) -> None:
        exact = sp.exp(x) * sp.sin(y) + sp.cos(x + y) * sp.exp(x - y)
        laplace = sp.Eq(a.diff(x, 2) + a.diff(y, 2) - 4 * a, exact.diff(x, 2) + exact.diff(y, 2) - 4 * exact)
        disk = fs.Disk((0.2, 0.1), 1)
        by_hand = fs.normal(x) * a.diff(x) + fs.normal(y) * a.diff(y)
        value = fs.normal(x) * exact.diff(x) + fs.normal(y) * exact.diff(y)
        solutions = [
            fs.solve(fs.Problem(laplace, disk, [condition]), rng=0)
            for condition in (fs.Condition(sp.Eq(by_hand, value)), fs.Neumann(fs.normal_derivative(exact)))
        ]
        points = np.random.default_rng(1).uniform(-0.5, 0.5, (40, 2))
        known = sp.lambdify((x, y), exact)(*points.T)
        for solution in solutions:
            assert solution.converged
            assert np.abs(solution(points) - known).max() < 1e-8


def elastic(domain: fs.Domain, exact: list[sp.Expr], held: str, pulled: Any) -> fs.Solution:
    """An elastic body with a known displacement, prescribed on some parts; on others its traction is."""
    pull = fs.traction(fs.stress([a, b], *LAME))
    known = fs.traction(fs.stress(exact, *LAME, coordinates=[x, y]), coordinates=[x, y])
    forces = fs.divergence(fs.stress(exact, *LAME, coordinates=[x, y]), coordinates=[x, y])
    balance = fs.divergence(fs.stress([a, b], *LAME))
    equations = [sp.Eq(one, sp.expand(other)) for one, other in zip(balance, forces, strict=True)]
    conditions = [fs.Condition(sp.Eq(pull[i], known[i]), on=pulled) for i in range(2)]
    return fs.solve(
        fs.Problem(equations, domain, [fs.Dirichlet({a: exact[0], b: exact[1]}, on=held), *conditions]), rng=0
    )


@pytest.mark.parametrize(
    ("domain", "held", "pulled"),
    [
        (fs.Box((0, 0), (1, 0.7)), "x-", "rest"),
        (fs.Box((0, 0), (1, 1)) - fs.Disk((0.5, 0.4), 0.2, name="hole"), "x*", ["y-", "y+", "hole*"]),
    ],
    ids=["straight", "curved"],
)
def test_tractions_as_conditions(domain: fs.Domain, held: str, pulled: Any) -> None:
    solution = elastic(domain, FIELD, held, pulled)
    points = domain.sample(50, np.random.default_rng(2))
    known = np.column_stack([sp.lambdify((x, y), one)(*points.T) for one in FIELD])
    assert solution.converged
    assert np.abs(solution(points) - known).max() < 1e-7


def test_a_body_without_forces_that_is_only_pulled_is_pinned_and_said_so() -> None:
    # the gradient of a harmonic function, without any rotation or shift of its own about the center
    potential = sp.exp((x**2 - y**2) / 2) * sp.cos(x * y)
    exact = [potential.diff(x), potential.diff(y)]
    stress = fs.stress(exact, *LAME, coordinates=[x, y])
    pull, known = fs.traction(fs.stress([a, b], *LAME)), fs.traction(stress, coordinates=[x, y])
    conditions = [fs.Condition(sp.Eq(pull[i], known[i])) for i in range(2)]
    problem = fs.Problem(list(fs.divergence(fs.stress([a, b], *LAME))), fs.Disk((0, 0), 1), conditions)
    solution = fs.solve(problem, rng=0)
    assert any("motion of a and b" in remark for remark in solution.report.remarks)
    assert "remark         " in str(solution.report)
    points = np.random.default_rng(1).uniform(-0.6, 0.6, (40, 2))
    assert np.abs(solution(points) - np.column_stack([sp.lambdify((x, y), e)(*points.T) for e in exact])).max() < 1e-9
    assert not any("coefficient" in look for look in solution.report.sampled)  # which are normals and numbers
    # forces in balance
    assert np.abs(solution.integrate(list(pull), on="circle")).max() < 1e-9
