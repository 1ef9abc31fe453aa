"""The antiderivative of a function to rounding, and its inverse where the function is positive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError

Function = Callable[[FloatArray], FloatArray]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_FIRST_PANELS = 64
_MOST_PANELS = 200_000
_MOST_HALVINGS = 60  # beyond these a panel is narrower than the spacing of floating-point numbers
_AIM = 1e-15  # change of one panel's integral, relative to the whole, at which it is split no more


@final
@dataclass(frozen=True, eq=False)
class Antiderivative:
    """The integral of `integrand` from the first of `edges` on, by adaptive Gauss-Legendre quadrature.

    Attributes
    ----------
    integrand : callable
        Maps ``(n,)`` arguments to ``(n,)`` values.
    edges : (m + 1,) array
        Ends of the panels, ascending; on each of them 16 nodes integrate to rounding.
    totals : (m + 1,) array
        The integral from ``edges[0]`` to each edge.
    """

    integrand: Function
    edges: FloatArray
    totals: FloatArray

    @property
    def total(self) -> float:
        """The integral over all panels."""
        return float(self.totals[-1])

    def __call__(self, t: FloatArray) -> FloatArray:
        """Evaluate the integral from ``edges[0]`` to each of `t`."""
        panel = np.clip(np.searchsorted(self.edges, t, side="right") - 1, 0, len(self.edges) - 2)
        return self.totals[panel] + _integrals(self.integrand, self.edges[panel], t)

    def inverse(self, values: FloatArray) -> FloatArray:
        """Find where the integral takes `values`, all in ``[0, total]``; the integrand must be positive.

        Newton's method, kept inside a bracket that shrinks at every step, so that it always ends. Each value
        stops on its own: the answer does not depend on what else is asked for in the same call.
        """
        panel = np.clip(np.searchsorted(self.totals, values, side="right") - 1, 0, len(self.totals) - 2)
        origin, low, high = self.edges[panel], self.edges[panel], self.edges[panel + 1]
        wanted, held = values - self.totals[panel], self.totals[panel + 1] - self.totals[panel]
        t = low + (high - low) * np.divide(wanted, held, out=np.zeros_like(wanted), where=held > 0)
        active = np.arange(len(t))
        for _ in range(100):
            excess = _integrals(self.integrand, origin[active], t[active]) - wanted[active]
            unmet = np.abs(excess) > 4 * _AIM * self.total
            active, excess = active[unmet], excess[unmet]
            if len(active) == 0:
                break
            tried = t[active]
            low[active], high[active] = np.where(excess < 0, [tried, high[active]], [low[active], tried])
            with np.errstate(divide="ignore", invalid="ignore"):
                step = tried - excess / self.integrand(tried)
            bracketed = (step >= low[active]) & (step <= high[active])
            t[active] = np.where(bracketed, step, 0.5 * (low[active] + high[active]))
        return t


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
        How far rounding may carry the values of the integrand off: changes below it are not pursued.

    Returns
    -------
    Antiderivative

    Raises
    ------
    ProblemError
        If the integral does not settle: the integrand is infinite somewhere, or without any smoothness.
    """
    edges = np.linspace(start, end, _FIRST_PANELS + 1)
    low, high = edges[:-1], edges[1:]
    whole = _integrals(integrand, low, high)
    scale = float(np.sum(np.abs(whole)))
    settled_low, settled = [np.empty(0)], [np.empty(0)]
    for _ in range(_MOST_HALVINGS):
        middle = 0.5 * (low + high)
        left, right = _integrals(integrand, low, middle), _integrals(integrand, middle, high)
        found = float(np.sum(np.abs(np.concatenate([left, right, *settled]))))
        # Next to a pole panels shrink to nothing, and what they hold does not.
        pole = ~((low < middle) & (middle < high)) & (np.abs(whole) > 1e-6 * scale)
        if len(low) > _MOST_PANELS or not np.isfinite(found) or np.any(pole):
            low = low[pole] if np.any(pole) else low
            break
        scale = max(scale, found)
        # The halves are far more accurate than this difference, which is the error of the whole panel.
        done = np.abs(left + right - whole) <= np.maximum(_AIM * scale, noise * (high - low))
        settled_low += [low[done], middle[done]]
        settled += [left[done], right[done]]
        low, high = _interleave(low[~done], middle[~done]), _interleave(middle[~done], high[~done])
        whole = _interleave(left[~done], right[~done])
        if len(low) == 0:
            order = np.argsort(np.concatenate(settled_low), kind="stable")
            edges = np.append(np.concatenate(settled_low)[order], end)
            totals = np.append(0.0, np.cumsum(np.concatenate(settled)[order]))
            return Antiderivative(integrand, edges, totals)
    raise ProblemError(f"{what} must be finite and piecewise smooth; its integral does not settle near {low[0]:.6g}")


def _interleave(first: FloatArray, second: FloatArray) -> FloatArray:
    return np.column_stack([first, second]).ravel()


def _integrals(integrand: Function, start: FloatArray, end: FloatArray) -> FloatArray:
    """Integrate from each of `start` to each of `end`, 16 nodes apiece."""
    half = 0.5 * (end - start)
    nodes = 0.5 * (start + end)[:, None] + half[:, None] * _NODES
    values = integrand(nodes.ravel()).reshape(nodes.shape)
    # Not values @ _WEIGHTS: what BLAS returns may depend on the number of threads and of rows.
    return np.asarray(half * np.sum(values * _WEIGHTS, axis=1), dtype=np.float64)
