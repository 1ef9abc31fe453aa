"""Fields that belong to holes: they satisfy their system, hardly one depends on the others, and none is missing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis import ComplexPairs, DerivedBasis, JoinedBasis, SingularBasis, hole_columns, satisfies
from fspielm.basis.singular.columns import laplacian_factors
from fspielm.basis.singular.outgoing import OutgoingDamped
from fspielm.basis.singular.singular import LogPower
from fspielm.geometry import Sites
from fspielm.problem import adjugate, identity

x, y = sp.symbols("x y")
HOLED = fs.Box((-1, -1), (1, 1)) - fs.Disk((0.1, -0.2), 0.25)
CENTER = np.array([0.1, -0.2])
NAMES = ("stokes", "elastostatics", "elastic waves", "lossy", "decoupled")

MakeHoled = Callable[[str], fs.Problem]


@pytest.fixture(scope="module")
def make_holed(make_system: Callable[[str], fs.Problem]) -> MakeHoled:
    """A system on a box with a hole."""

    def make(name: str) -> fs.Problem:
        if name == "decoupled":
            u, v = (sp.Function(n)(x, y) for n in "uv")
            equations = [u.diff(x, 2) + u.diff(y, 2), v.diff(x, 2) + v.diff(y, 2)]
            return fs.Problem(equations, HOLED, [fs.Dirichlet({u: 1, v: x})], unknowns=[u, v])
        stated = make_system(name).statement
        unknowns = [unknown.symbol for unknown in make_system(name).unknowns]
        return fs.Problem(list(stated.equations), HOLED, stated.conditions, unknowns=unknowns)

    return make


def ring(radius: float) -> Sites:
    angles = 2 * np.pi * np.arange(200) / 200
    return Sites(CENTER + radius * np.column_stack([np.cos(angles), np.sin(angles)]))


@pytest.mark.parametrize("name", NAMES)
def test_they_satisfy_the_equations_and_hardly_one_depends_on_others(make_holed: MakeHoled, name: str) -> None:
    problem = make_holed(name)
    columns = hole_columns(problem)
    assert columns
    assert all(satisfies(problem, fields) for fields in columns)
    assert all(np.allclose(corner, CENTER) for fields in columns for corner in fields.corners)
    together = JoinedBasis(columns)
    values = np.concatenate(
        [
            together.matrix(identity(2).on(j), ring(radius))
            for j in range(len(problem.unknowns))
            for radius in (0.25, 0.27, 0.3)
        ]
    )
    singular = np.linalg.svd(values / np.linalg.norm(values, axis=0), compute_uv=False)
    # of the lowest orders, the real part of a function may be new where the imaginary one is not
    assert np.sum(singular < 1e-6 * singular[0]) <= 0.08 * together.size


@pytest.mark.parametrize(
    ("name", "factors"),
    [
        ("stokes", [(0.0, 2)]),
        ("elastostatics", [(0.0, 2)]),
        ("elastic waves", [(225 / 2.8, 1), (225 / 0.7, 1)]),
        ("lossy", [((20 + 3j) ** 2, 1)]),
        ("decoupled", [(0.0, 2)]),
    ],
)
def test_determinants_are_products_of_laplacians(
    make_holed: MakeHoled, name: str, factors: list[tuple[complex, int]]
) -> None:
    found = sorted(laplacian_factors(make_holed(name)), key=lambda one: abs(one[0]))
    assert [times for _, times in found] == [times for _, times in factors]
    assert np.allclose([ratio for ratio, _ in found], [ratio for ratio, _ in factors], rtol=1e-10)


def test_other_determinants_have_no_fields() -> None:
    u, v = (sp.Function(n)(x, y) for n in "uv")
    equations = [u.diff(x, 2) + 2 * u.diff(y, 2) + v, v.diff(x, 2) + v.diff(y, 2)]
    problem = fs.Problem(equations, HOLED, [fs.Dirichlet({u: 1, v: x})], unknowns=[u, v])
    assert laplacian_factors(problem) == []
    assert hole_columns(problem) == ()
    varying = fs.Problem([u.diff(x, 2) + sp.exp(x) * u.diff(y, 2), *equations[1:]], HOLED, [fs.Dirichlet({u: 1, v: x})])
    assert hole_columns(varying) == ()


def test_the_field_of_a_point_force_and_of_a_turn_are_among_those_of_a_slow_flow(make_holed: MakeHoled) -> None:
    problem, viscosity = make_holed("stokes"), 0.3
    sites = ring(0.25).followed_by(ring(0.4))
    dx, dy = (sites.points - CENTER).T
    r = np.hypot(dx, dy)
    force = np.concatenate([-np.log(r) + dx**2 / r**2, dx * dy / r**2, 2 * viscosity * dx / r**2])
    turn = np.concatenate([-dy / r**2, dx / r**2, 0 * r])
    source = np.concatenate([dx / r**2, dy / r**2, 0 * r])
    together = JoinedBasis(hole_columns(problem))
    values = np.concatenate([together.matrix(identity(2).on(j), sites) for j in range(3)])
    # a velocity and a pressure that are constant belong to the other features
    constants = np.kron(np.eye(3), np.ones((len(sites), 1)))
    every = np.concatenate([values, constants], axis=1)
    for field in (force, turn, source):
        coefficients = np.linalg.lstsq(every, field, rcond=1e-13)[0]
        assert np.abs(every @ coefficients - field).max() < 1e-11 * np.abs(field).max()


def test_the_adjugate_times_the_system_is_its_determinant(make_holed: MakeHoled) -> None:
    problem = make_holed("stokes")
    operators = [equation.operator for equation in problem.equations]
    rows = adjugate(operators, 3)
    basis = SingularBasis((3.0, 3.0), 0.0, 1.0, [LogPower(2, 0), LogPower(3, 1)])
    sites = Sites(np.random.default_rng(0).uniform(-1, 1, (9, 2)))
    full = basis.matrix(problem.determinant, sites)
    for column in range(3):
        fields = DerivedBasis(basis, [row[column] for row in rows])
        for place, operator in enumerate(operators):
            expected = full if place == column else 0 * full
            assert np.allclose(fields.matrix(operator, sites), expected, atol=1e-12 * np.abs(full).max())


def test_complex_functions_of_pairs_have_real_fields() -> None:
    functions = [OutgoingDamped(order, 2.0 + 0.5j) for order in (2, -2)]
    pairs = ComplexPairs(SingularBasis((0.1, -0.2), 0.0, 0.25, functions))
    assert (pairs.size, pairs.dtype, pairs.corners) == (2, np.complex128, ((0.1, -0.2),))
    coefficients = np.array([1.0 - 2j, 0.5j])
    real, own = pairs.field(0, coefficients)
    whole = pairs.matrix(identity(2), ring(0.3)) @ coefficients
    assert np.allclose(real.matrix(identity(2), ring(0.3)) @ own, whole, rtol=1e-13)
    with pytest.raises(fs.ProblemError, match="even number of real functions"):
        ComplexPairs(pairs)
