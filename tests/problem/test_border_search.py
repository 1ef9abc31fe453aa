"""Every border of a level function is found, however small or thin what it encloses is."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.expr import make_field
from fspielm.geometry.level_curves import Extent
from fspielm.problem.borders import bracket_all

x, y = sp.symbols("x y")
u, a = (sp.Function(name)(x, y) for name in "ua")
w, b = (sp.Function(name)(x) for name in "ua")
HALF = sp.Rational(1, 2)


def brackets(level: sp.Expr, *coordinates: sp.Symbol) -> tuple[np.ndarray, np.ndarray] | None:
    d = len(coordinates)
    field = make_field(level, coordinates, what="it")
    return bracket_all(level, field, Extent(coordinates, np.zeros(d), np.ones(d)))


def flux(of: sp.Expr) -> sp.Expr:
    return (of * u.diff(x)).diff(x) + (of * u.diff(y)).diff(y)


def test_all_zeros_on_a_line() -> None:
    zeros = [sp.Rational(*pair) for pair in ((1, 1000), (70013, 100000), (70014, 100000))]
    found = brackets(sp.prod(x - zero for zero in zeros), x)
    assert found is not None
    before, after = (np.sort(ends[:, 0]) for ends in found)
    assert len(before) == 3
    assert np.all((before <= [float(z) for z in zeros]) & (after >= [float(z) for z in zeros]))


def test_a_zero_that_is_touched_is_none() -> None:
    found = brackets((x - HALF) ** 2, x)
    assert found is not None
    assert len(found[0]) == 0


@pytest.mark.parametrize("radius", [0.05, 1e-3, 1e-6])
def test_closed_curves_beside_others(radius: float) -> None:
    small = (x - 0.74) ** 2 + 2 * (y - 0.483) ** 2 - radius**2
    found = brackets(small * ((x - 0.2) ** 2 + (y - 0.2) ** 2 - 0.01), x, y)
    assert found is not None
    near = np.linalg.norm(found[0] - [0.74, 0.483], axis=1) < 2 * radius + 1 / 400
    assert near.any()
    assert not near.all()


def test_curves_that_leave_the_box() -> None:
    found = brackets(y - sp.sin(3 * x) / 3 - HALF, x, y)
    assert found is not None
    assert np.any(found[0][:, 0] == 0)
    assert np.any(found[0][:, 0] == 1)


def test_what_cannot_be_enclosed() -> None:
    assert brackets(sp.besselj(0, 9 * x) - y, x, y) is None


def test_a_lattice_of_dots() -> None:
    level = sp.sin(3 * sp.pi * x) ** 2 * sp.sin(3 * sp.pi * y) ** 2 - sp.Rational(3, 4)
    board = sp.Piecewise((10, level > 0), (1, True))
    problem = fs.Problem(sp.Eq(flux(board), 1), fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)])
    assert len(problem.interfaces[0].curves) == 9


def test_a_thin_slab_is_solved_with() -> None:
    zeros = [sp.Rational(*pair) for pair in ((1, 1000), (70013, 100000), (70035, 100000))]
    level = sp.expand(sp.prod(x - zero for zero in zeros))
    slabs = sp.Piecewise((sp.Rational(1, 10**5), level < 0), (1, True))
    ends = [fs.Dirichlet(0, on="x-"), fs.Dirichlet(1, on="x+")]
    problem = fs.Problem(sp.Eq((slabs * w.diff(x)).diff(x), 0), fs.Interval(0, 1), ends)
    assert len(problem.interfaces) == 3
    solution = fs.solve(problem, tol=1e-3, rng=0)
    assert solution.converged
    first, second, third = map(float, zeros)

    def resistance(at: float) -> float:
        slab = 1e5 * (min(at, first) + np.clip(at - second, 0, third - second))
        return float(slab + np.clip(at - first, 0, second - first) + np.clip(at - third, 0, 1))

    for at in (0.0005, 0.5, 0.7002, 0.9):
        assert solution([[at]])[0] == pytest.approx(resistance(at) / resistance(1.0), rel=1e-6)


def test_a_material_by_region_times_a_piecewise_one() -> None:
    other = sp.Piecewise((10, x < sp.Rational(1, 4)), (1, True))
    domain = fs.Regions(left=fs.Interval(0, 0.5), right=fs.Interval(0.5, 1))
    ends = [fs.Dirichlet(0, on="x-"), fs.Dirichlet(1, on="x+")]
    given = {b: fs.ByRegion(left=2.0, right=1.0)}
    problem = fs.Problem(sp.Eq((b * other * w.diff(x)).diff(x), 0), domain, ends, given=given)
    assert not problem.remarks
    solution = fs.solve(problem, tol=1e-6, rng=0)
    assert solution.converged
    whole = 0.25 / 20 + 0.25 / 2 + 0.5
    assert solution([[0.25], [0.5]]) == pytest.approx([0.25 / 20 / whole, (0.25 / 20 + 0.25 / 2) / whole])


def test_a_piecewise_along_the_border_of_regions_is_refused() -> None:
    domain = fs.Regions(left=fs.Box((0, 0), (0.5, 1)), right=fs.Box((0.5, 0), (1, 1)))
    board = a * sp.Piecewise((10, x < HALF), (1, True))
    given = {a: fs.ByRegion(left=2.0, right=1.0)}
    with pytest.raises(fs.ProblemError, match=r"border 2\*x - 1 = 0.*fs.ByRegion"):
        fs.Problem(sp.Eq(flux(board), 1), domain, [fs.Dirichlet(0)], given=given)


def test_borders_that_the_domain_does_not_meet() -> None:
    ends = [fs.Dirichlet(0, on="x-"), fs.Dirichlet(1, on="x+")]
    layers = sp.Piecewise((10, sp.And(x < HALF, x > -2)), (3, x > 5), (1, True))
    problem = fs.Problem(sp.Eq((layers * w.diff(x)).diff(x), 0), fs.Interval(0, 1), ends)
    assert len(problem.interfaces) == 1
    solution = fs.solve(problem, tol=1e-6, rng=0)
    assert solution.converged
    assert solution([[0.5]])[0] == pytest.approx(1 / 11)


def test_a_small_curve_close_to_another() -> None:
    small = (x - 0.3) ** 2 + 2 * (y - 0.5003) ** 2 - 1e-8
    for line in (y - HALF, y - HALF - (x - 0.3) / 7):
        found = brackets(small * line, x, y)
        assert found is not None
        at = 0.5 * (found[0] + found[1])
        assert np.any(np.abs((at - [0.3, 0.5003]) @ [1, 0]) + np.abs((at - [0.3, 0.5003]) @ [0, 1]) < 2e-4)
