"""What helps a cell at the least cost: a higher degree, or smaller cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray

MOST_DEGREE = 32
# A cell is halved so often at once at most.
_MOST_HALVINGS = 2
# Coefficients that fall more slowly than this show nothing yet: there is no end to what they promise.
UNRESOLVED = 0.2
# Axes along which this much less is wanted, in logarithms, are not halved with the others where nothing is resolved.
_ALIKE = 2.3
# What coefficients are to fall by besides, since a rate is not exact; and the share of a degree that halves keep.
_SURE, _KEPT = 1.0, 0.85
# A cell takes as long as a matrix of its functions and of traces, a few for each degree; and as one of this degree
# besides.
_TRACES, _BESIDES = 4, 10
# What halves should save at least: edges between them are unknown too, and rates in them are guesses.
_SAVING = 1.3
# Beside a corner, cells that are as far from it as they are long: by how much logarithms fall with each degree. From
# level to level degrees fall by less than what cells may have more of an error allows: with few functions, least
# squares carry an error from each level to the next.
_BESIDE_CORNER, _LESS = 1.5, 0.65
# What they get besides: cells that were good enough are not to be replaced by others that are not.
_SURER = 2
# Cells for each halving toward a corner, in each cell there.
_EACH_LEVEL = 3
_MOST_LEVELS = 48
# What they are to gain besides, at little cost: the first look at a corner is not exact.
_MORE = 6.0


@final
@dataclass(frozen=True, eq=False)
class Plans:
    """What is to be done with each of C cells.

    Attributes
    ----------
    halvings : (C, d) integer array
        How often it is halved along each axis.
    degrees : (C, d) integer array
        Those of the polynomials in it, or in what becomes of it.
    raising : (C,) array
        Operations, about, if it is not halved but its degrees are raised as much as needed; infinite if that is too
        much.
    """

    halvings: NDArray[np.int_]
    degrees: NDArray[np.int_]
    raising: FloatArray


def plan(degrees: NDArray[np.int_], rates: FloatArray, wanted: FloatArray, least: int) -> Plans:
    """The cheapest way to make coefficients fall by the logarithms `wanted` ``(C, d)`` more along each axis.

    They fall like those of a function that is singular beside the cell: how far away is in the rate, and relative to
    halves of the cell it is twice as far.
    """
    slow = np.maximum(rates, 0.02)[:, None]
    options = np.array(list(product(range(_MOST_HALVINGS + 1), repeat=degrees.shape[1])))[:, None]
    faster = np.arccosh(1 + 2.0**options * (np.cosh(np.minimum(slow, 5.0)) - 1))
    needed = np.ceil((wanted + _SURE + slow * degrees) / faster)
    needed = np.maximum(needed, np.where(options > 0, np.ceil(_KEPT * degrees), degrees))
    needed = np.maximum(np.where((options == 0) & (wanted <= 0), degrees, needed), least)
    halves = 2.0 ** options.sum(axis=2)
    cost = np.where(halves > 1, _SAVING, 1.0) * halves * operations(needed)
    cost = np.where(np.any(needed > MOST_DEGREE, axis=2), np.inf, cost)
    best, each = np.argmin(cost, axis=0), np.arange(len(degrees))
    lost: BoolArray = np.all(np.isinf(cost), axis=0)
    # a point somewhere in a cell is found step by step; what is everywhere too fast needs several
    often = np.where(rates < UNRESOLVED, _MOST_HALVINGS, 1)[:, None]
    halvings = np.where(
        lost[:, None], np.where(wanted > wanted.max(axis=1, keepdims=True) - _ALIKE, often, 0), options[best, 0]
    )
    found = np.where(lost[:, None], np.minimum(degrees, MOST_DEGREE), needed[best, each])
    return Plans(halvings, found.astype(np.int_), cost[0])


def operations(degrees: FloatArray | NDArray[np.int_]) -> FloatArray:
    """Of cells with polynomials of some degrees ``(..., d)``, about."""

    def cube(each: FloatArray | NDArray[np.int_]) -> FloatArray:
        ball = (0.25 * np.pi if each.shape[-1] == 2 else 1.0) * np.prod(each + 1.0, axis=-1)
        return np.asarray((ball + _TRACES * each.sum(axis=-1)) ** 3)

    return np.asarray(cube(degrees) + cube(np.full(degrees.shape[-1], _BESIDES)))


@final
@dataclass(frozen=True)
class Grading:
    """Cells at a point halved toward it again and again, with degrees that fall with their size.

    Attributes
    ----------
    levels : int
    degrees : tuple of int
        From the largest cells to those at the point.
    """

    levels: int
    degrees: tuple[int, ...]

    @property
    def cost(self) -> float:
        """Operations, about, of what becomes of one cell."""
        return _EACH_LEVEL * float(operations(np.array(self.degrees)[:, None].repeat(2, axis=1)).sum())

    def first(self, levels: int) -> Grading:
        """No more than so many levels."""
        return Grading(min(levels, self.levels), self.degrees[:levels])


def grade(degree: int, power: float, gain: float, wanted: float, least: int) -> Grading:
    """The grading that gains a factor, from its logarithm `wanted`, on cells of some degree at a special point."""
    levels = min(math.ceil((wanted + _MORE) / gain), _MOST_LEVELS)
    # with no polynomials at all, the largest of these cells would err by so much more
    first = wanted + 2 * power * math.log(max(degree, 2))
    degrees = [first - _LESS * gain * level for level in range(levels)]
    # and what is smooth in these cells falls faster in each smaller one
    falls = [_BESIDE_CORNER / (_BESIDE_CORNER + math.log(2) * (level + 1)) for level in range(levels)]
    smooth = [min(degree * share + _SURER, degree) for share in falls]
    both = [max(w / _BESIDE_CORNER + 1, own, least) for w, own in zip(degrees, smooth, strict=True)]
    return Grading(levels, tuple(min(math.ceil(each), MOST_DEGREE) for each in both))
