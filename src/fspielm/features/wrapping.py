"""Functions made from those of another basis, one of each."""

from __future__ import annotations

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.features.basis import Basis


class WrappedBasis(Basis):
    """A basis as large as another one, for a single unknown, and singular and oscillating as that is.

    Attributes
    ----------
    basis : Basis
        The other one.
    """

    basis: Basis

    def __init__(self, basis: Basis) -> None:
        if basis.components != 1:
            raise ProblemError(f"basis must be for a single unknown; got one for {basis.components} of them")
        self.basis = basis

    @property
    def size(self) -> int:
        """Number of functions."""
        return self.basis.size

    @property
    def dimension(self) -> int:
        """Number of coordinates they depend on."""
        return self.basis.dimension

    @property
    def frequencies(self) -> FloatArray | ComplexArray | None:
        """Those of the functions."""
        return self.basis.frequencies

    @property
    def reach(self) -> FloatArray:
        """That of the functions."""
        return self.basis.reach

    @property
    def together(self) -> int:
        """As many as of the functions."""
        return self.basis.together

    @property
    def oscillates(self) -> bool:
        """Whether the functions do."""
        return self.basis.oscillates

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """Those of the functions."""
        return self.basis.corners

    @property
    def sources(self) -> FloatArray:
        """Those of the functions."""
        return self.basis.sources
