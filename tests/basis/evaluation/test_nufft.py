"""Fast transforms against the direct sum: every kind of column, dimension, order and coefficient."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from fspielm.basis import (
    COSINE,
    SINE,
    TANH,
    Basis,
    ExponentialBasis,
    JoinedBasis,
    Power,
    RidgeBasis,
    SingularBasis,
    evaluate,
)
from fspielm.basis.evaluation import direct
from fspielm.basis.evaluation import direct as cost
from fspielm.basis.evaluation import direct as nufft
from fspielm.basis.evaluation.direct import split_waves
from fspielm.basis.evaluation.sums import evaluate_each
from fspielm.geometry import Sites
from fspielm.problem import Operator, Term, along_normal, derivative, identity

K = 40.0


def ridge(
    dimension: int, activation: Any = COSINE, neurons: int = 120, origin: Any = None, seed: int = 0
) -> RidgeBasis:
    rng = np.random.default_rng(seed)
    W = rng.uniform(-K, K, (neurons, dimension)) * (0.05 if activation is TANH else 1.0)
    return RidgeBasis(W, rng.uniform(0, 6, neurons), activation, origin)


def corner() -> SingularBasis:
    return SingularBasis((-2.0, 0.1), 0.3, 1.0, [Power(2 / 3), Power(4 / 3, logarithm=True)])


def exponentials(dimension: int) -> ExponentialBasis:
    rng = np.random.default_rng(3)
    W = rng.uniform(-K, K, (90, dimension)) + 1j * rng.uniform(-5, 5, (90, dimension))
    peaks, along = np.abs(W.imag).sum(axis=1), rng.uniform(-1, 1, (90, dimension))
    return ExponentialBasis(W, rng.uniform(0, 6, 90), np.zeros(dimension), peaks, rng.integers(0, 3, 90), along)


BASES: dict[str, Any] = {
    "cosine": lambda d: ridge(d),
    "sine": lambda d: ridge(d, SINE),
    "tanh": lambda d: ridge(d, TANH),
    "joined": lambda d: JoinedBasis([ridge(d, TANH), JoinedBasis([ridge(d), ridge(d, SINE, 30)]), ridge(d, seed=1)]),
    "exponentials": lambda d: JoinedBasis([ridge(d), exponentials(d)]),
    "origins": lambda d: JoinedBasis([ridge(d), ridge(d, COSINE, 50, np.full(d, 0.25))]),
}


def apart(basis: Basis, operator: Operator, sites: Sites, **options: Any) -> float:
    """Largest difference of the two ways, in units of the norm of what is summed."""
    coefficients = np.random.default_rng(1).normal(size=basis.size)
    fast = evaluate(basis, coefficients, operator, sites, threads=2, method="nufft", **options)
    direct = evaluate(basis, coefficients, operator, sites, threads=2, method="direct", **options)
    columns = np.abs(basis.matrix(operator, sites)).max(axis=0)
    return float(np.abs(fast - direct).max() / np.linalg.norm(coefficients * columns))


def points(dimension: int, n: int = 300) -> np.ndarray:
    return np.random.default_rng(2).uniform(-1, 1, (n, dimension))


def orders(dimension: int, total: int) -> tuple[int, ...]:
    """A derivative of this order, spread over the axes."""
    result = [0] * dimension
    for axis in itertools.islice(itertools.cycle(range(dimension)), total):
        result[axis] += 1
    return tuple(result)


@pytest.mark.parametrize("total", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("dimension", [1, 2, 3, 4])
@pytest.mark.parametrize("name", BASES)
def test_agrees_with_the_direct_sum(name: str, dimension: int, total: int) -> None:
    operator = derivative(orders(dimension, total))
    assert apart(BASES[name](dimension), operator, Sites(points(dimension, 100))) <= 1e-13


@pytest.mark.parametrize("total", [0, 1, 2])
def test_agrees_beside_singular_columns(total: int) -> None:
    basis = JoinedBasis([ridge(2), corner()])
    assert apart(basis, derivative(orders(2, total)), Sites(points(2))) <= 1e-13
    assert apart(corner(), derivative(orders(2, total)), Sites(points(2))) == 0.0


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_agrees_with_constant_and_variable_coefficients(dimension: int) -> None:
    helmholtz = Operator(dimension, (*derivative(orders(dimension, 2)).terms, Term(900.0, (0,) * dimension)))
    assert apart(ridge(dimension), helmholtz, Sites(points(dimension))) <= 1e-13
    variable = Operator(
        dimension,
        (
            *helmholtz.terms,
            Term(lambda s: np.cos(s.points[:, 0]), orders(dimension, 1)),
            Term(lambda s: s.points[:, -1] ** 2, orders(dimension, 1)),
            Term(lambda s: np.full(len(s), 3.0), orders(dimension, 3)),
        ),
    )
    for name in ("cosine", "joined", "origins"):
        assert apart(BASES[name](dimension), variable, Sites(points(dimension))) <= 1e-13


def test_agrees_along_normals() -> None:
    angle = np.linspace(0, 6, 500)
    normals = np.column_stack([np.cos(angle), np.sin(angle)])
    assert apart(ridge(2), along_normal(2, 2), Sites(normals, normals)) <= 1e-13


@pytest.mark.parametrize("offset", [1e3, 1e6])
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_keeps_its_digits_far_away(dimension: int, offset: float) -> None:
    here = Sites(points(dimension) + offset)
    # phases counted from nearby, as solvers do: all digits
    assert apart(ridge(dimension, origin=np.full(dimension, offset)), identity(dimension), here) <= 1e-13
    # phases counted from zero: those that K L leaves
    assert apart(ridge(dimension), identity(dimension), here) <= 1e-13 * K * offset / 100


def test_is_more_exact_far_away_than_the_direct_sum() -> None:
    basis, far = ridge(1), points(1) + 1e6
    coefficients = np.random.default_rng(1).normal(size=basis.size)
    phase = basis.W.astype(np.longdouble) @ far.T.astype(np.longdouble) + basis.b[:, None]
    exact = (coefficients @ np.cos(phase)).astype(float)
    errors = {
        method: np.abs(evaluate(basis, coefficients, identity(1), Sites(far), threads=1, method=method) - exact).max()
        for method in ("nufft", "direct")
    }
    if np.finfo(np.longdouble).eps < np.finfo(np.float64).eps:
        assert errors["nufft"] < 0.1 * errors["direct"]


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_digits_are_lost_in_proportion_to_the_phase(dimension: int) -> None:
    sites = Sites(10 * points(dimension, 100) if dimension < 3 else 3 * points(3, 100))
    extent = 20 if dimension < 3 else 6
    assert apart(ridge(dimension), identity(dimension), sites) <= 1e-13 * K * extent / 100


@pytest.mark.parametrize("n", [1, 2, 99, 100, 101, 250])
def test_borders_of_chunks_and_slabs(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nufft, "chunk_points", lambda *_: 50)
    monkeypatch.setattr("fspielm.basis.evaluation.sums.SLAB", 100)
    variable = Operator(2, (Term(lambda s: s.points[:, 0], (1, 0)), Term(2.0, (0, 1))))
    for operator in (identity(2), variable):
        assert apart(BASES["joined"](2), operator, Sites(points(2, n))) <= 1e-13


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_tiles_where_the_grid_of_all_points_is_too_large(dimension: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "_MOST_GRID_BYTES", 0.4 * cost._grid_bytes(np.full(dimension, 8 * K), 1))
    assert np.prod(cost.tile_counts(np.full(dimension, 8 * K), 1)) >= 3
    wide = Sites(2 * points(dimension))
    assert apart(BASES["cosine"](dimension), derivative(orders(dimension, 1)), wide) <= 1e-13 * K * 4 / 100


def test_tiles_end_where_the_grid_shrinks_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "_MOST_GRID_BYTES", 0.0)
    assert np.prod(cost.tile_counts(np.array([1000.0, 1.0]), 1)) < 100


def test_tiles_of_points_on_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "_MOST_GRID_BYTES", 1e5)
    line = np.column_stack([np.linspace(0, 30, 300), np.full(300, 0.5)])
    assert apart(ridge(2), identity(2), Sites(line)) <= 1e-13 * K * 30 / 100


def test_points_on_a_line_and_a_single_point() -> None:
    line = np.column_stack([np.linspace(0, 1, 300), np.full(300, 0.5)])
    assert apart(ridge(2), identity(2), Sites(line)) <= 1e-13
    assert apart(ridge(3), identity(3), Sites(points(3, 1))) <= 1e-13


def test_constant_functions() -> None:
    basis = RidgeBasis(np.zeros((3, 2)), np.zeros(3), COSINE)
    values = evaluate(basis, np.ones(3), identity(2), Sites(points(2)), threads=1, method="nufft")
    assert np.allclose(values, 3, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["joined", "exponentials"])
@pytest.mark.parametrize("method", ["nufft", "direct"])
def test_bits_do_not_depend_on_threads(method: Any, name: str) -> None:
    basis = BASES[name](2)
    coefficients = np.random.default_rng(1).normal(size=basis.size)
    sites = Sites(points(2, 8000))
    one, *more = (
        evaluate(basis, coefficients, derivative((1, 1)), sites, threads=threads, method=method)
        for threads in (1, 2, 3, 3)
    )
    assert all(np.array_equal(one, other) for other in more)


@pytest.mark.parametrize("method", ["nufft", "direct"])
def test_complex_coefficients_and_several_fields(method: Any) -> None:
    basis, sites = BASES["joined"](2), Sites(points(2))
    rng = np.random.default_rng(3)
    fields = rng.normal(size=(2, basis.size)) + 1j * rng.normal(size=(2, basis.size))
    operators = [identity(2), Operator(2, (Term(lambda s: s.points[:, 0], (1, 0)), Term(2.0, (0, 1))))]
    values = evaluate_each(basis, fields, operators, sites, threads=2, method=method)
    assert values.shape == (2, 2, 300)
    expected = np.stack([fields @ basis.matrix(operator, sites).T for operator in operators])
    assert np.allclose(values, expected, rtol=0, atol=1e-12 * np.abs(expected).max() * 10)


@pytest.mark.parametrize("method", ["auto", "nufft", "direct"])
def test_no_points_give_no_values(method: Any) -> None:
    basis = ridge(2)
    values = evaluate(basis, np.ones(basis.size), identity(2), Sites(np.empty((0, 2))), threads=2, method=method)
    assert values.shape == (0,)
    variable = Operator(2, (Term(lambda s: s.points[:, 0], (1, 0)),))
    assert evaluate(basis, np.ones(basis.size), variable, Sites(np.empty((0, 2))), threads=2).shape == (0,)


def test_the_choice_follows_the_cost() -> None:
    W = ridge(2, neurons=2000).W
    assert not cost.transform_pays([W], points(2, 5), 1, 1)
    assert cost.transform_pays([W], points(2, 50_000), 1, 1)
    assert not cost.transform_pays([W[:5]], points(2, 50_000), 1, 1)
    # a grid too large for memory
    assert not cost.transform_pays([100 * ridge(3).W], points(3, 100_000), 1, 1)


def test_many_points_take_the_transform(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    summed = nufft.sum_waves
    monkeypatch.setattr(
        "fspielm.basis.evaluation.sums.sum_waves", lambda *a, **k: calls.append(len(a[3])) or summed(*a, **k)
    )
    basis = ridge(2, neurons=500)
    for n in (10, 20_000):
        evaluate(basis, np.ones(500), identity(2), Sites(points(2, n)), threads=1)
    assert calls == [20_000]


def test_exponentials_are_left_to_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    basis, directly = BASES["exponentials"](2), []
    summed = direct.direct_sum
    monkeypatch.setattr(
        "fspielm.basis.evaluation.tiles.direct_sum", lambda *a, **k: directly.append(a[0]) or summed(*a, **k)
    )
    evaluate(basis, np.ones(basis.size), derivative((1, 0)), Sites(points(2, 50_000)), threads=2)
    assert {part.leaves for part in directly} == {(basis.parts[1],)}


def test_waves_of_one_origin_are_summed_together() -> None:
    basis = BASES["joined"](2)
    waves, others = split_waves(basis, np.ones((1, basis.size)))
    assert [len(group.W) for group in waves] == [270]
    assert [part.size for part, _ in others] == [120]
