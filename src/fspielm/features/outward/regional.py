"""Functions outside of objects, and others inside of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.features.basis import Basis
from fspielm.features.local import LocalOperator
from fspielm.features.real_parts import parts_of_sum
from fspielm.geometry import Domain


@final
class RegionalBasis(Basis):
    """Functions that are zero in some shapes, and then functions of each shape, which are zero elsewhere.

    Parameters
    ----------
    outside : Basis
        Complex or real, for a single unknown.
    inside : sequence of Basis
        The same for each shape.
    shapes : sequence of Domain
        Where these are: those that lie in others after them. What lies in several belongs to the last, and boundaries
        to what is around them.
    """

    def __init__(self, outside: Basis, inside: Sequence[Basis], shapes: Sequence[Domain]) -> None:
        self.outside, self.inside, self.shapes = outside, tuple(inside), tuple(shapes)

    @property
    def parts(self) -> tuple[Basis, ...]:
        """Those outside, and those of each shape."""
        return self.outside, *self.inside

    @property
    def size(self) -> int:
        """Number of functions."""
        return sum(part.size for part in self.parts)

    @property
    def dimension(self) -> int:
        """Number of coordinates they depend on."""
        return self.outside.dimension

    @property
    def dtype(self) -> np.dtype[Any]:
        """Complex."""
        return np.dtype(np.complex128)

    @property
    def sources(self) -> FloatArray:
        """Those of all."""
        return np.concatenate([part.sources for part in self.parts])

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """The sums on real and imaginary parts; see `Basis.field`."""
        return parts_of_sum(self, coefficients)

    def split(self, coefficients: NumberArray) -> list[NumberArray]:
        """The coefficients of each part."""
        return np.split(coefficients, np.cumsum([part.size for part in self.parts])[:-1])

    def far_field(self, angles: FloatArray) -> ComplexArray:
        """That of the first ones; see `Basis.far_field`."""
        nothing = np.zeros((len(angles), self.size - self.outside.size))
        return np.concatenate([self.outside.far_field(angles), nothing], axis=1)

    @property
    def together(self) -> int:
        """As many as of any part."""
        return max(part.together for part in self.parts)

    def fill(self, operator: LocalOperator, columns: slice, out: ComplexArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        first, last, _ = columns.indices(self.size)
        where = np.zeros(len(operator.points), dtype=np.intp)
        for number, shape in enumerate(self.shapes, 1):
            where[shape._contains(operator.points, False)] = number
        out[...] = 0.0
        start = 0
        for number, basis in enumerate(self.parts):
            begin, end = max(first, start) - start, min(last, start + basis.size) - start
            index = np.flatnonzero(where == number)
            if begin < end and len(index):
                values = np.empty((end - begin, len(index)), dtype=np.complex128)
                basis.write(operator.select(index), slice(begin, end), values)
                out[begin + start - first : end + start - first, index] = values
            start += basis.size
