"""Powers of the distance times functions of the angle, at corners of any equations of second order."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis.singular.angular import AngularBasis, angular_columns, angular_corners, angular_limits, wedge_at
from fspielm.geometry import Sites
from fspielm.geometry.domain import Corner
from fspielm.problem import Operator, derivative

x, y = sp.symbols("x y", real=True)
u, v = (sp.Function(name)(x, y) for name in "uv")
L_SHAPE = fs.Polygon([(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (0, 2)], names=list("abcdef"))
STRESS = fs.stress([u, v], lam=1.5, mu=1.0)


def elastic(domain: fs.Domain = L_SHAPE, held: str = "a") -> fs.Problem:
    force, pull = fs.divergence(STRESS), fs.traction(STRESS)
    conditions = [fs.Dirichlet({u: 0, v: 0}, on=held), *(fs.Condition(sp.Eq(each, 0), on="rest") for each in pull)]
    return fs.Problem([sp.Eq(-force[0], 0), sp.Eq(-force[1], -1)], domain, conditions, unknowns=[u, v])


PROBLEMS = {
    "elastic": elastic(),
    "anisotropic": fs.Problem(
        sp.Eq(3 * u.diff(x, 2) + u.diff(x, y) + u.diff(y, 2), 1),
        L_SHAPE,
        [fs.Dirichlet(0, on="a"), fs.Neumann(0, on="rest")],
    ),
    "two densities": fs.Problem(
        [
            sp.Eq(u.diff(x, 2) + u.diff(y, 2) + (v.diff(x, 2) + v.diff(y, 2)) / 3, 1),
            sp.Eq(v.diff(x, 2) + v.diff(y, 2) - (u.diff(x, 2) + u.diff(y, 2)) / 2, 1),
        ],
        L_SHAPE,
        [fs.Dirichlet({u: 0, v: 0})],
        unknowns=[u, v],
    ),
}


def columns_at(problem: fs.Problem, corner: Corner) -> AngularBasis:
    return angular_columns(problem, corner, 0.7, 6.0)


def places_at(corner: Corner, angles: np.ndarray) -> np.ndarray:
    radii = np.geomspace(1e-4, 1.0, len(angles))
    return corner.point + radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def relative_to_terms(basis: AngularBasis, operator: Operator, sites: Sites) -> np.ndarray:
    terms = [np.abs(basis.matrix(Operator(2, (term,)), sites)) for term in operator.terms]
    return np.abs(basis.matrix(operator, sites)) / np.max(terms, axis=(0, 2))[:, None]


@pytest.mark.parametrize("name", list(PROBLEMS))
def test_fields_satisfy_equations_and_conditions(name: str) -> None:
    problem = PROBLEMS[name]
    assert len(angular_corners(problem)) == 6
    for corner in angular_corners(problem):
        basis, found = columns_at(problem, corner), wedge_at(problem, corner)
        assert found is not None
        inner = Sites(places_at(corner, corner.start + corner.opening * np.linspace(0.03, 0.97, 40)))
        for equation in problem.equations:
            assert relative_to_terms(basis, equation.operator, inner).max() < 1e-6
        # logarithms leave polynomials to the conditions
        powers = np.array([z for z in basis.exponents for _ in range(2 if z.imag else 1)])
        plain = np.abs(powers - np.round(powers.real)) > 1e-6
        for side, angle in enumerate((corner.start, corner.start + corner.opening)):
            normal = np.array([math.sin(angle), -math.cos(angle)]) * (1 - 2 * side)
            sites = Sites(places_at(corner, np.full(40, angle)), np.tile(normal, (40, 1)))
            sizes = np.linalg.norm(sites.points - corner.point, axis=1)[:, None] ** powers.real / 0.7**powers.real
            for relation in [each for each in problem.constraints if each.part.name == corner.parts[side]]:
                values = basis.matrix(relation.operator, sites)
                values = values / sizes * sizes[:, :1] ** (relation.operator.order / powers.real[:1])
                assert np.abs(values[:, plain]).max(initial=0.0) < 1e-6


@pytest.mark.parametrize("name", list(PROBLEMS))
@pytest.mark.parametrize("orders", [(1, 0), (0, 1), (1, 1), (2, 0)])
def test_derivatives(name: str, orders: tuple[int, int]) -> None:
    problem = PROBLEMS[name]
    corner = angular_corners(problem)[3]
    basis = columns_at(problem, corner)
    points = places_at(corner, corner.start + corner.opening * np.linspace(0.05, 0.95, 20))[8:]
    axis, step = (0, 1e-6) if orders[0] else (1, 1e-6)
    lower = tuple(order - (place == axis) for place, order in enumerate(orders))
    shift = step * np.eye(2)[axis]
    for unknown in range(basis.components):
        above, below = (basis.matrix(derivative(lower).on(unknown), Sites(points + way * shift)) for way in (1, -1))
        found = basis.matrix(derivative(orders).on(unknown), Sites(points))
        np.testing.assert_allclose(found, (above - below) / (2 * step), rtol=1e-4, atol=1e-4 * np.abs(found).max())


@pytest.mark.parametrize("lower", [u, 1j * u, (1 + 2j) * u])
def test_functions_that_lower_derivatives_add(lower: sp.Expr) -> None:
    problem = fs.Problem(sp.Eq(2 * u.diff(x, 2) + u.diff(y, 2) + lower, 1), L_SHAPE, [fs.Dirichlet(0)])
    assert len(angular_corners(problem)) == 6
    for corner in angular_corners(problem):
        basis = columns_at(problem, corner)
        assert np.isfinite(basis.values).all()
        np.testing.assert_allclose(np.abs(basis.values).max(axis=(0, 2, 3)), 1.0)
        if corner.point == (1.0, 1.0):
            angles = corner.start + corner.opening * np.linspace(0.03, 0.97, 40)
            sites = Sites(corner.point + 0.3 * (places_at(corner, angles) - corner.point))
            first, *others = basis.matrix(problem.equations[0].operator, sites).T
            added = np.transpose(others)
            found = np.linalg.lstsq(added / np.abs(added).max(axis=0), first, rcond=1e-12)[0]
            left = first - added / np.abs(added).max(axis=0) @ found
            assert np.abs(left).max() < 1e-3 * np.abs(first).max()
    # coefficients that are real but for a factor need no more functions than real ones
    if lower != (1 + 2j) * u:
        assert basis.size == 4


def test_one_unknown_of_fields() -> None:
    corner = angular_corners(PROBLEMS["elastic"])[2]
    basis = columns_at(PROBLEMS["elastic"], corner)
    sites = Sites(places_at(corner, np.full(5, corner.start + 0.4)))
    coefficients = np.random.default_rng(0).standard_normal(basis.size)
    for unknown in range(2):
        alone, its = basis.field(unknown, coefficients)
        whole = basis.matrix(derivative((1, 0)).on(unknown), sites) @ coefficients
        np.testing.assert_allclose(alone.matrix(derivative((1, 0)), sites) @ its, whole, rtol=1e-12)


def test_powers_of_a_free_corner_and_of_one_that_is_held_on_one_side() -> None:
    by_point = {corner.point: wedge_at(PROBLEMS["elastic"], corner) for corner in angular_corners(PROBLEMS["elastic"])}
    free, held = by_point[(1.0, 1.0)], by_point[(0.0, 0.0)]
    assert free is not None
    assert held is not None
    # Williams: sin(z w) = -+ z sin(w) between free sides; and the mixed one, with complex powers
    assert max(abs(np.sin(1.5 * np.pi * z) ** 2 - z**2) for z in free.powers) < 1e-6
    kappa = (1.5 + 3) / (1.5 + 1)
    for z in held.powers:
        level = (kappa + 1) ** 2 / (4 * kappa) - z**2 / kappa
        assert abs(np.sin(0.5 * np.pi * z) ** 2 - level) < 1e-6 * abs(level)
    assert any(z.imag for z in held.powers)


@pytest.mark.parametrize("name", ["elastic", "anisotropic"])
def test_functions_of_power_one_are_linear(name: str) -> None:
    # linear functions solve the equations, and elliptic equations have no more solutions of this power
    seen = 0
    for corner in angular_corners(PROBLEMS[name]):
        found = wedge_at(PROBLEMS[name], corner)
        assert found is not None
        for power, functions in zip(found.powers, found.functions, strict=True):
            if abs(power - 1) < 1e-6:
                values = functions.T.reshape(functions.shape[1] * len(PROBLEMS[name].unknowns), -1).T
                along = 0.5 - 0.5 * np.cos(np.pi * np.linspace(0, 1, len(values)))
                angles = found.pencil.limits[0] + np.diff(found.pencil.limits) * along
                plane = np.stack([np.cos(angles), np.sin(angles)], axis=1)
                np.testing.assert_allclose(plane @ np.linalg.lstsq(plane, values)[0], values, atol=1e-8)
                seen += 1
    assert seen


def test_strong_anisotropy_needs_more_nodes() -> None:
    # stretched to Laplace's equation, the right angle at the corner stays one
    problem = fs.Problem(sp.Eq(4 * u.diff(x, 2) + u.diff(y, 2), 1), fs.LShape((0, 0), 1), [fs.Dirichlet(0)])
    (corner,) = (each for each in problem.domain.corners() if each.opening > np.pi)
    found = wedge_at(problem, corner)
    assert found is not None
    assert [z.real for z in found.powers] == pytest.approx([2 * k / 3 for k in range(1, len(found.powers) + 1)])
    low, high = angular_limits(corner)
    assert low < corner.start < corner.start + corner.opening < high


@pytest.mark.parametrize(
    ("problem", "known"),
    [
        (elastic(fs.Disk((0, 0), 1) & fs.Box((-1, -1), (1, 0)), "circle"), 0),  # curved sides
        (fs.Problem(sp.Eq(((1 + x) * u.diff(x)).diff(x) + u.diff(y, 2), 1), L_SHAPE, [fs.Dirichlet(0)]), 0),
        (fs.Problem(sp.Eq(2 * u.diff(x, 2) + u.diff(y, 2) + x * u.diff(x), 1), L_SHAPE, [fs.Dirichlet(0)]), 6),
        (fs.Problem(sp.Eq(u.diff(x, 4) + u.diff(y, 4), 1), L_SHAPE, [fs.Dirichlet(0), fs.Neumann(0)]), 0),
    ],
)
def test_sides_and_highest_coefficients_have_to_be_plain(problem: fs.Problem, known: int) -> None:
    assert len(angular_corners(problem)) == known
