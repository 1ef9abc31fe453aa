"""Expressions that are linear in some of their symbols, taken apart, and the term that is not."""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp
from sympy.core.function import AppliedUndef

# From each symbol to its coefficient; the rest, free of them all, under 1.
Parts = dict[sp.Expr, sp.Expr]


class NonlinearTermError(Exception):
    """`term` is not linear in the symbols."""

    def __init__(self, term: sp.Expr) -> None:
        super().__init__(str(term))
        self.term = term


def split_affine(expression: sp.Expr, symbols: frozenset[sp.Symbol]) -> Parts:
    """Write `expression` as the sum of coefficient times symbol, and a rest.

    Products and powers are multiplied out only where they have to be: coefficients keep the form the user
    gave them.

    Returns
    -------
    dict
        From each symbol whose coefficient is not zero to that, and from 1 to the rest.

    Raises
    ------
    NonlinearTermError
        Naming the first term that stays nonlinear after that.
    """
    parts: list[Parts] = []
    stubborn: list[sp.Expr] = []
    for term in sp.Add.make_args(expression):
        split = _split(term, symbols)
        if split is None:
            stubborn.append(term)
        else:
            parts.append(split)
    # together, for (u + 1)**2 - u**2 is linear; products alone, for exp(u + x) is best named as it is
    multiplied_out = sp.expand(sp.Add(*stubborn), power_exp=False, power_base=False, log=False)
    for term in sp.Add.make_args(multiplied_out):
        split = _split(term, symbols)
        if split is None:
            raise NonlinearTermError(term)
        parts.append(split)
    return {key: value for key, value in _sum(parts).items() if key == 1 or not vanishes(value)}


def vanishes(expression: sp.Expr) -> bool:
    """Whether `expression` is zero everywhere, also where that is not plain to see (sin^2 + cos^2 - 1)."""
    if expression.is_Number:
        return bool(expression == 0)
    opaque = expression.atoms(AppliedUndef) | expression.atoms(sp.Derivative)
    plain = expression.xreplace({part: sp.Dummy() for part in opaque})
    # Simplifying may take long, and is tried only on what is zero at a place of no meaning.
    place = {s: sp.Rational(347 + 97 * i, 1009) for i, s in enumerate(sorted(plain.free_symbols, key=str))}
    try:
        if abs(complex(plain.xreplace(place).evalf(30))) > 1e-20:
            return False
    except (TypeError, ValueError, ArithmeticError):
        return False
    return bool(sp.expand(plain) == 0 or sp.simplify(plain) == 0)


def _split(expression: sp.Expr, symbols: frozenset[sp.Symbol]) -> Parts | None:
    """The parts of `expression`, or None where it is not visibly linear."""
    if not expression.free_symbols & symbols:
        return {sp.S.One: expression}
    if expression in symbols:
        return {expression: sp.S.One}
    if isinstance(expression, sp.Add):
        terms = [_split(term, symbols) for term in expression.args]
        known = [term for term in terms if term is not None]
        return _sum(known) if len(known) == len(terms) else None
    if isinstance(expression, sp.Mul):
        factor, dependent = expression.as_independent(*symbols, as_Add=False)
        inner = None if isinstance(dependent, sp.Mul) else _split(dependent, symbols)
        return None if inner is None else {key: factor * value for key, value in inner.items()}
    if isinstance(expression, sp.Piecewise):
        return _split_piecewise(expression, symbols)
    return None


def _split_piecewise(expression: sp.Piecewise, symbols: frozenset[sp.Symbol]) -> Parts | None:
    branches = [(_split(value, symbols), condition) for value, condition in expression.args]
    if any(split is None or condition.free_symbols & symbols for split, condition in branches):
        return None
    keys = dict.fromkeys(key for split, _ in branches for key in split or {})
    return {
        key: sp.Piecewise(*(((split or {}).get(key, sp.S.Zero), condition) for split, condition in branches))
        for key in keys
    }


def _sum(parts: Iterable[Parts]) -> Parts:
    terms: dict[sp.Expr, list[sp.Expr]] = {}
    for part in parts:
        for key, value in part.items():
            terms.setdefault(key, []).append(value)
    return {key: sp.Add(*values) for key, values in terms.items()}
