"""Where the waves of an equation with variable coefficients have the highest frequencies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations import Operator, Problem
from fspielm.equations.once import once
from fspielm.equations.operator import FieldCoefficient
from fspielm.geometry import Sites
from fspielm.spectrum.hidden.frozen import Frozen, freeze, roots_of

# Points that are looked at, of coefficients that are expressions, and of callables, which may be slow.
_POINTS, _POINTS_OF_CALLABLES = 4096, 1024
# Around the best of them: points of each closer look, how many there are, and how much closer each is.
_CLOSER_POINTS, _LOOKS, _CLOSER = 64, 3, 0.3


def fastest_places(problem: Problem, bands: FloatArray) -> Sites:
    """The places, one or two for each axis, where a wave along it has the highest frequency.

    The extremes of single coefficients are elsewhere: what counts is a quotient, such as that of k^2 and diffusivity.

    Parameters
    ----------
    problem : Problem
    bands : (d,) array
        Frequencies along the other axes: waves have none of them, or all.
    """
    points, frozen = spread(problem)
    lower, upper = problem.domain.bounding_box
    lengths = upper - lower
    rng = np.random.default_rng(0)  # only looks
    found = []
    for axis in range(problem.dimension):
        for others in (np.zeros_like(bands), bands) if bands.any() else (bands,):
            search = _search_along(axis, others, 1 / lengths[axis])
            values = search(frozen)
            place, best = points[values.argmax()], values.max()
            size = lengths * len(points) ** (-1 / problem.dimension)
            for _ in range(_LOOKS):
                near = place + size * rng.uniform(-1, 1, (_CLOSER_POINTS, problem.dimension))
                near = near[problem.domain.contains(near)]
                closer = search(freeze(problem.determinant, Sites(near))) if len(near) else np.zeros(0)
                if closer.max(initial=0.0) > best:
                    place, best = near[closer.argmax()], closer.max()
                size = _CLOSER * size
            found.append(place)
    return Sites(np.unique(np.array(found), axis=0))


def waves_at(problem: Problem, bands: FloatArray, number: int = 0) -> tuple[FloatArray, FloatArray]:
    """Points all over the domain, and the highest frequency of a wave along each axis there, both ``(n, d)``.

    At least a `number` of them, where coefficients are expressions: callables may be slow.
    """
    points, frozen = spread(problem)
    if number > len(points) and _is_written(problem.determinant):
        points, frozen = _spread(problem, number)
    units = 1 / np.subtract(*reversed(problem.domain.bounding_box))
    rivals = (np.zeros_like(bands), bands) if bands.any() else (bands,)
    along = [[_search_along(axis, others, units[axis])(frozen) for others in rivals] for axis in range(len(bands))]
    return points, np.stack([np.max(each, axis=0) for each in along], axis=1)


@once
def spread(problem: Problem) -> tuple[FloatArray, Frozen]:
    """Points all over the domain, and the operator at them."""
    return _spread(problem, _POINTS if _is_written(problem.determinant) else _POINTS_OF_CALLABLES)


def _spread(problem: Problem, number: int) -> tuple[FloatArray, Frozen]:
    points = problem.domain.sample(number, np.random.default_rng(0), "low-discrepancy")  # only looks
    return points, freeze(problem.determinant, Sites(points))


def _is_written(operator: Operator) -> bool:
    """Whether the coefficients are expressions, all through."""
    fields = [term.coefficient for term in operator.terms if callable(term.coefficient)]
    return all(isinstance(field, FieldCoefficient) and field.field.is_formula for field in fields)


def _search_along(axis: int, others: FloatArray, unit: float) -> Callable[[Frozen], FloatArray]:
    """The highest frequency of a wave along an axis, beside `others` along the other ones, at each site."""
    base = 1j * np.where(np.arange(len(others)) == axis, 0.0, others)
    direction = (np.arange(len(others)) == axis).astype(np.float64)

    def highest(frozen: Frozen) -> FloatArray:
        n = len(frozen.coefficients)
        polynomials = frozen.along(np.broadcast_to(base, (n, len(base))), np.broadcast_to(direction, (n, len(base))))
        degree = int(frozen.orders[:, axis].max(initial=0))
        if not degree:
            return np.zeros(n)
        roots = roots_of(polynomials[:, : degree + 1], np.full(n, unit))
        with np.errstate(invalid="ignore"):
            waves = np.abs(roots.imag) > np.abs(roots.real)
        return np.asarray(np.where(waves, np.abs(roots.imag), 0.0).max(axis=1))

    return highest
