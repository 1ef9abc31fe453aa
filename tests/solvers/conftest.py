"""Problems whose exact solution is one of the features that a seed will draw."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.features import COSINE, SINE, TANH, Activation, Family, RidgeBasis

FUNCTIONS: dict[Activation, Callable[[sp.Expr], sp.Expr]] = {COSINE: sp.cos, SINE: sp.sin, TANH: sp.tanh}


def drawn(family: Family, coordinates: tuple[sp.Symbol, ...], seed: int, index: int, time: bool) -> sp.Expr:
    """Feature number `index` of what solve(..., rng=seed) draws, exact to the last bit, as an expression."""
    # features use the first of two children of the seed
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(2)[0])
    basis = family.draw(len(coordinates), rng, time_axis=len(coordinates) - 1 if time else None)
    assert isinstance(basis, RidgeBasis)
    phase = sum(sp.Rational(float(w)) * s for w, s in zip(basis.W[index], coordinates, strict=True))
    return FUNCTIONS[basis.activation](phase + sp.Rational(float(basis.b[index])))


@pytest.fixture(scope="session")
def feature() -> Callable[..., sp.Expr]:
    """See `drawn`."""
    return drawn


@pytest.fixture(scope="session")
def problem() -> fs.Problem:
    """A Helmholtz problem on the square, with no exact solution in sight."""
    x, y = sp.symbols("x y")
    u = sp.Function("u")(x, y)
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + 20 * u, sp.sin(3 * x) * y)
    return fs.Problem(equation, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(x * y)])
