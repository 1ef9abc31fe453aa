"""Narrow places of a problem: points in and near them, with weights, so that an integral does not miss them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fspielm.geometry import Domain

# How far in and out of a narrow place points are put, in widths.
_INNERMOST = 1e-2


@dataclass(frozen=True, eq=False)
class Spot:
    """A narrow place: a point, a line or a plane, which may move, or a ring or shell around a point.

    Attributes
    ----------
    axes : tuple of int
        The coordinates in which it is narrow.
    centre : tuple of float
        Where, in these coordinates.
    width : float
    velocity : tuple of float
        How far it moves in these coordinates along the last coordinate; empty if it does not.
    ring : float
        Its radius, if it is a ring or a shell; 0 otherwise.
    """

    axes: tuple[int, ...]
    centre: tuple[float, ...]
    width: float
    velocity: tuple[float, ...] = ()
    ring: float = 0.0

    def _centres(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        moved = np.multiply.outer(points[:, -1], self.velocity) if self.velocity else 0.0
        return np.array(self.centre) + moved

    def distance(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """How far points are from it."""
        away = np.linalg.norm(points[:, list(self.axes)] - self._centres(points), axis=1)
        result: NDArray[np.float64] = np.abs(away - self.ring)
        return result

    def put(self, points: NDArray[np.float64], reach: float, rng: np.random.Generator) -> NDArray[np.float64]:
        """The points moved next to it, at distances uniform in their logarithm."""
        n, k = len(points), len(self.axes)
        direction = rng.standard_normal((n, k))
        direction /= np.linalg.norm(direction, axis=1)[:, None]
        low = _INNERMOST * self.width
        away = low * (reach / low) ** rng.random(n)
        if self.ring:
            away = np.abs(self.ring + away * rng.choice([-1.0, 1.0], n))
        placed = points.copy()
        placed[:, list(self.axes)] = self._centres(points) + away[:, None] * direction
        return placed

    def density(self, points: NDArray[np.float64], reach: float) -> NDArray[np.float64]:
        """Of what `put` makes, in its own coordinates."""
        k, low = len(self.axes), _INNERMOST * self.width
        away = np.linalg.norm(points[:, list(self.axes)] - self._centres(points), axis=1)
        sphere = 2 * math.pi ** (k / 2) / math.gamma(k / 2)
        distances = (away,) if not self.ring else (np.abs(away - self.ring), away + self.ring)
        total = np.zeros(len(points))
        for distance in distances:
            inside = (distance > low) & (distance < reach)
            share = 0.5 if self.ring else 1.0
            total[inside] += share / (distance[inside] * math.log(reach / low))
        result: NDArray[np.float64] = total / (sphere * np.maximum(away, 1e-300) ** (k - 1))
        return result


def weighted_points(
    domain: Domain, spots: Sequence[Spot], count: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points of a domain and their weights in a mean over it: half uniform, half in and near the narrow places."""
    uniform = domain.sample(count, rng)
    if not spots:
        return uniform, np.full(count, 1 / count)
    lower, upper = domain.bounding_box
    sides = upper - lower
    reach = float(sides.max())
    each = count // len(spots)
    near = [spot.put(lower + rng.random((each, len(sides))) * sides, reach, rng) for spot in spots]
    points = np.concatenate([uniform, *near])
    points = points[domain.contains(points)]
    density = 1 / domain.measure * np.ones(len(points))
    for spot in spots:
        others = [i for i in range(len(sides)) if i not in spot.axes]
        density += each / count * spot.density(points, reach) / math.prod(sides[others])
    weights = 1 / density
    return points, weights / weights.sum()


def scales(spots: Sequence[Spot], points: NDArray[np.float64], widest: float) -> NDArray[np.float64]:
    """The length over which things change at each point."""
    result = np.full(len(points), widest)
    for spot in spots:
        # the tail of a Gaussian is as steep as its flank until it is below rounding
        result = np.minimum(result, np.maximum(spot.width, spot.distance(points) / 8))
    return result
