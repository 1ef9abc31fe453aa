"""Fields of several unknowns made from functions of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from fspielm.arrays import NumberArray
from fspielm.equations import Operator
from fspielm.errors import ProblemError
from fspielm.features.basis import Basis, JoinedBasis
from fspielm.features.local import LocalOperator
from fspielm.features.wrapping import WrappedBasis


@final
class DerivedBasis(WrappedBasis):
    """Fields that have, as unknown j, the j-th of several operators on a function of a scalar basis.

    With a column of the adjugate of a system's matrix of operators, functions that its determinant annihilates become
    fields that satisfy the system.

    Parameters
    ----------
    basis : Basis
        For a single unknown.
    operators : sequence of Operator
        One for each unknown, with constant coefficients; without terms where that unknown is zero.
    """

    def __init__(self, basis: Basis, operators: Sequence[Operator]) -> None:
        super().__init__(basis)
        if not operators or not all(o.is_constant and o.dimension == basis.dimension for o in operators):
            raise ProblemError(
                f"operators must have constant coefficients and be on functions of {basis.dimension} coordinates"
            )
        self.operators = tuple(operators)
        self._factors = [
            [(term.orders, term.coefficient) for term in operator.terms if not callable(term.coefficient)]
            for operator in operators
        ]
        self._dtype = np.result_type(basis.dtype, *(c for factors in self._factors for _, c in factors))

    @property
    def dtype(self) -> np.dtype[Any]:
        """Complex where an operator is, or the functions are."""
        return self._dtype

    @property
    def components(self) -> int:
        """How many unknowns they have values for."""
        return len(self.operators)

    @property
    def varying(self) -> tuple[Basis, ...]:
        """Made from those of the functions."""
        return tuple(DerivedBasis(basis, self.operators) for basis in self.basis.varying)

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """One unknown of sums as a real basis; see `Basis.field`."""
        functions, own = self.basis.field(0, coefficients)
        real, imaginary = (_part(self.operators[unknown], part) for part in ("real", "imag"))
        parts = [(DerivedBasis(functions, (real,)), own)] if real.terms or not imaginary.terms else []
        if imaginary.terms:
            parts.append((DerivedBasis(functions, (imaginary,)), 1j * own))
        if len(parts) == 1:
            return parts[0]
        return JoinedBasis([basis for basis, _ in parts]), np.concatenate([c for _, c in parts], axis=-1)

    def fill(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        composed = self._composed(operator)
        if len(composed.orders):
            self.basis.write(composed, columns, out)
        else:
            out[...] = 0.0

    def _composed(self, operator: LocalOperator) -> LocalOperator:
        """The operator after those that make the unknowns, as one on the scalar functions."""
        orders, coefficients = [], []
        unknowns = operator.unknowns or (0,) * len(operator.orders)
        for own, coefficient, unknown in zip(operator.orders, operator.coefficients, unknowns, strict=True):
            for further, factor in self._factors[unknown]:
                orders.append(own + np.array(further, dtype=np.int_))
                coefficients.append(factor * coefficient)
        shape = (0, *operator.coefficients.shape[1:])
        return LocalOperator(
            operator.points,
            np.array(orders, dtype=np.int_).reshape(-1, self.dimension),
            np.array(coefficients) if coefficients else np.empty(shape),
        )


def _part(operator: Operator, part: str) -> Operator:
    """The operator with the real or the imaginary parts of its coefficients, without those that are zero."""
    numbers = [(float(getattr(np.asarray(t.coefficient), part)), t) for t in operator.terms]
    return Operator(operator.dimension, tuple(type(t)(number, t.orders) for number, t in numbers if number))
