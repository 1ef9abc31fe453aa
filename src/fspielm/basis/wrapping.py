"""Functions made of those of another basis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import final

import numpy as np

from fspielm.arrays import NumberArray
from fspielm.basis.basis import COSINE, Basis, LinearMap, LocalOperator, RidgeBasis, join_sums
from fspielm.errors import ProblemError
from fspielm.problem.operator import Operator


@final
class Component(LinearMap):
    """A basis for one of several unknowns; its functions are zero for all others.

    Parameters
    ----------
    basis : Basis
        For a single unknown.
    unknown : int
        The index of that unknown.
    components : int
        Number of unknowns.
    scale : float
        Factor of its functions: the size of this unknown relative to others.
    """

    def __init__(self, basis: Basis, unknown: int, components: int, scale: float = 1.0) -> None:
        if not 0 <= unknown < components:
            raise ProblemError(f"unknown must be one of {list(range(components))}; got {unknown!r}")
        super().__init__(basis)
        self.unknown, self.components, self.scale = unknown, components, float(scale)

    @property
    def leaves(self) -> tuple[Basis, ...]:
        """Those of the basis, each for the same unknown."""
        leaves = self.basis.leaves
        return (self,) if leaves == (self.basis,) else self._for_unknown(leaves)

    @property
    def varying(self) -> tuple[Basis, ...]:
        """Those of the basis, each for the same unknown."""
        return self._for_unknown(self.basis.varying)

    def _for_unknown(self, bases: Iterable[Basis]) -> tuple[Basis, ...]:
        return tuple(Component(basis, self.unknown, self.components, self.scale) for basis in bases)

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """The sums for its own unknown, an empty basis for another; see `Basis.field`."""
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


@final
class DerivedBasis(LinearMap):
    """Vector fields whose j-th unknown is the j-th of several operators on a function of a scalar basis.

    With the operators of a column of the adjugate of a system's matrix, functions that satisfy the determinant's
    equation become fields that satisfy the system.

    Parameters
    ----------
    basis : Basis
        For a single unknown.
    operators : sequence of Operator
        One for each unknown, with constant coefficients; without terms if that unknown is zero.
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
        self.components = len(self.operators)
        self.dtype = np.result_type(basis.dtype, *(c for factors in self._factors for _, c in factors))

    @property
    def varying(self) -> tuple[Basis, ...]:
        """The same fields from those of the basis."""
        return tuple(DerivedBasis(basis, self.operators) for basis in self.basis.varying)

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """One unknown of the sums on a real basis; see `Basis.field`."""
        functions, own = self.basis.field(0, coefficients)
        real, imaginary = (_part(self.operators[unknown], part) for part in ("real", "imag"))
        parts = [(DerivedBasis(functions, (real,)), own)] if real.terms or not imaginary.terms else []
        if imaginary.terms:
            parts.append((DerivedBasis(functions, (imaginary,)), 1j * own))
        return join_sums(parts)

    def fill(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        composed = self._composed(operator)
        if len(composed.orders):
            self.basis.write(composed, columns, out)
        else:
            out[...] = 0.0

    def _composed(self, operator: LocalOperator) -> LocalOperator:
        """The operator composed with those of the unknowns: one operator on the scalar functions."""
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
    """The operator with the real or the imaginary parts of its coefficients, without zero terms."""
    numbers = [(float(getattr(np.asarray(t.coefficient), part)), t) for t in operator.terms]
    return Operator(operator.dimension, tuple(type(t)(number, t.orders) for number, t in numbers if number))


@final
class ComplexPairs(LinearMap):
    """Functions ``f_0 + i f_1``, ``f_2 + i f_3``, ... of a real basis.

    Used for equations with complex coefficients, which real and imaginary parts do not satisfy separately.

    Parameters
    ----------
    parts : Basis
        Real, for a single unknown; an even number of functions.
    """

    def __init__(self, parts: Basis) -> None:
        if parts.size % 2 or parts.dtype.kind == "c" or parts.components != 1:
            raise ProblemError("parts must be an even number of real functions for a single unknown")
        super().__init__(parts, parts.size // 2)
        self.parts, self.dtype = parts, np.dtype(np.complex128)

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """The sums on the parts; see `Basis.field`."""
        return self.parts, np.stack([coefficients, 1j * coefficients], axis=-1).reshape(*coefficients.shape[:-1], -1)

    def fill(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        first, last, _ = columns.indices(self.size)
        both = np.empty((2 * (last - first), len(operator.points)), dtype=self.parts.dtype_under(operator))
        self.parts.write(operator, slice(2 * first, 2 * last), both)
        np.add(both[::2], 1j * both[1::2], out=out)
