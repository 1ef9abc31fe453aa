"""Expressions that are linear in some of their symbols, taken apart, and the term that is not."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb, prod

import sympy as sp
from sympy.functions.elementary.hyperbolic import HyperbolicFunction
from sympy.functions.elementary.trigonometric import TrigonometricFunction

from fspielm.expressions import is_zero

# From each symbol to its coefficient; the rest, free of them all, under 1.
Parts = dict[sp.Expr, sp.Expr]

# Products are written out to no more terms than this: it may take for ever otherwise.
_MOST_TERMS = 2000

_SMOOTH = (sp.Add, sp.Mul, sp.Pow, sp.exp, sp.log, TrigonometricFunction, HyperbolicFunction)


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
    parts, stubborn = _split_terms(sp.Add.make_args(expression), symbols)
    if stubborn:
        # together, for (u + 1)**2 - u**2 is linear
        more, stubborn = _split_terms(sp.Add.make_args(_multiplied_out(sp.Add(*stubborn))), symbols)
        parts += more
    if stubborn:
        parts.append(_split_by_slopes(stubborn, symbols))
    return {key: value for key, value in _sum(parts).items() if key == 1 or not is_zero(value)}


def _split_terms(terms: Iterable[sp.Expr], symbols: frozenset[sp.Symbol]) -> tuple[list[Parts], list[sp.Expr]]:
    """The parts of those terms that are visibly linear, and the others."""
    parts: list[Parts] = []
    stubborn: list[sp.Expr] = []
    for term in terms:
        split = visible_parts(term, symbols)
        if split is None:
            stubborn.append(term)
        else:
            parts.append(split)
    return parts, stubborn


def _multiplied_out(expression: sp.Expr) -> sp.Expr:
    """The products written out, unless there are too many of them; exp(u + x) is best named as it is."""
    if _most_terms(expression) > _MOST_TERMS:
        return expression
    return sp.expand(expression, power_exp=False, power_base=False, log=False)


def _most_terms(expression: sp.Basic) -> int:
    """A bound on how many terms there are anywhere in an expression once its products are written out."""
    inner = [_most_terms(argument) for argument in expression.args]
    largest = max(inner, default=1)
    if isinstance(expression, sp.Add):
        return sum(inner)
    if isinstance(expression, sp.Mul):
        return prod(inner)
    if isinstance(expression, sp.Pow) and isinstance(expression.exp, sp.Integer) and largest > 1:
        power = abs(int(expression.exp))
        return _MOST_TERMS + 1 if max(power, largest) > _MOST_TERMS else comb(inner[0] + power - 1, power)
    return 1 if largest <= _MOST_TERMS else largest


def _split_by_slopes(terms: list[sp.Expr], symbols: frozenset[sp.Symbol]) -> Parts:
    """The parts of a sum of terms each of which is nonlinear: it is linear if its second derivatives are zero."""
    expression = sp.Add(*terms)
    used = sorted(expression.free_symbols & symbols, key=str)
    for term in terms:
        if not _is_smooth(term, symbols):
            raise NonlinearTermError(term)
    slopes = {symbol: expression.diff(symbol) for symbol in used}
    if not all(is_zero(slope.diff(symbol)) for slope in slopes.values() for symbol in used):
        raise NonlinearTermError(terms[0])
    for number in (0, 1, 2):  # of the places where the sum may be looked at, the first where it is defined
        place = dict.fromkeys(used, sp.Integer(number))
        parts = {symbol: slope.xreplace(place) for symbol, slope in slopes.items()}
        parts[sp.S.One] = expression.xreplace(place) - number * sp.Add(*parts.values())
        if not any(part.has(sp.nan, sp.zoo, sp.oo, -sp.oo) for part in parts.values()):
            return parts
    raise NonlinearTermError(terms[0])


def _is_smooth(expression: sp.Basic, symbols: frozenset[sp.Symbol]) -> bool:
    """Whether it depends on the symbols without jumps and kinks, which derivatives do not tell of."""
    if expression in symbols or not expression.free_symbols & symbols:
        return True
    if isinstance(expression, sp.Pow) and not expression.exp.is_integer and expression.base.free_symbols & symbols:
        return False  # the root of a square is an absolute value
    return isinstance(expression, _SMOOTH) and all(_is_smooth(argument, symbols) for argument in expression.args)


def visible_parts(expression: sp.Expr, symbols: frozenset[sp.Symbol]) -> Parts | None:
    """The parts of `expression`, or None where it is not visibly linear."""
    if not expression.free_symbols & symbols:
        return {sp.S.One: expression}
    if expression in symbols:
        return {expression: sp.S.One}
    if isinstance(expression, sp.Add):
        terms = [visible_parts(term, symbols) for term in expression.args]
        known = [term for term in terms if term is not None]
        return _sum(known) if len(known) == len(terms) else None
    if isinstance(expression, sp.Mul):
        factor, dependent = expression.as_independent(*symbols, as_Add=False)
        inner = None if isinstance(dependent, sp.Mul) else visible_parts(dependent, symbols)
        return None if inner is None else {key: factor * value for key, value in inner.items()}
    if isinstance(expression, sp.Piecewise):
        return _split_piecewise(expression, symbols)
    return None


def _split_piecewise(expression: sp.Piecewise, symbols: frozenset[sp.Symbol]) -> Parts | None:
    branches = [(visible_parts(value, symbols), condition) for value, condition in expression.args]
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
