"""Modes between free walls, or with walls of both kinds, beside exact ones; what bounds them."""

import math
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq
from scipy.special import jn_zeros, jnp_zeros, jvp, yvp

import fspielm as fs
from fspielm.arrays import FloatArray
from fspielm.basis import free_axis
from fspielm.eigen import Membrane, membrane_of
from fspielm.eigen.membranes.functions import Choice
from fspielm.eigen.membranes.look import Scan, _pin, pinned
from fspielm.eigen.membranes.membrane import Wedge
from fspielm.eigen.membranes.search import bottom, looker
from fspielm.eigen.pencil import read_pencil
from fspielm.geometry import Sites
from fspielm.problem import along_normal, identity

x, y, lam = sp.symbols("x y lam")
u = sp.Function("u")(x, y)
HELD, FREE = fs.Dirichlet(0), fs.Neumann(0)
TRIANGLE = fs.Polygon([(0, 0), (1, 0), (0.5, math.sqrt(0.75))])
HALF = fs.Polygon([(0, 0), (1, 0), (0, 1)])
BENT = fs.Polygon([(0, 0), (3, 0), (3, 2), (2, 2), (2, 1), (1, 1), (1, 2), (0, 2)])


def problem(domain: fs.Domain, *conditions: object) -> fs.Problem:
    equation = sp.Eq(-u.diff(x, 2) - u.diff(y, 2), lam * u)
    return fs.Problem(equation, domain, list(conditions), given={lam: ...})


def as_membrane(domain: fs.Domain, *conditions: object) -> Membrane:
    found = membrane_of(read_pencil(problem(domain, *conditions), lam))
    assert found is not None
    return found


def grid(least: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(least, 20) for j in range(least, 20)]


def of_annulus(inner: float) -> list[float]:
    """Between free circles of radius one and this, the constant among them."""
    found = [0.0]
    for n in range(5):

        def off(k: float, n: int = n) -> float:
            return float(jvp(n, k) * yvp(n, inner * k) - jvp(n, inner * k) * yvp(n, k))

        places = np.linspace(0.05, 8, 400)
        values = [off(k) for k in places]
        zeros = [brentq(off, *places[i : i + 2], xtol=1e-14) for i in range(399) if values[i] * values[i + 1] < 0]
        found += [zero**2 for zero in zeros for _ in range(1 + (n > 0))]
    return found


KNOWN = {
    "free square": (fs.Box((0, 0), (1, 1)), [FREE], [np.pi**2 * (i**2 + j**2) for i, j in grid(0)]),
    "free, thin": (fs.Box((0, 0), (6, 0.4)), [FREE], [np.pi**2 * ((i / 6) ** 2 + (j / 0.4) ** 2) for i, j in grid(0)]),
    "held triangle": (TRIANGLE, [HELD], [16 / 9 * np.pi**2 * (i**2 + i * j + j**2) for i, j in grid(1)]),
    "free triangle": (TRIANGLE, [FREE], [16 / 9 * np.pi**2 * (i**2 + i * j + j**2) for i, j in grid(0)]),
    "held half": (HALF, [HELD], [np.pi**2 * (i**2 + j**2) for i, j in grid(1) if i > j]),
    "free half": (HALF, [FREE], [np.pi**2 * (i**2 + j**2) for i, j in grid(0) if i >= j]),
    "free disk": (
        fs.Disk((0.2, 0.1), 1),
        [FREE],
        [0.0, *(z**2 for n in range(8) for z in jnp_zeros(n, 6) for _ in range(1 + (n > 0)))],
    ),
    "held disk": (
        fs.Disk((0, 0), 1),
        [HELD],
        [z**2 for n in range(8) for z in jn_zeros(n, 6) for _ in range(1 + (n > 0))],
    ),
    "free annulus": (fs.Annulus((0, 0), 0.4, 1), [FREE], of_annulus(0.4)),
    "both kinds": (
        fs.Box((0, 0), (1, 2)),
        [fs.Dirichlet(0, on=["x-", "y-"]), fs.Neumann(0, on="rest")],
        [np.pi**2 * ((i + 0.5) ** 2 + (0.5 * j + 0.25) ** 2) for i, j in grid(0)],
    ),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name == "free annulus" else []) for name in KNOWN]
)
def test_known_modes_are_all_there_within_their_bounds(name: str) -> None:
    domain, conditions, known = KNOWN[name]
    exact = np.sort(known)[:8]
    modes = fs.eigenmodes(problem(domain, *conditions), lam, count=8, tol=1e-10, rng=0)
    assert modes.complete
    assert modes.selfadjoint
    assert np.all(np.abs(modes.values - exact) <= modes.bounds)
    assert np.all(modes.bounds <= 1e-10 * np.maximum(exact, 2 * np.pi**2))
    # the last one may be one of several
    folds = [np.count_nonzero(np.abs(np.array(known) - value) < 1e-6) for value in exact[:6]]
    assert [mode.multiplicity for mode in modes[:6]] == folds


