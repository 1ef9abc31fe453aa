"""Exponentials with an amplitude for each unknown: what every basis does, and that they satisfy their equations."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import TypeAlias

import numpy as np
import pytest

import fspielm as fs
from fspielm.basis import (
    Basis,
    Component,
    DerivedBasis,
    Each,
    JoinedBasis,
    ModeBasis,
    Power,
    SingularBasis,
    evaluate,
    localise,
)
from fspielm.basis.exact.family import Characteristic
from fspielm.basis.singular.outgoing import Outgoing
from fspielm.basis.singular.singular import LogPower
from fspielm.collocation.system import draw_features
from fspielm.geometry import Sites
from fspielm.problem import Operator, Term, derivative, identity

MakeSystem: TypeAlias = Callable[[str], fs.Problem]

RNG = np.random.default_rng(3)
TURN = Operator(2, (Term(1.0, (0, 1), 0), Term(-1.0, (1, 0), 1)))
NAMES = (
    "stokes",
    "elastostatics",
    "elastic waves",
    "triangular",
    "acoustics",
    "maxwell, complex",
    "maxwell, real",
    "lossy",
    "schroedinger",
)
REAL = DerivedBasis(
    SingularBasis((-3.0, 0.2), 0.0, 1.0, [Power(-2, 1), LogPower(1, 1), Outgoing(1, 2.0)]),
    [derivative((1, 0)), derivative((0, 1)), Operator(2, ())],
)
COMPLEX = DerivedBasis(
    SingularBasis((-3.0, 0.2), 0.0, 1.0, [Power(-2, 1), LogPower(1, 0)]),
    [Operator(2, (Term(1.0 + 2j, (1, 0)), Term(0.5, (0, 2)))), derivative((0, 1)), Operator(2, ())],
)


def draw(problem: fs.Problem, neurons: int = 60) -> Basis:
    return draw_features(problem, Characteristic(neurons), np.random.default_rng(1))


@pytest.fixture(params=[*NAMES, "derived", "derived, complex"])
def basis(request: pytest.FixtureRequest, make_system: MakeSystem) -> Basis:
    if request.param == "derived":
        return REAL
    return COMPLEX if request.param == "derived, complex" else draw(make_system(request.param), 20)


def points_of(basis: Basis) -> np.ndarray:
    return np.random.default_rng(5).uniform(0.1, 0.7, (6, basis.dimension))


def test_derivatives_agree_with_differences(basis: Basis) -> None:
    points, h = points_of(basis), 1e-4
    for axis, unknown in product(range(basis.dimension), range(basis.components)):
        alpha = tuple(int(axis == other) for other in range(basis.dimension))
        step = h * np.array(alpha)
        value = identity(basis.dimension).on(unknown)
        far, near = ([basis.matrix(value, Sites(points + sign * k * step)) for sign in (1, -1)] for k in (2.0, 1.0))
        slope = (8 * (near[0] - near[1]) - (far[0] - far[1])) / (12 * h)
        exact = basis.matrix(derivative(alpha).on(unknown), Sites(points))
        assert np.abs(slope - exact).max() <= 1e-7 * (1 + np.abs(exact).max())


def test_an_operator_is_the_sum_of_its_terms_whatever_its_coefficients(basis: Basis) -> None:
    sites, dimension = Sites(points_of(basis)), basis.dimension
    second = (2, *[0] * (dimension - 1))
    last = basis.components - 1
    varying = Term(lambda s: 1.5 + s.points[:, 0], second, last)
    constant = Term(-0.7 + 0.2j, (0,) * (dimension - 1) + (1,), 0)
    expected = (1.5 + sites.points[:, :1]) * basis.matrix(derivative(second).on(last), sites)
    expected = expected + (-0.7 + 0.2j) * basis.matrix(derivative(constant.orders), sites)
    found = basis.matrix(Operator(dimension, (varying, constant)), sites)
    assert np.allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
    local = localise(Operator(dimension, (Term(1.0, second, last),)), sites, basis.components)
    whole = np.empty((basis.size, len(sites)), dtype=basis.dtype)
    part = np.empty((2, len(sites)), dtype=basis.dtype)
    basis.fill(local, slice(0, basis.size), whole)
    basis.fill(local, slice(1, 3), part)
    assert np.allclose(part, whole[1:3], rtol=1e-13, atol=1e-13 * np.abs(whole).max())


@pytest.mark.parametrize("is_complex", [False, True])
def test_a_field_is_one_unknown_of_the_sum_on_real_functions(basis: Basis, is_complex: bool) -> None:
    sites = Sites(points_of(basis))
    coefficients = RNG.standard_normal((2, basis.size)) + (
        1j * RNG.standard_normal((2, basis.size)) if is_complex else 0
    )
    for unknown in range(basis.components):
        whole = basis.matrix(identity(basis.dimension).on(unknown), sites) @ coefficients.T
        real, its = basis.field(unknown, coefficients)
        assert real.components == 1
        assert real.dtype == np.float64
        values = real.matrix(identity(basis.dimension), sites) @ its.T
        assert np.allclose(values, whole, rtol=1e-12, atol=1e-12 * (1 + np.abs(whole).max()))


@pytest.mark.parametrize("method", ["auto", "direct", "nufft", "tiles"])
@pytest.mark.parametrize("name", ["stokes", "elastic waves", "lossy", "maxwell, complex"])
def test_fast_sums_agree_with_the_matrix(make_system: MakeSystem, name: str, method: str) -> None:
    problem = make_system(name)
    basis = draw(problem)
    coefficients = RNG.standard_normal(basis.size) + 1j * RNG.standard_normal(basis.size)
    sites = Sites(problem.domain.sample(2500, np.random.default_rng(2)))
    operator = problem.equations[0].operator + identity(problem.dimension).on(basis.components - 1)
    values = evaluate(basis, coefficients, operator, sites, threads=1, method=method)  # type: ignore[arg-type]
    matrix = basis.matrix(operator, sites)
    assert np.abs(values - matrix @ coefficients).max() <= 1e-11 * np.abs(matrix).max() * np.linalg.norm(coefficients)


def test_they_satisfy_their_equations(system: fs.Problem) -> None:
    problem, basis = system, draw(system)
    sites = Sites(problem.domain.sample(30, np.random.default_rng(0)))
    assert basis.size > 30 or problem.domain.time is not None
    for equation in problem.equations:
        terms = [Operator(problem.dimension, (term,)) for term in equation.operator.terms]
        size = np.sum([np.abs(basis.matrix(term, sites)) for term in terms], axis=0).max(axis=0)
        image = np.abs(basis.matrix(equation.operator, sites)).max(axis=0)
        everything = size.max()
        assert np.all(image <= 1e-11 * np.maximum(size, 1e-3 * everything))


def test_complex_functions_stand_for_both_directions(make_system: MakeSystem) -> None:
    basis = draw(make_system("schroedinger"))
    along = basis.frequencies[:, 0].real  # type: ignore[index]
    assert (along > 1).sum() == (along < -1).sum() > 5
    real, complex_ = (draw(make_system(name), 400) for name in ("maxwell, real", "maxwell, complex"))
    assert isinstance(real, ModeBasis)
    assert isinstance(complex_, ModeBasis)
    assert (real.is_real, complex_.is_real) == (True, False)


def test_components_are_multiplied_with_their_scale(make_system: MakeSystem) -> None:
    problem = make_system("stokes")
    family = Each(fs.Band(5, (3.0, 3.0)), (0.5, 1.0, 20.0))
    drawn = draw_features(problem, family, np.random.default_rng(0))
    assert isinstance(drawn, JoinedBasis)
    sites = Sites(np.zeros((1, 2)) + 0.3)
    for unknown, (part, scale) in enumerate(zip(drawn.parts, family.scales, strict=True)):
        assert isinstance(part, Component)
        plain = part.basis.matrix(identity(2), sites)
        assert np.allclose(part.matrix(identity(2).on(unknown), sites), scale * plain, rtol=1e-15)
        field, coefficients = part.field(unknown, np.ones(5))
        assert np.allclose(field.matrix(identity(2), sites) @ coefficients, scale * plain.sum(), rtol=1e-14)


def test_the_vorticity_of_an_elastic_wave_is_that_of_its_shear(make_system: MakeSystem) -> None:
    problem = make_system("elastic waves")
    basis = draw_features(problem, Characteristic(300), np.random.default_rng(0))
    shear, pressure = 15.0 / np.sqrt(0.7), 15.0 / np.sqrt(2.8)
    lengths = np.linalg.norm(basis.frequencies.real, axis=1)  # type: ignore[union-attr]
    still = np.all(basis.frequencies.imag == 0, axis=1)  # type: ignore[union-attr]
    turning = np.abs(basis.matrix(TURN, Sites(np.random.default_rng(1).uniform(-0.4, 0.4, (40, 2))))).max(axis=0)
    kinds = [still & np.isclose(lengths, k) for k in (pressure, shear)]
    assert np.array_equal(kinds[0] | kinds[1], still)
    # as many as each kind needs: fewer of the longer waves
    assert 30 < kinds[0].sum() < kinds[1].sum()
    assert turning[kinds[0]].max() < 1e-12 * turning[kinds[1]].min()
