"""Where the highest derivatives of an equation vanish, and whether it has several solutions there.

At a zero of the leading coefficients, solutions behave like powers of the distance from it, with the roots of the
indicial polynomial as exponents (E. L. Ince, Ordinary Differential Equations, chapter 15). Powers with continuous
derivatives up to two less than the order may have one factor on one side of the zero and another one on the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.estimate.frozen import Frozen, freeze, freeze_inside
from fspielm.geometry.points import Sites
from fspielm.numerics.sampling import half_sphere
from fspielm.problem.problem import Problem

# Of the places with the smallest leading coefficients, so many are followed to a zero, in so many steps; where the
# smallest are above this share of the largest, there is none.
_SEEDS, _STEPS, _SMALL = 64, 60, 0.1
# A step of coordinates over which coefficients are differentiated, in extents of the domain.
_STEP = 1e-7
# Leading coefficients below this share of the largest are zero; with slopes below this one, they have a double zero.
_ZERO, _FLAT = 1e-11, 1e-4
# Zeros so close to each other, in extents of the domain, are the same.
_CLOSE = 1e-3
# Directions away from a point at which something vanishes all round it; and places along a line where it does.
_DIRECTIONS, _PLACES = 4, 4
# How far from a zero exponents are found, in extents of the domain, and how exactly.
_NEAR = 1e-6
_SAME = 1e-4
# Distances from a zero at which a residual is looked at, in extents of the domain.
_DISTANCES = 10.0 ** -np.linspace(0.0, 12.0, 97)


@final
@dataclass(frozen=True, eq=False)
class Degenerate:
    """Where all leading coefficients of an equation vanish.

    Attributes
    ----------
    place : (d,) array
        One of the places.
    several : bool
        Whether solutions on either side of it are not tied to each other.
    around : (n, d) array
        Points of the domain ever closer to such places.
    distances : (n,) array
        How far they are from them.
    """

    place: FloatArray
    several: bool
    around: FloatArray
    distances: FloatArray


def find_degenerate(problem: Problem) -> Degenerate | None:
    """Look for places where all leading coefficients vanish; a ProblemError where they have no value."""
    operator = problem.determinant
    if operator.is_constant or operator.order == 0 or problem.is_linearisation or problem.domain.is_unbounded:
        return None
    points, frozen = freeze_inside(problem)
    sizes = np.abs(frozen.principal().coefficients).max(axis=1)
    largest = float(sizes.max(initial=0.0))
    if not largest > 0 or sizes.min() > _SMALL * largest:
        return None
    zeros, slopes = _follow(problem, points[np.argsort(sizes)[:_SEEDS]], largest)
    if not len(zeros):
        return None
    lower, upper = problem.domain.bounding_box
    extent = float((upper - lower).max())
    several, around, distances = None, [], []  # a zero with several solutions
    for zero, slope in zip(zeros, slopes, strict=True):
        _, singular, right = np.linalg.svd(slope, full_matrices=False)
        is_flat = singular[0] * extent < _FLAT * largest
        directions = right[:1]
        if is_flat and problem.dimension > 1:
            directions = half_sphere(_DIRECTIONS, problem.dimension, np.random.default_rng(0))
        for direction in np.concatenate([directions, -directions]):
            along = zero + extent * _DISTANCES[:, None] * direction
            inside = problem.domain.contains(along)
            around.append(along[inside])
            distances.append(extent * _DISTANCES[inside])
        is_surface = problem.dimension == 1 or (
            not is_flat and (len(singular) == 1 or singular[1] < _FLAT * singular[0])
        )
        if several is None and is_surface and _is_several(problem, zero, directions[0], extent):
            several = zero
    place = zeros[0] if several is None else several
    place = np.where(np.abs(place) < _NEAR * extent, 0.0, place)
    return Degenerate(place, several is not None, np.concatenate(around), np.concatenate(distances))


def _follow(problem: Problem, points: FloatArray, largest: float) -> tuple[FloatArray, FloatArray]:
    """Zeros of the leading coefficients ``(n, d)`` that Newton's method finds, and their slopes ``(n, k, d)``."""
    lower, upper = problem.domain.bounding_box
    steps = _STEP * (upper - lower)
    values, slopes = _leading(problem, points, steps)
    for _ in range(_STEPS):
        # what is as good as zero stays where it is
        change = np.einsum("ndk,nk->nd", np.linalg.pinv(slopes), values)
        moving = np.abs(values).max(axis=1) > 1e-3 * _ZERO * largest
        if not moving.any():
            break
        points = np.clip(points - np.where(moving[:, None], change, 0.0), lower, upper)
        values, slopes = _leading(problem, points, steps)
    found = np.abs(values).max(axis=1) <= _ZERO * largest
    # on the boundary, as far as rounding lets one tell, is inside
    inward = points + 1e-3 * _CLOSE * (0.5 * (lower + upper) - points)
    found &= problem.domain.contains(points) | problem.domain.contains(inward)
    chosen: list[int] = []
    for place in np.flatnonzero(found):
        apart = np.abs((points[chosen] - points[place]) / (upper - lower)).max(axis=1, initial=0.0)
        if np.all(apart > _CLOSE):
            chosen.append(int(place))
    chosen = chosen if problem.dimension == 1 else chosen[:_PLACES]
    return points[chosen], slopes[chosen]


