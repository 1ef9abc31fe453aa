"""Functions of one variable, many at once: roots and minima; expansions in Chebyshev polynomials, on boxes too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray, IndexArray
from fspielm.errors import ProblemError
from fspielm.numerics.tolerances import BISECTIONS, CLOSE, ITERATIONS

Function = Callable[[FloatArray], FloatArray]


def halves(low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The ends ``(2 n,)`` of the halves of intervals: all first halves, then all second halves."""
    middle = 0.5 * (low + high)
    return np.append(low, middle), np.append(middle, high)


def bisect(
    low: FloatArray, high: FloatArray, as_at_low: Callable[[FloatArray], BoolArray], steps: int = BISECTIONS
) -> tuple[FloatArray, FloatArray]:
    """Bisect each interval `steps` times, keeping the half in which a property changes.

    Parameters
    ----------
    low, high : arrays of one shape
        Both ends; `high` may be the smaller one.
    as_at_low : callable
        Tells at points, one in each interval, whether the property is the same as at `low`.
    steps : int
    """
    for _ in range(steps if len(low) else 0):
        middle = 0.5 * (low + high)
        same = as_at_low(middle)
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return low, high


def newton_between(
    low: FloatArray,
    high: FloatArray,
    guess: FloatArray,
    value: Callable[[FloatArray, IndexArray], FloatArray],
    slope: Callable[[FloatArray, IndexArray], FloatArray],
    *,
    close: float = 0.0,
    still: float = 0.0,
) -> FloatArray:
    """The roots ``(n,)`` of n functions by Newton's method, each inside a shrinking bracket.

    Each root stops on its own, so that it does not depend on the others.

    Parameters
    ----------
    low, high : (n,) arrays
        Ends of the brackets: the value is negative at `low`, which may be the larger one, and positive at `high`.
    guess : (n,) array
    value, slope : callable
        From arguments ``(k,)`` and the indices of their functions to values and derivatives.
    close : float
        Values up to this size are roots.
    still : float
        Shorter steps are the last ones.
    """
    low, high, found = low.copy(), high.copy(), guess.copy()
    active = np.arange(len(found))
    for _ in range(2 * ITERATIONS):
        values = value(found[active], active)
        unmet = np.abs(values) > close
        active, values = active[unmet], values[unmet]
        if not active.size:
            break
        tried = found[active]
        low[active], high[active] = np.where(values < 0, [tried, high[active]], [low[active], tried])
        with np.errstate(divide="ignore", invalid="ignore"):
            step = tried - values / slope(tried, active)
        ends = np.sort([low[active], high[active]], axis=0)
        found[active] = np.where((step >= ends[0]) & (step <= ends[1]), step, 0.5 * (ends[0] + ends[1]))
        active = active[np.abs(found[active] - tried) > still]
    return found


def minimum(value: Function, slope: Function, grid: FloatArray) -> float:
    """The minimum of a function, to rounding, by bisection where its slope becomes positive.

    Parameters
    ----------
    value, slope : callable
        The function and its derivative: map ``(n,)`` arguments to ``(n,)`` values.
    grid : (m,) array
        Ascending arguments, with at most one turn between two neighbours.
    """
    slopes = slope(grid)
    turns = (slopes[:-1] <= 0) & (slopes[1:] > 0)
    low, _ = bisect(grid[:-1][turns], grid[1:][turns], lambda middle: slope(middle) <= 0)
    return float(min(np.min(value(grid)), np.min(value(low), initial=np.inf)))


def subdivide(grid: FloatArray, parts: int) -> FloatArray:
    """Divide every step of an ascending grid into equal parts."""
    index = np.arange(parts * (len(grid) - 1) + 1) / parts
    return np.interp(index, np.arange(len(grid)), grid)


# ---- Chebyshev expansions on boxes

# Columns of one product of matrices: with more the linear algebra library would start threads inside of our own.
_COLUMNS_AT_A_TIME = 448


def lobatto(count: int) -> FloatArray:
    """The extrema in [-1, 1] of the Chebyshev polynomial of degree ``count - 1``."""
    return np.sin(np.pi * np.arange(1 - count, count, 2) / (2 * (count - 1)))


def polynomials(x: FloatArray, count: int) -> FloatArray:
    """Chebyshev polynomials of degree 0 to ``count - 1``, shape ``(count, *x.shape)``."""
    values = np.empty((count, *x.shape))
    values[0], values[1] = 1.0, x
    twice = 2.0 * x
    for degree in range(2, count):
        np.multiply(twice, values[degree - 1], out=values[degree])
        values[degree] -= values[degree - 2]
    return values


