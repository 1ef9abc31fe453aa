"""Sources outside of a domain that crowd toward the joints of its boundary."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.features.sources import SourceBasis
from fspielm.geometry import Domain
from fspielm.geometry.joints import Joint

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
