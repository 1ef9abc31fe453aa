"""Problems that differ little, one after the other."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sympy as sp

import fspielm as fs
from fspielm.solvers.solve import Series

x, y, k = sp.symbols("x y k")
u = sp.Function("u")(x, y)
line = sp.Function("u")(x)
# A corner of 120 degrees, where the solution is singular.
WEDGE = fs.Polygon([(0, 0), (1, 0), (1, 1), (-0.5, 3**0.5 / 2)])


def wave(wavenumber: float) -> fs.Problem:
    conditions = [fs.Neumann(1, on=x + y > 1), fs.Dirichlet(0, on="rest")]
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + k**2 * u, 0)
    return fs.Problem(equation, WEDGE, conditions, given={k: wavenumber})


def test_the_next_begins_with_what_served_the_last() -> None:
    series = Series(1e-6, fs.Budget(threads=1), 0)
    first, *others = [series.solve(wave(value)) for value in (2.0, 2.1, 2.2)]
    assert len(first.report.rounds) > 1
    assert first.report.choice != "as for the problem before"
    for solution in others:
        assert solution.converged
        assert len(solution.report.rounds) == 1
        assert solution.report.choice == "as for the problem before"
        assert solution.report.neurons <= first.report.neurons
    alone = fs.solve(wave(2.2), tol=1e-6, rng=0)
    points = [[0.3, 0.3], [0.1, 0.5]]
    assert abs(alone(points) - others[-1](points)).max() <= (
        alone.report.max_error_estimate + others[-1].report.max_error_estimate
    )


def band(wavenumber: float) -> fs.Problem:
    equation = sp.Eq(line.diff(x, 2) + wavenumber**2 * (1 + x**2 / 2) * line, 1)
    return fs.Problem(equation, fs.Interval(0, 1), [fs.Dirichlet(0)])


def narrow(wavenumber: float) -> fs.Problem:
    equation = sp.Eq(line.diff(x, 2) + wavenumber**2 * line, sp.exp(-(((x - 0.4) / 0.002) ** 2)))
    return fs.Problem(equation, fs.Interval(0, 1), [fs.Dirichlet(0)])


def nonlinear(wavenumber: float) -> fs.Problem:
    return fs.Problem(sp.Eq(line.diff(x, 2), line**2 + wavenumber), fs.Interval(0, 1), [fs.Dirichlet(0)])


@pytest.mark.parametrize(
    ("make", "choice"), [(band, "as for the problem before"), (narrow, "as for the problem before"), (nonlinear, "")]
)
def test_every_kind_of_functions(make: Callable[[float], fs.Problem], choice: str) -> None:
    series = Series(1e-8, fs.Budget(threads=1), 0)
    points = [[0.3], [0.41], [0.7]]
    for wavenumber in (5.0, 5.2, 9.0):
        solution = series.solve(make(wavenumber))
        assert solution.converged
    assert choice in solution.report.choice
    alone = fs.solve(make(9.0), rng=0)
    within = alone.report.max_error_estimate + solution.report.max_error_estimate
    assert abs(alone(points) - solution(points)).max() <= within


def test_where_that_does_not_do_all_else_is_tried() -> None:
    series = Series(1e-8, fs.Budget(threads=1), 0)

    def string(wavenumber: float, source: int) -> fs.Problem:
        equation = sp.Eq(line.diff(x, 2) + wavenumber**2 * line, source * x)
        return fs.Problem(equation, fs.Interval(0, 1), [fs.Dirichlet(1)])

    for problem in (string(1.0, 0), string(2.0, 1), string(40.0, 1), string(1.0, 0)):
        assert series.solve(problem).converged
