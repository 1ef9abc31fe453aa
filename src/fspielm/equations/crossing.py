"""Where the highest derivatives of an operator lead across the boundary."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.equations.operator import Operator, Term
from fspielm.errors import ProblemError
from fspielm.geometry import Sites


def is_characteristic(operator: Operator, sites: Sites, space: range) -> BoolArray:
    """Where no highest derivative leads across the boundary, so that conditions cannot be counted.

    That is where the sum of ``coefficient * normal^orders`` over the terms of highest space order is zero.
    """
    assert sites.normals is not None
    order = operator.order_along(space)
    symbols: dict[int, FloatArray] = {}
    largest = np.zeros(len(sites))
    for term in operator.terms:
        along = [term.orders[axis] for axis in space]
        direction = np.prod(sites.normals[:, list(space)] ** along, axis=1)
        if sum(along) == order and np.any(direction):
            share = direction * _coefficient(term, sites)
            # terms with other time derivatives cannot cancel this one
            time_order = term.order - order
            symbols[time_order] = symbols.get(time_order, 0.0) + share
            largest = np.maximum(largest, np.abs(share))
    nowhere = [np.abs(symbol) <= 1e-12 * largest for symbol in symbols.values()]
    return np.logical_and.reduce(nowhere, axis=0) if nowhere else np.ones(len(sites), dtype=bool)


def _coefficient(term: Term, sites: Sites) -> FloatArray:
    try:
        return term.at(sites)
    except ProblemError:
        return np.ones(len(sites))  # infinite on the boundary, as 1/r is at r = 0: not zero, at any rate
