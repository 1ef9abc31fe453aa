"""Materials of opposite signs: functions that live along their interface."""

from __future__ import annotations

import math

import pytest
import sympy as sp

import fspielm as fs


def layers(contrast: float) -> fs.Problem:
    x, y = sp.symbols("x y")
    u, a = (sp.Function(name)(x, y) for name in "ua")
    return fs.Problem(
        sp.Eq((a * u.diff(x)).diff(x) + (a * u.diff(y)).diff(y), 0),
        fs.Regions(below=fs.Box((0, 0), (1, 0.3)), above=fs.Box((0, 0.3), (1, 0.8))),
        [fs.Dirichlet(sp.sin(sp.pi * x) * y**4)],
        given={a: fs.ByRegion(below=-contrast, above=1.0)},
    )


@pytest.mark.parametrize("order", [5, 8])
def test_a_contrast_that_selects_an_order_is_never_called_converged(order: int) -> None:
    k = order * math.pi
    problem = layers(math.tanh(0.3 * k) / math.tanh(0.5 * k))
    with pytest.warns(fs.AccuracyWarning):
        solution = fs.solve(problem, tol=1e-4, budget=fs.Budget(seconds=10), rng=1)
    assert not solution.converged
    assert "opposite signs" in solution.report.reason or "resonance" in solution.report.reason


def test_opposite_materials_are_ill_posed() -> None:
    with pytest.warns(fs.AccuracyWarning, match="opposite"):
        solution = fs.solve(layers(1.0), tol=1e-3, budget=fs.Budget(seconds=10), rng=1)
    assert not solution.converged


def test_a_contrast_that_selects_none_converges() -> None:
    assert fs.solve(layers(5.0), tol=1e-4, budget=fs.Budget(seconds=10), rng=1).converged
