"""Features chosen by hand serve every unknown of a system."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u, v = (sp.Function(name)(x, y) for name in "uv")
EXACT = {u: sp.exp(x / 2) * sp.sin(3 * x + y**2 / 2), v: sp.cos(2 * x * y + x)}


def reaction(a: sp.Expr, b: sp.Expr) -> list[sp.Expr]:
    return [a.diff(x, 2) + a.diff(y, 2) + b, b.diff(x, 2) + (1 + x) * b.diff(y, 2) - a]


@pytest.mark.parametrize(
    "features",
    [fs.Band(200, widths=(12, 12)), fs.FrequencyShift(250, mu=(0, 10)), fs.Joined([fs.Band(200, widths=(12, 12))])],
    ids=["band", "frequency shift", "joined"],
)
def test_each_unknown_has_its_own(features: fs.Family) -> None:
    equations = [sp.Eq(one, other) for one, other in zip(reaction(u, v), reaction(*EXACT.values()), strict=True)]
    domain = fs.Box((0, 0), (1, 1))
    solution = fs.solve(fs.Problem(equations, domain, [fs.Dirichlet(EXACT)]), features=features, tol=1e-3, rng=0)
    assert solution.report.neurons == 2 * features.neurons
    points = domain.sample(200, np.random.default_rng(0))
    for unknown, exact in EXACT.items():
        known = sp.lambdify((x, y), exact)(*points.T)
        assert np.linalg.norm(solution[unknown](points) - known) < 1e-4 * np.linalg.norm(known)