def _leading(problem: Problem, points: FloatArray, steps: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The leading coefficients ``(n, k)``, real and imaginary parts, and their slopes ``(n, k, d)``."""
    _, upper = problem.domain.bounding_box
    signs = np.where(points + steps > upper, -1.0, 1.0)
    moved = [points, *(points + signs * steps * axis for axis in np.eye(len(steps)))]
    each = [_principal(problem, places) for places in moved]
    slopes = [(one - each[0]) / (signs * steps)[:, axis, None] for axis, one in enumerate(each[1:])]
    return each[0], np.stack(slopes, axis=2)


def _principal(problem: Problem, points: FloatArray) -> FloatArray:
    terms = [term for term in problem.determinant.terms if term.order == problem.determinant.order]
    values = np.stack([term.at(Sites(points)) for term in terms], axis=1)
    return np.concatenate([values.real, values.imag], axis=1) if np.iscomplexobj(values) else values


def _is_several(problem: Problem, zero: FloatArray, direction: FloatArray, extent: float) -> bool:
    """Whether the powers of the distance on both sides of a zero have more factors than there are conditions."""
    order, free = problem.determinant.order, 0
    shared, near = np.ones(max(order - 1, 0), dtype=bool), extent * np.array([_NEAR, 1e-2 * _NEAR])
    for side in (-1.0, 1.0):
        at = zero + side * near[:, None] * direction
        if not problem.domain.contains(at[:1])[0]:
            return False
        first, second = _indicial(freeze(problem.determinant, Sites(at)), side * direction, near)
        if np.abs(first - second).max() > _SAME * np.abs(second).max():
            return True  # no powers: solutions may be zero with all their derivatives, from this side
        polynomials = [factor * np.poly(np.arange(k)) for k, factor in enumerate(second)]  # s (s - 1) ...
        exponents = np.roots(reduce(np.polyadd, polynomials))
        least = order - 2 if order > 1 else -2 * _SAME
        free += int(np.sum(exponents.real > least + _SAME))
        shared &= np.array([np.any(np.abs(exponents - k) < _SAME) for k in range(order - 1)], dtype=bool)
    return free + int(shared.sum()) > order


def _indicial(frozen: Frozen, direction: FloatArray, distances: FloatArray) -> NumberArray:
    """What multiplies ``s (s - 1) ... (s - k + 1)`` in the indicial polynomial at sites, ``(n, order + 1)``."""
    orders = frozen.orders.sum(axis=1)
    highest = int(orders.max())
    shares = frozen.coefficients * np.prod(direction**frozen.orders, axis=1)
    each = np.stack([shares[:, orders == k].sum(axis=1) for k in range(highest + 1)], axis=1)
    each = each * distances[:, None] ** (highest - np.arange(highest + 1))
    return np.asarray(each / each[:, -1:])
