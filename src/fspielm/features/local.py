"""An operator frozen at the points it will be applied at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.deadline import check_deadline
from fspielm.equations import Operator
from fspielm.errors import ProblemError
from fspielm.geometry import Sites


@dataclass(frozen=True, eq=False)
class LocalOperator:
    """An operator with its coefficients evaluated at given points.

    Coefficients are user code that may be slow or have side effects: they are evaluated here, once, however
    many chunks and threads then fill rows with them.

    Attributes
    ----------
    points : (n, d) array
    orders : (T, d) integer array
        Derivative orders of each of the T terms.
    coefficients : (T,) or (T, n) array
        Real or complex. The former where every coefficient is a number.
    unknowns : tuple of int
        Which of several unknowns each term is on; empty where there is one.
    axes : tuple of (m,) arrays
        Where the points are those of a grid, the last axis fastest: its coordinates along each axis; empty otherwise.
    """

    points: FloatArray
    orders: np.ndarray[tuple[int, int], np.dtype[np.int_]]
    coefficients: NumberArray
    unknowns: tuple[int, ...] = ()
    axes: tuple[FloatArray, ...] = ()

    @property
    def is_constant(self) -> bool:
        """Whether the coefficients are the same at all points."""
        return self.coefficients.ndim == 1

    @property
    def is_real(self) -> bool:
        """Whether no coefficient is complex."""
        return not np.iscomplexobj(self.coefficients)

    @property
    def parts(self) -> tuple[LocalOperator, LocalOperator]:
        """The operators with the real and with the imaginary parts of the coefficients, without terms that are zero."""
        return self._with(self.coefficients.real), self._with(self.coefficients.imag)

    def _with(self, coefficients: FloatArray) -> LocalOperator:
        kept = np.flatnonzero(np.any(coefficients.reshape(len(coefficients), -1) != 0, axis=1))
        unknowns = tuple(self.unknowns[term] for term in kept) if self.unknowns else ()
        return LocalOperator(self.points, self.orders[kept], np.ascontiguousarray(coefficients[kept]), unknowns)

    def select(self, index: slice | np.ndarray[tuple[int, ...], np.dtype[np.int_]]) -> LocalOperator:
        """The same operator at some of the points."""
        coefficients = self.coefficients if self.is_constant else self.coefficients[:, index]
        return LocalOperator(self.points[index], self.orders, coefficients, self.unknowns)

    def on(self, unknown: int) -> LocalOperator:
        """What it does to one of the unknowns, which may be nothing."""
        some = [term for term, on in enumerate(self.unknowns or (0,) * len(self.orders)) if on == unknown]
        return LocalOperator(self.points, self.orders[some], self.coefficients[some])


def localise(operator: Operator, sites: Sites, components: int = 1) -> LocalOperator:
    """Evaluate the coefficients of `operator`, on so many unknowns, at `sites`."""
    check_deadline()
    if operator.dimension != sites.dimension:
        raise ProblemError(
            f"the operator acts on functions of {operator.dimension} coordinates, but the points have {sites.dimension}"
        )
    unknowns = tuple(term.unknown for term in operator.terms)
    if max(unknowns, default=0) >= components:
        raise ProblemError(f"the operator is on {max(unknowns) + 1} unknowns, but the functions are for {components}")
    orders = np.array([term.orders for term in operator.terms], dtype=np.int_)
    if operator.is_constant:
        numbers = np.array([term.coefficient for term in operator.terms])
        coefficients = numbers if np.iscomplexobj(numbers) else numbers.astype(np.float64)
    else:
        coefficients = np.stack([term.at(sites) for term in operator.terms])
    orders = orders.reshape(len(operator.terms), operator.dimension)
    return LocalOperator(sites.points, orders, coefficients, unknowns if any(unknowns) else ())
