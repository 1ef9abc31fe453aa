"""Linear equations of the second order along a line or a radius, marched to rounding: the solutions from outside.

Every panel holds the second derivative at Gauss points; slope and value are its integrals, so that nothing is ever
differentiated. Panels shrink geometrically towards each narrow place, so that any width costs some dozens of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Function: TypeAlias = Callable[[Array], Array]

_NODES = ContextVar("nodes", default=24)
# Of the distance from a narrow place, or of its width within it.
_STEP = 0.4


@contextmanager
def finer() -> Iterator[None]:
    """More nodes on every panel, to see whether there were enough."""
    token = _NODES.set(_NODES.get() + 10)
    try:
        yield
    finally:
        _NODES.reset(token)


@dataclass(frozen=True, eq=False)
class Equation:
    """v'' + slope v' + value v = right, as functions of the coordinate."""

    slope: Function
    value: Function
    right: Function


@dataclass(frozen=True, eq=False)
class March:
    """Solutions on panels, one after the other from the first break to the last.

    Attributes
    ----------
    breaks : array (panels + 1,)
    values, slopes : array (nodes, panels, solutions)
        Coefficients of Legendre polynomials on every panel.
    """

    breaks: Array
    values: Array
    slopes: Array

    def __call__(self, s: Array, slope: bool = False) -> Array:
        """All solutions at `s`, shape ``(n, solutions)``; beyond the breaks the outermost panels go on."""
        backward = self.breaks[-1] < self.breaks[0]
        inner = -self.breaks[1:-1] if backward else self.breaks[1:-1]
        panel = np.searchsorted(inner, -s if backward else s)
        begin, end = self.breaks[panel], self.breaks[panel + 1]
        local = (2 * s - begin - end) / (end - begin)
        coefficients = (self.slopes if slope else self.values)[:, panel]
        result: Array = legendre.legval(local[:, None], coefficients, tensor=False)
        return result


@cache
def _rule(nodes: int) -> tuple[Array, Array, Array, Array]:
    """Gauss points, values to coefficients, integrals from -1 to the points, and to 1."""
    points, _ = legendre.leggauss(nodes)
    to_coefficients = np.linalg.inv(legendre.legvander(points, nodes - 1))
    antiderivatives = legendre.legint(np.eye(nodes), lbnd=-1)
    integrals = legendre.legvander(points, nodes) @ antiderivatives @ to_coefficients
    whole = legendre.legvander(np.ones(1), nodes) @ antiderivatives @ to_coefficients
    return points, to_coefficients, integrals, whole[0]


def march(equation: Equation, starts: Sequence[tuple[float, float, float]], breaks: Array) -> March:
    """The solutions with the given (value, slope, share of the right-hand side) at the first break."""
    nodes = _NODES.get()
    points, to_coefficients, integrals, whole = _rule(nodes)
    half = np.diff(breaks) / 2
    s = breaks[:-1] + half * (1 + points[:, None])
    slope, value, right = (
        np.broadcast_to(f(s.ravel()), s.size).reshape(s.shape) for f in (equation.slope, equation.value, equation.right)
    )
    v, dv, share = (np.array(column) for column in zip(*starts, strict=True))
    values, slopes = np.empty((2, *s.shape, len(starts)))
    for k, h in enumerate(half):
        once, twice = h * integrals, h * h * integrals @ integrals
        line = v + h * (1 + points[:, None]) * dv
        p, q = slope[:, k, None], value[:, k, None]
        sigma = np.linalg.solve(np.eye(nodes) + p * once + q * twice, right[:, k, None] * share - p * dv - q * line)
        slopes[:, k], values[:, k] = dv + once @ sigma, line + twice @ sigma
        v = v + 2 * h * dv + h * h * whole @ integrals @ sigma
        dv = dv + h * whole @ sigma
    return March(breaks, np.tensordot(to_coefficients, values, 1), np.tensordot(to_coefficients, slopes, 1))


def graded(begin: float, end: float, places: Iterable[tuple[float, float]], forced: Iterable[float] = ()) -> Array:
    """Breaks from `begin` to `end`, fine at each of the `places` (centre, width), with the `forced` among them."""
    sign, length = np.sign(end - begin), abs(end - begin)
    stops = sorted((s for s in forced if 0 < sign * (s - begin) < length), key=lambda s: sign * s)
    found = [begin]
    for stop in (*stops, end):
        s = found[-1]
        while sign * (stop - s) > 0:
            step = min([length / 8, *(_STEP * max(w, abs(s - c)) for c, w in places)])
            left = sign * (stop - s)
            s = stop if step > 0.75 * left else s + sign * step
            found.append(s)
    return np.array(found)