def test_a_constant_rests_and_functions_are_orthonormal() -> None:
    modes = fs.eigenmodes(problem(fs.LShape(), FREE), lam, count=5, rng=0)
    assert modes.complete
    assert modes[0].value == modes[0].bound == 0.0
    assert modes[1].value == pytest.approx(1.47562182, abs=1e-7)  # published, as of Maxwell's equations (Dauge)
    assert np.abs(modes.values[3:] - np.pi**2).max() < 1e-8
    rule = fs.LShape().quadrature(4000)
    values = np.stack([mode.field(rule.points) for mode in modes])
    np.testing.assert_allclose(values @ (rule.weights * values).T, np.eye(5), atol=1e-5)
    assert modes[1].field.converged


def test_modes_with_corner_functions_are_kept(tmp_path: Path) -> None:
    (mode,) = fs.eigenmodes(problem(fs.LShape(), HELD), lam, count=1, tol=1e-6, rng=0)
    mode.field.save(tmp_path / "mode.fspielm")
    points = fs.LShape().sample(50, np.random.default_rng(0))
    np.testing.assert_array_equal(fs.load(tmp_path / "mode.fspielm")(points), mode.field(points))


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("opening", [1.1, 2.5, 4.9])
def test_functions_of_a_wedge_suit_both_of_its_sides(free: bool, opening: float) -> None:
    start, other = 0.4, 0.4 + opening
    axis = start + 0.5 * opening + 0.2
    exponents = tuple(n * np.pi / opening for n in (1, 2, 3))
    wedge = Wedge((0.3, -0.2), axis, 2.0, exponents, start - axis, free, (0, 1))
    basis = wedge.functions(3.0, 20.0)
    assert basis.size == 3
    r = np.linspace(0.1, 1.0, 7)[:, None]
    for angle in (start, other):
        points = np.array(wedge.point) + r * np.array([[np.cos(angle), np.sin(angle)]])
        sites = Sites(points, np.tile([-np.sin(angle), np.cos(angle)], (7, 1)))
        left = basis.matrix(along_normal(2) if free else identity(2), sites)
        assert np.abs(left).max() < 1e-13


def test_a_corner_whose_bisector_is_blocked_has_another_ray() -> None:
    # the ray from (1, 1) along the bisector of the exterior meets the arm on the other side
    hook = fs.Polygon([(0, 0), (3, 0), (3, 3), (0.5, 3), (0.5, 2.2), (2.2, 2.2), (2.2, 1), (0, 1)])
    corner = next(each for each in hook.corners() if math.dist(each.point, (2.2, 1)) < 1e-9)
    axis = free_axis(problem(hook, HELD), corner)
    assert axis is not None
    away = np.array(corner.point) + np.outer(np.linspace(1e-3, 5, 300), -np.array([np.cos(axis), np.sin(axis)]))
    assert not hook.contains(away).any()


def test_an_interval_between_free_walls() -> None:
    square = problem(fs.Box((0, 0), (1, 1)), FREE)
    assert len(fs.eigenmodes(square, lam, within=(-5, 5), rng=0)) == 1
    assert len(fs.eigenmodes(square, lam, within=(-5, -1), rng=0)) == 0
    assert len(fs.eigenmodes(problem(fs.Box((0, 0), (1, 1)), HELD), lam, within=(1, 5), rng=0)) == 0
    modes = fs.eigenmodes(square, lam, within=(5, 45), rng=0)
    np.testing.assert_allclose(modes.values, np.pi**2 * np.array([1, 1, 2, 4, 4]), rtol=1e-8)


def test_values_may_be_shifted_and_scaled() -> None:
    equation = sp.Eq(-2 * u.diff(x, 2) - 2 * u.diff(y, 2) + 3 * u, lam * u)
    wall = fs.Problem(equation, fs.Box((0, 0), (1, 1)), [FREE], given={lam: ...})
    modes = fs.eigenmodes(wall, lam, count=2, rng=0)
    assert np.all(np.abs(modes.values - [3.0, 3 + 2 * np.pi**2]) <= modes.bounds + 1e-15)


@pytest.mark.parametrize("condition", [HELD, FREE])
@pytest.mark.parametrize("level", [sp.Rational(1, 3), sp.Rational(10**6, 3)])
def test_bounds_hold_beside_a_large_potential(condition: object, level: sp.Rational) -> None:
    # the rate of energies is no difference of such numbers
    share = sp.Rational(7, 10)
    equation = sp.Eq(-share * u.diff(x, 2) - share * u.diff(y, 2) + level * u, lam * u)
    well = fs.Problem(equation, fs.Box((0, 0), (1, 1.3)), [condition], given={lam: ...})
    modes = fs.eigenmodes(well, lam, count=3, rng=0)
    squares = sorted(i**2 + sp.Rational(10 * j, 13) ** 2 for i, j in grid(int(condition is HELD)))
    exact = [level + share * sp.pi**2 * square for square in squares[:3]]
    for mode, value in zip(modes, exact, strict=True):
        assert abs(sp.Float(mode.value, 30) - value.evalf(30)) <= mode.bound <= 1e-8 * mode.value


