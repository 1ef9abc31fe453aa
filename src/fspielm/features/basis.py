"""Drawn features: columns of the collocation matrix, under any operator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.equations import Operator
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.features.local import LocalOperator, localise
from fspielm.geometry import Sites

if TYPE_CHECKING:
    from fspielm.features.cells import CellBasis
    from fspielm.features.exponential import ExponentialBasis


class Basis(ABC):
    """A finite set of functions with one primitive: an operator applied to some of them at points."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of functions."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Number of coordinates they depend on."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the values of its functions."""
        return np.dtype(np.float64)

    @property
    def components(self) -> int:
        """How many unknowns the operators may be on that it is for: one, unless it holds a `Component` of several."""
        return 1

    @property
    def leaves(self) -> tuple[Basis, ...]:
        """The bases that it is joined of, which are not joined themselves, in the order of their columns."""
        return (self,)

    @property
    def frequencies(self) -> FloatArray | ComplexArray | None:
        """Of its functions, ``(M, d)``; imaginary parts are rates of decay. None where they have none.

        A joined basis has none of its own: some of its leaves may.
        """
        return None

    @property
    def oscillates(self) -> bool:
        """Whether its functions are waves of its `frequencies`, rather than as steep as those say."""
        return False

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """The points, or centers of holes, around which it has singular functions of all orders."""
        return tuple(corner for leaf in self.leaves if leaf is not self for corner in leaf.corners)

    @property
    def sources(self) -> FloatArray:
        """The points ``(n, d)`` outside of a domain at which single functions are singular."""
        none = np.empty((0, self.dimension))
        return np.concatenate([none, *(leaf.sources for leaf in self.leaves if leaf is not self)])

    @property
    def is_smooth(self) -> bool:
        """Whether its functions are smooth everywhere, rather than singular at a corner or at a source."""
        return not self.corners and not len(self.sources)

    @property
    def is_piecewise(self) -> bool:
        """Whether each of its functions is zero outside of a cell; then `tabulate` makes sparse tables."""
        return False

    @property
    def together(self) -> int:
        """How many of its functions share work: as many are best filled at once."""
        return max((leaf.together for leaf in self.leaves if leaf is not self), default=1)

    @property
    def reach(self) -> FloatArray:
        """The highest frequency along each axis that its functions hold; as steep as they are where it is complex."""
        own = self.frequencies
        sizes = [np.abs(own).max(axis=0)] if own is not None and len(own) else []
        sizes += [leaf.reach for leaf in self.leaves if leaf is not self]
        return np.asarray(np.max([np.zeros(self.dimension), *sizes], axis=0))

    @property
    def varying(self) -> tuple[Basis, ...]:
        """Its functions of a frequency other than zero, as bases that are not joined."""
        return tuple(basis for leaf in self.leaves if leaf is not self for basis in leaf.varying)

    @property
    def exponentials(self) -> tuple[ExponentialBasis, ...]:
        """Those of its functions that are exponentials of their frequencies, as such."""
        return tuple(basis for leaf in self.leaves if leaf is not self for basis in leaf.exponentials)

    @property
    def on_cells(self) -> tuple[CellBasis, ...]:
        """Those of its functions that are polynomials on cells, as such."""
        return tuple(basis for leaf in self.leaves if leaf is not self for basis in leaf.on_cells)

    @abstractmethod
    def fill(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        """Write ``out[j, i]``: the operator on function ``columns[j]``, at point i.

        Coefficients are real, unless the functions are complex, and `out` is of the basis' `dtype` or of one that holds
        it: `write` sees to that. It has one row per *function*: the collocation matrix
        is stored by columns, and filling a few of them over all points is what threads do.
        """

    @final
    def write(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        """Like `fill`, for any operator and basis: with complex coefficients, and into an array of complex numbers."""
        if self.dtype.kind == "c" or not np.iscomplexobj(out):
            self.fill(operator, columns, out)
            return
        # real functions: the real and the imaginary part of the operator make those of the values
        buffer = np.empty(out.shape)
        parts = (operator, None) if operator.is_real else operator.parts
        for part, target in zip(parts, (out.real, out.imag), strict=True):
            if part is None or not len(part.orders):
                target[...] = 0.0
            else:
                self.fill(part, columns, buffer)
                target[...] = buffer

    def dtype_under(self, *operators: LocalOperator) -> np.dtype[Any]:
        """Of the values of operators on its functions."""
        return np.result_type(self.dtype, *(np.complex128 for operator in operators if not operator.is_real))

    def far_field(self, angles: FloatArray) -> ComplexArray:
        """How strongly its functions radiate in directions of these `angles` ``(n,)``, shape ``(n, M)``.

        Raises
        ------
        UnsuitableError
            Of functions that do not radiate.
        """
        raise UnsuitableError(f"{type(self).__name__} has functions that do not radiate")

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """One unknown of the sums with `coefficients` ``(..., M)``, as sums on a real basis of that unknown alone.

        Returns
        -------
        basis : Basis
            Of M' functions.
        coefficients : (..., M') array
        """
        return self, coefficients

    def valued(self, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """Its functions that have values anywhere, and their coefficients out of `coefficients` ``(..., M)``."""
        return self, coefficients

    def matrix(self, operator: Operator, sites: Sites) -> NumberArray:
        """The operator on every function (columns) at every site (rows), shape ``(n, size)``."""
        local = localise(operator, sites, self.components)
        transposed = np.empty((self.size, len(sites)), dtype=self.dtype_under(local))
        self.write(local, slice(0, self.size), transposed)
        return transposed.T


@final
class JoinedBasis(Basis):
    """Several bases side by side, their columns in the order given."""

    def __init__(self, parts: Sequence[Basis]) -> None:
        self.parts = tuple(parts)
        dimensions = [part.dimension for part in self.parts]
        if len(set(dimensions)) != 1:
            raise ProblemError(f"parts must be bases of the same dimension, at least one; got dimensions {dimensions}")
        components = [part.components for part in self.parts]
        if len(set(components)) != 1:
            raise ProblemError(f"parts must be bases for the same unknowns; got bases for {components} of them")
        self._starts = np.cumsum([0, *(part.size for part in self.parts)])

    @property
    def size(self) -> int:
        """Number of functions."""
        return int(self._starts[-1])

    @property
    def dimension(self) -> int:
        """Number of coordinates they depend on."""
        return self.parts[0].dimension

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of all values together."""
        return np.result_type(*(part.dtype for part in self.parts))

    @property
    def components(self) -> int:
        """The same for each of its parts."""
        return self.parts[0].components

    @property
    def leaves(self) -> tuple[Basis, ...]:
        """Those of its parts."""
        return tuple(leaf for part in self.parts for leaf in part.leaves)

    def fill(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        first, last, _ = columns.indices(self.size)
        for part, start in zip(self.parts, self._starts, strict=False):
            begin, end = max(first, start), min(last, start + part.size)
            if begin < end:
                part.write(operator, slice(begin - start, end - start), out[begin - first : end - first])

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """One unknown of the sums; see `Basis.field`."""
        each = [
            part.field(unknown, coefficients[..., start : start + part.size])
            for part, start in zip(self.parts, self._starts, strict=False)
        ]
        used = [(basis, part) for basis, part in each if basis.size] or each[:1]
        if len(used) == 1:
            return used[0]
        return JoinedBasis([basis for basis, _ in used]), np.concatenate([part for _, part in used], axis=-1)
