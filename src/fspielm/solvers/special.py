"""Functions beside the features: singular ones at corners, multipoles in holes."""

from __future__ import annotations

from collections.abc import Sequence

from fspielm.equations import Problem
from fspielm.features import SingularBasis
from fspielm.solvers.corner_functions import singular_changes, singular_columns, singular_corners
from fspielm.solvers.hole_functions import hole_columns
from fspielm.solvers.singular import Singular


def special_columns(problem: Problem, singular: bool | Singular | Sequence[Singular]) -> tuple[SingularBasis, ...]:
    """All there are (True), none (False), or the singular functions of the corners named."""
    corners = singular_columns(problem, singular)
    return (*corners, *hole_columns(problem)) if singular is True else corners


def special_number(problem: Problem) -> int:
    """How many bases `special_columns` has for all corners and holes."""
    return len(singular_corners(problem)) + len(hole_columns(problem))


def special_names(problem: Problem) -> str:
    """What `special_columns` are, for reports."""
    at = "corners and changes of conditions" if singular_changes(problem) else "the corners"
    found = {
        f"singular functions at {at}": singular_corners(problem),
        "multipoles in the holes": hole_columns(problem),
    }
    return ", ".join(name for name, there in found.items() if there)
