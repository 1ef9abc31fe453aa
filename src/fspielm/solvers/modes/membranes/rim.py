"""Places along the boundary of a membrane, with weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry import PlaneCurve, Sites
from fspielm.solvers.modes.membranes.membrane import Membrane

# Places of a panel, and of panels that halve toward the ends of a curve; panels of a curve, at least.
_PANEL, _HALVED, _FEWEST = 10, 6, 3
# Toward a corner, with functions like powers of the distance: panels that halve, then one with places that crowd.
_TOWARD, _LAST = 3, 16
# As which power of their number they crowd: closer to a corner than with the most, places would be rounded to it.
_LEAST_POWER, _MOST_POWER = 3.0, 5.0
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
    curve : (n,) integer array
        The number of the curve that points are on.
    free : (n,) array of bool
        Where slopes are zero, rather than values.
    """

    center: FloatArray
    points: FloatArray
    normals: FloatArray
    weights: FloatArray
    curve: NDArray[np.intp]
    free: BoolArray

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
    """Gauss' rule on panels, with places so far apart; toward joints panels halve until they are that short."""
    parts = [_along(curve, spacing, closest, membrane) for curve in membrane.curves]
    curve = np.repeat(np.arange(len(parts)), [len(weights) for _, _, weights in parts])
    points, normals, weights = (np.concatenate(each) for each in zip(*parts, strict=True))
    return Rim(membrane.center, points, normals, weights, curve, np.array(membrane.free)[curve])


def _along(
    curve: PlaneCurve, spacing: float, closest: float, membrane: Membrane
) -> tuple[FloatArray, FloatArray, FloatArray]:
    number = max(math.ceil(curve.length / (spacing * _PANEL)), _FEWEST)
    ends = np.linspace(0.0, 1.0, number + 1)
    halvings = max(math.ceil(math.log2(curve.length / (number * closest))), 1)

    def toward(end: FloatArray) -> tuple[FloatArray, FloatArray]:
        near = _CLOSE * curve.length
        if any(math.dist(end, joint.point) <= near for joint in membrane.joints):
            return _panels(np.append(0.0, 0.5 ** np.arange(halvings, -1, -1) / number), _HALVED)
        for wedge in membrane.wedges:
            if math.dist(end, wedge.point) <= near:
                halved = 0.5 ** np.arange(_TOWARD, -1, -1) / number
                return _joined(_crowded(halved[0], wedge.exponents[0]), _panels(halved, _HALVED))
        return _panels(ends[:2], _PANEL)

    first, last = (toward(end) for end in curve.ends)
    middle = _panels(ends[1:-1], _PANEL)
    t = curve.parameter(np.concatenate([first[0], middle[0], 1.0 - last[0]]))
    weights = np.concatenate([first[1], middle[1], last[1]]) * curve.length
    return curve.point(t), curve.normals(t), weights


def _crowded(length: float, exponent: float) -> tuple[FloatArray, FloatArray]:
    """From zero on, for squares of slopes of functions that begin with this exponent: these become whole powers."""
    share = 2 * exponent - 1
    power = min(math.ceil(_LEAST_POWER * share) / share, _MOST_POWER)
    nodes, weights = _panels(np.array([0.0, 1.0]), _LAST)
    return length * nodes**power, length * power * nodes ** (power - 1) * weights


def _joined(one: tuple[FloatArray, FloatArray], other: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    return np.concatenate([one[0], other[0]]), np.concatenate([one[1], other[1]])


def _panels(ends: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    nodes, weights = _gauss(count)
    lengths = np.diff(ends)[:, None]
    return (ends[:-1, None] + lengths * 0.5 * (nodes + 1)).ravel(), (lengths * 0.5 * weights).ravel()


@cache
def _gauss(count: int) -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return nodes, weights
