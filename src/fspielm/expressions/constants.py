"""The values of expressions without coordinates, integrals and sums among them."""

from __future__ import annotations

import numpy as np
import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.evalf import PrecisionExhausted

from fspielm.arrays import LARGEST
from fspielm.errors import ProblemError
from fspielm.expressions.compile import NONLOCAL, evaluate_derivatives
from fspielm.expressions.values import describe, simplest_number

# Sums of no more terms than these are added up term by term.
_MOST_TERMS = 10_000
# What is asked for, and what SymPy must say to have.
_DIGITS, _BITS = 15, 50


def constant_value(expression: sp.Expr, what: str) -> complex:
    """The finite value, real or complex, of an expression without coordinates; `what` names it in messages.

    Integrals are computed by quadrature: SymPy may search for a closed form for ever. What does not have all its
    digits then, as an integral that oscillates to infinity, is refused rather than given a wrong value.
    """
    try:
        written = evaluate_derivatives(expression).replace(_is_finite_sum, _added_up)
        elsewhere = written.atoms(*NONLOCAL)
        if any(isinstance(part, sp.Sum | sp.Product) and not _is_regular(part) for part in elsewhere):
            raise PrecisionExhausted
        value = written.evalf(_DIGITS)
        if elsewhere and any(part._prec < _BITS for part in value.atoms(sp.Float)):
            raise PrecisionExhausted
        number = complex(value)
    except PrecisionExhausted:
        raise ProblemError(
            f"{what}: {describe(expression)} cannot be evaluated reliably; write its value in closed form or as a "
            "number"
        ) from None
    except (TypeError, ValueError, OverflowError):
        raise ProblemError(f"{what}: {describe(expression)} has no numerical value") from None
    if not np.isfinite(number):
        shown = number if number.imag else number.real
        raise ProblemError(f"{what} must be a finite number; {describe(expression)} is {shown}")
    if abs(number) > LARGEST:
        size = f"{LARGEST:g} in size; got {abs(number):g}"
        raise ProblemError(f"{what} must be at most {size}: state the problem in other units")
    return simplest_number(number)


def _is_finite_sum(node: sp.Basic) -> bool:
    if not isinstance(node, sp.Sum | sp.Product) or len(node.limits) != 1:
        return False
    _, first, last = node.limits[0]
    return bool(first.is_Integer and last.is_Integer and 0 <= last - first < _MOST_TERMS)


def _added_up(node: ExprWithLimits) -> sp.Expr:
    index, first, last = node.limits[0]
    terms = [node.function.subs(index, k) for k in range(int(first), int(last) + 1)]
    return sp.Add(*terms) if isinstance(node, sp.Sum) else sp.Mul(*terms)


def _is_regular(node: ExprWithLimits) -> bool:
    """Whether neighbouring terms have a rational ratio; SymPy looks for integrals of the others, maybe for ever."""
    return len(node.limits) == 1 and sp.hypersimp(node.function, node.limits[0][0]) is not None
