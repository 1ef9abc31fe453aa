"""Expansions on tiles against the direct sum: digits kept, work saved."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fspielm.basis import (
    COSINE,
    TANH,
    Basis,
    ExponentialBasis,
    JoinedBasis,
    Power,
    RidgeBasis,
    SingularBasis,
    SourceBasis,
    Wave,
    evaluate,
)
from fspielm.basis.evaluation import tiles
from fspielm.basis.evaluation.sums import evaluate_each
from fspielm.basis.singular.outgoing import Outgoing
from fspielm.geometry import LShape, Sites
from fspielm.numerics import roots as polynomials
from fspielm.problem import Operator, Term, along_normal, derivative, identity

K = 12.0


def ridge(dimension: int, activation: Any = COSINE, origin: Any = None) -> RidgeBasis:
    rng = np.random.default_rng(0)
    W = rng.uniform(-K, K, (60, dimension)) * (0.05 if activation is TANH else 1.0)
    return RidgeBasis(W, rng.uniform(0, 6, 60), activation, origin)


def exponentials(dimension: int) -> ExponentialBasis:
    rng = np.random.default_rng(3)
    W = rng.uniform(-K, K, (40, dimension)) + 1j * rng.uniform(-5, 5, (40, dimension))
    peaks, along = np.abs(W.imag).sum(axis=1), rng.uniform(-1, 1, (40, dimension))
    return ExponentialBasis(W, rng.uniform(0, 6, 40), np.zeros(dimension), peaks, rng.integers(0, 3, 40), along)


SMOOTH: dict[str, Callable[[int], Basis]] = {
    "cosine": ridge,
    "tanh": lambda d: ridge(d, TANH),
    "exponentials": exponentials,
    "joined": lambda d: JoinedBasis([ridge(d, TANH), JoinedBasis([ridge(d), exponentials(d)])]),
}
BISECTOR = 3 * np.pi / 4  # of the L-shape's interior at its corner
SINGULAR: dict[str, Basis] = {
    "powers": SingularBasis((0, 0), BISECTOR, 1.5, [Power(2 / 3), Power(4 / 3), Power(2, 0, True), Power(8 / 3, 1)]),
    "waves": SingularBasis((0, 0), BISECTOR, 1.5, [Wave(2 / 3, K), Wave(4 / 3, K), Wave(2, K, logarithm=True)]),
    "decaying": SingularBasis((0, 0), BISECTOR, 1.5, [Wave(2 / 3, K, True), Wave(2, K, True, logarithm=True)]),
    "multipoles": SingularBasis((0.5, -0.5), 0.0, 0.3, [Power(0, 0, True), Power(-1), Power(-9)]),
    "outgoing": SingularBasis((0.5, -0.5), 0.0, 0.3, [Outgoing(0, 3.0), Outgoing(5, 3.0), Outgoing(2, 3.0, True)]),
    "sources": SourceBasis([(1.01, 0.4), (0.3, -0.01), (2, 2)], 0.0, [0.01, 0.01, 1]),
    "sources of waves": SourceBasis([(1.01, 0.4), (0.3, -0.01)], K**2, [0.01, 0.01]),
    "screened sources": SourceBasis([(1.01, 0.4), (0.3, -0.01)], -(K**2), [0.01, 0.01]),
}


def cube(dimension: int, n: int | None = None) -> np.ndarray:
    return np.random.default_rng(2).uniform(-1, 1, (n or {1: 2000, 2: 8000, 3: 20_000}[dimension], dimension))


@functools.cache
def sample_of_l(n: int) -> np.ndarray:
    return LShape((0, 0), 1).sample(n, np.random.default_rng(2))


def l_shape(n: int = 40_000) -> np.ndarray:
    """Points of the L-shape without its lower right quadrant, with its corner and sides."""
    sides = np.linspace(0, 1, 500)[:, None]
    return np.concatenate([sample_of_l(n), [[0.0, 0.0]], sides * [1.0, 0.0], sides * [0.0, -1.0]])


def weights(basis: Basis) -> np.ndarray:
    return np.random.default_rng(1).normal(size=basis.size)


def both_ways(
    basis: Basis, operator: Operator, sites: Sites, every: int = 1
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The expansions and the direct sum, at every so many sites, and the size of the terms there."""
    coefficients, some = weights(basis), sites.select(slice(None, None, every))
    fast = evaluate(basis, coefficients, operator, sites, threads=2, method="tiles")[::every]
    direct = evaluate(basis, coefficients, operator, some, threads=2, method="direct")
    return fast, direct, np.linalg.norm(coefficients * basis.matrix(operator, some), axis=1)


def apart(basis: Basis, operator: Operator, sites: Sites, every: int = 1) -> float:
    """Largest difference from the direct sum, in units of the size of its terms at the same point."""
    fast, direct, size = both_ways(basis, operator, sites, every)
    return float((np.abs(fast - direct) / size).max())


