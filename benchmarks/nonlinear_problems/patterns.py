"""Patterns that make themselves, on a ring, for a long time; references by exponential integrators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy as sp
from numpy.typing import NDArray

import fspielm as fs
from nonlinear_problems.example import NonlinearProblem, nonlinear_problem, t, u, x
from nonlinear_problems.exponential import Ring

_U, _V = u(x, t), sp.Function("v")(x, t)
_TIMES = 12
_PLACES = 96


@dataclass(frozen=True, eq=False)
class _Reference:
    """Values by a `Ring`, at `_TIMES` times until `end`."""

    ring: Ring
    start: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    end: float
    step: float

    @property
    def times(self) -> NDArray[np.float64]:
        return self.end * np.arange(1, _TIMES + 1) / _TIMES

    @property
    def points(self) -> NDArray[np.float64]:
        places = self.ring.start + self.ring.length * (np.arange(_PLACES) + 0.3) / _PLACES
        return np.stack([v.ravel() for v in np.meshgrid(places, self.times, indexing="ij")], axis=1)

    @cached_property
    def _kept(self) -> list[NDArray[np.complex128]]:
        return self.ring.run(self.start(self.ring.places), self.times, self.step)

    def __call__(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        first = len(self.start(np.zeros(1)))
        found = np.full((len(points), first), np.nan)
        for time, kept in zip(self.times, self._kept, strict=True):
            here = points[:, 1] == time
            found[here] = self.ring.values(kept, points[here, 0]).T
        return found


def _kuramoto_sivashinsky(end: float, tol: float) -> NonlinearProblem:
    turn = 2 * sp.pi * x / 22
    first = sp.cos(turn) * (1 + sp.sin(turn))
    equation = sp.Eq(_U.diff(t) + _U * _U.diff(x) + _U.diff(x, 2) + _U.diff(x, 4), 0)
    ring = Ring(0.0, 22.0, 128, lambda k: (k**2 - k**4)[None], lambda w: -0.5 * w**2, of_flux=True)
    known = _Reference(ring, lambda at: sp.lambdify(x, first)(at)[None], end, 0.0025)
    problem = fs.Problem(equation, fs.Interval(0, 22) * fs.Time(0, end), [fs.Periodic("x"), fs.Initial(first)])
    return NonlinearProblem(problem, known, tol, tol, points=known.points)


@nonlinear_problem("kuramoto-sivashinsky", "u_t + u u_x + u_xx + u_xxxx = 0 on a ring of length 22, until t = 40")
def kuramoto_sivashinsky() -> NonlinearProblem:
    """Chaos, whose digits are lost as time goes on."""
    return _kuramoto_sivashinsky(40.0, 1e-3)


@nonlinear_problem(
    "gray-scott", "u_t = u_xx + 0.02 (1 - u) - u v^2, v_t = 0.01 v_xx - 0.0862 v + u v^2: a pulse splits"
)
def gray_scott() -> NonlinearProblem:
    """On a ring of length 20, until there are two."""
    feed, kill = sp.Rational(2, 100), sp.Rational(862, 10000)
    pulse = sp.cos(sp.pi * x / 20) ** 100
    equations = [
        sp.Eq(_U.diff(t) - _U.diff(x, 2) - feed * (1 - _U) + _U * _V**2, 0),
        sp.Eq(_V.diff(t) - _V.diff(x, 2) / 100 + kill * _V - _U * _V**2, 0),
    ]
    ring = Ring(
        -10.0,
        20.0,
        384,
        lambda k: np.stack([-(k**2) - 0.02, -0.01 * k**2 - 0.0862]),
        lambda w: np.stack([0.02 - w[0] * w[1] ** 2, w[0] * w[1] ** 2]),
    )

    def start(at: NDArray[np.float64]) -> NDArray[np.float64]:
        shape = np.cos(np.pi * at / 20) ** 100
        return np.stack([1 - shape / 2, shape / 4])

    known = _Reference(ring, start, 50.0, 0.005)
    conditions = [fs.Periodic("x"), fs.Initial({_U: 1 - pulse / 2, _V: pulse / 4})]
    problem = fs.Problem(equations, fs.Interval(-10, 10) * fs.Time(0, 50), conditions)
    return NonlinearProblem(problem, known, 1e-4, 1e-4, points=known.points)
