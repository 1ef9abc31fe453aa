"""The derivative of a function known by its values alone: Chebyshev interpolation on adaptive panels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.antiderivative import Function
from fspielm.geometry.intervals import halves

_DEGREE = 32
_NODES = np.cos(np.pi * (np.arange(_DEGREE) + 0.5) / _DEGREE)
# From values at the nodes to Chebyshev coefficients: the discrete cosine transform. Whole turns are taken off the
# angles while they are still exact.
_STEPS = np.outer(np.arange(_DEGREE), 2 * np.arange(_DEGREE) + 1) % (4 * _DEGREE)
_TRANSFORM = np.cos(np.pi * _STEPS / (2 * _DEGREE)) * 2 / _DEGREE
_TRANSFORM[0] /= 2
_FIRST_PANELS = 8
_MOST_PANELS = 4096
_MOST_HALVINGS = 40
_EPS = float(np.finfo(np.float64).eps)


@final
@dataclass(frozen=True, eq=False)
class Interpolant:
    """A piecewise polynomial: Chebyshev coefficients ``(m, k)`` on the panels between `edges` ``(m + 1,)``."""

    edges: FloatArray
    coefficients: FloatArray

    def __call__(self, t: FloatArray) -> FloatArray:
        """Evaluate at `t` ``(n,)``, by Clenshaw's recurrence."""
        panel = np.clip(np.searchsorted(self.edges, t, side="right") - 1, 0, len(self.edges) - 2)
        low, high = self.edges[panel], self.edges[panel + 1]
        s = np.clip((2 * t - low - high) / (high - low), -1.0, 1.0)
        after, beyond = np.zeros_like(t), np.zeros_like(t)
        for k in range(self.coefficients.shape[1] - 1, 0, -1):
            after, beyond = 2 * s * after - beyond + self.coefficients[panel, k], after
        return np.asarray(s * after - beyond + self.coefficients[panel, 0], dtype=np.float64)


def differentiate(function: Function, breaks: Sequence[float], *, what: str) -> Interpolant:
    """Differentiate the interpolant of a function that is smooth between the ascending `breaks`.

    About thirteen digits are right where the function has all of its own: differentiating polynomials of this
    degree costs two to three.
    """
    edges = np.concatenate([np.linspace(a, b, _FIRST_PANELS + 1)[:-1] for a, b in pairwise(breaks)])
    low, high = edges, np.append(edges[1:], breaks[-1])
    found: list[tuple[FloatArray, FloatArray, FloatArray]] = []
    count, scale, steepest = 0, 0.0, 0.0
    for halving in range(_MOST_HALVINGS + 1):
        t = 0.5 * (low + high)[:, None] + 0.5 * (high - low)[:, None] * _NODES
        values = function(t.ravel()).reshape(t.shape)
        scale = max(scale, float(np.abs(values).max()))
        # Not values @ _TRANSFORM.T: what BLAS returns may depend on the number of threads and of rows.
        c = np.sum(values[:, None, :] * _TRANSFORM, axis=2)
        # Rounding of the values, and of the parameters that they are taken at.
        steepest = max(steepest, float(np.abs(np.diff(values) / np.diff(t)).max()))
        noise = _EPS * (2 * scale + steepest * max(abs(breaks[0]), abs(breaks[-1])))
        done = np.abs(c[:, -3:]).max(axis=1) <= noise
        done |= halving == _MOST_HALVINGS  # a corner, which the panels have closed in on
        found.append((low[done], high[done], _chop(c[done], noise)))
        count += len(low)
        if np.all(done):
            break
        if count > _MOST_PANELS or not np.isfinite(scale):
            raise ProblemError(
                f"{what} must be finite and smooth; its values near t = {low[~done][0]:.6g} are not those of a smooth "
                "function: give its derivative, or list the corners in parameter"
            )
        low, high = halves(low[~done], high[~done])
    low, high, c = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    order = np.argsort(low)
    c = c[:, : max(2, 1 + int(np.max(np.flatnonzero(np.any(c, axis=0)), initial=0)))]  # no more than any panel needs
    slopes = np.polynomial.chebyshev.chebder(c[order], axis=1) * (2 / (high - low))[order, None]
    return Interpolant(np.append(low[order], breaks[-1]), slopes)


def _chop(coefficients: FloatArray, noise: float) -> FloatArray:
    """Leave out what comes after the last coefficient above the noise: differentiating would blow it up."""
    later = np.maximum.accumulate(np.abs(coefficients[:, ::-1]), axis=1)[:, ::-1]
    return np.where(later > noise, coefficients, 0.0)
