"""Piecewise polynomials: Chebyshev expansions on neighbouring intervals, cut off by one rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np
import scipy

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.numerics.roots import Function, halves

# Coefficients on each piece of an adaptive interpolant; its first pieces between two breaks, and its most.
_COUNT = 32
_FIRST_PIECES = 8
MOST_PIECES = 16_384
_MOST_HALVINGS = 40
_EPS = float(np.finfo(np.float64).eps)


@final
@dataclass(frozen=True, eq=False)
class PiecewiseChebyshev:
    """A piecewise polynomial, real or complex.

    Attributes
    ----------
    ends : (m + 1,) array
        Ascending ends of the pieces.
    coefficients : (m, k) array
        Chebyshev coefficients on each piece.
    """

    ends: FloatArray
    coefficients: NumberArray

    def __call__(self, t: FloatArray) -> NumberArray:
        """Evaluate at `t` ``(n,)``, by Clenshaw's recurrence."""
        piece = np.clip(np.searchsorted(self.ends, t, side="right") - 1, 0, len(self.coefficients) - 1)
        low, high = self.ends[piece], self.ends[piece + 1]
        s = np.clip((2 * t - (low + high)) / (high - low), -1.0, 1.0)
        ahead = behind = np.zeros(len(t), dtype=self.coefficients.dtype)
        for own in self.coefficients.T[:0:-1]:
            ahead, behind = own[piece] + 2 * s * ahead - behind, ahead
        return np.asarray(self.coefficients[piece, 0] + s * ahead - behind)

    def derivative(self) -> PiecewiseChebyshev:
        """The derivative, piece by piece."""
        slopes = np.polynomial.chebyshev.chebder(self.coefficients, axis=1)
        return PiecewiseChebyshev(self.ends, slopes * (2 / np.diff(self.ends))[:, None])


def expand(
    function: Callable[[FloatArray], NumberArray], low: FloatArray, high: FloatArray, count: int
) -> tuple[NumberArray, FloatArray, NumberArray]:
    """Expand a function on the intervals from `low` to `high` ``(m,)``.

    Returns
    -------
    coefficients, nodes, values : (m, count) arrays
        The coefficients, and the values at Chebyshev's nodes that they are made of.
    """
    unit = np.cos(np.pi * (np.arange(count) + 0.5) / count)
    nodes = 0.5 * (low + high)[:, None] + 0.5 * (high - low)[:, None] * unit
    values = function(nodes.ravel()).reshape(nodes.shape)
    coefficients = scipy.fft.dct(values, axis=1) / count
    coefficients[:, 0] *= 0.5
    return coefficients, nodes, values


def is_resolved(coefficients: NumberArray, noise: float) -> BoolArray:
    """Whether the last three coefficients of each expansion ``(m, k)`` are noise."""
    return np.asarray(np.abs(coefficients[:, -3:]).max(axis=1) <= noise)


def chopped(coefficients: NumberArray, noise: float) -> NumberArray:
    """Expansions ``(m, k)`` without what follows their last coefficient above the noise; no longer than any needs."""
    later = np.maximum.accumulate(np.abs(coefficients[:, ::-1]), axis=1)[:, ::-1] > noise
    return np.where(later, coefficients, 0.0)[:, : max(2, int(later.any(axis=0).sum()))]


def interpolate(function: Function, breaks: Sequence[float], *, what: str) -> PiecewiseChebyshev:
    """Interpolate a function that is smooth between the ascending `breaks`, to rounding.

    Raises
    ------
    ProblemError
        If the function is infinite somewhere, or not smooth; `what` names it.
    """
    edges = np.concatenate([np.linspace(a, b, _FIRST_PIECES + 1)[:-1] for a, b in pairwise(breaks)])
    low, high = edges, np.append(edges[1:], breaks[-1])
    found: list[tuple[FloatArray, NumberArray]] = []
    count, scale, steepest = 0, 0.0, 0.0
    for halving in range(_MOST_HALVINGS + 1):
        coefficients, nodes, values = expand(function, low, high, _COUNT)
        # rounding of the values and of the parameters
        scale = max(scale, float(np.abs(values).max()))
        steepest = max(steepest, float(np.abs(np.diff(values) / np.diff(nodes)).max()))
        noise = _EPS * (2 * scale + steepest * max(abs(breaks[0]), abs(breaks[-1])))
        # the smallest pieces enclose a corner
        done = is_resolved(coefficients, noise) | (halving == _MOST_HALVINGS)
        found.append((low[done], chopped(coefficients[done], noise)))
        count += len(low)
        if np.all(done):
            break
        if count > MOST_PIECES or not np.isfinite(scale):
            raise ProblemError(
                f"{what} must be finite and smooth; its values near t = {low[~done][0]:.6g} are not those of a smooth "
                "function: give its derivative, or list the corners in parameter"
            )
        low, high = halves(low[~done], high[~done])
    starts = np.concatenate([low for low, _ in found])
    longest = max(coefficients.shape[1] for _, coefficients in found)
    series = np.concatenate([np.pad(c, ((0, 0), (0, longest - c.shape[1]))) for _, c in found])
    order = np.argsort(starts)
    return PiecewiseChebyshev(np.append(starts[order], breaks[-1]), series[order])
