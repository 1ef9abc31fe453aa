"""A disk of a large index at a resonance along its boundary, of an order that the waves outside hardly have."""

from __future__ import annotations

import math

import pytest
import sympy as sp
from scipy.optimize import brentq
from scipy.special import jv, jvp, yv, yvp

import fspielm as fs

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
INDEX, ORDER = 20.0, 11


def _meets(k: float) -> float:
    """Zero where waves of the order inside continue in those outside, which are all but standing."""
    inner = INDEX * k
    return float(INDEX * jvp(ORDER, inner) * yv(ORDER, k) - jv(ORDER, inner) * yvp(ORDER, k))


@pytest.mark.parametrize("share", [1.0, 1.03])
def test_the_functions_outside_hold_the_resonance(share: float) -> None:
    k = share * brentq(_meets, 0.72, 0.73, xtol=1e-16)
    problem = fs.Problem(
        sp.Eq(u.diff(x, 2) + u.diff(y, 2) + k**2 * u, 0),
        fs.Exterior(fs.Disk((0, 0), 1)),
        [fs.Transparent(INDEX * k)],
        incident=fs.plane_wave(k, (math.cos(0.3), math.sin(0.3))),
    )
    if share == 1.0:
        with pytest.warns(fs.AccuracyWarning):
            solution = fs.solve(problem, tol=1e-4, rng=0)
    else:
        solution = fs.solve(problem, tol=1e-4, rng=0)
    assert solution.converged == (share != 1.0)
