"""Domains in several pieces, each of which needs a condition that fixes values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fspielm.equations.operator import Operator
from fspielm.equations.relations import Relation
from fspielm.geometry import Domain, connected_pieces

_SITES = 200
# Fewer points than this share are a corner that no straight way leads out of, not a piece.
_LEAST_SHARE = 0.005


def loose_piece(constraints: Sequence[Relation], domain: Domain, operator: Operator) -> str:
    """Describe a piece of the domain on which the solution is determined only up to a constant; empty if there is none.

    The estimate of the error does not see this: features are functions of all space, and carry the constant of one
    piece over to the others.
    """
    if domain.time is not None or not domain.may_be_in_pieces or any(term.order == 0 for term in operator.terms):
        return ""
    points, labels = connected_pieces(domain)
    counts = np.bincount(labels)
    large = np.flatnonzero(counts >= _LEAST_SHARE * len(points))
    if len(large) < 2:
        return ""
    held = {int(label) for c in constraints if _fixes_values(c) for label in _touched(c, points, labels)}
    for label in large:
        if int(label) not in held:
            place = ", ".join(f"{v:.3g}" for v in points[labels == label].mean(axis=0))
            return (
                f"the piece of the domain around ({place}) is not joined to the rest, and has no condition that fixes "
                "values there"
            )
    return ""


def _fixes_values(constraint: Relation) -> bool:
    return any(term.order == 0 for term in constraint.operator.terms)


def _touched(constraint: Relation, points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The pieces that the constraint's sites lie next to."""
    from scipy.spatial import cKDTree

    sites = constraint.sample(_SITES, np.random.default_rng(0))
    return np.unique(labels[cKDTree(points).query(sites.points)[1]])
