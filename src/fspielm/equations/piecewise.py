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
    sides = {relation: side_of(relation) for relation in expression.atoms(Relational)}
    known = {
        relation: sp.true if signs[side[0]] == side[1] else sp.false
        for relation, side in sides.items()
        if side is not None and side[0] in signs
    }
    pieces = {piecewise: piecewise.xreplace(known) for piecewise in expression.atoms(sp.Piecewise)}
    return expression.xreplace(pieces)
