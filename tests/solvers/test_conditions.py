"""Every condition through the automatic solver: solutions that are not separable, recovered and estimated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry import Edge, PlaneShape, segment

x, y, t = sp.symbols("x y t")
u, v, w = (sp.Function("u")(*c) for c in ((x, y), (x,), (x, t)))
SQUARE, INTERVAL = fs.Box((0, 0), (1, 1)), fs.Interval(0, 1)
pi, dn = sp.pi, fs.normal_derivative
Make = Callable[..., Any]
OUTWARD = {"x-": (-1, x), "x+": (1, x), "y-": (-1, y), "y+": (1, y)}


def laplace(f: sp.Expr) -> sp.Expr:
    return f.diff(x, 2) + f.diff(y, 2)


def biharmonic(f: sp.Expr) -> sp.Expr:
    return laplace(laplace(f))


def slope(f: sp.Expr, part: str) -> sp.Expr:
    sign, symbol = OUTWARD[part]
    return sign * f.diff(symbol)


BENT = sp.sin(6 * x + 2 * y**2) * sp.exp(y / 2) + sp.cos(7 * x * y) / 2


def robin_on_a_disk(make: Make) -> Any:
    """The coefficients vary along the circle, one of them given as a callable."""
    exact = sp.exp(x) * sp.sin(5 * (x + y**2 / 2))
    beta = 1 + x / 2
    flux = (2 + x * y) * exact + beta * (x * exact.diff(x) + y * exact.diff(y))
    condition = fs.Robin(lambda p: 2 + p[:, 0] * p[:, 1], beta, flux)
    return make(lambda f: laplace(f) - f, exact, fs.Disk((0, 0), 1), (x, y), [condition])


def periodic_advection(make: Make) -> Any:
    """First order: the values alone come back."""
    exact = sp.sin(2 * pi * (x - t)) + sp.exp(-t) * sp.cos(4 * pi * (x - t))
    conditions = [fs.Periodic("x"), fs.Initial(exact.subs(t, 0))]
    return make(lambda f: f.diff(t) + f.diff(x), exact, INTERVAL * fs.Time(0, 1), (x, t), conditions)


def advection_with_a_factor(make: Make) -> Any:
    """What comes back is what left, with half the size and the other sign."""
    exact = sp.exp(-sp.log(2) * (x - t)) * sp.cos(3 * pi * (x - t))
    conditions = [fs.Periodic("x", factor=sp.Rational(-1, 2)), fs.Initial(exact.subs(t, 0))]
    return make(lambda f: f.diff(t) + f.diff(x), exact, INTERVAL * fs.Time(0, 1), (x, t), conditions)


def periodic_heat(make: Make) -> Any:
    """Second order: so do the slopes."""
    exact = sp.exp(sp.sin(2 * pi * x + t))
    conditions = [fs.Periodic("x"), fs.Initial(exact.subs(t, 0))]
    return make(lambda f: f.diff(t) - f.diff(x, 2) / 5, exact, INTERVAL * fs.Time(0, 1), (x, t), conditions)


def periodic_helmholtz(make: Make) -> Any:
    """In both directions."""
    exact = sp.exp(sp.sin(2 * pi * x) * sp.cos(2 * pi * y) / 2)
    return make(lambda f: laplace(f) + 50 * f, exact, SQUARE, (x, y), [fs.Periodic("x"), fs.Periodic("y")])


def periodic_helmholtz_in_one_direction(make: Make) -> Any:
    """Values on the other two faces."""
    exact = sp.sin(2 * pi * x + 3 * y) + sp.cos(4 * pi * x) * y
    conditions = [fs.Periodic(("x-", "x+")), fs.Dirichlet(exact, on=["y-", "y+"])]
    return make(lambda f: laplace(f) + 50 * f, exact, SQUARE, (x, y), conditions)


def periodic_orbit(make: Make) -> Any:
    """An ordinary equation of fourth order."""
    return make(lambda f: f.diff(x, 4) + 5 * f, sp.exp(sp.sin(2 * pi * x)), INTERVAL, (x,), [fs.Periodic("x")])


class Cell(PlaneShape):
    """A cell of the lattice with periods (1, 0) and (1/2, 1); its edges run around it."""

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        return np.zeros(2), np.array([1.5, 1.0])

    @property
    def measure(self) -> float:
        return 1.0

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        slack = 1e-14 if closed else -1e-14
        across, up = points[:, 0] - points[:, 1] / 2, points[:, 1]
        inside: BoolArray = (np.minimum(across, up) >= -slack) & (np.maximum(across, up) <= 1 + slack)
        return inside

    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        corners = [(0.0, 0.0), (1.0, 0.0), (1.5, 1.0), (0.5, 1.0), (0.0, 0.0)]
        pieces = zip(["bottom", "right", "top", "left"], corners[:-1], corners[1:], strict=True)
        return tuple(Edge(name, segment(start, end)) for name, start, end in pieces)


def lattice(make: Make) -> Any:
    """Periodic along directions that are neither axes nor at right angles."""
    across, up = x - y / 2, y
    exact = sp.cos(2 * pi * across) + sp.sin(2 * pi * (across + up))
    conditions = [fs.Periodic(("left", "right")), fs.Periodic(("bottom", "top"))]
    return make(lambda f: laplace(f) - 5 * f, exact, Cell(), (x, y), conditions)


def named_faces(make: Make) -> Any:
    """Values, slopes and a mixture, face by face."""
    exact = BENT
    conditions = [
        fs.Dirichlet(exact, on=["x-", "y+"]),
        fs.Neumann(slope(exact, "x+"), on="x+"),
        fs.Robin(3, 2, 3 * exact + 2 * slope(exact, "y-"), on="y-"),
    ]
    return make(lambda f: laplace(f) + 30 * f, exact, SQUARE, (x, y), conditions)


def half_a_wave(make: Make) -> Any:
    """The left face is a mirror."""
    exact = sp.cos(5 * x) * y + sp.sin(6 * y + x**2)
    conditions = [fs.Symmetry("x-"), fs.Dirichlet(exact, on=["x+", "y-", "y+"])]
    return make(lambda f: laplace(f) + 50 * f, exact, SQUARE, (x, y), conditions)


def half_a_plate(make: Make) -> Any:
    """The third derivative vanishes with the first."""
    exact = sp.cos(3 * x) * y + sp.sin(5 * y) * x**4
    rest = ["x+", "y-", "y+"]
    conditions = [
        fs.Symmetry("x-"),
        fs.Dirichlet(exact, on=rest),
        fs.Condition(sp.Eq(laplace(u), laplace(exact)), on=rest),
    ]
    return make(biharmonic, exact, SQUARE, (x, y), conditions)


def clamped_plate(make: Make) -> Any:
    """Fourth order, three wavelengths across."""
    exact = sp.sin(20 * x + 7 * y**2) * sp.exp(y / 2) + sp.cos(20 * x * y) / 2
    conditions = [fs.Dirichlet(exact), *(fs.Neumann(slope(exact, part), on=part) for part in OUTWARD)]
    return make(biharmonic, exact, SQUARE, (x, y), conditions)


def clamped_disk(make: Make) -> Any:
    """The same on a curved boundary."""
    exact = sp.sin(6 * x + 2 * y**2)
    conditions = [fs.Dirichlet(exact), fs.Neumann(x * exact.diff(x) + y * exact.diff(y))]
    return make(biharmonic, exact, fs.Disk((0, 0), 1), (x, y), conditions)


def supported_plate(make: Make) -> Any:
    """No bending moment: the second normal derivative."""
    bending = [fs.Condition(sp.Eq(dn(u, 2), BENT.diff(s[1], 2)), on=part) for part, s in OUTWARD.items()]
    return make(biharmonic, BENT, SQUARE, (x, y), [fs.Dirichlet(BENT), *bending])


def beam(make: Make) -> Any:
    """Clamped at one end, a spring at the other, on an uneven bed."""
    exact = sp.sin(9 * x) * sp.exp(x)
    conditions = [
        fs.Dirichlet(exact, on="x-"),
        fs.Neumann(-exact.diff(x), on="x-"),
        fs.Condition(sp.Eq(dn(v, 2), exact.diff(x, 2)), on="x+"),
        fs.Condition(sp.Eq(dn(v, 3) - 4 * v, exact.diff(x, 3) - 4 * exact), on="x+"),
    ]
    return make(lambda f: f.diff(x, 4) + (1 + x) * f, exact, INTERVAL, (x,), conditions)


def oblique(make: Make) -> Any:
    """A derivative that is not along the normal."""
    exact = sp.sin(5 * x + 3 * y**2)
    tilted = [f.diff(x) + 2 * f.diff(y) + x * f for f in (u, exact)]
    conditions = [fs.Condition(sp.Eq(*tilted), on="x+"), fs.Dirichlet(exact, on=["x-", "y-", "y+"])]
    return make(lambda f: laplace(f) - f, exact, SQUARE, (x, y), conditions)


def absorbing_end(make: Make) -> Any:
    """A wave that leaves: the time derivative in a boundary condition."""
    exact = sp.sin(5 * (x - t)) + sp.exp(-((x - t) ** 2))
    conditions = [
        fs.Dirichlet(exact.subs(x, 0), on="x-"),
        fs.Condition(dn(w) + w.diff(t), on="x+"),
        fs.Initial(exact.subs(t, 0)),
        fs.Initial(exact.diff(t).subs(t, 0), order=1),
    ]
    return make(lambda f: f.diff(t, 2) - f.diff(x, 2), exact, INTERVAL * fs.Time(0, 1), (x, t), conditions, source=0)


def sensor(make: Make) -> Any:
    """Slopes all around leave a constant open, and one value tells it."""
    slopes = [fs.Neumann(slope(BENT, part), on=part) for part in OUTWARD]
    there = [[0.3, 0.4]]
    return make(laplace, BENT, SQUARE, (x, y), [*slopes, fs.Measured(there, [BENT.subs({x: 0.3, y: 0.4}).evalf()])])


def curve(make: Make) -> Any:
    """One face without a condition, and values along a curve that is this face instead."""
    conditions = [
        fs.Dirichlet(BENT, on=["x-", "x+", "y-"]),
        fs.Condition(sp.Eq(u, BENT), at=lambda s: np.column_stack([s**2, np.ones_like(s)])),
    ]
    return make(lambda f: laplace(f) - f, BENT, SQUARE, (x, y), conditions)


def flux_through_a_line(make: Make) -> Any:
    """More than is needed, and true."""
    conditions = [fs.Dirichlet(BENT), fs.Condition(sp.Eq(dn(u), -BENT.diff(y)), at=segment((0.2, 0.5), (0.8, 0.5)))]
    return make(lambda f: laplace(f) - f, BENT, SQUARE, (x, y), conditions)


STATEMENTS = [
    robin_on_a_disk,
    periodic_advection,
    advection_with_a_factor,
    periodic_heat,
    periodic_helmholtz,
    periodic_helmholtz_in_one_direction,
    periodic_orbit,
    lattice,
    named_faces,
    half_a_wave,
    half_a_plate,
    clamped_plate,
    clamped_disk,
    supported_plate,
    beam,
    oblique,
    absorbing_end,
    sensor,
    curve,
    flux_through_a_line,
]


# what others say of a condition, at a higher price
SLOW = (periodic_helmholtz, clamped_plate, supported_plate)


@pytest.mark.parametrize(
    "statement",
    [pytest.param(each, marks=[pytest.mark.slow] * (each in SLOW), id=each.__name__) for each in STATEMENTS],
)
def test_recovered(statement: Callable[[Make], Any], manufacture: Make) -> None:
    made = statement(manufacture)
    solution = fs.solve(made.problem, rng=3)
    error = made.error(solution)
    assert solution.converged, solution.report.reason
    assert error <= 1e-8
    # an upper bound, but for the little that a mean over other points differs by
    assert error <= 1.2 * solution.error_estimate


@pytest.mark.filterwarnings("ignore:not converged")  # too small on purpose
def test_the_same_seed_gives_the_same_bits() -> None:
    conditions = [
        fs.Periodic("x"),
        fs.Robin(1, 2, 0, on="y-"),
        fs.Condition(dn(u) + x * u - 1, on="y+"),
        fs.Measured([[0.5, 0.5]], 0.1),
        fs.Condition(u.diff(x), at=lambda s: np.column_stack([s, s])),
    ]
    problem = fs.Problem(laplace(u) - u, SQUARE, conditions)
    first, second = (fs.solve(problem, rng=11, approach="band", budget=fs.Budget(neurons=100)) for _ in range(2))
    np.testing.assert_array_equal(first.coefficients, second.coefficients)


def test_without_the_sensor_the_constant_is_open(manufacture: Make) -> None:
    made = sensor(manufacture)
    slopes = [c for c in made.problem.conditions if isinstance(c, fs.Neumann)]
    with pytest.warns(fs.AccuracyWarning, match=r"up to a constant.*fs\.Measured"):
        fs.solve(fs.Problem(made.problem.equation, SQUARE, slopes), rng=3)


def test_a_periodic_problem_may_leave_a_constant_open(manufacture: Make) -> None:
    made = manufacture(laplace, sp.sin(2 * pi * (x + y)), SQUARE, (x, y), [fs.Periodic("x"), fs.Periodic("y")])
    with pytest.warns(fs.AccuracyWarning, match="only up to a constant"):
        fs.solve(made.problem, rng=3)


@pytest.mark.parametrize("neurons", [400, pytest.param(None, marks=pytest.mark.slow)])  # without limits cells are tried
def test_a_start_that_is_not_periodic_is_named(manufacture: Make, neurons: int | None) -> None:
    conditions = [fs.Periodic("x"), fs.Initial(sp.sin(2 * x))]
    made = manufacture(
        lambda f: f.diff(t) + f.diff(x), sp.sin(2 * x), INTERVAL * fs.Time(0, 1), (x, t), conditions, source=0
    )
    with pytest.warns(fs.AccuracyWarning, match=r"'initial' at x=0, t=0.*'periodic x'"):
        fs.solve(made.problem, rng=3, budget=fs.Budget(neurons=neurons))


def test_measurements_that_do_not_fit(manufacture: Make) -> None:
    """Least squares in between, an estimate that covers it, and the reason by name."""
    points = np.random.default_rng(0).random((40, 2))
    values = np.exp(points.sum(axis=1)) + 1e-3 * np.random.default_rng(1).standard_normal(40)
    conditions = [fs.Dirichlet(sp.exp(x + y)), fs.Measured(points, values)]
    made = manufacture(lambda f: laplace(f) - f, sp.exp(x + y), SQUARE, (x, y), conditions)
    with pytest.warns(fs.AccuracyWarning, match=r"'measured'.*fit the equation"):
        solution = fs.solve(made.problem, rng=3)
    assert 1e-7 < made.error(solution) < solution.error_estimate < 1e-2


def test_weights_decide_between_measurements(manufacture: Make) -> None:
    """Slopes leave the constant to two sensors that contradict each other: the mean, weighted by the squares."""
    slopes = [fs.Neumann(slope(BENT, part), on=part) for part in OUTWARD]
    there = {x: 0.3, y: 0.4}
    value = float(BENT.subs(there))
    low, high = fs.Measured([[0.3, 0.4]], [value]), fs.Measured([[0.3, 0.4]], [value + 0.01], weight=3)
    made = manufacture(laplace, BENT, SQUARE, (x, y), [*slopes, low, high])
    with pytest.warns(fs.AccuracyWarning):
        solution = fs.solve(made.problem, rng=3, budget=fs.Budget(neurons=400))
    assert solution([[0.3, 0.4]])[0] - value == pytest.approx(0.009, abs=1e-6)


def test_prepared_once(manufacture: Make) -> None:
    made = named_faces(manufacture)
    measured = fs.Measured([[0.5, 0.5]], BENT)
    problem = fs.Problem(made.problem.equation, SQUARE, [*made.problem.conditions, measured])
    plan = fs.prepare(problem, rng=3)
    other = sp.cos(5 * x + y**2)
    values = {
        "dirichlet": other,
        "neumann x+": slope(other, "x+"),
        "robin": 3 * other + 2 * slope(other, "y-"),
        "measured": [float(other.subs({x: 0.5, y: 0.5}))],
    }
    solution = plan.solve(laplace(other) + 30 * other, values)
    points = np.random.default_rng(0).random((500, 2))
    exact = sp.lambdify((x, y), other)(*points.T)
    assert solution.converged
    np.testing.assert_allclose(solution(points), exact, atol=1e-8)


@pytest.mark.filterwarnings("ignore:not converged")  # too small on purpose
def test_by_hand() -> None:
    """Features and points chosen by the user; one name of a periodic pair is enough."""
    exact = sp.sin(2 * pi * x + 3 * y)
    problem = fs.Problem(
        sp.Eq(laplace(u) + 5 * u, laplace(exact) + 5 * exact),
        SQUARE,
        [fs.Periodic("x"), fs.Robin(1, 1, exact + slope(exact, "y-"), on="y-"), fs.Dirichlet(exact, on="y+")],
    )
    points = fs.Points(interior=600, boundary={"x-": 40, "y-": 30, "y+": 30})
    solution = fs.solve(problem, features=fs.FrequencyShift(200, mu=(0, 8)), points=points, rng=0)
    assert solution.report.points["periodic x order 1"] == 40
    assert solution.error_estimate < 1e-3
    assert fs.solve(problem, features=fs.FrequencyShift(200, mu=(0, 8)), rng=0).error_estimate < 1e-3


@pytest.mark.parametrize(
    ("conditions", "missing"),
    [
        ([fs.Dirichlet(sp.exp(x) * sp.cos(y), on=["x-", "x+", "y-"])], r"'y\+' has 0 of the 1"),
        ([], "'x-' has 0 of the 1"),
    ],
)
def test_points_in_the_place_of_a_side_never_converge(conditions: list[Any], missing: str) -> None:
    points = [[i / 6, j / 6] for i in range(1, 6) for j in range(1, 6)]
    problem = fs.Problem(laplace(u), SQUARE, [*conditions, fs.Measured(points, sp.exp(x) * sp.cos(y))])
    with pytest.warns(fs.AccuracyWarning, match=rf"does not determine.*: .*{missing}"):
        solution = fs.solve(problem, rng=3)
    assert solution.error_estimate == np.inf


def test_a_point_in_the_place_of_the_start_never_converges() -> None:
    w = sp.Function("w")(x, t)
    exact = sp.exp(-(pi**2) * t / 4) * sp.sin(pi * x / 2)
    conditions = [fs.Dirichlet(exact), fs.Measured([[0.5, 0.5]], exact)]
    problem = fs.Problem(w.diff(t) - w.diff(x, 2), fs.Interval(0, 1) * fs.Time(0, 1), conditions)
    with pytest.warns(fs.AccuracyWarning, match=r"known does.*misses.*order=0"):
        assert not fs.solve(problem, rng=3).converged


def test_a_curve_stands_for_a_side_along_it_only() -> None:
    exact = sp.exp(x) * sp.cos(y)
    sides = fs.Dirichlet(exact, on=["x-", "x+", "y-"])
    on_top = fs.Condition(sp.Eq(u, exact), at=lambda s: np.column_stack([s, np.ones_like(s)]))
    assert fs.solve(fs.Problem(laplace(u), SQUARE, [sides, on_top]), rng=3).converged
    # to the curve, a mode that is e^-34 there and as large as the solution on top is invisible
    within = fs.Condition(sp.Eq(u, exact), at=lambda s: np.column_stack([s, np.full_like(s, 0.1)]))
    with pytest.warns(fs.AccuracyWarning, match="known does not determine"):
        assert not fs.solve(fs.Problem(laplace(u), SQUARE, [sides, within]), rng=3).converged


def test_the_end_stands_for_the_start_of_a_wave_but_not_of_heat() -> None:
    w, domain = sp.Function("w")(x, t), fs.Interval(0, 1) * fs.Time(0, 1)
    end = {"at": lambda s: np.column_stack([s, np.ones_like(s)])}
    wave = sp.sin(pi * x) * sp.cos(pi * t)
    conditions = [fs.Dirichlet(0), fs.Condition(sp.Eq(w, wave), **end), fs.Condition(w.diff(t) - wave.diff(t), **end)]
    assert fs.solve(fs.Problem(w.diff(t, 2) - w.diff(x, 2), domain, conditions), rng=3).converged
    heat = sp.exp(-(pi**2) * t) * sp.sin(pi * x)
    conditions = [fs.Dirichlet(0), fs.Condition(sp.Eq(w, heat), **end)]
    with pytest.warns(fs.AccuracyWarning, match=r"misses fs\.Initial"):
        assert not fs.solve(fs.Problem(w.diff(t) - w.diff(x, 2), domain, conditions), rng=3).converged


TWO_DISKS = fs.Disk((0, 0), 1, name="a") | fs.Disk((2.5, 0), 1, name="b")


@pytest.mark.parametrize(
    "domain",
    [
        pytest.param(TWO_DISKS, id="joined"),
        pytest.param(TWO_DISKS.rotated(0.3), id="turned", marks=pytest.mark.slow),
    ],
)
def test_a_piece_without_values_is_never_converged(domain: fs.geometry.Domain) -> None:
    """Cosines carry the constant of one disk over to the other, where any would do."""
    conditions = [fs.Dirichlet(1, on="a.circle"), fs.Neumann(0, on="b.circle")]
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), 0), domain, conditions)
    with pytest.warns(fs.AccuracyWarning, match=r"one of many: the piece.*joined"):
        solution = fs.solve(problem, rng=0)
    assert not solution.converged
    held = fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), 0), domain, [fs.Dirichlet(x * y)])
    assert fs.solve(held, rng=0).converged
