"""Quadrature: nodes and positive weights, on unit cubes and, mapped from there, on domains and boundary parts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.points import Sites

# Rules with more nodes than this are composite: nearly as accurate, and their nodes cost nothing to find.
_PANEL = 40


@final
@dataclass(frozen=True, eq=False)
class Quadrature:
    """Nodes and weights: an integral is the sum of weights times values.

    Attributes
    ----------
    points : (n, d) array
        All of them in the domain, or on the part of its boundary.
    weights : (n,) array
        Positive; their sum is the measure.
    normals : (n, d) array or None
        Unit outward normals on a boundary; None in the interior.

    Examples
    --------
    >>> from fspielm.geometry import Disk
    >>> rule = Disk((0, 0), 1).quadrature(500)
    >>> round(rule.integrate(rule.points[:, 0] ** 2), 12)  # pi / 4
    0.785398163397
    """

    points: FloatArray
    weights: FloatArray
    normals: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def sites(self) -> Sites:
        """The nodes as sites, with their normals where they have them."""
        return Sites(self.points, self.normals)

    def integrate(self, values: ArrayLike) -> float:
        """The integral of a function from its `values` ``(n,)`` at the nodes."""
        array = np.asarray(values, dtype=np.float64)
        if array.shape != self.weights.shape:
            raise ProblemError(
                f"values must have shape ({len(self)},), one value for each node; got shape {array.shape}"
            )
        return float(np.sum(self.weights * array))

    def scaled_to(self, measure: float) -> Quadrature:
        """The same nodes, with weights whose sum is `measure`."""
        return replace(self, weights=self.weights * (measure / np.sum(self.weights)))


def check_nodes(n: int) -> None:
    """Refuse a number of nodes that is not a positive whole number."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ProblemError(f"n must be a whole number of nodes, one or more; got {n!r}")


@lru_cache(maxsize=256)
def gauss(n: int) -> tuple[FloatArray, FloatArray]:
    """`n` or a few more Gauss-Legendre nodes and weights on [0, 1]; composite where they are many."""
    panels = -(-n // _PANEL)
    nodes, weights = np.polynomial.legendre.leggauss(-(-n // panels))
    starts = np.arange(panels)[:, None]
    return _frozen((starts + 0.5 * (1 + nodes)).ravel() / panels), _frozen(np.tile(0.5 * weights / panels, panels))


@lru_cache(maxsize=256)
def around(n: int) -> tuple[FloatArray, FloatArray]:
    """`n` equal steps on [0, 1]: for periodic functions, such as those of an angle, as good as Gauss."""
    return _frozen((np.arange(n) + 0.5) / n), _frozen(np.full(n, 1 / n))


def piecewise_gauss(n: int, breaks: Sequence[float]) -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre on every piece between `breaks`, about `n` nodes in all, no fewer than two on a piece."""
    rules = [(low, high - low, *gauss(max(2, round(n * (high - low))))) for low, high in pairwise(breaks)]
    nodes = np.concatenate([low + width * unit for low, width, unit, _ in rules])
    return nodes, np.concatenate([width * weights for _, width, _, weights in rules])


def tensor(*rules: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """The product of one-dimensional rules: nodes ``(n, d)`` and weights ``(n,)``."""
    nodes = np.meshgrid(*(rule[0] for rule in rules), indexing="ij")
    weights = np.meshgrid(*(rule[1] for rule in rules), indexing="ij")
    return (
        np.stack([axis.ravel() for axis in nodes], axis=-1),
        np.asarray(math.prod(axis.ravel() for axis in weights), dtype=np.float64),
    )


def per_axis(n: int, dimension: int) -> int:
    """How many nodes along each axis make about `n` in all."""
    return max(1, round(math.pow(n, 1 / dimension)))


def product(space: tuple[FloatArray, FloatArray], last: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """The product of a rule with points ``(n, d)`` and a one-dimensional one, whose coordinate comes last."""
    points, weights = space
    index, again = np.repeat(np.arange(len(points)), len(last[0])), np.tile(np.arange(len(last[0])), len(points))
    return np.column_stack([points[index], last[0][again]]), weights[index] * last[1][again]


def _frozen(array: FloatArray) -> FloatArray:
    """Shared by every caller of a cached rule, hence not to be written to."""
    array.setflags(write=False)
    return array
