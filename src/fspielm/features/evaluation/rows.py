"""Operators as sums of operators with constant coefficients, which are what fast ways of summing know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.features.local import LocalOperator


@final
@dataclass(frozen=True, eq=False)
class Row:
    """A part of an operator: one with constant coefficients, times a function.

    Attributes
    ----------
    orders : (T, d) integer array
        Derivative orders of each of the T terms.
    coefficients : (T,) array
    factor : (n,) array or None
        What its values are multiplied with, where that is not one.
    """

    orders: NDArray[np.int_]
    coefficients: FloatArray
    factor: FloatArray | None = None


def split_rows(local: LocalOperator) -> list[Row]:
    """Terms with the same number everywhere in one row, without a factor; one row for each of the other derivatives."""
    if local.is_constant:
        return [Row(local.orders, local.coefficients)]
    same = np.ptp(local.coefficients, axis=1) == 0 if len(local.points) else np.ones(len(local.orders), dtype=bool)
    rows: list[Row] = []
    if same.any():
        rows.append(Row(local.orders[same], local.coefficients[same, 0]))
    varying = local.orders[~same]
    for orders in np.unique(varying, axis=0):
        terms = np.all(varying == orders, axis=1)
        rows.append(Row(orders[None, :], np.ones(1), local.coefficients[~same][terms].sum(axis=0)))
    return rows


def add_rows(rows: list[list[Row]], sums: FloatArray, values: FloatArray) -> None:
    """Add the sums of all rows, in their order, to `values` ``(T, F, n)`` of T operators, times the rows' factors."""
    each = iter(sums.reshape(-1, *values.shape[1:]))
    for total, operator_rows in zip(values, rows, strict=True):
        for row in operator_rows:
            one = next(each)
            total += one if row.factor is None else one * row.factor
