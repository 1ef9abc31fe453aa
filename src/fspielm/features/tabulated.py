"""Waves around corners from tables of Bessel functions, where they are wanted at many places."""

from __future__ import annotations

from functools import cached_property
from typing import final

import numpy as np
from numpy.polynomial import chebyshev

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.features.basis import Basis
from fspielm.features.singular import CornerFunction, RadialFunction, SingularBasis, Wave

# Pieces of a table are polynomials from so many nodes, which hold all digits of Bessel functions on pieces so long,
# and so much longer than their distance from zero.
_NODES = 24
_LONGEST = 6.0
_RATIO = 1.5
# By no more than this does a function change along a piece as a power: rounding is that of its larger end.
_MOST_GROWTH = 4.0
# Tables end at this share of the largest radius: what is below is computed.
_SMALLEST = 1e-4


@final
class RadialTable:
    """A function of the radius, smooth but at zero, as polynomials on pieces.

    Parameters
    ----------
    function : callable
        From radii ``(n,)``, positive ones, to values ``(n,)``.
    largest : float
        Up to which radius.
    power : float
        About as which power of the radius it begins or ends at zero.
    """

    def __init__(self, function: RadialFunction, largest: float, power: float) -> None:
        self.function = function
        ratio = min(_RATIO, _MOST_GROWTH ** (1 / max(abs(power), 1.0)))
        ends = [largest]
        while ends[-1] > _SMALLEST * largest:
            ends.append(max(ends[-1] / ratio, ends[-1] - _LONGEST))
        self.ends = np.array(ends[::-1])

    def __call__(self, radius: FloatArray) -> FloatArray:
        """Values at radii of any shape; computed where they are outside of the table."""
        piece = np.searchsorted(self.ends, radius, side="right") - 1
        inside = (piece >= 0) & (piece < len(self.ends) - 1)
        values = np.empty(radius.shape)
        values[~inside] = self.function(radius[~inside])
        piece, radius = piece[inside], radius[inside]
        low, high = self.ends[piece], self.ends[piece + 1]
        unit = ((radius - low) - (high - radius)) / (high - low)
        values[inside] = chebyshev.chebval(unit, self._coefficients[:, piece], tensor=False)
        return values

    @cached_property
    def _coefficients(self) -> FloatArray:
        """Of Chebyshev's polynomials on each piece, shape ``(nodes, pieces)``."""
        unit = chebyshev.chebpts1(_NODES)
        low, high = self.ends[:-1, None], self.ends[1:, None]
        values = self.function((0.5 * (1 - unit) * low + 0.5 * (1 + unit) * high).ravel())
        return np.asarray(np.linalg.inv(chebyshev.chebvander(unit, _NODES - 1)) @ values.reshape(-1, _NODES).T)


@final
class TabulatedWave(CornerFunction):
    """A `Wave` from tables, for ``|zeta|`` up to `reach`, which agree with it to rounding."""

    def __init__(self, wave: Wave, reach: float) -> None:
        self.wave = wave
        self.reach = reach
        self._tables: dict[tuple[float, bool], RadialTable] = {}

    def derivative(self, zeta: ComplexArray, order: int, conjugate_order: int) -> ComplexArray:
        """See `CornerFunction.derivative`."""
        return self.wave.compose(zeta, order, conjugate_order, self._table)

    def _table(self, order: float, by_order: bool) -> RadialFunction:
        key = (order, by_order)
        if key not in self._tables:
            function = self.wave.radial(order, by_order)
            self._tables[key] = RadialTable(function, self.wave.wavenumber * self.reach, order)
        return self._tables[key]


def with_tables(basis: Basis, lower: FloatArray, upper: FloatArray) -> Basis:
    """The same functions, for use at many places between the ends ``(d,)`` of a box; itself where that is fast."""
    if not isinstance(basis, SingularBasis) or not any(isinstance(f, Wave) for f in basis.functions):
        return basis
    farthest = np.maximum(np.abs(lower - basis.corner), np.abs(upper - basis.corner))
    reach = float(np.linalg.norm(farthest)) / basis.scale
    functions = [TabulatedWave(f, reach) if isinstance(f, Wave) else f for f in basis.functions]
    return SingularBasis(basis.corner, basis.axis, basis.scale, functions)
