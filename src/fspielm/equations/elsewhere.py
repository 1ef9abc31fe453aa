"""Terms that take an unknown at other places than the point itself: integrals, sums, values at a place."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from fspielm.errors import ProblemError
from fspielm.expressions import NONLOCAL, describe


def refuse_elsewhere(expression: sp.Expr, unknowns: Sequence[UndefinedFunction], what: str) -> None:
    """Refuse a term with one of these functions at other places, and say what is possible in its place."""
    for term in sorted(expression.atoms(*NONLOCAL), key=str):
        inside = sorted((f for f in term.atoms(AppliedUndef) if f.func in unknowns), key=str)
        if inside:
            raise ProblemError(
                f"{what} contains the term {describe(term)}, which takes {inside[0]} at other places than the point "
                f"itself; only differential equations can be solved{_remedy(term)}"
            )


def _remedy(term: sp.Basic) -> str:
    """How an integral up to a coordinate can be had nevertheless, where that is all it depends on."""
    if not isinstance(term, sp.Integral) or len(term.limits) != 1 or len(term.limits[0]) != 3:
        return ""
    dummy, start, end = term.limits[0]
    if not isinstance(end, sp.Symbol) or start.free_symbols or (end != dummy and term.function.has(end)):
        return ""
    whole = term.function.xreplace({dummy: end})
    return (
        f": make the integral an unknown U of its own, with sp.Eq(U.diff({end}), {describe(whole)}) as a further "
        f"equation and the value 0 at {end} = {start}"
    )