def to_coefficients(values: FloatArray, nodes: FloatArray) -> FloatArray:
    """Coefficients ``(T, R, p, ..., p)`` of the polynomials with these values at the nodes.

    The nodes may deviate from Chebyshev's: far from zero, floating-point numbers are too coarse for exact ones.

    Parameters
    ----------
    values : (T, R, p, ..., p) array
        Values of R functions on each of T boxes.
    nodes : (T, d, p) array
        Nodes along each of the d axes, from -1 to 1.
    """
    count = nodes.shape[-1]
    # (d, T, 1, ..., 1, p, p): from values to coefficients
    inverse = np.linalg.inv(np.moveaxis(polynomials(nodes, count), 0, -1).swapaxes(0, 1))
    inverse = inverse.reshape(inverse.shape[:2] + (1,) * (values.ndim - 3) + (count, count))
    for axis, matrix in enumerate(inverse, start=2):
        values = np.moveaxis(matrix @ np.moveaxis(values, axis, -2), -2, axis)
    return values


def sum_polynomials(coefficients: FloatArray, points: FloatArray) -> FloatArray:
    """Values ``(R, n)`` of expansions ``(R, p, ..., p)`` at `points` ``(d, n)`` from -1 to 1 along each axis."""
    count = coefficients.shape[-1]
    *others, last = points
    along = polynomials(last, count)
    values = np.empty((*coefficients.shape[:-1], len(last)))
    for start in range(0, len(last), _COLUMNS_AT_A_TIME):
        values[..., start : start + _COLUMNS_AT_A_TIME] = coefficients @ along[:, start : start + _COLUMNS_AT_A_TIME]
    for place in reversed(others):
        values = np.einsum("...kn,kn->...n", values, polynomials(place, count))
    return np.asarray(values)


@final
@dataclass(frozen=True, eq=False)
class Polynomials:
    """R polynomials on one box."""

    lower: FloatArray  # (d,): the ends of the box
    upper: FloatArray
    coefficients: FloatArray  # (R, p, ..., p): of Chebyshev polynomials

    @property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """The ends of the box."""
        return self.lower, self.upper

    def at(self, places: FloatArray) -> FloatArray:
        """Values ``(R, n)`` at `places` ``(d, n)`` on the box."""
        return sum_polynomials(self.coefficients, unit_places(places, self.lower, self.upper))

    def within(self, lower: FloatArray, upper: FloatArray) -> Polynomials:
        """The same polynomials on a box inside this one."""
        count = self.coefficients.shape[-1]
        nodes = lobatto(count)
        ends = unit_places(np.stack([lower, upper], axis=1), self.lower, self.upper)
        coefficients = self.coefficients
        for axis, (low, high) in enumerate(ends, start=1):
            here = polynomials(0.5 * (1 - nodes) * low + 0.5 * (1 + nodes) * high, count)
            matrix = here @ _from_nodes(count)
            coefficients = np.moveaxis(np.moveaxis(coefficients, axis, -1) @ matrix, -1, axis)
        return Polynomials(lower, upper, coefficients)


def join(terms: tuple[Polynomials, ...], last: Polynomials) -> tuple[Polynomials, ...]:
    """The terms and `last`, which is added to the last term if both have the same box."""
    if not terms or not all(map(np.array_equal, terms[-1].ends, last.ends)):
        return (*terms, last)
    return (*terms[:-1], Polynomials(*last.ends, terms[-1].coefficients + last.coefficients))


def add_up(terms: Sequence[Polynomials], lower: FloatArray, upper: FloatArray) -> Polynomials:
    """The sum of polynomials on the box from `lower` to `upper` ``(d,)``, which all their boxes contain."""
    if len(terms) == 1:
        return terms[0]
    return Polynomials(lower, upper, np.sum([term.within(lower, upper).coefficients for term in terms], axis=0))


