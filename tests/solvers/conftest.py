"""Problems made from their exact solution, or whose exact solution is one of the features that a seed will draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis import COSINE, SINE, TANH, Activation, Family, RidgeBasis
from fspielm.geometry import Domain

FUNCTIONS: dict[Activation, Callable[[sp.Expr], sp.Expr]] = {COSINE: sp.cos, SINE: sp.sin, TANH: sp.tanh}


def drawn(family: Family, coordinates: tuple[sp.Symbol, ...], seed: int, index: int, time: bool) -> sp.Expr:
    """Feature number `index` of what solve(..., rng=seed) draws, exact to the last bit, as an expression."""
    # features use the first of the seed's children
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(3)[0])
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


@dataclass(frozen=True)
class Manufactured:
    """A problem and the solution it was made from."""

    problem: fs.Problem
    exact: sp.Expr

    def error(self, solution: fs.Solution) -> float:
        """Relative L2 error, at points even over the whole domain."""
        points = self.problem.domain.sample(4000, np.random.default_rng(99), "low-discrepancy")
        exact = np.asarray(sp.lambdify(self.problem.coordinates, self.exact)(*points.T))
        return float(np.linalg.norm(solution(points) - exact) / np.linalg.norm(exact))


def manufactured(
    operator: Callable[[sp.Expr], sp.Expr],
    exact: sp.Expr,
    domain: Domain,
    coordinates: Sequence[sp.Symbol],
    conditions: Sequence[Any] = (),
    orders: int = 1,
    source: Any = None,
) -> Manufactured:
    """A problem whose solution is `exact`; by default with its values all around, and at the start of time."""
    right = operator(exact) if source is None else source
    equation = sp.Eq(operator(sp.Function("u")(*coordinates)), right)
    stated = list(conditions) or [fs.Dirichlet(exact)]
    if domain.time is not None and not conditions:
        now = coordinates[-1]
        stated += [fs.Initial(exact.diff(now, order).subs(now, domain.time.start), order) for order in range(orders)]
    return Manufactured(fs.Problem(equation, domain, stated), exact)


@pytest.fixture(scope="session")
def manufacture() -> Callable[..., Manufactured]:
    """See `manufactured`."""
    return manufactured
