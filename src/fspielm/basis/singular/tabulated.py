"""Waves around corners from tables of Bessel functions, where they are wanted at many places."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from typing import TypeAlias, final

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.basis.basis import Basis, LocalOperator
from fspielm.basis.singular.singular import (
    CornerFunction,
    Orders,
    Polar,
    RadialFunction,
    RadialKey,
    SingularBasis,
    Wave,
)

IntArray: TypeAlias = NDArray[np.int_]

# Pieces of a table are polynomials from so many nodes, which hold all digits of Bessel functions on pieces so long,
# and so much longer than their distance from zero.
_NODES = 24
_LONGEST = 6.0
_RATIO = 1.5
# By no more than this does a function change along a piece as a power: rounding is that of its larger end.
_MOST_GROWTH = 4.0
# Tables end at this share of the largest radius: what is below is computed.
_SMALLEST = 1e-4
# Entries of one product of matrices: more would tempt the linear algebra library to use threads.
_AT_ONCE = 10_000


@final
class RadialTable:
    """Functions of the radius, smooth but at zero, as polynomials on pieces.

    Parameters
    ----------
    functions : sequence of callables
        From radii ``(n,)``, positive ones, to values ``(n,)``.
    largest : float
        Up to which radius.
    power : float
        About as which power of the radius they begin or end at zero, at most.
    """

    def __init__(self, functions: Sequence[RadialFunction], largest: float, power: float) -> None:
        self.functions = tuple(functions)
        ratio = min(_RATIO, _MOST_GROWTH ** (1 / max(abs(power), 1.0)))
        ends = [largest]
        while ends[-1] > _SMALLEST * largest:
            ends.append(max(ends[-1] / ratio, ends[-1] - _LONGEST))
        self.ends = np.array(ends[::-1])

    def __call__(self, radius: FloatArray) -> FloatArray:
        """Values ``(functions, n)`` at radii ``(n,)``; computed where they are outside of the table."""
        piece = np.searchsorted(self.ends, radius, side="right") - 1
        # those of a piece side by side, so that one product of matrices sums the polynomials of all functions there
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
        """Values at radii in the order of the pieces that they lie on."""
        low, high = self.ends[piece], self.ends[piece + 1]
        polynomials = chebyshev.chebvander(((radius - low) - (high - radius)) / (high - low), _NODES - 1).T
        values = np.empty((len(self.functions), len(radius)))
        step = max(1, _AT_ONCE // len(self.functions))
        begin = 0
        for one, count in zip(*np.unique(piece, return_counts=True), strict=True):
            for start in range(begin, begin + count, step):
                chunk = slice(start, min(start + step, begin + count))
                values[:, chunk] = self._coefficients[one] @ polynomials[:, chunk]
            begin += count
        return values

    @cached_property
    def _coefficients(self) -> FloatArray:
        """Of Chebyshev's polynomials on each piece, shape ``(pieces, functions, nodes)``."""
        unit = chebyshev.chebpts1(_NODES)
        low, high = self.ends[:-1, None], self.ends[1:, None]
        radius = (0.5 * (1 - unit) * low + 0.5 * (1 + unit) * high).ravel()
        values = np.stack([function(radius).reshape(-1, _NODES) for function in self.functions], axis=1)
        return np.asarray(values @ np.linalg.inv(chebyshev.chebvander(unit, _NODES - 1)).T)


@final
class TabulatedWaves:
    """Waves of one equation from tables, for ``|zeta|`` up to `reach`, which agree with them to rounding."""

    def __init__(self, waves: Sequence[Wave], reach: float) -> None:
        self.waves = tuple(waves)
        self.largest = self.waves[0].wavenumber * reach
        self._tables: dict[tuple[int, int], tuple[list[RadialKey], RadialTable]] = {}

    def values(self, radius: FloatArray, order: int, conjugate_order: int) -> dict[RadialKey, FloatArray]:
        """What all waves need for their derivatives of these orders."""
        keys, table = self._table(order, conjugate_order)
        return dict(zip(keys, table(self.waves[0].wavenumber * radius), strict=True))

    def _table(self, order: int, conjugate_order: int) -> tuple[list[RadialKey], RadialTable]:
        if (order, conjugate_order) not in self._tables:
            functions = {key: w.radial(*key) for w in self.waves for key in w.radial_keys(order, conjugate_order)}
            power = max(abs(bessel) for bessel, _ in functions)
            self._tables[order, conjugate_order] = [*functions], RadialTable([*functions.values()], self.largest, power)
        return self._tables[order, conjugate_order]


@final
class TabulatedBasis(Basis):
    """The functions of a `SingularBasis`, the waves among them from tables.

    Parameters
    ----------
    exact : SingularBasis
    reach : float
        Up to which distance from the corner, in units of the scale, tables hold; beyond it, functions are computed.
    """

    def __init__(self, exact: SingularBasis, reach: float) -> None:
        self.exact = exact
        waves: dict[tuple[float, bool], list[Wave]] = {}
        for function in exact.functions:
            if isinstance(function, Wave):
                waves.setdefault((function.wavenumber, function.modified), []).append(function)
        self._waves = {equation: TabulatedWaves(those, reach) for equation, those in waves.items()}

    @property
    def size(self) -> int:
        """Number of functions."""
        return self.exact.size

    @property
    def dimension(self) -> int:
        """Two."""
        return self.exact.dimension

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """Its one."""
        return self.exact.corners

    def fill(self, operator: LocalOperator, columns: slice, out: FloatArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        polar = Polar(self.exact.zeta(operator.points), quick=True)

        @cache
        def values(equation: tuple[float, bool], order: int, conjugate_order: int) -> dict[RadialKey, FloatArray]:
            return self._waves[equation].values(polar.radius, order, conjugate_order)

        def derivatives(function: CornerFunction, orders: Sequence[Orders]) -> list[ComplexArray]:
            if not isinstance(function, Wave):
                return function.derivatives(polar, orders)
            equation = (function.wavenumber, function.modified)
            return [function.compose(polar, *both, values(equation, *both)) for both in orders]

        self.exact.fill_from(derivatives, operator, columns, out)


def with_tables(basis: Basis, lower: FloatArray, upper: FloatArray) -> Basis:
    """The same functions, for use at many places between the ends ``(d,)`` of a box; itself where that is fast."""
    if not isinstance(basis, SingularBasis) or not any(isinstance(f, Wave) for f in basis.functions):
        return basis
    farthest = np.maximum(np.abs(lower - basis.corner), np.abs(upper - basis.corner))
    return TabulatedBasis(basis, float(np.linalg.norm(farthest)) / basis.scale)
