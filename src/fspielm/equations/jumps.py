"""Coefficients that jump: SymPy differentiates them without the jump, which would be lost without a word."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import sympy as sp
from sympy.core.relational import Relational

from fspielm.errors import ProblemError
from fspielm.expressions import describe

_STEPS = (sp.Heaviside, sp.sign, sp.floor, sp.ceiling, sp.DiracDelta)
_PROBE = sp.Rational(37, 100)


def refuse_jumps(coefficients: Mapping[tuple[int, ...], sp.Expr], coordinates: tuple[sp.Symbol, ...]) -> None:
    """Refuse a coefficient of the highest derivatives that jumps somewhere.

    ``(a u')'`` with a jump in ``a`` means that the flux ``a u'`` is continuous; expanded by SymPy to
    ``a u'' + a' u'`` that is gone, and a smooth function would "solve" it. Lower coefficients may jump.
    """
    order = max(sum(orders) for orders in coefficients)
    for orders, coefficient in coefficients.items():
        leading = sum(orders) == order and _jumps(coefficient, set(coordinates))
        if leading or coefficient.has(sp.DiracDelta):
            raise ProblemError(
                f"the coefficient {describe(coefficient)} jumps; what happens there is lost when derivatives are "
                "expanded: make it smooth over a short distance (a tanh), or split the domain"
            )


def _jumps(expression: sp.Expr, coordinates: set[sp.Symbol]) -> bool:
    if any(step.free_symbols & coordinates for step in expression.atoms(*_STEPS)):
        return True
    return any(_piecewise_jumps(piece, coordinates) for piece in expression.atoms(sp.Piecewise))


def _piecewise_jumps(piecewise: sp.Piecewise, coordinates: set[sp.Symbol]) -> bool:
    """Whether neighbouring branches differ where their condition changes over."""
    for (first, condition), (second, _) in pairwise(piecewise.args):
        for relation in condition.atoms(Relational):
            where = relation.lhs - relation.rhs
            symbols = sorted(where.free_symbols & coordinates, key=str)
            if not symbols:
                continue
            try:
                roots = sp.solve(where, symbols[0])
            except NotImplementedError:
                return True  # cannot be told: better refused than lost
            others = dict.fromkeys(coordinates, _PROBE)
            for root in roots:
                gap = (first - second).subs(symbols[0], root).subs(others)
                if not sp.Abs(gap.evalf()) < 1e-9:
                    return True
    return False
