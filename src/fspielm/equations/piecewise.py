"""Borders of Piecewise expressions: where their conditions change over, and which side holds."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

# From what is zero on a border, as `side_of` writes it, to the side that is meant: where it is negative or positive.
Signs = dict[sp.Expr, int]


@lru_cache(maxsize=4096)  # asked again for every border and side, and slow
def side_of(relation: Relational) -> tuple[sp.Expr, int] | None:
    """What is zero where a relation changes over, in one form, and its sign where it holds; None for (un)equal ones.

    ``x < 1/2`` and ``1 >= 2*x`` are about the same border, ``2*x - 1``.
    """
    if not isinstance(relation, sp.Lt | sp.Le | sp.Gt | sp.Ge):
        return None
    gap = sp.expand(sp.nsimplify(relation.lhs - relation.rhs, rational=True))
    level = gap.primitive()[1]
    sign = -1 if isinstance(relation, sp.Lt | sp.Le) else 1
    return (-level, -sign) if level.could_extract_minus_sign() else (level, sign)


def levels_in(expression: sp.Basic) -> tuple[sp.Expr, ...]:
    """What is zero on the borders of the Piecewise expressions in an expression."""
    relations = {
        relation
        for piecewise in expression.atoms(sp.Piecewise)
        for _, condition in piecewise.args
        for relation in condition.atoms(Relational)
    }
    sides = (side_of(relation) for relation in sorted(relations, key=str))
    return tuple(dict.fromkeys(side[0] for side in sides if side is not None))


def decided(expression: Any, signs: Signs) -> Any:
    """The expression as it is on one side of some borders, its conditions there put in."""
    return expression.xreplace({piecewise: _piece_of(piecewise, signs) for piecewise in _outermost(expression)})


@lru_cache(maxsize=256)  # the same expression is decided for every material, and may be long
def _outermost(expression: sp.Basic) -> tuple[sp.Piecewise, ...]:
    """The Piecewise expressions in an expression, without those within others."""
    found: dict[sp.Piecewise, None] = {}
    walk = sp.preorder_traversal(expression)
    for part in walk:
        if isinstance(part, sp.Piecewise):
            found[part] = None
            walk.skip()
    return tuple(found)


def _piece_of(piecewise: sp.Piecewise, signs: Signs) -> sp.Expr:
    """What is left of a Piecewise on one side of some borders: only that is looked into."""
    left = []
    for expression, condition in piecewise.args:
        sides = {relation: side_of(relation) for relation in condition.atoms(Relational)}
        known = {
            relation: sp.true if signs[side[0]] == side[1] else sp.false
            for relation, side in sides.items()
            if side is not None and side[0] in signs
        }
        holds = condition.xreplace(known)
        if holds == sp.false:
            continue
        left.append((decided(expression, signs), holds))
        if holds == sp.true:
            break
    return sp.Piecewise(*left) if left else sp.nan
