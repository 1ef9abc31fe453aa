"""Waves caught in a well: where k^2 is positive in some place and negative around it."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations import Problem
from fspielm.errors import ProblemError
from fspielm.geometry import Sites
from fspielm.spectrum.fastest_places import fastest_places, spread
from fspielm.spectrum.hidden.frozen import Frozen, freeze

# Points of the line through a well.
_LINE = 400
# e-foldings of a caught wave's spectrum that a basis should hold: six digits.
_FOLDINGS = 13.8
# What every band has beyond its frequencies, in radians over the domain.
_BEYOND = 25.0
# A well narrower than this share of what its lowest wave needs catches none.
_NARROW = 0.7


def well_band(problem: Problem) -> FloatArray:
    """The frequencies along each axis of waves that a well catches, zero where there is none.

    For ``a u_xx + ... + c u`` with ``k^2 = c / a``. Such a wave runs with the highest wavenumber k in the middle and
    falls off outside of where k^2 is zero, at distance r: like ``exp(-k x^2 / 2 r)``, the spectrum of which falls off
    as ``exp(-w^2 r / 2 k)``. A basis of lower frequencies holds none of it, and sees no resonance.
    """
    operator, domain = problem.determinant, problem.domain
    found = np.zeros(problem.dimension)
    if operator.is_constant or operator.order != 2 or domain.time is not None:
        return found
    lower, upper = domain.bounding_box
    lengths = upper - lower
    try:
        if not np.any(_changes_sign(problem)):
            return found
        middle = fastest_places(problem, np.zeros(problem.dimension))
        for axis in range(problem.dimension):
            squares = _square_of(freeze(operator, middle), axis)
            place = middle.points[squares.argmax()]
            highest = float(np.sqrt(max(squares.max(), 0.0)))
            half = _half_width(problem, place, axis)
            if highest * half >= _NARROW * problem.dimension:
                spread = np.sqrt(highest**2 + 2 * _FOLDINGS * highest / half)
                found[axis] = max(spread - _BEYOND / lengths[axis], 0.0)
    except ProblemError:  # a coefficient has no value there
        return np.zeros(problem.dimension)
    return found


def _changes_sign(problem: Problem) -> list[bool]:
    """Whether the square along each axis is positive in some places and negative in others."""
    _, everywhere = spread(problem)
    squares = [_square_of(everywhere, axis) for axis in range(problem.dimension)]
    return [bool(np.any(square > 0) and np.any(square < 0)) for square in squares]


def _square_of(frozen: Frozen, axis: int) -> FloatArray:
    """The square of the wavenumber along an axis, at each site; negative where waves fall off."""
    twice = np.zeros(frozen.orders.shape[1], dtype=np.int_)
    twice[axis] = 2
    second = frozen.coefficients[:, np.all(frozen.orders == twice, axis=1)].sum(axis=1)
    plain = frozen.coefficients[:, ~frozen.orders.any(axis=1)].sum(axis=1)
    return np.asarray(np.divide(plain, second, out=np.zeros_like(plain), where=second != 0).real)


def _half_width(problem: Problem, place: FloatArray, axis: int) -> float:
    """Half of the way along an axis on which the square is positive; zero where that ends at the boundary."""
    lower, upper = problem.domain.bounding_box
    sides = []
    for end in (lower[axis], upper[axis]):
        line = np.tile(place, (_LINE, 1))
        line[:, axis] = np.linspace(place[axis], end, _LINE)
        outside = np.flatnonzero(~problem.domain.contains(line))
        line = line[: outside[0]] if outside.size else line
        if not len(line):
            return 0.0
        turned = np.flatnonzero(_square_of(freeze(problem.determinant, Sites(line)), axis) < 0)
        if not turned.size:
            return 0.0
        sides.append(abs(float(line[turned[0], axis] - place[axis])))
    return 0.5 * sum(sides)
