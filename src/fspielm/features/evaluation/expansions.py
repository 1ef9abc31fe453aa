"""Functions on boxes as sums of Chebyshev's polynomials, with the judgement whether they are that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.features.evaluation.chebyshev import lobatto, to_coefficients
from fspielm.features.evaluation.polynomials import Polynomials, unit_places

# An expansion has converged where so many last coefficients along every axis are down in the rounding: those that
# follow are smaller by as many steps.
_TAIL = 4
# What counts as rounding, in units of how much a sum is rounded.
ACCEPTED = 4.0
# Between ends with fewer floating-point numbers than these, nodes fall together.
_COARSE = 1e4
_EPS = float(np.finfo(np.float64).eps)


@final
@dataclass(frozen=True, eq=False)
class Expansions:
    """R functions on T boxes.

    Attributes
    ----------
    lower, upper : (T, d) arrays
        The ends of the boxes.
    coefficients : (T, R, p, ..., p) array
    failed : (T, d) array
        Along which axes the coefficients have not come down to rounding.
    """

    lower: FloatArray
    upper: FloatArray
    coefficients: FloatArray
    failed: BoolArray

    @property
    def converged(self) -> NDArray[np.int_]:
        """The boxes on which the expansions are the functions, to rounding."""
        return np.flatnonzero(~self.failed.any(axis=1))

    @property
    def others(self) -> NDArray[np.int_]:
        """All other boxes."""
        return np.flatnonzero(self.failed.any(axis=1))

    def on(self, t: int) -> Polynomials:
        """Those of box t."""
        return Polynomials(self.lower[t], self.upper[t], self.coefficients[t])


def expand_on(
    function: Callable[[FloatArray], FloatArray],
    lower: FloatArray,
    upper: FloatArray,
    count: int,
    rounding: FloatArray,
) -> Expansions:
    """Expand functions on boxes, from `count` nodes along each axis.

    Parameters
    ----------
    function : callable
        From points ``(n, d)`` to values ``(R, n)``.
    lower, upper : (T, d) arrays
    count : int
    rounding : (R, T) array
        About how far values of the functions are off on each box.
    """
    boxes, dimension = lower.shape
    unit = lobatto(count)
    # with both ends exactly those of the box: a jump that cuts off a corner of it shows there
    places = 0.5 * (1 - unit) * lower[:, :, None] + 0.5 * (1 + unit) * upper[:, :, None]
    values = function(_products(places)).reshape(-1, boxes, count**dimension).swapaxes(0, 1)
    # far from zero nodes are rounded off their places; those that they have are the right ones to expand from
    coarse = upper - lower < _COARSE * np.spacing(np.maximum(np.abs(lower), np.abs(upper)))
    units = np.where(coarse[:, :, None], unit, unit_places(places, lower, upper))
    accepted = ACCEPTED * rounding.T
    with np.errstate(all="ignore"):
        coefficients = to_coefficients(values.reshape(*values.shape[:2], *[count] * dimension), units)
        failed = np.stack([~_comes_down(coefficients, axis, accepted) for axis in range(dimension)], axis=1)
        # interpolation rounds in units of the largest value, which may lie outside of the domain
        failed |= ~np.all(_EPS * np.abs(values).max(axis=2) <= accepted, axis=1)[:, None]
    return Expansions(lower, upper, coefficients, failed)


def _products(places: FloatArray) -> FloatArray:
    """All points ``(T p^d, d)`` with these coordinates ``(T, d, p)``."""
    boxes, dimension, count = places.shape
    points = np.empty((boxes, *[count] * dimension, dimension))
    for axis in range(dimension):
        shape: list[Any] = [boxes, *[1] * dimension]
        shape[1 + axis] = count
        points[..., axis] = places[:, axis].reshape(shape)
    return points.reshape(-1, dimension)


def _comes_down(coefficients: FloatArray, axis: int, accepted: FloatArray) -> BoolArray:
    last = np.moveaxis(coefficients, 2 + axis, -1)[..., -_TAIL:]
    return np.asarray(np.all(np.abs(last).reshape(*accepted.shape, -1).max(axis=2) <= accepted, axis=1))
