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

# What rounding may make of a side of an inequality, relative to its value: that of x**2 is lost in that of 1e10.
_ROUNDING = 1e-13


def compile_relation(
    relation: Boolean, arguments: tuple[sp.Symbol, ...], tolerance: float, rounding: float | None = None
) -> Callable[[FloatArray], BoolArray]:
    """A mask function from a SymPy relation such as ``x < 0.5`` or ``sp.Eq(x, 0)``.

    Two sides that differ by no more than `tolerance` count as equal, for a boundary point that should have
    ``x = 0`` may have it only to rounding: ``x <= 0`` then holds, and ``x < 0`` and ``x > 0`` do not.

    Parameters
    ----------
    relation : Boolean
    arguments : tuple of Symbol
        The coordinates.
    tolerance : float
    rounding : float, optional
        The tolerance of inequalities, where it is to be no more than rounding: ``x < 1e-9`` may have its own written
        into it.
    """
    unknown = sorted(relation.free_symbols - set(arguments), key=str)
    if unknown:
        raise ProblemError(
            f"on={relation} contains {unknown[0]}, which is neither a coordinate "
            f"({', '.join(map(str, arguments))}) nor given{same_name_hint(unknown[0], arguments)}"
        )
    if relation.has(sp.I):
        raise ProblemError(f"on={relation} contains the imaginary unit, but coordinates are real; compare real numbers")
    normal = to_nnf(relation, simplify=False)
    if normal.atoms(AppliedUndef) or _has_bare_symbol(normal):
        raise ProblemError(
            f"on={relation} must compare expressions of the coordinates, as in x < 0.5; "
            "for anything else use a function from points to a mask"
        )
    slacks = sp.Float(tolerance), None if rounding is None else sp.Float(rounding)
    relaxed = normal.replace(lambda e: isinstance(e, Relational), lambda e: _relax(e, *slacks))
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


def _relax(relation: Any, tolerance: sp.Float, rounding: sp.Float | None) -> Any:
    gap = relation.lhs - relation.rhs
    if isinstance(relation, sp.Eq):
        return sp.Le(sp.Abs(gap), tolerance, evaluate=False)
    if isinstance(relation, sp.Ne):
        return sp.Gt(sp.Abs(gap), tolerance, evaluate=False)
    sides = sp.Abs(relation.lhs) + sp.Abs(relation.rhs)
    slack = tolerance if rounding is None else rounding + _ROUNDING * sides
    limit = slack if isinstance(relation, (sp.Le, sp.Gt)) else -slack
    return relation.func(gap, limit, evaluate=False)
