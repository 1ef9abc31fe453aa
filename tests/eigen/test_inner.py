"""Inner products of modes, where memory is short."""

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.eigen import pencil as inner

x, y, lam = sp.symbols("x y lam")
v = sp.Function("v")(x, y)


def drum() -> fs.Modes:
    problem = fs.Problem(
        sp.Eq(-v.diff(x, 2) - v.diff(y, 2), lam * (1 + x) * v), fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)]
    )
    return fs.eigenmodes(problem, lam, count=2, approach="band", tol=1e-6, rng=0)


def test_values_are_the_same_without_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = drum()
    monkeypatch.setattr(inner, "memory_left", lambda: 0.0)
    monkeypatch.setattr(inner, "tabulate", None)  # not called
    found = drum()
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-6)