def orders(dimension: int, total: int) -> tuple[int, ...]:
    """A derivative of this order, spread over the axes."""
    result = [0] * dimension
    for axis in itertools.islice(itertools.cycle(range(dimension)), total):
        result[axis] += 1
    return tuple(result)


class Count:
    """How many points are summed directly."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.points = 0
        self._sum = tiles.direct_sum
        monkeypatch.setattr(tiles, "direct_sum", self)

    def __call__(self, basis: Basis, fields: Any, local: Any, *, threads: int) -> Any:
        self.points += len(local.points)
        return self._sum(basis, fields, local, threads=threads)


@pytest.mark.parametrize("total", [0, 1, 2, 3])
@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_functions_keep_their_digits(name: str, dimension: int, total: int) -> None:
    operator, sites = derivative(orders(dimension, total)), Sites(cube(dimension))
    assert apart(SMOOTH[name](dimension), operator, sites, every=20) <= 3e-14


@pytest.mark.parametrize("total", [0, 1, 2])
@pytest.mark.parametrize("name", SINGULAR)
def test_singular_functions_keep_their_digits(name: str, total: int) -> None:
    # infinite derivatives at the corner itself are another matter
    fast, direct, size = both_ways(SINGULAR[name], derivative(orders(2, total)), Sites(sample_of_l(40_000)), every=20)
    # phases and powers magnify the rounding of coordinates, which is that of the largest term in the neighbourhood
    assert (np.abs(fast - direct) / np.maximum(size, np.median(size))).max() <= 1e-12


def bump(width: float, center: float = 0.5, across: float | None = None) -> tuple[RidgeBasis, np.ndarray]:
    """``exp(-((x - center) / width)^2 / 2)`` on the unit interval as a sum of cosines; times ``cos(across y)``."""
    w = 2 * np.pi * np.arange(int(9 / (2 * np.pi * width)))
    c = 2 * np.sqrt(2 * np.pi) * width * np.exp(-((w * width) ** 2) / 2)
    c[0] /= 2
    if across is None:
        return RidgeBasis(w[:, None], -w * center, COSINE), c
    W = np.array([(u, sign * across) for u in w for sign in (1, -1)])
    return RidgeBasis(W, -W[:, 0] * center, COSINE), np.repeat(c / 2, 2)


@pytest.mark.parametrize("center", [0.5, 0.27])
@pytest.mark.parametrize("n", [129, 1001, 20_001])
def test_a_bump_between_the_nodes_is_seen(n: int, center: float) -> None:
    basis, coefficients = bump(0.003, center)
    sites = Sites(np.linspace(0, 1, n)[:, None])
    values, direct = (
        evaluate(basis, coefficients, identity(1), sites, threads=2, method=method)  # type: ignore[arg-type]
        for method in ("tiles", "direct")
    )
    assert np.abs(direct).max() > 0.1
    assert np.allclose(values, direct, rtol=0, atol=1e-13)


@pytest.mark.parametrize("n", [3000, 30_000])
def test_a_bump_between_the_nodes_is_seen_in_two_dimensions(n: int) -> None:
    basis, coefficients = bump(0.004, across=2.0)
    sites = Sites(np.random.default_rng(5).uniform(0, 1, (n, 2)))
    values = evaluate(basis, coefficients, identity(2), sites, threads=2, method="tiles")
    x, y = sites.points.T
    expected = np.exp(-(((x - 0.5) / 0.004) ** 2) / 2) * np.cos(2 * y)
    assert expected.max() > 0.5
    assert np.allclose(values, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_fast_waves_at_few_points(dimension: int) -> None:
    # packets of a narrow band, which are nothing but at their middles
    w = 400 + 4.0 * np.arange(-20, 21)
    W = np.zeros((len(w), dimension))
    W[:, -1] = w
    packet = RidgeBasis(W, -0.317 * w, COSINE)
    c = np.exp(-(((w - 400) / 20) ** 2))
    sites = Sites(np.random.default_rng(2).uniform(0, 1, (4 * tiles.NODES[dimension] ** dimension, dimension)))
    values, direct = (
        evaluate(packet, c, identity(dimension), sites, threads=2, method=method)  # type: ignore[arg-type]
        for method in ("tiles", "direct")
    )
    assert np.allclose(values, direct, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["screened source", "screened hole", "tanh", "layer"])
def test_sharp_functions_between_the_nodes_are_seen(name: str) -> None:
    middle, k = np.array([0.5, 0.5]), 3000.0
    bases: dict[str, Basis] = {
        "screened source": SourceBasis([middle], -(k**2), [0.001]),
        "screened hole": SingularBasis((0.5, 0.5), 0.0, 0.001, [Outgoing(0, 3.0, True)]),
        "tanh": RidgeBasis(np.array([[k, 0.0]] * 2), np.array([-0.499, -0.501]) * k, TANH),
        "layer": ExponentialBasis([[1j * k, 0.0]], [0.0], middle, [0.5 * k]),
    }
    basis = bases[name]
    coefficients = np.array([1.0, -1.0])[: basis.size]
    rng = np.random.default_rng(4)
    angles, radii = rng.uniform(0, 2 * np.pi, 400), rng.uniform(0.001, 0.003, 400)
    near = middle + radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    sites = Sites(np.concatenate([near, rng.uniform(0, 1, (20_000, 2))]))
    values, direct = (
        evaluate(basis, coefficients, identity(2), sites, threads=2, method=method)  # type: ignore[arg-type]
        for method in ("tiles", "direct")
    )
    assert np.abs(values - direct).max() <= 1e-11 * np.abs(direct).max()


def test_polynomials_are_compared_with_the_sum_at_points(monkeypatch: pytest.MonkeyPatch) -> None:
    # were the bump to hide from the judgement beforehand, points on it would still show it
    monkeypatch.setattr(tiles, "sum_unresolved", lambda basis, fields, operators, boxes, count: np.zeros((1, 1, 1)))
    basis, coefficients = bump(0.003)
    near = Sites(np.concatenate([np.linspace(0, 1, 1000), np.linspace(0.495, 0.505, 1000)])[:, None])
    values = evaluate(basis, coefficients, identity(1), near, threads=2, method="tiles")
    assert np.allclose(values, np.exp(-(((near.points[:, 0] - 0.5) / 0.003) ** 2) / 2), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["powers", "waves"])
def test_the_corner_itself_and_both_sides_of_the_cut(name: str) -> None:
    assert apart(SINGULAR[name], identity(2), Sites(l_shape())) <= 1e-11


def test_a_jump_along_a_crack_is_seen() -> None:
    # points on both sides of a crack, where the function jumps; a few of them close below it
    crack = SingularBasis((0, 0), 0.0, 1.0, [Power(0.5), Power(1.5)])
    rng = np.random.default_rng(0)
    above = np.column_stack([rng.uniform(-2, -1, 20_000), rng.uniform(0, 1, 20_000)])
    below = np.column_stack([rng.uniform(-2, -1, 20), rng.uniform(-1e-6, -1e-9, 20)])
    assert apart(crack, identity(2), Sites(np.concatenate([above, below]))) <= 1e-13


@pytest.mark.parametrize("name", SINGULAR)
def test_few_points_are_summed_directly(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    count = Count(monkeypatch)
    sites = Sites(sample_of_l(400_000))
    evaluate(SINGULAR[name], weights(SINGULAR[name]), identity(2), sites, threads=2, method="tiles")
    assert count.points <= 0.25 * len(sites)


def test_many_points_of_a_smooth_function_cost_as_much_as_few(monkeypatch: pytest.MonkeyPatch) -> None:
    count, basis, needed = Count(monkeypatch), ridge(2), []
    for n in (100_000, 200_000):
        count.points = 0
        evaluate(basis, weights(basis), identity(2), Sites(cube(2, n)), threads=2, method="tiles")
        needed.append(count.points)
    assert needed[0] == needed[1] <= 30_000


def test_tiles_that_never_suit_cost_less_than_half_of_the_direct_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    noise = RidgeBasis(rng.uniform(-1e5, 1e5, (20, 2)), np.zeros(20), COSINE)
    count = Count(monkeypatch)
    sites = Sites(cube(2, 100_000))
    values = evaluate(noise, weights(noise), identity(2), sites, threads=2, method="tiles")
    assert count.points <= 1.5 * len(sites)
    assert np.array_equal(values, evaluate(noise, weights(noise), identity(2), sites, threads=2, method="direct"))


def test_each_singularity_has_tiles_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    corners = [SingularBasis((x, y), 0.1, 2.0, [Power(1, 0, True)]) for x, y in ((-1.0, -1.0), (-1.0, 1.0))]
    count, sites, needed = Count(monkeypatch), Sites(cube(2, 100_000)), []
    for basis in (*corners, JoinedBasis([JoinedBasis([ridge(2), corners[0]]), ridge(2, TANH), corners[1]])):
        count.points = 0
        evaluate(basis, weights(basis), identity(2), sites, threads=2, method="tiles")
        needed.append(count.points)
    count.points = 0
    evaluate(JoinedBasis([ridge(2), ridge(2, TANH)]), np.ones(120), identity(2), sites, threads=2, method="tiles")
    assert needed[2] == needed[0] + needed[1] + count.points


def test_points_are_evaluated_once_however_many_parts_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    corners = [SingularBasis((x, y), 0.1, 2.0, [Power(1, 0, True)]) for x, y in ((-1, -1), (-1, 1), (1, -1), (1, 1))]
    basis, sites, evaluated = JoinedBasis([ridge(2), *corners]), Sites(cube(2, 100_000)), []
    original = polynomials.sum_polynomials

    def counted(coefficients: Any, points: Any) -> Any:
        evaluated.append(points.shape[1])
        return original(coefficients, points)

    monkeypatch.setattr(polynomials, "sum_polynomials", counted)
    assert apart(basis, identity(2), sites) <= 1e-12
    assert sum(evaluated) <= 1.1 * len(sites)


def test_variable_coefficients_normals_and_several_fields() -> None:
    angle = np.linspace(0, 6, 8000)
    normals = np.column_stack([np.cos(angle), np.sin(angle)])
    sites = Sites(cube(2, 8000), normals)
    variable = Operator(2, (Term(lambda s: np.cos(s.points[:, 0]), (1, 0)), Term(2.0, (0, 1)), Term(3.0, (2, 0))))
    basis, operators = SMOOTH["joined"](2), [identity(2), variable, along_normal(2, 2)]
    fields = np.stack([weights(basis), weights(basis)[::-1]]) * (1 + 2j)
    values = evaluate_each(basis, fields, operators, sites, threads=2, method="tiles")
    expected = evaluate_each(basis, fields, operators, sites, threads=2, method="direct")
    for one, other in zip(values, expected, strict=True):
        assert np.allclose(one, other, rtol=0, atol=1e-13 * np.abs(other).max())


@pytest.mark.parametrize("offset", [1e3, 1e6])
@pytest.mark.parametrize("dimension", [1, 2])
def test_digits_are_kept_far_from_zero(dimension: int, offset: float) -> None:
    basis = ridge(dimension, origin=np.full(dimension, offset))
    assert apart(basis, identity(dimension), Sites(cube(dimension) + offset)) <= 1e-12


def test_points_on_lines_in_planes_and_at_one_place() -> None:
    line = np.column_stack([np.linspace(-1, 1, 5000), np.full(5000, 0.3)])
    plane = np.column_stack([cube(2), np.full(len(cube(2)), -0.2)])
    assert apart(ridge(2), identity(2), Sites(line)) <= 3e-14
    assert apart(ridge(3), derivative((1, 0, 1)), Sites(plane)) <= 3e-14
    assert apart(ridge(2), identity(2), Sites(np.full((5000, 2), 0.3))) == 0
    # a grid, whose columns end up on tiles without width
    x, y = np.meshgrid(np.linspace(-1, 1, 3), np.linspace(-1, 1, 9000))
    assert apart(SINGULAR["sources"], identity(2), Sites(np.column_stack([x.ravel(), y.ravel()]))) <= 1e-12
    # and points a few floating-point numbers apart
    assert apart(ridge(1), identity(1), Sites(1 + 1e-15 * cube(1))) <= 1e-13


def test_a_single_function_at_its_zeros_and_a_constant() -> None:
    cosine = RidgeBasis(np.array([[3.0, 0.0]]), np.zeros(1), COSINE)
    constant = RidgeBasis(np.zeros((1, 2)), np.zeros(1), COSINE)
    for basis in (cosine, constant):
        values = evaluate(basis, np.ones(1), identity(2), Sites(cube(2)), threads=1, method="tiles")
        assert np.allclose(values, np.cos(basis.W[0, 0] * cube(2)[:, 0]), rtol=0, atol=1e-14)
    zeros = evaluate(cosine, np.zeros(1), identity(2), Sites(cube(2)), threads=1, method="tiles")
    assert not zeros.any()


@pytest.mark.parametrize("name", ["waves", "sources"])
def test_bits_do_not_depend_on_threads(name: str) -> None:
    basis = JoinedBasis([SINGULAR[name], ridge(2)])
    one, *more = (
        evaluate(basis, weights(basis), derivative((1, 0)), Sites(l_shape()), threads=threads, method="tiles")
        for threads in (1, 2, 3, 3)
    )
    assert all(np.array_equal(one, other) for other in more)


def test_few_points_have_the_bits_of_the_direct_sum() -> None:
    basis = JoinedBasis([SINGULAR["powers"], ridge(2), SINGULAR["sources"]])
    few = Sites(l_shape(1000)[:1000])
    by = {m: evaluate(basis, weights(basis), identity(2), few, threads=2, method=m) for m in ("tiles", "direct")}  # type: ignore[arg-type]
    assert np.array_equal(by["tiles"], by["direct"])
    assert evaluate(basis, weights(basis), identity(2), Sites(np.empty((0, 2))), threads=2, method="tiles").shape == (
        0,
    )
