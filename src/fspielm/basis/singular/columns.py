"""Functions beside a family: at corners, in holes, and outside of joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.basis.basis import Basis
from fspielm.basis.singular.corners import (
    Singular,
    singular_changes,
    singular_columns,
    singular_corners,
    some_singular_columns,
)
from fspielm.basis.singular.holes import hole_columns
from fspielm.basis.singular.outgoing import SourceBasis
from fspielm.geometry.domain import Domain
from fspielm.geometry.plane import Joint
from fspielm.geometry.points import Sites
from fspielm.problem.operator import derivative
from fspielm.problem.problem import Problem

# ---- Functions beside the features: singular ones at corners, multipoles in holes


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


# ---- Sources outside of a domain that crowd toward the joints of its boundary


# How fast they crowd, and how far from the normal their rays are, in radians: on the normal itself all were symmetric.
_CROWDING, _ASIDE = 2.0, 0.5
# The farthest one, of the shorter curve there.
_FARTHEST = 0.15


def joint_sources(joints: Sequence[Joint], count: int, ratio: float, domain: Domain) -> SourceBasis | None:
    """`count` sources on either side of the normal at each joint; None if there are none.

    Between curves of other curvature a solution is no analytic function: across a straight line it would continue as
    its mirror image, across an arc otherwise. What is singular there, about ``r^2 log r``, is that of sources which
    crowd exponentially. `ratio` is that of the equation, see `SourceBasis`.
    """
    if not joints or not count:
        return None
    points, distances = zip(*(_toward(joint, count) for joint in joints), strict=True)
    placed, clearances = np.concatenate(points), np.concatenate(distances) * np.cos(_ASIDE)
    outside = ~domain.contains(placed)
    return SourceBasis(placed[outside], ratio, clearances[outside]) if outside.any() else None


def _toward(joint: Joint, count: int) -> tuple[FloatArray, FloatArray]:
    index = np.arange(1, count + 1)
    distances = _FARTHEST * joint.length * np.exp(-_CROWDING * (np.sqrt(count) - np.sqrt(index)))
    rays = [np.array([np.cos(joint.away + side), np.sin(joint.away + side)]) for side in (-_ASIDE, _ASIDE)]
    points = np.concatenate([np.array(joint.point) + distances[:, None] * ray for ray in rays])
    return points, np.tile(distances, 2)
