"""Derivatives of Chebyshev's polynomials at the points of a cell, and what sums of their products are there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias, final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.features.local import LocalOperator

Indices: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.int_]]


class Tables(ABC):
    """Values of products of polynomials, one along each axis, at n points."""

    @abstractmethod
    def products(self, orders: Indices, which: Indices) -> FloatArray:
        """Derivatives of the products of these degrees ``(k, d)``, shape ``(k, n)``."""

    @abstractmethod
    def sums(self, orders: Indices, grids: NumberArray) -> NumberArray:
        """Derivatives of sums with coefficients ``(F, degree, ...)`` of all products, shape ``(F, n)``."""

    @abstractmethod
    def adjoint(self, orders: Indices, numbers: NumberArray) -> NumberArray:
        """The adjoint of `sums`, on numbers ``(F, n)``: shape ``(F, degree, ...)``."""


@final
@dataclass(frozen=True, eq=False)
class Scattered(Tables):
    """At points anywhere: for each axis ``(order, degree, n)``."""

    axes: Sequence[FloatArray]

    def products(self, orders: Indices, which: Indices) -> FloatArray:
        """See `Tables`."""
        product = self.axes[0][orders[0]][which[:, 0]]
        for axis in range(1, len(self.axes)):
            product = product * self.axes[axis][orders[axis]][which[:, axis]]
        return np.asarray(product)

    def sums(self, orders: Indices, grids: NumberArray) -> NumberArray:
        """See `Tables`."""
        values = grids @ self.axes[-1][orders[-1]]
        for axis in reversed(range(len(self.axes) - 1)):
            values = np.einsum("f...kn,kn->f...n", values, self.axes[axis][orders[axis]])
        return np.asarray(values)

    def adjoint(self, orders: Indices, numbers: NumberArray) -> NumberArray:
        """See `Tables`."""
        values = numbers
        for axis in range(len(self.axes) - 1):
            values = values[..., None, :] * self.axes[axis][orders[axis]]
        return np.asarray(values @ self.axes[-1][orders[-1]].T)


@final
@dataclass(frozen=True, eq=False)
class Gridded(Tables):
    """At the points of a grid, the last axis fastest: for each axis ``(order, degree, number along it)``."""

    axes: Sequence[FloatArray]

    def products(self, orders: Indices, which: Indices) -> FloatArray:
        """See `Tables`."""
        product = self.axes[0][orders[0]][which[:, 0]]
        for axis in range(1, len(self.axes)):
            own = self.axes[axis][orders[axis]][which[:, axis]]
            product = (product[:, :, None] * own[:, None, :]).reshape(len(which), -1)
        return np.asarray(product)

    def sums(self, orders: Indices, grids: NumberArray) -> NumberArray:
        """See `Tables`."""
        return _along_each(grids, [table[order] for table, order in zip(self.axes, orders, strict=True)])

    def adjoint(self, orders: Indices, numbers: NumberArray) -> NumberArray:
        """See `Tables`."""
        shape = (len(numbers), *(table.shape[-1] for table in self.axes))
        tables = [table[order].T for table, order in zip(self.axes, orders, strict=True)]
        return _along_each(numbers.reshape(shape), tables).reshape(len(numbers), *(t.shape[1] for t in tables))


def _along_each(values: NumberArray, tables: Sequence[FloatArray]) -> NumberArray:
    """Numbers ``(F, a, b, ...)`` times a matrix along each axis, all axes but the first in one."""
    for table in tables:
        # the axis in front becomes the last one
        values = np.moveaxis(values, 1, -1) @ table
    return values.reshape(len(values), -1)


def tables_for(operator: LocalOperator, box: tuple[FloatArray, FloatArray], degrees: Sequence[int]) -> Tables:
    """As high derivatives as an operator needs, of polynomials on a box, at the points of the operator."""
    lower, upper = box
    highest = operator.orders.max(axis=0, initial=0)
    points = operator.axes or operator.points.T
    axes = zip(points, lower, upper, degrees, highest, strict=True)
    found = [_table(_unit(x, low, high), degree, order, 2.0 / (high - low)) for x, low, high, degree, order in axes]
    return Gridded(found) if operator.axes else Scattered(found)


def _unit(x: FloatArray, low: float, high: float) -> FloatArray:
    return np.asarray(((x - low) - (high - x)) / (high - low))


def _table(x: FloatArray, degree: int, order: int, slope: float) -> FloatArray:
    """Derivatives of Chebyshev's polynomials at `x`, shape ``(order + 1, degree + 1, n)``; `slope` is that of x."""
    found = np.empty((order + 1, degree + 1, len(x)))
    values = found[0]
    values[0] = 1.0
    values[1:2] = x
    known = 1
    while known < degree:  # T(m + j) = 2 T(m) T(j) - T(m - j): twice as many each time
        further = min(known, degree - known)
        np.multiply(2.0 * values[known], values[1 : further + 1], out=values[known + 1 : known + further + 1])
        values[known + 1 : known + further + 1] -= values[known - further : known][::-1]
        known += further
    for k in range(order):
        np.matmul(slope * _derivatives(degree), found[k], out=found[k + 1])
    return found


@cache
def _derivatives(degree: int) -> FloatArray:
    """Row k has the coefficients of the derivative of Chebyshev's polynomial of degree k."""
    k, j = np.meshgrid(np.arange(degree + 1), np.arange(degree + 1), indexing="ij")
    return np.where((k > j) & ((k - j) % 2 == 1), np.where(j == 0, 1.0, 2.0) * k, 0.0)
