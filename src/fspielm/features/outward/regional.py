"""Functions of an object's outside, and others of its inside."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.features.basis import Basis
from fspielm.features.local import LocalOperator
from fspielm.features.real_parts import parts_of_sum
from fspielm.features.wrapping import WrappedBasis
from fspielm.geometry import Domain


@final
class RegionalBasis(Basis):
    """Functions that are zero in a shape, and then functions that are zero outside of it.

    Parameters
    ----------
    outside, inside : Basis
        Complex or real, for a single unknown.
    shape : Domain
        Where the second ones are; its boundary belongs to the first.
    """

    def __init__(self, outside: Basis, inside: Basis, shape: Domain) -> None:
        self.outside, self.inside, self.shape = outside, inside, shape

    @property
    def size(self) -> int:
        """Number of functions."""
        return self.outside.size + self.inside.size

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
        """Those of both."""
        return np.concatenate([self.outside.sources, self.inside.sources])

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """The sums on real and imaginary parts; see `Basis.field`."""
        return parts_of_sum(self, coefficients)

    def far_field(self, angles: FloatArray) -> ComplexArray:
        """That of the first ones; see `Basis.far_field`."""
        nothing = np.zeros((len(angles), self.inside.size))
        return np.concatenate([self.outside.far_field(angles), nothing], axis=1)

    def fill(self, operator: LocalOperator, columns: slice, out: ComplexArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        first, last, _ = columns.indices(self.size)
        within = self.shape._contains(operator.points, False)
        out[...] = 0.0
        start = 0
        for basis, here in ((self.outside, ~within), (self.inside, within)):
            begin, end = max(first, start) - start, min(last, start + basis.size) - start
            index = np.flatnonzero(here)
            if begin < end and len(index):
                values = np.empty((end - begin, len(index)), dtype=np.complex128)
                basis.write(operator.select(index), slice(begin, end), values)
                out[begin + start - first : end + start - first, index] = values
            start += basis.size


@final
class WithinBasis(WrappedBasis):
    """Functions of one object among several, zero in all others; the object's boundary belongs to it.

    Parameters
    ----------
    basis : Basis
        For a single unknown.
    shape : Domain
    """

    def __init__(self, basis: Basis, shape: Domain) -> None:
        super().__init__(basis)
        self.shape = shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of their values."""
        return self.basis.dtype

    def valued(self, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """Sums as those of the other basis are; see `Basis.valued`."""
        basis, each = self.basis.valued(coefficients)
        return WithinBasis(basis, self.shape), each

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """The sums on real and imaginary parts; see `Basis.field`."""
        return parts_of_sum(*self.valued(coefficients))

    def fill(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        index = np.flatnonzero(self.shape._contains(operator.points, True))
        out[...] = 0.0
        if len(index):
            values = np.empty((len(out), len(index)), dtype=out.dtype)
            self.basis.write(operator.select(index), columns, values)
            out[:, index] = values
