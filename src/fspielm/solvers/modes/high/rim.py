"""Places along the boundary of a membrane, with weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.geometry import PlaneCurve, Sites
from fspielm.solvers.modes.high.membrane import Membrane

# Places of a panel, and of panels that halve toward the ends of a curve; panels of a curve, at least.
_PANEL, _HALVED, _FEWEST = 10, 6, 3
# What counts as one place, of a curve's length.
_CLOSE = 1e-9


@final
@dataclass(frozen=True, eq=False)
class Rim:
    """Where integrals over the boundary are taken.

    Attributes
    ----------
    center : (2,) array
        Of the membrane.
    points, normals : (n, 2) array
    weights : (n,) array
    """

    center: FloatArray
    points: FloatArray
    normals: FloatArray
    weights: FloatArray

    @property
    def sites(self) -> Sites:
        """Points and normals."""
        return Sites(self.points, self.normals)

    @property
    def tangents(self) -> FloatArray:
        """Along the boundary."""
        return np.column_stack([-self.normals[:, 1], self.normals[:, 0]])

    @cached_property
    def out(self) -> FloatArray:
        """How far points are from the center along their normals."""
        return np.asarray(np.sum((self.points - self.center) * self.normals, axis=1))

    @cached_property
    def on(self) -> FloatArray:
        """The same along their tangents."""
        return np.asarray(np.sum((self.points - self.center) * self.tangents, axis=1))


def rim_of(membrane: Membrane, spacing: float, closest: float) -> Rim:
    """Gauss' rule on panels, with places so far apart; panels halve toward rough ends until they are that short."""
    parts = [_along(curve, spacing, closest, membrane.rough) for curve in membrane.curves]
    return Rim(membrane.center, *(np.concatenate(each) for each in zip(*parts, strict=True)))


def _along(
    curve: PlaneCurve, spacing: float, closest: float, rough: Sequence[tuple[float, float]]
) -> tuple[FloatArray, ...]:
    number = max(math.ceil(curve.length / (spacing * _PANEL)), _FEWEST)
    ends = np.linspace(0.0, 1.0, number + 1)
    halvings = max(math.ceil(math.log2(curve.length / (number * closest))), 1)
    halved = np.append(0.0, 0.5 ** np.arange(halvings, -1, -1) / number)
    first, last = (
        _panels(halved, _HALVED)
        if any(math.dist(end, place) <= _CLOSE * curve.length for place in rough)
        else _panels(ends[:2], _PANEL)
        for end in curve.ends
    )
    middle = _panels(ends[1:-1], _PANEL)
    t = curve.parameter(np.concatenate([first[0], middle[0], 1.0 - last[0]]))
    weights = np.concatenate([first[1], middle[1], last[1]]) * curve.length
    return curve.point(t), curve.normals(t), weights


def _panels(ends: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(count)
    lengths = np.diff(ends)[:, None]
    return (ends[:-1, None] + lengths * 0.5 * (nodes + 1)).ravel(), (lengths * 0.5 * weights).ravel()