def unit_places(places: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Map `places` ``(..., n)`` between the ends ``(...)`` to [-1, 1]; to 0 if both ends are equal."""
    low, high = lower[..., None], upper[..., None]
    return np.divide((places - low) - (high - places), high - low, out=np.zeros_like(places), where=high > low)


@cache
def _from_nodes(count: int) -> FloatArray:
    """The matrix from values at the nodes (a row) to coefficients."""
    return np.asarray(np.linalg.inv(polynomials(lobatto(count), count)))


# ---- Antiderivatives

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_FIRST_PANELS = 64
_MOST_PANELS = 200_000
_TOLERANCE = 1e-15  # panels whose integral changes by less, relative to the whole, are not split


@final
@dataclass(frozen=True, eq=False)
class Antiderivative:
    """The integral of `integrand` from ``edges[0]`` on, by adaptive Gauss-Legendre quadrature."""

    integrand: Function
    edges: FloatArray  # (m + 1,): ascending ends of the panels; 16 nodes on a panel integrate to rounding
    totals: FloatArray  # (m + 1,): the integral from ``edges[0]`` to each edge

    @property
    def total(self) -> float:
        """The integral over all panels."""
        return float(self.totals[-1])

    def __call__(self, t: FloatArray) -> FloatArray:
        """Evaluate the integral from ``edges[0]`` to each of `t`."""
        panel = np.clip(np.searchsorted(self.edges, t, side="right") - 1, 0, len(self.edges) - 2)
        return self.totals[panel] + _integrals(self.integrand, self.edges[panel], t)

    def inverse(self, values: FloatArray) -> FloatArray:
        """Find where the integral takes `values`, all in ``[0, total]``; the integrand must be positive."""
        panel = np.clip(np.searchsorted(self.totals, values, side="right") - 1, 0, len(self.totals) - 2)
        origin, low, high = self.edges[panel], self.edges[panel], self.edges[panel + 1]
        wanted, held = values - self.totals[panel], self.totals[panel + 1] - self.totals[panel]
        return newton_between(
            low,
            high,
            low + (high - low) * np.divide(wanted, held, out=np.zeros_like(wanted), where=held > 0),
            lambda t, which: _integrals(self.integrand, origin[which], t) - wanted[which],
            lambda t, _: self.integrand(t),
            close=4 * _TOLERANCE * self.total,
        )


def antiderivative(integrand: Function, start: float, end: float, *, what: str, noise: float = 0.0) -> Antiderivative:
    """Integrate a function, halving its panels where their integral still changes.

    Parameters
    ----------
    integrand : callable
        Maps ``(n,)`` arguments to ``(n,)`` values; piecewise smooth on ``[start, end]``.
    start, end : float
        The range, ``start < end``.
    what : str
        What is integrated, for the error message.
    noise : float
        Rounding error of the integrand; smaller changes do not split panels.

    Raises
    ------
    ProblemError
        If the integral does not converge: the integrand is infinite somewhere, or not piecewise smooth.
    """
    edges = np.linspace(start, end, _FIRST_PANELS + 1)
    low, high = edges[:-1], edges[1:]
    whole = _integrals(integrand, low, high)
    scale = float(np.sum(np.abs(whole)))
    settled_low, settled = [np.empty(0)], [np.empty(0)]
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        left, right = _integrals(integrand, low, middle), _integrals(integrand, middle, high)
        found = float(np.sum(np.abs(np.concatenate([left, right, *settled]))))
        # next to a pole panels shrink to nothing, but their integrals do not
        pole = ~((low < middle) & (middle < high)) & (np.abs(whole) > CLOSE * scale)
        if len(low) > _MOST_PANELS or not np.isfinite(found) or np.any(pole):
            low = low[pole] if np.any(pole) else low
            break
        scale = max(scale, found)
        # the difference is the error of the whole panel; the halves are far more accurate
        done = np.abs(left + right - whole) <= np.maximum(_TOLERANCE * scale, noise * (high - low))
        settled_low += [low[done], middle[done]]
        settled += [left[done], right[done]]
        low, high = halves(low[~done], high[~done])
        whole = np.append(left[~done], right[~done])
        if len(low) == 0:
            order = np.argsort(np.concatenate(settled_low), kind="stable")
            edges = np.append(np.concatenate(settled_low)[order], end)
            totals = np.append(0.0, np.cumsum(np.concatenate(settled)[order]))
            return Antiderivative(integrand, edges, totals)
    raise ProblemError(f"{what} must be finite and piecewise smooth; its integral does not settle near {low[0]:.6g}")


def _integrals(integrand: Function, start: FloatArray, end: FloatArray) -> FloatArray:
    """Integrate from each of `start` to each of `end`, 16 nodes apiece."""
    half = 0.5 * (end - start)
    nodes = 0.5 * (start + end)[:, None] + half[:, None] * _NODES
    values = integrand(nodes.ravel()).reshape(nodes.shape)
    # not values @ _WEIGHTS: results of BLAS may depend on the number of threads and of rows
    return np.asarray(half * np.sum(values * _WEIGHTS, axis=1), dtype=np.float64)
