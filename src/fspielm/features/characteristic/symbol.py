"""The symbol of an operator with constant coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.equations import Operator, Problem, constant_operator
from fspielm.equations.relations import has_complex_operator
from fspielm.errors import UnsuitableError
from fspielm.features.powers import expand_powers


@final
@dataclass(frozen=True, eq=False)
class Symbol:
    """The polynomial ``P(w) = sum c (i w)^alpha`` of the operator ``sum c D^alpha``, at complex frequencies.

    ``exp(i w x)`` satisfies the homogeneous equation where it is zero; with real coefficients so does the conjugate,
    of frequency ``-conj(w)``, and hence the real and the imaginary part.

    Attributes
    ----------
    orders : (T, d) integer array
    coefficients : (T,) array
        None of them zero.
    """

    orders: NDArray[np.int_]
    coefficients: NumberArray

    @property
    def is_real(self) -> bool:
        """Whether its coefficients are."""
        return not np.iscomplexobj(self.coefficients)

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return int(self.orders.shape[1])

    @property
    def order(self) -> int:
        """The highest total order."""
        return int(self.orders.sum(axis=1).max())

    def __call__(self, W: ComplexArray) -> ComplexArray:
        """Values at frequencies ``(M, d)``, shape ``(M,)``."""
        return np.asarray(np.prod((1j * W[:, None, :]) ** self.orders, axis=2) @ self.coefficients)

    def size(self, W: ComplexArray) -> FloatArray:
        """Sum of the absolute values of the terms at frequencies ``(M, d)``: what values are rounded against."""
        return np.asarray(np.prod(np.abs(W[:, None, :]) ** self.orders, axis=2) @ np.abs(self.coefficients))

    def gradient(self, W: ComplexArray) -> ComplexArray:
        """Derivatives along each component of the frequency, shape ``(M, d)``."""
        axes = np.eye(self.dimension)
        slopes = [self.along(W, np.broadcast_to(axis, W.shape))[:, 1] for axis in axes]
        return np.stack(slopes, axis=1)

    def along(self, base: ComplexArray, direction: FloatArray) -> ComplexArray:
        """Coefficients of ``z^0, z^1, ...`` in ``P(base + z direction)``, shape ``(M, order + 1)``."""
        expanded = expand_powers(self.orders, 1j * base, direction, max(self.order, 1))
        summed = np.einsum("mtk,t->mk", expanded, self.coefficients)
        return np.asarray(summed * 1j ** np.arange(expanded.shape[2]))

    def principal(self) -> Symbol:
        """The part of highest order."""
        highest = self.orders.sum(axis=1) == self.order
        return Symbol(self.orders[highest], self.coefficients[highest])


def symbol_of(operator: Operator) -> Symbol:
    """The symbol of an operator whose coefficients are constant, or all multiples of one function.

    Raises
    ------
    UnsuitableError
        If they are not, if the operator is zero, or if it has no derivative: then there are no zeros.
    """
    terms = constant_operator(operator).operator.terms
    orders = np.array([term.orders for term in terms], dtype=np.int_)
    if not orders.any():
        raise UnsuitableError("the equation has no derivative: no frequency satisfies it")
    coefficients = np.array([term.coefficient for term in terms])
    return Symbol(orders, coefficients if np.iscomplexobj(coefficients) else coefficients.astype(np.float64))


def problem_symbol(problem: Problem) -> Symbol:
    """The symbol of what stands for all equations of a problem; complex where a coefficient of theirs is.

    The determinant of complex equations may be real, but real parts of their solutions are none.
    """
    symbol = symbol_of(problem.determinant)
    if symbol.is_real and any(map(has_complex_operator, problem.equations)):
        return Symbol(symbol.orders, symbol.coefficients.astype(np.complex128))
    return symbol


def homogeneous_symbol(problem: Problem) -> Symbol:
    """The symbol of a problem whose equation has zero on its right-hand side; an `UnsuitableError` says why not."""
    check_homogeneous(problem)
    return problem_symbol(problem)


def check_homogeneous(problem: Problem) -> None:
    """Refuse an equation whose right-hand side is not zero: no sum of functions without it has it."""
    for equation in problem.equations:
        if equation.value.constant != 0.0:
            raise UnsuitableError(
                "the functions satisfy the equation without a right-hand side, so that must be zero; got "
                f"{equation.value.source}"
            )
