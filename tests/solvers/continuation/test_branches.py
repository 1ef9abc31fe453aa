"""Branches with folds and bifurcations that are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy
import sympy as sp

import fspielm as fs

# sqrt(lam) is theta / (sqrt(2) cosh(theta / 4)); this is where that is largest.
_FOLD = 3.513830719125161


def test_the_fold_is_where_it_is_known_to_be(bratu: fs.Branch) -> None:
    (fold,) = bratu.folds
    assert abs(fold.value - _FOLD) <= fold.estimate
    assert fold.estimate < 1e-6
    assert fold.solution.error_estimate < 1e-4
    assert fold.solution([[0.5]])[0] == pytest.approx(1.186842168634, rel=1e-4)


def test_both_sides_of_the_fold_are_there(bratu: fs.Branch) -> None:
    steps = np.diff(bratu.values)
    assert steps[0] > 0 > steps[-1]
    assert bratu.stable[0] is True
    assert bratu.stable[-1] is False
    assert [point.unstable for point in bratu][:: len(bratu) - 1] == [0, 1]
    sizes = [point.size for point in bratu]
    assert sizes == sorted(sizes)


def test_every_point_is_a_solution(bratu: fs.Branch) -> None:
    for point in (bratu[0], bratu[-1]):
        assert isinstance(point.solution, fs.Solution)
        assert point.converged
        top = float(point.solution([[0.5]])[0])
        # u(1/2) = 2 ln cosh(theta / 4), with theta as above
        theta = 4 * np.arccosh(np.exp(top / 2))
        assert (theta / np.cosh(theta / 4)) ** 2 / 2 == pytest.approx(point.value, rel=1e-7)
        assert point.solution.problem.statement.given is not None


def test_the_eigenvalue_vanishes_at_the_fold(bratu: fs.Branch) -> None:
    nearest = [point.eigenvalues[0].real for point in bratu]
    before = np.array([value < 0 for value in nearest])
    assert before[0]
    assert not before[-1]
    turned = int(np.argmin(before))
    assert max(bratu.values) in bratu.values[turned - 1 : turned + 1]


@pytest.mark.slow
def test_a_pitchfork_at_the_first_eigenvalue(cubic: fs.Branch) -> None:
    (crossing,) = cubic.bifurcations
    assert abs(crossing.value - 1) <= crossing.estimate < 1e-6
    assert crossing.kind == "pitchfork"
    assert crossing.multiplicity == 1
    assert not np.any(crossing.solution([[1.0], [2.0]]))
    assert cubic.stable[0] is True
    assert cubic.stable[-1] is False
    assert cubic.ending == "the end of the interval, lam = 1.2"


@pytest.mark.slow
def test_branches_leave_in_both_directions(cubic: fs.Branch) -> None:
    one, other = cubic.branches
    assert all(point.stable for branch in (one, other) for point in branch)
    assert one[-1].size == pytest.approx(-other[-1].size, rel=1e-6)
    middle = [[np.pi / 2]]
    assert one[-1].solution(middle)[0] == pytest.approx(-other[-1].solution(middle)[0], rel=1e-6)
    # an amplitude A has the length of the interval as half of its period
    end = one[-1]
    height = abs(float(end.solution(middle)[0]))

    def half_period(value: float) -> float:
        modulus = height**2 / (2 - height**2)
        return 2 * scipy.special.ellipk(modulus) / np.sqrt(value * (1 - height**2 / 2))

    assert half_period(end.value) == pytest.approx(np.pi, rel=1e-6)


@pytest.mark.slow
def test_diagrams(bratu: fs.Branch, cubic: fs.Branch, tmp_path: Path) -> None:
    figure = cubic.plot(tmp_path / "diagram.svg")
    assert "bifurcation" in (tmp_path / "diagram.svg").read_text()
    (axes,) = figure.axes
    assert axes.get_xlabel() == "lam"
    figure = bratu.plot(measure=lambda solution: float(solution([[0.5]])[0]), label="u(1/2)")
    assert figure.axes[0].get_ylabel() == "u(1/2)"
    styles = {line.get_linestyle() for line in figure.axes[0].lines}
    assert {"-", "--"} <= styles


def test_it_says_what_it_is(bratu: fs.Branch) -> None:
    assert "fold at 3.51383" in repr(bratu)
    assert bratu.parameter == sp.Symbol("lam")
    assert bratu.ending.startswith("8 points were asked for")