def test_bounds_of_a_pair_are_those_of_both_functions() -> None:
    square = as_membrane(fs.Box((0, 0), (1, 1)), FREE)
    (pair,) = pinned(square, Scan(np.full(2, np.pi**2)), Choice())
    assert pair.coefficients.shape[1] == 2
    one = _pin(square, pair.look, 1)
    assert pair.error >= one.error
    assert pair.amplification > (pair.look.energy + pair.shift) / pair.gap


def test_progress_tells_of_looks_and_of_modes() -> None:
    told: list[object] = []
    modes = fs.eigenmodes(problem(fs.Box((0, 0), (1, 1)), FREE), lam, count=3, rng=0, progress=told.append)
    first, *found = told
    assert isinstance(first, fs.ModeSearch)
    assert (first.number, first.count) == (1, 2)  # the constant needs no search
    assert [event.value for event in found] == [modes[1].value]  # type: ignore[attr-defined]


def test_free_walls_are_counted() -> None:
    below = 60 * np.pi**2
    counted = fs.count_modes(problem(fs.Box((0, 0), (1, 1)), FREE), lam, below=below)
    assert counted.certain
    assert counted.number == sum(i**2 + j**2 < 60 for i, j in grid(0))
    assert fs.count_modes(problem(fs.Box((0, 0), (1, 1)), FREE), lam, below=1e-3).number == 1
    assert abs(counted.deviation) < 0.2


def test_weyls_law_between_walls_of_both_kinds() -> None:
    both = as_membrane(fs.Box((0, 0), (1, 2)), fs.Dirichlet(0, on=["x-", "y-"]), fs.Neumann(0, on="rest"))
    known = np.sort([np.pi**2 * ((i + 0.5) ** 2 + (0.5 * j + 0.25) ** 2) for i, j in grid(0)])[:120]
    off = np.arange(120) + 0.5 - [both.weyl(each) for each in known]
    assert abs(off[20:].mean()) < 0.1
    assert both.weyl(both.reaching(50.0)) == pytest.approx(50.0)


@pytest.mark.parametrize(
    "domain", [fs.Box((0, 0), (1, 1)), BENT, fs.Annulus((0, 0), 0.4, 1)], ids=["square", "bent", "annulus"]
)
def test_a_field_bounds_values_at_free_walls(domain: fs.Domain) -> None:
    field = as_membrane(domain, FREE).field
    assert field is not None
    rule, rng = domain.quadrature(4000), np.random.default_rng(0)
    parts = [part.sample(2000, np.random.default_rng(1)) for part in domain.boundary()]
    measures = [part.measure for part in domain.boundary()]

    def waves(points: FloatArray, W: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        phases = points @ W.T + b
        return np.cos(phases).sum(axis=1), -np.sin(phases) @ W

    for size in (0.5, 2.0, 8.0):
        W, b = size * rng.standard_normal((5, 2)), rng.uniform(0, 6, 5)
        values, slopes = waves(rule.points, W, b)
        inside = math.sqrt(rule.weights @ values**2)
        steep = math.sqrt(rule.weights @ np.sum(slopes**2, axis=1))
        walls = sum(
            measure * np.mean(waves(sites.points, W, b)[0] ** 2) for sites, measure in zip(parts, measures, strict=True)
        )
        assert walls <= 1.02 * (field.divergence * inside**2 + 2 * field.size * inside * steep)


def test_bounds_hold_for_functions_that_are_far_from_modes() -> None:
    # few functions: bounds are large, and hold with a margin that is no accident
    cabin = as_membrane(fs.Polygon([(0, 0), (2, 0), (2, 0.8), (1.2, 1.1), (0, 1)]), FREE)
    rough = [next(pinned(cabin, Scan(np.array([2.6])), Choice(degree=degree))) for degree in (1.0, 2.0, 4.0)]
    fine = next(pinned(cabin, Scan(np.array([2.6])), Choice(0, 1.25, 16.0, 0.07)))
    assert fine.bound < 1e-7
    for one in rough:
        assert abs(one.look.energy - fine.look.energy) <= one.bound + fine.bound


def test_a_scan_begins_below_the_first_mode() -> None:
    # two rooms with a narrow passage: the first mode is far below that of either
    rooms = as_membrane(fs.Box((0, 0), (1, 1)) | fs.Box((0.9, 0.48), (1.6, 0.52)) | fs.Box((1.5, 0), (2.5, 1)), FREE)
    low, doubtful = bottom(rooms, looker(rooms))
    assert low < 0.15
    assert not doubtful


def test_neurons_limit_the_functions() -> None:
    modes = fs.eigenmodes(problem(fs.LShape(), HELD), lam, count=1, tol=1e-6, budget=fs.Budget(neurons=200), rng=0)
    assert abs(modes[0].value - 9.6397238440219) <= modes[0].bound
    assert modes[0].field.report.neurons <= 200
