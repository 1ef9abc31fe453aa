"""Conditions on arrays of intervals: whether they certainly hold, and whether they may.

A condition is an array of shape ``(2, n)``: true in the first row where it holds in the whole of a box, and in the
second where it may hold somewhere in it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np
import sympy as sp

from fspielm.arrays import BoolArray
from fspielm.expressions.intervals import Ends, whole_where


def _less(a: Ends, b: Ends) -> BoolArray:
    return a[::-1] < b


def _at_most(a: Ends, b: Ends) -> BoolArray:
    return a[::-1] <= b


def _equal(a: Ends, b: Ends) -> BoolArray:
    return _at_most(a, b) & _at_most(b, a)


def _not(a: BoolArray) -> BoolArray:
    return ~a[::-1]


def _all(*conditions: BoolArray) -> BoolArray:
    return reduce(np.logical_and, conditions)


def _any(*conditions: BoolArray) -> BoolArray:
    return reduce(np.logical_or, conditions)


CONDITIONS: dict[type[sp.Basic], Callable[..., BoolArray]] = {
    sp.Lt: _less,
    sp.Le: _at_most,
    sp.Gt: lambda a, b: _less(b, a),
    sp.Ge: lambda a, b: _at_most(b, a),
    sp.Eq: _equal,
    sp.Ne: lambda a, b: _not(_equal(a, b)),
    sp.Not: _not,
    sp.And: _all,
    sp.Or: _any,
}


def choose(*branches: Ends | BoolArray) -> Ends:
    """The values of a ``Piecewise``: value, condition, value, condition, ...

    The hull of the branches that may be the first whose condition holds; the whole line where there is none.
    """
    values, conditions = branches[0::2], branches[1::2]
    n = np.broadcast_shapes(*(b.shape for b in branches))[1]
    ends = np.stack([np.full(n, np.inf), np.full(n, -np.inf)])
    undecided = np.ones(n, dtype=np.bool_)
    for value, (certain, possible) in zip(values, conditions, strict=True):
        here = undecided & possible
        ends[0] = np.where(here, np.minimum(ends[0], value[0]), ends[0])
        ends[1] = np.where(here, np.maximum(ends[1], value[1]), ends[1])
        undecided &= ~certain
    return whole_where(ends, ends[0] > ends[1])
