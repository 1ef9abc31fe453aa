"""How well the equations hold: a method of `Solution`, and what pictures ask for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations import Relation
from fspielm.equations.lattice import lattice_of
from fspielm.equations.media import has_media, media_of, medium_at
from fspielm.equations.open_domain import incident_of
from fspielm.equations.two_sided import operator_inside
from fspielm.features.evaluation import SLAB, evaluate
from fspielm.features.outward import IncidentBasis, RegionalBasis
from fspielm.features.outward.folded import FoldedBasis
from fspielm.geometry import Sites
from fspielm.solution.outside import Outside, at_points

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution


def residual(solution: Solution, points: ArrayLike, *, outside: Outside = "nan") -> NumberArray:
    """Left minus right-hand side of the equation at `points` ``(n, d)``; shape ``(n,)``.

    Of several equations ``(n, E)``, in the order in which they were stated. In objects that let waves through it is
    that of their own wavenumber, for the total field: what objects add to it solves none by itself there. Outside of
    the domain as for ``solution(points)``.
    """
    return at_points(partial(_residual, solution), solution.problem.domain, points, outside)


def _residual(solution: Solution, points: FloatArray) -> NumberArray:
    problem = solution.problem.stated
    if not problem.is_linear:
        return np.concatenate([problem.residual(solution, slab) for slab in _slabs(points)])
    _ = problem.equations or problem.operator  # which says what is wrong
    values = np.concatenate([_linear(solution, problem.equations, slab) for slab in _slabs(points)])
    return values[:, 0] if values.shape[1] == 1 else values


def residual_of(solution: Solution, number: int, points: FloatArray) -> NumberArray:
    """The residual of one of the equations, shape ``(n,)``."""
    problem = solution.problem.stated
    if not problem.is_linear:
        return np.asarray(_residual(solution, points).reshape(len(points), -1)[:, number])
    equations = problem.equations[number : number + 1]
    return np.concatenate([_linear(solution, equations, slab)[:, 0] for slab in _slabs(points)])


def _slabs(points: FloatArray) -> list[FloatArray]:
    return [points[start : start + SLAB] for start in range(0, max(len(points), 1), SLAB)]


def _linear(solution: Solution, equations: Sequence[Relation], points: FloatArray) -> NumberArray:
    """Of each of some equations, shape ``(n, E)``."""
    if has_media(solution.problem):
        return _by_medium(solution, equations[0], points)[:, None]
    here = Sites(points)
    right = np.stack([equation.values(here) for equation in equations], axis=1)
    return np.asarray(solution.evaluate_each([equation.operator for equation in equations], here).T - right)


def _by_medium(solution: Solution, outside: Relation, points: FloatArray) -> NumberArray:
    """That of each medium at the points in it, as it would be with the factor that the equation was written with."""
    problem = solution.problem
    lattice = lattice_of(problem)
    copies = np.zeros(len(points)) if lattice is None else lattice.copies(points)
    if lattice is not None:  # the media of the copies are those of the objects that were named
        points = points - np.outer(copies, (lattice.period, 0.0))
    factor = next(term.coefficient for term in outside.operator.terms if term.order == 2)
    numbers, values = medium_at(problem, points), np.empty(len(points), dtype=np.complex128)
    values[numbers == 0] = solution.evaluate(outside.operator, points[numbers == 0])
    missing = _left_out(solution)
    for number, medium in enumerate(media_of(problem), 1):
        here, operator = numbers == number, operator_inside(problem, medium).times(factor)
        inside = solution.evaluate(operator, points[here])
        if missing is not None:
            inside = inside + evaluate(missing, np.ones(1), operator, Sites(points[here]), threads=1)
        values[here] = inside
    return values if lattice is None else values * lattice.phases(copies)


def _left_out(solution: Solution) -> IncidentBasis | None:
    """What comes in, where the field is the scattered one, without it."""
    fields, basis = incident_of(solution.problem), solution.basis
    regional = basis.basis if isinstance(basis, FoldedBasis) else basis
    assert isinstance(regional, RegionalBasis)  # as the problem has media
    if not fields or any(isinstance(leaf, IncidentBasis) for leaf in regional.outside.leaves):
        return None
    return IncidentBasis(fields, solution.problem.dimension)
