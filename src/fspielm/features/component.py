"""Functions for one of several unknowns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, final

import numpy as np

from fspielm.arrays import NumberArray
from fspielm.errors import ProblemError
from fspielm.features.activations import COSINE
from fspielm.features.basis import Basis
from fspielm.features.local import LocalOperator
from fspielm.features.ridge import RidgeBasis
from fspielm.features.wrapping import WrappedBasis


@final
class Component(WrappedBasis):
    """A basis for one of several unknowns: its functions are zero for all others.

    Parameters
    ----------
    basis : Basis
        For a single unknown.
    unknown : int
        Which one it is.
    components : int
        How many there are.
    scale : float
        What its functions are multiplied with: the size of this unknown beside others.
    """

    def __init__(self, basis: Basis, unknown: int, components: int, scale: float = 1.0) -> None:
        if not 0 <= unknown < components:
            raise ProblemError(f"unknown must be one of {list(range(components))}; got {unknown!r}")
        super().__init__(basis)
        self.unknown = unknown
        self._components = components
        self.scale = float(scale)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of their values."""
        return self.basis.dtype

    @property
    def components(self) -> int:
        """How many unknowns there are."""
        return self._components

    @property
    def leaves(self) -> tuple[Basis, ...]:
        """Those of the functions, each for the same unknown."""
        leaves = self.basis.leaves
        return (self,) if leaves == (self.basis,) else self._each(leaves)

    @property
    def varying(self) -> tuple[Basis, ...]:
        """Those of the functions, each for the same unknown."""
        return self._each(self.basis.varying)

    def _each(self, bases: Iterable[Basis]) -> tuple[Basis, ...]:
        return tuple(Component(basis, self.unknown, self._components, self.scale) for basis in bases)

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """The sums for its own unknown, none for another; see `Basis.field`."""
        if unknown == self.unknown:
            return self.basis.field(0, self.scale * coefficients)
        return RidgeBasis(np.empty((0, self.dimension)), np.empty(0), COSINE), coefficients[..., :0]

    def fill(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        """Write what the operator does to this unknown; see `Basis.fill`."""
        here = operator.on(self.unknown)
        if len(here.orders):
            self.basis.write(here, columns, out)
            if self.scale != 1.0:
                out *= self.scale
        else:
            out[...] = 0.0
