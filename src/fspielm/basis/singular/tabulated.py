"""Waves around corners, evaluated at many points from tables of Bessel functions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TypeAlias, final

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.basis.basis import Basis, LinearMap, LocalOperator
from fspielm.basis.singular.singular import Polar, RadialFunction, RadialKey, SingularBasis, Wave
from fspielm.numerics.tolerances import CLOSE

IntArray: TypeAlias = NDArray[np.int_]

# Nodes of each piece of a table. They resolve Bessel functions to all digits on pieces of at most this length, and of
# at most this ratio between their ends.
_NODES = 24
_LONGEST_PIECE = 6.0
_LARGEST_RATIO = 1.5
# Entries of one matrix product: with more, the linear algebra library might use threads.
_AT_ONCE = 10_000


@final
class RadialTable:
    """Functions of the radius that are smooth except at zero, as piecewise polynomials.

    Parameters
    ----------
    functions : sequence of callables
        From positive radii ``(n,)`` to values ``(n,)``.
    largest : float
        The largest radius. Much closer to zero, functions are computed.
    """

    def __init__(self, functions: Sequence[RadialFunction], largest: float) -> None:
        self.functions = tuple(functions)
        ends = [largest]
        while ends[-1] > CLOSE * largest:
            ends.append(max(ends[-1] / _LARGEST_RATIO, ends[-1] - _LONGEST_PIECE))
        self.ends = np.array(ends[::-1])

    def __call__(self, radius: FloatArray) -> FloatArray:
        """Values ``(functions, n)`` at radii ``(n,)``; computed outside of the table."""
        piece = np.searchsorted(self.ends, radius, side="right") - 1
        # sorted by piece: one matrix product sums the polynomials of all functions there
        order = np.argsort(piece, kind="stable")
        first, last = np.searchsorted(piece[order], [0, len(self.ends) - 1])
        values = np.empty((len(self.functions), len(radius)))
        for outside in (order[:first], order[last:]):
            if len(outside):
                values[:, outside] = [function(radius[outside]) for function in self.functions]
        inside = order[first:last]
        values[:, inside] = self._interpolate(piece[inside], radius[inside])
        return values

    def _interpolate(self, piece: IntArray, radius: FloatArray) -> FloatArray:
        """Values at radii that are sorted by their piece."""
        low, high = self.ends[piece], self.ends[piece + 1]
        polynomials = chebyshev.chebvander(((radius - low) - (high - radius)) / (high - low), _NODES - 1).T
        values = np.empty((len(self.functions), len(radius)))
        step = max(1, _AT_ONCE // len(self.functions))
        begin = 0
        for number, count in zip(*np.unique(piece, return_counts=True), strict=True):
            for start in range(begin, begin + count, step):
                chunk = slice(start, min(start + step, begin + count))
                values[:, chunk] = self._coefficients[number] @ polynomials[:, chunk]
            begin += count
        return values

    @cached_property
    def _coefficients(self) -> FloatArray:
        """Chebyshev coefficients on each piece, shape ``(pieces, functions, nodes)``."""
        unit = chebyshev.chebpts1(_NODES)
        low, high = self.ends[:-1, None], self.ends[1:, None]
        radius = (0.5 * (1 - unit) * low + 0.5 * (1 + unit) * high).ravel()
        values = np.stack([function(radius).reshape(-1, _NODES) for function in self.functions], axis=1)
        return np.asarray(values @ np.linalg.inv(chebyshev.chebvander(unit, _NODES - 1)).T)


@final
class TabulatedBasis(LinearMap):
    """The functions of a `SingularBasis`, with tables for the waves among them.

    Parameters
    ----------
    exact : SingularBasis
    farthest : float
        Distance from the corner, in units of the scale, up to which there are tables; functions are computed beyond it.
    """

    def __init__(self, exact: SingularBasis, farthest: float) -> None:
        super().__init__(exact)
        self.exact, self.farthest = exact, farthest
        self._tables: dict[Hashable, tuple[list[RadialKey], RadialTable]] = {}

    def fill(self, operator: LocalOperator, columns: slice, out: FloatArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        self.exact.fill_at(_FromTables(self.exact.zeta(operator.points), self), operator, columns, out)

    def table(self, wave: Wave, order: int, conjugate_order: int) -> tuple[list[RadialKey], RadialTable]:
        """The radial functions of these derivatives of all waves of the same equation, and their table."""
        of = (wave.wavenumber, wave.modified, order, conjugate_order)
        if of not in self._tables:
            waves = [f for f in self.exact.functions if isinstance(f, Wave) and (f.wavenumber, f.modified) == of[:2]]
            functions = {key: w.radial(*key) for w in waves for key in w.radial_keys(order, conjugate_order)}
            self._tables[of] = [*functions], RadialTable([*functions.values()], wave.wavenumber * self.farthest)
        return self._tables[of]


@final
class _FromTables(Polar):
    """Positions at which radial functions come from tables."""

    def __init__(self, zeta: ComplexArray, basis: TabulatedBasis) -> None:
        super().__init__(zeta, quick=True)
        self.basis = basis

    def radial(self, wave: Wave, order: int, conjugate_order: int) -> dict[RadialKey, FloatArray]:
        """See `Polar.radial`; waves within other functions have no tables."""
        if wave not in self.basis.exact.functions:
            return super().radial(wave, order, conjugate_order)

        def find() -> dict[RadialKey, FloatArray]:
            keys, table = self.basis.table(wave, order, conjugate_order)
            return dict(zip(keys, table(wave.wavenumber * self.radius), strict=True))

        return self.once((wave.wavenumber, wave.modified, order, conjugate_order), find)


def with_tables(basis: Basis, lower: FloatArray, upper: FloatArray) -> Basis:
    """The same functions for use at many points of a box with these ends ``(d,)``; `basis` itself if it is fast."""
    if not isinstance(basis, SingularBasis) or not any(isinstance(f, Wave) for f in basis.functions):
        return basis
    farthest = np.maximum(np.abs(lower - basis.corner), np.abs(upper - basis.corner))
    return TabulatedBasis(basis, float(np.linalg.norm(farthest)) / basis.scale)
