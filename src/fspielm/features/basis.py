"""Drawn features: columns of the collocation matrix, under any operator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations import Operator
from fspielm.errors import ProblemError
from fspielm.features.activations import Activation, Sinusoid
from fspielm.features.local import LocalOperator, localise
from fspielm.geometry import Sites


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
    def leaves(self) -> tuple[Basis, ...]:
        """The bases that it is joined of, which are not joined themselves, in the order of their columns."""
        return (self,)

    @property
    def is_smooth(self) -> bool:
        """Whether its functions are smooth everywhere, rather than singular at a corner or at a source."""
        return all(leaf.is_smooth for leaf in self.leaves if leaf is not self)

    @property
    def is_steep(self) -> bool:
        """Whether some of its functions are singular just outside of the domain, with derivatives to match beside it."""
        return any(leaf.is_steep for leaf in self.leaves if leaf is not self)

    @abstractmethod
    def fill(self, operator: LocalOperator, columns: slice, out: FloatArray) -> None:
        """Write ``out[j, i]``: the operator on function ``columns[j]``, at point i.

        `out` has one row per *function*: the collocation matrix is stored by columns, and filling a few of
        them over all points is what threads do.
        """

    def matrix(self, operator: Operator, sites: Sites) -> FloatArray:
        """The operator on every function (columns) at every site (rows), shape ``(n, size)``."""
        transposed = np.empty((self.size, len(sites)))
        self.fill(localise(operator, sites), slice(0, self.size), transposed)
        return transposed.T


@final
class RidgeBasis(Basis):
    """Functions ``activation(W x + b)``.

    Parameters
    ----------
    W : (M, d) array
        Frequencies, one row per function.
    b : (M,) array
        Phases.
    activation : Activation
    origin : (d,) array, optional
        Where phases are counted from: functions are ``activation(W (x - origin) + b)``. In the middle of a domain
        far from zero, it saves the digits that a large ``W x`` would lose.
    """

    def __init__(self, W: FloatArray, b: FloatArray, activation: Activation, origin: FloatArray | None = None) -> None:
        # copies: freezing the caller's own arrays, or following their later changes, would both surprise
        self.W = np.array(W, dtype=np.float64, order="C")
        self.b = np.array(b, dtype=np.float64, order="C")
        if self.W.ndim != 2 or self.b.shape != self.W.shape[:1]:
            raise ProblemError(
                f"W must have shape (M, d) and b shape (M,); got shapes {self.W.shape} and {self.b.shape}"
            )
        self.activation = activation
        self.origin = np.zeros(self.W.shape[1]) if origin is None else np.array(origin, dtype=np.float64)
        self.W.flags.writeable = self.b.flags.writeable = False

    @property
    def size(self) -> int:
        """Number of functions."""
        return len(self.b)

    @property
    def dimension(self) -> int:
        """Number of coordinates they depend on."""
        return int(self.W.shape[1])

    def fill(self, operator: LocalOperator, columns: slice, out: FloatArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        W, b = self.W[columns], self.b[columns]
        if operator.is_constant and isinstance(self.activation, Sinusoid):
            _fill_one_cosine(W, b + self.activation.phase, self.origin, operator, out)
            return
        z = W @ (operator.points - self.origin).T + b[:, None]
        # (M, T): each term's power of the frequencies, the factor that differentiating brings down
        powers = np.prod(W[:, None, :] ** operator.orders, axis=2)
        folded = [self.activation.shape(int(order)) for order in operator.orders.sum(axis=1)]
        factors = powers * np.array([sign for _, sign in folded])
        out[...] = 0.0
        for shape in sorted({s for s, _ in folded}):
            terms = np.array([s == shape for s, _ in folded])
            if operator.is_constant:
                amplitude = (factors[:, terms] @ operator.coefficients[terms])[:, None]
            else:
                amplitude = factors[:, terms] @ operator.coefficients[terms]
            out += amplitude * self.activation.derivative(z, shape)


@final
class JoinedBasis(Basis):
    """Several bases side by side, their columns in the order given."""

    def __init__(self, parts: Sequence[Basis]) -> None:
        self.parts = tuple(parts)
        dimensions = [part.dimension for part in self.parts]
        if len(set(dimensions)) != 1:
            raise ProblemError(f"parts must be bases of the same dimension, at least one; got dimensions {dimensions}")
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
    def leaves(self) -> tuple[Basis, ...]:
        """Those of its parts."""
        return tuple(leaf for part in self.parts for leaf in part.leaves)

    def fill(self, operator: LocalOperator, columns: slice, out: FloatArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        first, last, _ = columns.indices(self.size)
        for part, start in zip(self.parts, self._starts, strict=False):
            begin, end = max(first, start), min(last, start + part.size)
            if begin < end:
                part.fill(operator, slice(begin - start, end - start), out[begin - first : end - first])


def _fill_one_cosine(
    W: FloatArray, phase: FloatArray, origin: FloatArray, operator: LocalOperator, out: FloatArray
) -> None:
    """Constant coefficients turn a cosine into one cosine, with another amplitude and phase.

    With the symbol ``P(w) = sum c (i w)^alpha``, the operator on ``cos(w x + b)`` is the real part of
    ``P(w) exp(i (w x + b))``.
    """
    powers = np.prod((1j * W[:, None, :]) ** operator.orders, axis=2)
    symbol = powers @ operator.coefficients
    np.matmul(W, (operator.points - origin).T, out=out)
    out += (phase + np.angle(symbol))[:, None]
    np.cos(out, out=out)
    out *= np.abs(symbol)[:, None]
