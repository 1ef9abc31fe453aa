"""Functions like a power of the distance from a point where materials meet, each in the cells around it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.features.local import LocalOperator

# Closer to the point, of the length, functions are as they are there: derivatives have no end.
_CLOSEST = 1e-14


@final
@dataclass(frozen=True, eq=False)
class CornerTerms:
    """Real parts of ``factor * (turn * (z - point) / length)^power``, with one factor and turn for each cell.

    Attributes
    ----------
    cell : (n,) integer array
        In ascending order.
    column : (n,) integer array
        Which of all functions it is that the cell has.
    point : (n,) complex array
    power, length : (n,) arrays
    turn : (n,) complex array
        Of size one: turns the middle of what the cell's material fills around the point onto the real axis.
    factor : (n,) complex array
    """

    cell: NDArray[np.int_]
    column: NDArray[np.int_]
    point: ComplexArray
    power: FloatArray
    length: FloatArray
    turn: ComplexArray
    factor: ComplexArray

    def __len__(self) -> int:
        return len(self.sharing)

    @cached_property
    def sharing(self) -> NDArray[np.int_]:
        """In how many cells each function is."""
        return np.bincount(self.column)

    def columns(self, cell: int) -> NDArray[np.int_]:
        """The functions that a cell has."""
        return self.column[self._of(cell)]

    def rows(self, cell: int, operator: LocalOperator) -> NumberArray:
        """The operator on these functions, shape ``(n, k)``.

        Terms of one order come together first: what a function solves is zero to the last digit.
        """
        here = self._of(cell)
        if here.start == here.stop:
            return np.zeros((len(operator.points), 0))
        power, steep = self.power[here], self.turn[here] / self.length[here]
        z = operator.points @ np.array([1.0, 1j])
        w = steep * (z[:, None] - self.point[here])
        w = np.where(np.abs(w) < _CLOSEST, _CLOSEST, w)
        total: NumberArray = np.zeros(w.shape, dtype=np.result_type(np.float64, operator.coefficients))
        orders = operator.orders.sum(axis=1)
        for order in np.unique(orders).tolist():
            some = orders == order
            coefficients = operator.coefficients[some].reshape(int(some.sum()), -1)
            # a derivative along y is i times that along x
            along_y = 1j ** operator.orders[some, 1]
            falling = np.prod(power[:, None] - np.arange(order), axis=1)
            derivative = self.factor[here] * falling * steep**order * w ** (power - order)
            total += np.real((along_y @ coefficients.real)[:, None] * derivative)
            if np.iscomplexobj(coefficients):
                total += 1j * np.real((along_y @ coefficients.imag)[:, None] * derivative)
        return total

    def _of(self, cell: int) -> slice:
        first, last = np.searchsorted(self.cell, [cell, cell + 1])
        return slice(int(first), int(last))


def no_corner_terms() -> CornerTerms:
    """None at all."""
    none, numbers, complex_numbers = np.empty(0, dtype=np.int_), np.empty(0), np.empty(0, dtype=np.complex128)
    return CornerTerms(none, none, complex_numbers, numbers, numbers, complex_numbers, complex_numbers)
