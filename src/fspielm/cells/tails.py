"""How far the coefficients of cells have fallen: what their polynomials leave out.

Where the boundary cuts a cell, polynomials of its box are free to grow beyond it, and their coefficients say nothing.
In polynomials of the same degrees that are orthogonal in what is left of the cell, they fall as those of any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.basis.basis import LocalOperator
from fspielm.cells.basis import CellBasis, ball

# The last degrees, whose coefficients are the tail.
_LAST = 2


@final
@dataclass(frozen=True, eq=False)
class Tail:
    """The last coefficients of each cell, relative to the solution, of the unknown that has fallen least.

    Attributes
    ----------
    size : (C,) array
    along : (C, d) array
        The same, by the axis along which they oscillate most.
    rate : (C,) array
        By how much logarithms fall with each degree.
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
        Norms of those of the last degrees.
    left_out : (C, U) array
        What comes after the last degrees, if it falls on somewhat more slowly than before.
    along : (C, U, d) array
        The same, by the axis along which they oscillate most.
    rate : (C, U) array
        By how much logarithms fall with each degree, from half the degrees to the last.
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
        """In each cell, that of the worst unknown, relative to the sizes ``(U,)`` of all.

        Those are not to be had from the coefficients: where the boundary cuts a cell, they may be far larger.
        """
        size = np.where(sizes > 0, sizes, 1.0)
        return Tail((self.last / size).max(axis=1), (self.along / size[:, None]).max(axis=1), self.rate.min(axis=1))

    @property
    def falls_slowly(self) -> BoolArray:
        """Whether coefficients of a cell ``(C,)`` fall too slowly to show what is missing, and not for rounding."""
        return np.asarray(np.any((self.rate < _SLOW) & self._matters, axis=1))

    @property
    def ends_slowly(self) -> BoolArray:
        """Whether the last coefficients of a cell ``(C,)`` are those of something that is not smooth."""
        return np.asarray(np.any((self.ending < _SLOW_AT_LAST) & self._matters, axis=1))

    @property
    def _matters(self) -> BoolArray:
        return np.asarray((self.last > _LITTLE * self.last.max(axis=0)) & (self.last > _ROUNDING * self.whole))


# However slowly coefficients seem to fall; and what to expect of those to come.
_SLOWEST, _SLOWER = 0.05, 0.75
# Coefficients that fall by less than this with each degree do not show what is missing, unless they are as small beside
# those of other cells, or are what rounding leaves of the cell's own.
_SLOW, _LITTLE, _ROUNDING = 0.8, 1e-13, 1e-15
# And by less than this over the last degrees, so many of them.
_SLOW_AT_LAST, _AT_LAST = 0.5, 4


def orthogonal_at(points: FloatArray, basis: CellBasis, cell: int) -> FloatArray:
    """The map from coefficients in a cell to those of polynomials that are orthogonal at some points, shape ``(k, k)``.

    Both by degree, lower ones first; in units of Chebyshev's polynomials. There are to be at least k points.
    """
    degrees = tuple(basis.degrees[cell].tolist())
    none = np.zeros((1, len(degrees)), dtype=np.int_)
    values = basis.tables(cell, LocalOperator(points, none, np.ones(1))).products(none[0], ball(degrees))
    triangle = np.linalg.qr(values[_by_degree(degrees)].T, mode="r")
    return np.asarray(triangle * (np.sqrt(2.0) ** len(degrees) / np.sqrt(len(points))))


def tails_of(
    basis: CellBasis, coefficients: NumberArray, orthogonal: Mapping[int, FloatArray] = MappingProxyType({})
) -> Tails:
    """Those of a solution; of some cells, in orthogonal polynomials (see `orthogonal_at`)."""
    found = []
    for cell, degrees in enumerate(basis.degrees.tolist()):
        own = coefficients[basis.columns(cell)].reshape(basis.components, -1)
        if cell in orthogonal:
            order = _by_degree(tuple(degrees))
            changed = np.empty_like(own)
            changed[:, order] = own[:, order] @ orthogonal[cell].T
            own = changed
        found.append(_tail(tuple(degrees), np.abs(own)))
    return Tails(*(np.array(parts) for parts in zip(*found, strict=True)))


def last_degrees(
    basis: CellBasis, coefficients: NumberArray, orthogonal: Mapping[int, FloatArray] = MappingProxyType({})
) -> NumberArray:
    """The coefficients ``(M,)`` of what the last degrees alone have of a solution."""
    found = np.zeros_like(coefficients)
    for cell, degrees in enumerate(map(tuple, basis.degrees.tolist())):
        own = coefficients[basis.columns(cell)].reshape(basis.components, -1)
        order, lowest = _by_degree(degrees), min(degrees)  # along which axis it may be that they are too few
        radii = np.linalg.norm(ball(degrees) / np.maximum(degrees, 1), axis=1)[order]
        lower = np.ceil(radii * lowest - 1e-9) <= lowest - _LAST
        parts = own[:, order]
        if cell in orthogonal:
            parts = parts @ orthogonal[cell].T
        parts = np.where(lower, 0.0, parts)
        if cell in orthogonal:
            parts = np.linalg.solve(orthogonal[cell], parts.T).T
        last = np.empty_like(own)
        last[:, order] = parts
        found[basis.columns(cell)] = last.ravel()
    return found


def _tail(degrees: tuple[int, ...], parts: FloatArray) -> tuple[FloatArray, ...]:
    shell, dominating = _shells(degrees)
    highest = max(degrees)
    squares = parts**2
    each = np.stack([np.bincount(shell, own, minlength=highest + 1) for own in squares])
    # what is to come from each degree on: odd ones may be missing
    ahead = np.sqrt(np.cumsum(each[:, ::-1], axis=1)[:, ::-1])
    start, half = max(highest + 1 - _LAST, 0), highest // 2
    last = ahead[:, start]
    fall = np.log(np.maximum(ahead[:, half], 1e-300) / np.maximum(last, 1e-300))
    outermost = shell >= start
    along = [np.sqrt(squares[:, outermost & dominating[:, axis]].sum(axis=1)) for axis in range(len(degrees))]
    rate = fall / max(start - half, 1)
    before = max(start - _AT_LAST, 0)
    ending = np.log(np.maximum(ahead[:, before], 1e-300) / np.maximum(last, 1e-300)) / max(start - before, 1)
    # one degree more than the last: as many come next, and so on
    further = np.exp(-(_LAST + 1) * np.clip(_SLOWER * np.minimum(rate, ending), _SLOWEST, None))
    left_out = ahead[:, max(start - 1, 0)] * further / (1 - further)
    return last, left_out, np.stack(along, axis=1), rate, ending, ahead[:, 0]


@cache
def _by_degree(degrees: tuple[int, ...]) -> NDArray[np.intp]:
    """The order of the functions in a cell by their degree, all axes taken together."""
    return np.argsort(_shells(degrees)[0], kind="stable")


@cache
def _shells(degrees: tuple[int, ...]) -> tuple[NDArray[np.intp], BoolArray]:
    """Of each function in a cell, its degree, all axes taken together; and whether it oscillates most along an axis."""
    relative = ball(degrees) / np.maximum(degrees, 1)
    radius = np.linalg.norm(relative, axis=1)
    dominating: BoolArray = relative**2 >= (0.5 - 1e-9) * (radius**2)[:, None]
    return np.ceil(radius * max(degrees) - 1e-9).astype(np.intp), dominating
