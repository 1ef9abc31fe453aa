"""What values at nodes cannot show: functions that change faster than from node to node.

Polynomials may come down to rounding because a bump lies between the nodes. Waves of which each is seen at the nodes
cannot add up to one there, and how fast they change is known before anything is summed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.features.activations import TANH
from fspielm.features.basis import Basis
from fspielm.features.evaluation.parts import split_leaves
from fspielm.features.exponential import ExponentialBasis
from fspielm.features.outgoing import Outgoing
from fspielm.features.ridge import RidgeBasis
from fspielm.features.singular import Angle, CornerFunction, Power, SingularBasis, Wave
from fspielm.features.sources import SourceBasis
from fspielm.features.tabulated import TabulatedBasis

# The largest phase along half a box that nodes show, for each of them: in the middle, where they are farthest apart,
# that leaves three of them and more to a wave.
_PHASE = 0.6
# Boxes at a time, so that memory stays bounded.
_CHUNK = 128
_MOST_GROWTH = 300.0


@final
@dataclass(frozen=True, eq=False)
class Boxes:
    """T boxes with the ends `lower` and `upper` ``(T, d)``."""

    lower: FloatArray
    upper: FloatArray

    @property
    def middle(self) -> FloatArray:
        """Shape ``(T, d)``."""
        return 0.5 * (self.lower + self.upper)

    @property
    def half(self) -> FloatArray:
        """Half of the widths, ``(T, d)``."""
        return 0.5 * (self.upper - self.lower)

    def distances(self, centers: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Of the nearest and of the farthest place on each box from each of the `centers` ``(M, d)``: ``(T, M)``."""
        apart, half = np.abs(self.middle[:, None] - centers), self.half[:, None]
        return np.linalg.norm(np.maximum(apart - half, 0.0), axis=2), np.linalg.norm(apart + half, axis=2)


def sum_unseen(
    basis: Basis,
    fields: FloatArray,
    operators: Sequence[tuple[NDArray[np.int_], FloatArray]],
    boxes: Boxes,
    count: int,
) -> FloatArray:
    """How much of the sums `count` nodes along each axis might not show, ``(R F, T, d)``.

    The sizes of all functions on a box are added that change too fast for the nodes along an axis, or are singular
    nearer by than half of the box is long.
    """
    total = np.zeros((len(operators) * len(fields), *boxes.lower.shape))
    for leaf, its_fields in split_leaves(basis, fields):
        strengths = np.concatenate([np.abs(its_fields) * _strength(leaf, *operator) for operator in operators])
        for start in range(0, len(boxes.lower), _CHUNK):
            chunk = slice(start, start + _CHUNK)
            sizes, fast = _fast(leaf, Boxes(boxes.lower[chunk], boxes.upper[chunk]), _PHASE * count)
            # not by a product of matrices, whose last digit depends on threads
            total[:, chunk] += np.einsum("rm,tma->rta", strengths, sizes[:, :, None] * fast)
    return total


def _strength(leaf: Basis, orders: NDArray[np.int_], coefficients: FloatArray) -> FloatArray:
    """About how large an operator makes functions of size one, ``(M,)``."""
    if leaf.frequencies is None:
        return np.full(leaf.size, np.abs(coefficients).sum())
    powers = np.prod((1j * leaf.frequencies[:, None, :]) ** orders, axis=2)
    # waves have a symbol; terms of other functions do not cancel
    return np.asarray(np.abs(powers @ coefficients) if leaf.oscillates else np.abs(powers) @ np.abs(coefficients))


def _fast(leaf: Basis, boxes: Boxes, most: float) -> tuple[FloatArray, BoolArray]:
    """The sizes ``(T, M)`` of functions on boxes, and along which axes ``(T, M, d)`` they change too fast."""
    if isinstance(leaf, RidgeBasis | ExponentialBasis):
        return _sizes(leaf, boxes), np.abs(leaf.W) * boxes.half[:, None] > most
    if isinstance(leaf, SourceBasis):
        rate = np.full(leaf.size, np.sqrt(abs(leaf.ratio)))
        near, _ = boxes.distances(leaf.points)
        sizes = _exponential(rate * (leaf.clearances - near)) if leaf.ratio < 0 else np.ones(near.shape)
        return sizes, _near_or_fast(boxes, near, rate, most)
    if isinstance(leaf, TabulatedBasis):
        return _around_corner(leaf.exact, boxes, most)
    if isinstance(leaf, SingularBasis):
        return _around_corner(leaf, boxes, most)
    return np.zeros((len(boxes.lower), leaf.size)), np.zeros((len(boxes.lower), leaf.size, leaf.dimension), dtype=bool)


def _sizes(leaf: RidgeBasis | ExponentialBasis, boxes: Boxes) -> FloatArray:
    """The largest values on boxes; of tanh, the largest difference from a constant."""
    place = boxes.middle - leaf.origin
    if isinstance(leaf, ExponentialBasis):
        rates = leaf.W.imag.T
        return _exponential(-(place @ rates) + boxes.half @ np.abs(rates) - leaf.peaks)
    if leaf.activation is not TANH:
        return np.ones((len(place), leaf.size))
    nearest = np.maximum(np.abs(place @ leaf.W.T + leaf.b) - boxes.half @ np.abs(leaf.W.T), 0.0)
    return np.minimum(1.0, 4.0 * _exponential(-2.0 * nearest))


def _around_corner(leaf: SingularBasis, boxes: Boxes, most: float) -> tuple[FloatArray, BoolArray]:
    near, far = (distance / leaf.scale for distance in boxes.distances(np.array([leaf.corner])))
    sizes, fast = [], []
    for function in leaf.functions:
        rate = getattr(function, "wavenumber", 0.0)
        size = np.ones(near.shape)
        if getattr(function, "modified", False):
            size = _exponential(rate * (1.0 - near if isinstance(function, Outgoing) else far - 1.0))
        nearest = near * leaf.scale if _is_singular(function) else np.full(near.shape, np.inf)
        parts = 1 if function.is_real else 2
        sizes += [size] * parts
        fast += [_near_or_fast(boxes, nearest, np.array([rate / leaf.scale]), most)] * parts
    return np.concatenate(sizes, axis=1), np.concatenate(fast, axis=1)


def _near_or_fast(boxes: Boxes, near: FloatArray, rate: FloatArray, most: float) -> BoolArray:
    half = boxes.half[:, None]
    return np.asarray((half > near[:, :, None]) | (half * rate[:, None] > most))


def _is_singular(function: CornerFunction) -> bool:
    if isinstance(function, Power):
        return function.logarithm or function.exponent < 0 or function.exponent % 1 != 0
    if isinstance(function, Wave):
        return function.logarithm or function.order % 1 != 0
    return isinstance(function, Angle | Outgoing)


def _exponential(exponent: FloatArray) -> FloatArray:
    return np.asarray(np.exp(np.minimum(exponent, _MOST_GROWTH)))
