"""A file that an earlier version saved is read, and evaluates to what it did then."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

# A lid that moves over a box, solved by version 0.1.0 with tol=1e-6, approach="thin", rng=7: exponentials, cosines for
# the right-hand side, and functions at the corners, some of which jump there.
FILE = Path(__file__).parent / "lid.fspielm"
POINTS = [[0.5, 0.5], [0.2, 0.9], [0.01, 0.995], [0.7, 0.1], [0.95, 0.6]]
VALUES = [0.18548551556619852, 0.637858232522198, 0.7044585444087588, 0.028375489976605328, 0.055900145586093686]
SLOPES = [0.13179072389463953, 1.013702788497973, 25.430214598688792, -0.0115591974148046, -1.0922705574463833]


@pytest.fixture(scope="module")
def solution() -> fs.Solution:
    return fs.load(FILE)


def test_values_are_those_of_then(solution: fs.Solution) -> None:
    # a coefficient's rounding, and what a derivative makes of it
    np.testing.assert_allclose(solution(POINTS), VALUES, rtol=0, atol=1e-11)
    np.testing.assert_allclose(solution.diff("x")(POINTS), SLOPES, rtol=0, atol=1e-9)


def test_report_and_estimate_are_those_of_then(solution: fs.Solution) -> None:
    report = solution.report
    assert solution.basis.size == report.neurons == len(solution.coefficients) == 106
    assert solution.converged
    assert solution.error_estimate == report.error_estimate < 3e-11
    assert (report.rng, report.tol, report.rank) == (7, 1e-6, 89)
    assert [done.neurons for done in report.rounds] == [106]
    assert report.widths == pytest.approx({"x": 6.0, "y": 4.11956}, abs=1e-5)
    assert list(report.points) == ["equation", "dirichlet y+", "dirichlet x-", "dirichlet x+", "dirichlet y-"]


def test_the_statement_is_that_of_then(solution: fs.Solution) -> None:
    x, y = sp.symbols("x y")
    u = sp.Function("u")(x, y)
    assert solution.problem.equation == sp.Eq(u.diff(x, 2) + u.diff(y, 2) - 4 * u, sp.sin(6 * x))
    assert solution.problem.domain == fs.Box((0, 0), (1, 1))
    assert solution.problem.conditions == (fs.Dirichlet(1, on="y+"), fs.Dirichlet(0, on="rest"))
    assert np.abs(solution.residual([[0.3, 0.4]])) < 1e-6
