"""Numbers in expressions that no computation can be done with."""

from __future__ import annotations

import math

import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits

from fspielm.expressions.values import describe

_NAMES = {sp.oo: "infinite", -sp.oo: "infinite", sp.zoo: "infinite", sp.nan: "not a number"}


def flaw(expression: sp.Basic) -> str:
    """What is infinite, not a number, or beyond the range of doubles in `expression`; empty where nothing is.

    The limits of integrals and sums may be infinite.
    """
    if expression in _NAMES:
        return f"{expression}, which is {_NAMES[expression]}"
    if isinstance(expression, sp.Number) and not _is_double(expression):
        return f"{describe(expression)}, which is beyond the range of floating-point numbers"
    if isinstance(expression, ExprWithLimits | sp.Limit):
        return ""
    return next(filter(None, map(flaw, expression.args)), "")


def _is_double(number: sp.Number) -> bool:
    try:
        return math.isfinite(float(number))
    except OverflowError:
        return False
