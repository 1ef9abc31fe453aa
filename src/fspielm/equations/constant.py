"""Operators that are constant up to one common factor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import sympy as sp
from sympy.core.evalf import PrecisionExhausted
from sympy.core.function import AppliedUndef

from fspielm.equations.operator import Coefficient, FieldCoefficient, Operator, Term
from fspielm.errors import UnsuitableError
from fspielm.expressions import Field, describe, is_multiple
from fspielm.expressions.values import simplest_number

# Where a quotient is evaluated, in parts of 1009: places of no meaning.
_PLACES = (347, 31, 661, 929, 1499, -388)


@final
@dataclass(frozen=True, eq=False)
class ConstantOperator:
    """An operator written as a factor times one of constant coefficients.

    Attributes
    ----------
    operator : Operator
        Its coefficients are numbers, none of them zero.
    factor : Field or None
        What it is multiplied with; None for one.
    """

    operator: Operator
    factor: Field | None


def constant_operator(operator: Operator) -> ConstantOperator:
    """Divide `operator` by the factor that its coefficients have in common, if numbers are left then.

    The quotients are compared as expressions: a callable may look constant wherever it is tried.

    Raises
    ------
    UnsuitableError
        If coefficients are left that vary, or none at all; it names the first of them.
    """
    if operator.is_constant:
        return ConstantOperator(_collected(operator.dimension, operator.terms), None)
    factor = next(t.coefficient for t in operator.terms if callable(t.coefficient))
    if not isinstance(factor, FieldCoefficient):
        raise UnsuitableError("the coefficients of the equation must be constant; got one that is not an expression")
    terms = tuple(replace(term, coefficient=_quotient(term, factor)) for term in operator.terms)
    return ConstantOperator(_collected(operator.dimension, terms), factor.field)


def _quotient(term: Term, factor: FieldCoefficient) -> complex:
    """The coefficient over the factor, which has to be a number."""
    if term.coefficient is factor:
        return 1.0
    above, below = _source(term.coefficient), _source(factor)
    ratio = _ratio(above, below) if isinstance(above, sp.Expr) and isinstance(below, sp.Expr) else None
    if ratio is None:
        raise UnsuitableError(
            "the coefficients of the equation must be constant, or all be multiples of one function; got "
            f"{describe(below)} and {describe(above)}"
        )
    return ratio


def _ratio(above: sp.Expr, below: sp.Expr) -> complex | None:
    """The number that one expression is the multiple of another by; None where it is none."""
    if not is_multiple(above, below):
        # 0.1*(x + 6) became 0.1*x + 0.6 by SymPy, which is a multiple of x + 6 to 15 digits only
        above, below = _in_decimals(above), _in_decimals(below)
        if not is_multiple(above, below):
            return None
    opaque = {part: sp.Dummy() for part in (above / below).atoms(AppliedUndef, sp.Derivative)}
    ratio = (above / below).xreplace(opaque)
    symbols = sorted(ratio.free_symbols, key=str)
    for place in _PLACES:
        at = {symbol: sp.Rational(place + 97 * i, 1009) for i, symbol in enumerate(symbols)}
        try:
            number = complex(ratio.xreplace(at).evalf(30, strict=True))
        except (PrecisionExhausted, TypeError, ValueError, ArithmeticError):
            continue  # where both are too close to zero to be told from it, or not defined
        if np.isfinite(number):
            return simplest_number(number)
    return None


def _in_decimals(expression: sp.Expr) -> sp.Expr:
    """The expression with its floating-point numbers as they are written."""
    written = {number: f"{float(number):.15g}" for number in expression.atoms(sp.Float)}
    return expression.xreplace({number: sp.Rational(text) for number, text in written.items() if "inf" not in text})


def _source(coefficient: Coefficient) -> Any:
    """What the user wrote."""
    if isinstance(coefficient, FieldCoefficient):
        return coefficient.field.source
    return coefficient if callable(coefficient) else sp.sympify(coefficient)


def _collected(dimension: int, terms: tuple[Term, ...]) -> Operator:
    """The same operator with one term for each derivative of each unknown, and no zeros."""
    sums: dict[tuple[tuple[int, ...], int], complex] = {}
    for term in terms:
        assert not callable(term.coefficient)
        key = term.orders, term.unknown
        sums[key] = sums.get(key, 0.0) + term.coefficient
    kept = tuple(Term(coefficient, *key) for key, coefficient in sums.items() if coefficient != 0.0)
    if not kept:
        raise UnsuitableError("the equation vanishes identically: all of its coefficients are zero")
    return Operator(dimension, kept)
