"""More functions go where the residual is."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis.outgoing.placement import Effort
from fspielm.estimate import ErrorEstimate
from fspielm.solvers.strategies.open_space import ObjectEffort, first_efforts, more_effort

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
K = 2.0
SQUARE = fs.Polygon([(1, 0), (0, 1), (-1, 0), (0, -1)], name="square")


def source(place: tuple[float, float]) -> sp.Expr:
    return sp.hankel1(0, K * sp.sqrt((x - place[0]) ** 2 + (y - place[1]) ** 2))


def helmholtz(shapes: list[Any], conditions: list[Any]) -> fs.Problem:
    return fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2) + K**2 * u, 0), fs.Exterior(*shapes), conditions)


def estimated(error: float, **shares: float) -> ErrorEstimate:
    numbers = dict.fromkeys(("largest", "amplification", "residual", "data", "rounding", "scale", "growth"), 1.0)
    return ErrorEstimate(error, **numbers, residuals={}, null_function=np.ones(1), null=np.ones(1), shares=shares)


QUIET, LOUD = (ObjectEffort(frozenset({name}), 10.0, Effort(10.0)) for name in ("quiet", "loud"))


def test_conditions_belong_to_objects_and_parts_of_one_name_to_all_of_theirs() -> None:
    shapes = [SQUARE, fs.Disk((3, 0), 1), fs.Disk((6, 0), 1)]
    problem = helmholtz(shapes, [fs.Neumann(x, on="square.outline"), fs.Dirichlet(sp.cos(40 * y), on="circle")])
    square, one, other = first_efforts(problem, fs.infer_bands(problem, np.random.default_rng(0)))
    assert square.blocks == {"neumann square.outline"}
    assert one.blocks == other.blocks == {"dirichlet circle"}
    assert one.along == pytest.approx(40.0, rel=0.5)
    assert one.is_slow
    assert not square.is_slow


def test_data_on_polygons_have_a_band_although_rows_have_weights_at_corners() -> None:
    problem = helmholtz([SQUARE], [fs.Neumann(fs.normal_derivative(source((0.1, 0.2))))])
    bands = fs.infer_bands(problem, np.random.default_rng(0))
    assert not bands.unsettled
    assert bands.frequencies.max() < 30


def test_what_is_good_enough_gets_no_more() -> None:
    quiet, loud = more_effort((QUIET, LOUD), estimated(1e-4, quiet=1e-8, loud=1.0), 1e-5, helped=True)
    assert quiet == QUIET
    assert loud.made.level == 1


@pytest.mark.parametrize(("error", "levels"), [(1.2e-8, 1), (1e-3, 2), (math.inf, 2)])
def test_steps_are_larger_where_digits_are_far_off(error: float, levels: int) -> None:
    quiet, loud = more_effort((QUIET, LOUD), estimated(error, quiet=0.5, loud=0.5), 1e-8, helped=True)
    assert quiet.made.level == loud.made.level == levels


@pytest.mark.parametrize(
    ("error", "helped", "is_faster"), [(math.inf, True, True), (1e-2, True, False), (1e-2, False, True)]
)
def test_faster_data_are_held_where_nothing_else_helps(error: float, helped: bool, is_faster: bool) -> None:
    slow = replace(LOUD, along=100.0)
    (after,) = more_effort((slow,), estimated(error, loud=1.0), 1e-6, helped=helped)
    assert (after.made.held, after.made.level) == ((20.0, 0) if is_faster else (10.0, after.made.level))
    assert (after.made.level > 0) != is_faster


@pytest.mark.parametrize("kind", ["neumann", "robin"])
def test_sources_close_below_a_disk_take_as_many_rounds_as_they_need(kind: str) -> None:
    exact = source((0.92, 0.0))
    slope = fs.normal_derivative(exact)
    condition = {
        "neumann": fs.Neumann(slope),
        "robin": fs.Robin(-1j, 1, slope - sp.I * exact),
    }[kind]
    problem = helmholtz([fs.Disk((0, 0), 1)], [condition])
    solution = fs.solve(problem, tol=1e-6, rng=0)
    points = problem.domain.sample(300, np.random.default_rng(0))
    known = np.asarray(sp.lambdify((x, y), exact, ["scipy", "numpy"])(*points.T))
    assert solution.converged
    assert np.linalg.norm(solution(points) - known) <= solution.error_estimate * np.linalg.norm(known)


@pytest.mark.slow
def test_a_hard_corner_beside_a_source_that_is_close_has_its_digits() -> None:
    exact = source((0.1, 0.2)) + 0.5 * source((3.0, 0.9))
    slope = fs.normal_derivative(exact)
    conditions = [fs.Neumann(slope, on="square.outline"), fs.Dirichlet(exact, on="circle")]
    problem = helmholtz([SQUARE, fs.Disk((3, 0), 1)], conditions)
    solution = fs.solve(problem, tol=1e-5, rng=0)
    points = problem.domain.sample(300, np.random.default_rng(0))
    known = np.asarray(sp.lambdify((x, y), exact, ["scipy", "numpy"])(*points.T))
    error = np.linalg.norm(solution(points) - known) / np.linalg.norm(known)
    assert solution.converged
    assert error <= solution.error_estimate


def test_rounds_end_where_they_do_not_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fspielm.solvers.driver._TIMES", 0.0)  # no gamble, whatever the clock says
    jumping = fs.Dirichlet(lambda points: np.sign(points[:, 0] - 0.3))
    with pytest.warns(fs.AccuracyWarning, match="more functions in the objects"):
        solution = fs.solve(helmholtz([fs.Disk((0, 0), 1)], [jumping]), tol=1e-6, rng=0)
    assert not solution.converged


def test_rounds_end_where_there_are_no_more_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fspielm.solvers.strategies.open_space.LEAST_GROWTH", 1e3)
    monkeypatch.setattr("fspielm.solvers.strategies.open_space.ITERATIONS", 1)
    problem = helmholtz([fs.Disk((0, 0), 1)], [fs.Dirichlet(source((0.9, 0.0)))])
    with pytest.warns(fs.AccuracyWarning, match=r"no more functions.*objects"):
        fs.solve(problem, tol=1e-6, rng=0)
