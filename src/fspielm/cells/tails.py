"""Decay of the coefficients of cells, which shows the truncation error of their polynomials.

In a cell that the boundary cuts, polynomials on its box may grow outside of the domain, and their coefficients mean
nothing. With polynomials of the same degrees that are orthogonal on the piece, coefficients fall as in other cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.cells.basis import CellBasis, ball, chebyshev_table, square

# Number of last degrees, whose coefficients are the tail.
_LAST = 2


@final
@dataclass(frozen=True, eq=False)
class Tail:
    """The last coefficients of each cell, relative to the solution, for the unknown whose coefficients fell least.

    Attributes
    ----------
    size : (C,) array
    along : (C, d) array
        The same, by the axis along which they oscillate most.
    rate : (C,) array
        Decrease of the logarithms per degree.
    """

    size: FloatArray
    along: FloatArray
    rate: FloatArray


@final
@dataclass(frozen=True, eq=False)
class Tails:
    """The last coefficients in each of C cells, for each of U unknowns.

    Attributes
    ----------
    last : (C, U) array
        Norms of the coefficients of the last degrees.
    left_out : (C, U) array
        Estimated truncation error if coefficients continue to fall somewhat more slowly than before.
    along : (C, U, d) array
        The same, by the axis along which functions oscillate most.
    rate : (C, U) array
        Decrease of the logarithms per degree, from half the degrees to the last.
    ending : (C, U) array
        The same over the very last degrees.
    whole : (C, U) array
        Norms of all coefficients.
    """

    last: FloatArray
    left_out: FloatArray
    along: FloatArray
    rate: FloatArray
    ending: FloatArray
    whole: FloatArray

    def worst(self, sizes: FloatArray) -> Tail:
        """The tail of the worst unknown in each cell, relative to the sizes ``(U,)`` of all unknowns.

        The sizes cannot be computed from coefficients, which may be far larger in cells that the boundary cuts.
        """
        size = np.where(sizes > 0, sizes, 1.0)
        return Tail((self.last / size).max(axis=1), (self.along / size[:, None]).max(axis=1), self.rate.min(axis=1))

    @property
    def falls_slowly(self) -> BoolArray:
        """Mask ``(C,)`` of cells whose coefficients fall too slowly for an estimate, but not because of rounding."""
        return np.asarray(np.any((self.rate < _SLOW) & self._matters, axis=1))

    @property
    def ends_slowly(self) -> BoolArray:
        """Mask ``(C,)`` of cells whose last coefficients indicate a function that is not smooth."""
        return np.asarray(np.any((self.ending < _SLOW_AT_LAST) & self._matters, axis=1))

    @property
    def _matters(self) -> BoolArray:
        return np.asarray((self.last > _LITTLE * self.last.max(axis=0)) & (self.last > _ROUNDING * self.whole))


# The slowest rate that is assumed, and the factor of the rate at which further coefficients are expected to fall.
_SLOWEST, _SLOWER = 0.05, 0.75
# Coefficients that fall by less than this per degree do not show the error, unless they are small relative to those of
# other cells, or at the level of rounding of their own cell.
_SLOW, _LITTLE, _ROUNDING = 0.8, 1e-13, 1e-15
# The same over the last degrees, and their number.
_SLOW_AT_LAST, _AT_LAST = 0.5, 4


def orthogonal_at(points: FloatArray, basis: CellBasis, cell: int) -> FloatArray:
    """The map from coefficients in a cell to those of polynomials that are orthogonal at some points, shape ``(k, k)``.

    Both by degree, lower ones first; in units of Chebyshev's polynomials. There are to be at least k points.
    """
    degrees = tuple(basis.degrees[cell].tolist())
    lower, lengths = basis.frames.lower[cell], basis.frames.lengths[cell]
    unit = ((2 * (points - lower)) / lengths - 1).T
    values = np.prod(
        [chebyshev_table(x, n, 0)[0][own] for x, n, own in zip(unit, degrees, ball(degrees).T, strict=True)], axis=0
    )
    triangle = np.linalg.qr(values[_by_degree((*degrees, 0))].T, mode="r")
    return np.asarray(triangle * (np.sqrt(2.0) ** len(degrees) / np.sqrt(len(points))))


def _alike(basis: CellBasis) -> Iterator[tuple[tuple[int, ...], NDArray[np.intp]]]:
    """Kinds of cells (see `CellBasis.kinds`), and the cells of each."""
    kinds, which = np.unique(basis.kinds, axis=0, return_inverse=True)
    for number, kind in enumerate(kinds.tolist()):
        yield tuple(kind), np.flatnonzero(which.ravel() == number)


def tails_of(
    basis: CellBasis, coefficients: NumberArray, orthogonal: Mapping[int, FloatArray] = MappingProxyType({})
) -> Tails:
    """The tails of a solution; for some cells in orthogonal polynomials (see `orthogonal_at`)."""
    count, several = len(basis.degrees), basis.components
    found = [np.zeros((count, several, *more)) for more in ((), (), (basis.dimension,), (), (), ())]
    for kind, cells in _alike(basis):
        own = coefficients[basis.columns_of(cells)].reshape(len(cells), several, -1)
        order = _by_degree(kind)
        for place, cell in enumerate(cells.tolist()):
            if cell in orthogonal:
                own[place][:, order] = own[place][:, order] @ orthogonal[cell].T
        parts = _tail(kind, np.abs(own).reshape(len(cells) * several, -1))
        for each, part in zip(found, parts, strict=True):
            each[cells] = part.reshape(len(cells), several, *part.shape[1:])
    return Tails(*found)


def last_degrees(
    basis: CellBasis, coefficients: NumberArray, orthogonal: Mapping[int, FloatArray] = MappingProxyType({})
) -> NumberArray:
    """The coefficients ``(M,)`` of a solution with only the last degrees."""
    found = np.zeros_like(coefficients)
    for kind, cells in _alike(basis):
        own = coefficients[basis.columns_of(cells)].reshape(len(cells), basis.components, -1)
        order, lower = _by_degree(kind), _lower(kind)
        last = np.empty_like(own)
        last[:, :, order] = np.where(lower, 0.0, own[:, :, order])
        for place, cell in enumerate(cells.tolist()):
            if cell in orthogonal:
                parts = np.where(lower, 0.0, own[place][:, order] @ orthogonal[cell].T)
                last[place][:, order] = np.linalg.solve(orthogonal[cell], parts.T).T
        found[basis.columns_of(cells)] = last.reshape(len(cells), -1)
    return found


def lower_degrees(basis: CellBasis, cell: int, orthogonal: FloatArray) -> FloatArray:
    """Coefficients in a cell ``(k, m)`` of polynomials that are orthogonal there, without the last degrees."""
    kind = tuple(basis.kinds[cell].tolist())
    found = np.zeros(orthogonal.shape)
    found[_by_degree(kind)] = np.linalg.solve(orthogonal, np.eye(len(orthogonal)))
    return np.asarray(np.kron(np.eye(basis.components), found[:, _lower(kind)]))


def _lower(kind: tuple[int, ...]) -> BoolArray:
    """Mask of all degrees but the last, in the order of `_by_degree`."""
    lowest = min(kind[:-1])  # along which axis it may be that they are too few
    radii = _radii(kind)[1][_by_degree(kind)]
    return np.asarray(np.ceil(radii * lowest - 1e-9) <= lowest - _LAST)


def _tail(kind: tuple[int, ...], parts: FloatArray) -> tuple[FloatArray, ...]:
    """The fields of `Tails` for coefficients ``(n, k)`` of cells of one kind."""
    shell, dominating = _shells(kind)
    highest = max(kind[:-1])
    squares = parts**2
    each = squares @ (shell[:, None] == np.arange(highest + 1))
    # what is to come from each degree on: odd ones may be missing
    ahead = np.sqrt(np.cumsum(each[:, ::-1], axis=1)[:, ::-1])
    start, half = max(highest + 1 - _LAST, 0), highest // 2
    last = ahead[:, start]
    fall = np.log(np.maximum(ahead[:, half], 1e-300) / np.maximum(last, 1e-300))
    outermost = shell >= start
    along = [np.sqrt(squares[:, outermost & dominating[:, axis]].sum(axis=1)) for axis in range(len(kind) - 1)]
    rate = fall / max(start - half, 1)
    before = max(start - _AT_LAST, 0)
    ending = np.log(np.maximum(ahead[:, before], 1e-300) / np.maximum(last, 1e-300)) / max(start - before, 1)
    # one degree more than the last: as many come next, and so on
    further = np.exp(-(_LAST + 1) * np.clip(_SLOWER * np.minimum(rate, ending), _SLOWEST, None))
    left_out = ahead[:, max(start - 1, 0)] * further / (1 - further)
    return last, left_out, np.stack(along, axis=1), rate, ending, ahead[:, 0]


@cache
def _by_degree(kind: tuple[int, ...]) -> NDArray[np.intp]:
    """The order of the functions in a cell by their total degree."""
    return np.argsort(_shells(kind)[0], kind="stable")


@cache
def _shells(kind: tuple[int, ...]) -> tuple[NDArray[np.intp], BoolArray]:
    """The total degree of each function in a cell, and whether it oscillates most along an axis."""
    relative, radius = _radii(kind)
    dominating: BoolArray = relative**2 >= (0.5 - 1e-9) * (radius**2)[:, None]
    return np.ceil(radius * max(kind[:-1]) - 1e-9).astype(np.intp), dominating


def _radii(kind: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
    """The degrees of each function relative to the highest along each axis, and in all: the largest in full cells."""
    *degrees, is_full = kind
    relative = (square if is_full else ball)(tuple(degrees)) / np.maximum(degrees, 1)
    return relative, relative.max(axis=1) if is_full else np.linalg.norm(relative, axis=1)
