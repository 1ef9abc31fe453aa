"""Names to parse with."""

from __future__ import annotations

import pytest
import sympy as sp

from fspielm.expr import Scope

X, Y, T, K = sp.symbols("x y t k")
U = sp.Function("u")(X, Y, T)


@pytest.fixture
def scope() -> Scope:
    """Two coordinates of space, and time; a parameter; the unknown."""
    return Scope((X, Y, T), T, (U,), {"k": K})
