"""Equations as expressions that are zero."""

from __future__ import annotations

import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.errors import ProblemError
from fspielm.expressions import bare_hint, describe, flaw


def residual_form(equation: sp.Basic, argument: str = "equation") -> sp.Expr:
    """The expression that the equation sets to zero."""
    if isinstance(equation, bool | sp.logic.boolalg.BooleanAtom):
        raise ProblemError(
            f"{argument} is the plain truth value {equation} (what Python makes of `left == right`, and SymPy "
            "of an Eq whose sides it can compare, or one of which is infinite or nan); write sp.Eq(left, right) with "
            'the unknown in it, u = sp.Function("u")(x, y): the derivative of a plain symbol is zero'
        )
    sides = {"left": equation.lhs, "right": equation.rhs} if isinstance(equation, sp.Eq) else {"": equation}
    for name, side in sides.items():
        _refuse_infinite(side, f"{argument}: on its {name}-hand side, " if name else f"{argument}: ")
    expression = equation.lhs - equation.rhs if isinstance(equation, sp.Eq) else equation
    if not isinstance(expression, sp.Expr) or expression.is_Matrix:
        several = ", or a list of them" if argument == "equation" else ""
        raise ProblemError(
            f"{argument} must be a SymPy Eq(left, right), or an expression meant to be zero{several}; got {equation!r}"
            f"{bare_hint(equation)}"
        )
    return expression


def _refuse_infinite(side: sp.Basic, where: str) -> None:
    """Refuse a known term that is not finite: what SymPy adds to infinity is lost. Coefficients are looked at later."""
    for term in sp.Add.make_args(side) if isinstance(side, sp.Expr) else ():
        if not term.atoms(AppliedUndef) and (wrong := flaw(term)):
            raise ProblemError(f"{where}the term {describe(term)} must be finite; it contains {wrong}")
