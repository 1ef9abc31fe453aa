"""The estimate sees what is narrow, wherever it is: held-out rows are placed there."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.arrays import FloatArray
from fspielm.estimate import judge
from fspielm.estimate import narrow as sampled

x, y, t = sp.symbols("x y t")
u = sp.Function("u")(x, y)
LAPLACIAN = u.diff(x, 2) + u.diff(y, 2)
R2 = (x - sp.Rational(3, 10)) ** 2 + (y - sp.Rational(2, 5)) ** 2
BOX = fs.Box((0, 0), (1, 1))


def refused(problem: fs.Problem, source: str) -> fs.Solution:
    with pytest.warns(fs.AccuracyWarning, match=rf"not converged: .*{source} .*(changes within|jumps)"):
        return fs.solve(problem, tol=1e-4, rng=1, budget=fs.Budget(neurons=200))


@pytest.fixture(scope="module")
def source() -> fs.Solution:
    """Of a source that is narrow."""
    problem = fs.Problem(sp.Eq(LAPLACIAN, 1e6 * sp.exp(-R2 / 1e-8)), BOX, [fs.Dirichlet(0)])
    return refused(problem, "the right-hand side")


@pytest.mark.parametrize("width", [pytest.param(1e-2, marks=pytest.mark.slow), 1e-6])
def test_an_absorbing_inclusion_is_not_missed(width: float) -> None:
    """Its reach in the plane is far beyond its radius."""
    absorbing = sp.exp(-R2 / sp.Float(width) ** 2) / sp.Float(width) ** 2
    solution = refused(fs.Problem(sp.Eq(-LAPLACIAN + absorbing * u, 1), BOX, [fs.Dirichlet(0)]), "coefficient")
    assert "about (0.3" in solution.report.reason
    unresolved = solution.estimate.unresolved
    assert unresolved is not None
    assert unresolved.width < 2 * width
    twin = fs.solve(fs.Problem(sp.Eq(-LAPLACIAN + u, 1), BOX, [fs.Dirichlet(0)]), tol=1e-4, rng=1)
    assert twin.converged


def test_a_slab_a_jump_and_an_electrode() -> None:
    slab = 1 + sp.tanh((x - sp.Rational(1, 2)) / 1e-5) / 2
    equation = sp.Eq((slab * u.diff(x)).diff(x) + (slab * u.diff(y)).diff(y), 1)
    refused(fs.Problem(equation, BOX, [fs.Dirichlet(0)]), "coefficient")
    jump = sp.Piecewise((1e6, R2 < 1e-8), (0, True))
    refused(fs.Problem(sp.Eq(LAPLACIAN, jump), BOX, [fs.Dirichlet(1)]), "the right-hand side")
    electrode = [fs.Dirichlet(sp.exp(-((x - 0.3) ** 2) / 1e-7), on="y-"), fs.Dirichlet(0, on="rest")]
    refused(fs.Problem(sp.Eq(LAPLACIAN, 0), BOX, electrode), "the value of 'dirichlet y-'")


def test_later_data_of_what_was_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    # or functions were asked at fewer places on a busy machine
    monkeypatch.setattr(sampled, "perf_counter", lambda: 0.0)
    prepared = fs.prepare(fs.Problem(sp.Eq(LAPLACIAN, sp.sin(x)), BOX, [fs.Dirichlet(0)]), tol=1e-6, rng=1)

    def narrow(points: FloatArray) -> FloatArray:
        return np.asarray(1e4 * np.exp(-np.sum((points - [0.3, 0.4]) ** 2, axis=1) / 3e-3**2))

    for later in (1e4 * sp.exp(-R2 / 1e-7), narrow):
        with pytest.warns(fs.AccuracyWarning, match="right-hand side changes"):
            assert not prepared.solve(later).converged
    solution = prepared.solve(lambda points: np.cos(points[:, 0]))
    assert solution.converged
    (looks,) = solution.report.sampled
    assert re.match(r"the right-hand side .*131044 places: .*narrower than 0\.003 .*missed", looks)
    assert f"sampled        {looks[:40]}" in str(solution.report)


def test_where_nothing_is_certain_the_residual_is_told(source: fs.Solution) -> None:
    assert source.error_estimate == np.inf
    estimate = source.estimate
    residual = re.escape(f"{estimate.residual / estimate.data:.0e}")
    assert re.search(rf"residual.* {residual} of the data", judge(source.problem, estimate, 1e-4, "").reason)
