"""Masks of points from SymPy relations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean, to_nnf

from fspielm.arrays import BoolArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.expressions.numeric import numeric_function


def compile_relation(
    relation: Boolean, arguments: tuple[sp.Symbol, ...], tolerance: float
) -> Callable[[FloatArray], BoolArray]:
    """A mask function from a SymPy relation such as ``x < 0.5`` or ``sp.Eq(x, 0)``.

    Two sides that differ by no more than `tolerance` count as equal, for a boundary point that should have
    ``x = 0`` may have it only to rounding: ``x <= 0`` then holds, and ``x < 0`` and ``x > 0`` do not.
    """
    unknown = sorted(relation.free_symbols - set(arguments), key=str)
    if unknown:
        raise ProblemError(
            f"on={relation} contains {unknown[0]}, which is neither a coordinate "
            f"({', '.join(map(str, arguments))}) nor given{same_name_hint(unknown[0], arguments)}"
        )
    normal = to_nnf(relation, simplify=False)
    if normal.atoms(AppliedUndef) or _has_bare_symbol(normal):
        raise ProblemError(
            f"on={relation} must compare expressions of the coordinates, as in x < 0.5; "
            "for anything else use a function from points to a mask"
        )
    slack = sp.Float(tolerance)
    relaxed = normal.replace(lambda e: isinstance(e, Relational), lambda e: _relax(e, slack))
    numeric = numeric_function(arguments, relaxed, f"on={relation}")

    def mask(points: FloatArray) -> BoolArray:
        # "== 1" and not a cast: a relation that mpmath could not decide is NaN, and NaN casts to True
        return np.broadcast_to(np.asarray(numeric(*points.T)) == 1, (len(points),))

    return mask


def same_name_hint(symbol: sp.Symbol, arguments: tuple[sp.Symbol, ...]) -> str:
    """What to add to a message where `symbol` only looks like a coordinate."""
    if str(symbol) not in map(str, arguments):
        return ""
    return f"; SymPy symbols of one name but different assumptions (real=True) are different: use one {symbol}"


def _has_bare_symbol(formula: Boolean) -> bool:
    """Whether a symbol stands where a relation should: SymPy reads ``on=x`` as "x is true"."""
    if isinstance(formula, Relational):
        return False
    return isinstance(formula, sp.Symbol) or any(_has_bare_symbol(a) for a in formula.args)


def _relax(relation: Any, slack: sp.Float) -> Any:
    gap = relation.lhs - relation.rhs
    if isinstance(relation, sp.Eq):
        return sp.Le(sp.Abs(gap), slack, evaluate=False)
    if isinstance(relation, sp.Ne):
        return sp.Gt(sp.Abs(gap), slack, evaluate=False)
    limit = slack if isinstance(relation, (sp.Le, sp.Gt)) else -slack
    return relation.func(gap, limit, evaluate=False)
