"""Eigenvalues on a line or a radius by elements of high degree: values from outside of the package.

The stiffness of integrated Legendre polynomials is nearly the identity, and its inverse times the mass has the lowest
values first; these are then improved within their own space, by integrals that are taken element by element, so that
elements of any size have digits left. Values of two degrees tell how good they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.linalg
from numpy.polynomial import legendre
from numpy.typing import NDArray

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

_DEGREE, _FURTHER = 12, 3
_NODES_BEYOND = 10
# Vectors beyond the wanted ones, for these are then not mixed with others.
_BEYOND = 6
_ROUNDING = 4e-15


@dataclass(frozen=True, eq=False)
class Known:
    """Values in their order, and how far each may be off."""

    values: Array
    slack: Array

    def first(self, count: int) -> Known:
        """The first ones."""
        return Known(self.values[:count], self.slack[:count])


@dataclass(frozen=True, eq=False)
class Line:
    """``-(p u')' + q u = lam w u`` between the first and the last of `breaks`.

    Attributes
    ----------
    p, q, w : callable
    breaks : sequence of float
        Ends of elements; coefficients are smooth within each.
    left, right : float or None
        ``p du/dn + b u = 0`` with this b and the outward normal; None where u is zero.
    periodic : bool
        The last place is the first one.
    """

    p: Function
    q: Function
    w: Function
    breaks: Sequence[float]
    left: float | None = None
    right: float | None = None
    periodic: bool = False
    degree: int = _DEGREE

    def known(self, count: int) -> Known:
        """The lowest values."""
        rough, fine = self._lowest(count), replace(self, degree=self.degree + _FURTHER)._lowest(count)
        return Known(fine, 2 * np.abs(fine - rough) + _ROUNDING * (np.abs(fine) + np.abs(fine).max()))

    @cached_property
    def _rule(self) -> tuple[Array, Array, Array, Array]:
        """Gauss points, weights, and all functions of an element with their slopes, ``(points, degree + 1)``."""
        points, weights = legendre.leggauss(self.degree + _NODES_BEYOND)
        every = legendre.legvander(points, self.degree)
        functions, slopes = np.empty_like(every), np.empty_like(every)
        functions[:, 0], functions[:, 1], slopes[:, 0], slopes[:, 1] = (1 - points) / 2, (1 + points) / 2, -0.5, 0.5
        for k in range(2, self.degree + 1):
            root = np.sqrt((2 * k - 1) / 2)
            functions[:, k] = (every[:, k] - every[:, k - 2]) / (2 * root)
            slopes[:, k] = root * every[:, k - 1]
        return points, weights, functions, slopes

    @cached_property
    def _at_nodes(self) -> tuple[Array, Array, Array, Array]:
        """Half lengths, and p, q and w at all nodes, ``(elements, points)``."""
        breaks = np.asarray(self.breaks, dtype=float)
        half = np.diff(breaks) / 2
        places = breaks[:-1, None] + half[:, None] * (1 + self._rule[0])
        coefficients = (np.broadcast_to(f(places.ravel()), places.size).reshape(places.shape) for f in self._three)
        p, q, w = coefficients
        return half, p, q, w

    @property
    def _three(self) -> tuple[Function, Function, Function]:
        return self.p, self.q, self.w

    @property
    def _lowest_potential(self) -> float:
        _, _, q, w = self._at_nodes
        return float(max(-np.min(q / w), 0.0))

    @cached_property
    def _places(self) -> NDArray[np.intp]:
        """The number of each function of each element among all, ``(elements, degree + 1)``; -1 for those left out."""
        elements = len(self.breaks) - 1
        ends = np.arange(elements + 1)
        if self.periodic:
            ends[-1] = 0
        elif self.left is None:
            ends = ends - 1
        if not self.periodic and self.right is None:
            ends[-1] = -1
        nodes = int(ends.max()) + 1
        inner = nodes + np.arange(elements * (self.degree - 1)).reshape(elements, -1)
        return np.concatenate([np.stack([ends[:-1], ends[1:]], axis=1), inner], axis=1)

    def _matrices(self) -> tuple[Array, Array]:
        _, weights, functions, slopes = self._rule
        half, p, q, w = self._at_nodes
        size = int(self._places.max()) + 1
        stiff, mass = np.zeros((size + 1, size + 1)), np.zeros((size + 1, size + 1))  # the last one is left out
        for place, h, own_p, own_q, own_w in zip(self._places, half, p, q, w, strict=True):
            both = np.ix_(place, place)
            stiff[both] += (slopes.T * (weights * own_p / h)) @ slopes + (
                functions.T * (weights * own_q * h)
            ) @ functions
            mass[both] += (functions.T * (weights * own_w * h)) @ functions
        for b, place in ((self.left, self._places[0, 0]), (self.right, self._places[-1, 1])):
            if b is not None and not self.periodic:
                stiff[place, place] += b
        return stiff[:-1, :-1], mass[:-1, :-1]

    def _lowest(self, count: int) -> Array:
        stiff, mass = self._matrices()
        _, p, _, w = self._at_nodes
        unit = float(np.mean(p) / np.mean(w)) / (self.breaks[-1] - self.breaks[0]) ** 2
        shift = self._lowest_potential + unit
        while True:
            try:
                lower = scipy.linalg.cholesky(stiff + shift * mass, lower=True)
                break
            except np.linalg.LinAlgError:
                shift = 4 * shift
        inverse = scipy.linalg.solve_triangular(lower, mass, lower=True)
        inverse = scipy.linalg.solve_triangular(lower, inverse.T, lower=True)
        size = len(inverse)
        wanted = min(count + _BEYOND, size)
        inverse = 0.5 * (inverse + inverse.T)
        vectors = scipy.linalg.eigh(inverse, subset_by_index=(size - wanted, size - 1))[1]
        return self._improved(scipy.linalg.solve_triangular(lower.T, vectors))[:count]

    def _improved(self, vectors: Array) -> Array:
        """Values within the space of some functions."""
        _, weights, functions, slopes = self._rule
        half, p, q, w = self._at_nodes
        padded = np.concatenate([vectors, np.zeros((1, vectors.shape[1]))])
        stiff, mass = np.zeros((2, vectors.shape[1], vectors.shape[1]))
        for place, h, own_p, own_q, own_w in zip(self._places, half, p, q, w, strict=True):
            own = padded[place]
            # the slope of the line between both ends by their difference
            rise = np.outer(np.full(len(weights), 0.5), own[1] - own[0]) + slopes[:, 2:] @ own[2:]
            value = functions @ own
            stiff += (rise.T * (weights * own_p / h)) @ rise + (value.T * (weights * own_q * h)) @ value
            mass += (value.T * (weights * own_w * h)) @ value
        for b, place in ((self.left, self._places[0, 0]), (self.right, self._places[-1, 1])):
            if b is not None and not self.periodic:
                stiff += b * np.outer(padded[place], padded[place])
        return np.asarray(scipy.linalg.eigh(stiff, mass, eigvals_only=True))


def constant(value: float) -> Function:
    """The same everywhere."""
    return lambda s: np.full(s.shape, value)


def graded(begin: float, end: float, places: Sequence[tuple[float, float]], largest: float = 0.125) -> list[float]:
    """Breaks that are fine at each of the places (centre, width), each of which is one, and coarse elsewhere."""
    stops = sorted({end, *(centre for centre, _ in places if begin < centre < end)})
    breaks = [begin]
    for last in stops:
        while breaks[-1] < last:
            s = breaks[-1]
            step = min([largest * (end - begin), *(max(w, (0.5 if s < c else 1.0) * abs(s - c)) for c, w in places)])
            breaks.append(last if s + 1.4 * step >= last else s + step)
    return breaks
