"""Functions beside the features: singular ones at corners, multipoles in holes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fspielm.equations import Problem, derivative
from fspielm.features.basis import Basis
from fspielm.features.special.corners import singular_changes, singular_columns, singular_corners, some_singular_columns
from fspielm.features.special.holes import hole_columns
from fspielm.features.special.singular import Singular
from fspielm.geometry import Sites

_SATISFIED = 1e-8


def special_columns(
    problem: Problem, singular: bool | Singular | Sequence[Singular], share: float = 1.0
) -> tuple[Basis, ...]:
    """All there are (True), none (False), or the singular functions of the corners named.

    Of all there are, if so wanted, only a `share` of those at each corner: the ones with the lowest exponents.
    """
    if problem.domain.is_unbounded:
        return ()  # such functions neither radiate nor stay bounded
    corners = some_singular_columns(problem, share) if singular is True else singular_columns(problem, singular)
    return (*corners, *hole_columns(problem)) if singular is True else corners


def special_names(problem: Problem) -> str:
    """What `special_columns` are, for reports."""
    at = "corners and changes of conditions" if singular_changes(problem) else "the corners"
    found = {
        f"singular functions at {at}": singular_corners(problem),
        "multipoles in the holes": hole_columns(problem),
    }
    return ", ".join(name for name, there in found.items() if there)


def satisfies(problem: Problem, columns: Basis) -> bool:
    """Whether functions satisfy the equation without its right-hand side, at some points."""
    sites = Sites(problem.domain.sample(20, np.random.default_rng(0)))  # only looks
    for equation in problem.equations:
        image = np.abs(columns.matrix(equation.operator, sites))
        terms = [
            term.at(sites)[:, None] * columns.matrix(derivative(term.orders).on(term.unknown), sites)
            for term in equation.operator.terms
        ]
        if not np.all(image <= _SATISFIED * np.sum(np.abs(terms), axis=0)):
            return False
    return True
