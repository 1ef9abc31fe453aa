"""A problem as LaTeX."""

from __future__ import annotations

from typing import Any

import sympy as sp

from fspielm.equations import (
    AnyCondition,
    Condition,
    Dirichlet,
    Initial,
    Measured,
    Neumann,
    Periodic,
    Robin,
    Symmetry,
    normal_derivative,
)
from fspielm.equations.where import REST
from fspielm.files import ProblemDraft


def as_latex(draft: ProblemDraft) -> str:
    """The equation and the conditions, aligned, as amsmath has them."""
    equation = draft.equation
    left, right = equation.args if isinstance(equation, sp.Eq) else (equation, sp.S.Zero)
    rows = [f"{sp.latex(left)} &= {sp.latex(right)} && \\text{{in the domain}}"]
    rows += [_row(condition, draft) for condition in draft.conditions]
    given = draft.names.parameters.items()
    rows += [f"{sp.latex(sp.Symbol(name))} &= {sp.latex(value)}" for name, value in given]
    return "\\begin{align}\n  " + " \\\\\n  ".join(rows) + "\n\\end{align}"


def _row(condition: AnyCondition, draft: ProblemDraft) -> str:
    left, right = _sides(condition, draft)
    return f"{left} &= {right} && {_place(condition, draft)}"


def _sides(condition: AnyCondition, draft: ProblemDraft) -> tuple[str, str]:
    u = draft.names.unknown
    match condition:
        case Initial():
            return sp.latex(u.diff(u.args[-1], condition.order)), _value(condition.value)
        case Neumann():
            return sp.latex(normal_derivative(u)), _value(condition.value)
        case Robin():
            mixture = sp.sympify(condition.alpha) * u + sp.sympify(condition.beta) * normal_derivative(u)
            return sp.latex(mixture), _value(condition.value)
        case Symmetry():
            return sp.latex(normal_derivative(u)), "0"
        case Condition():
            equation = condition.equation
            left, right = equation.args if isinstance(equation, sp.Eq) else (equation, sp.S.Zero)
            return sp.latex(left), sp.latex(right)
        case Measured():
            return sp.latex(u), "\\text{measured}" if isinstance(condition.values, tuple) else _value(condition.values)
        case Dirichlet():
            return sp.latex(u), _value(condition.value)
    return sp.latex(u), f"{sp.latex(u)} \\text{{ (periodic)}}"


def _value(value: Any) -> str:
    text: str = sp.latex(sp.sympify(value))
    return text


def _place(condition: AnyCondition, draft: ProblemDraft) -> str:
    on = getattr(condition, "on", None)
    if isinstance(condition, Initial):
        return f"\\text{{at the first }} {sp.latex(draft.names.time)}"
    if isinstance(condition, Measured) or getattr(condition, "at", None) is not None:
        return "\\text{at points}"
    if isinstance(on, sp.Basic):
        return f"\\text{{where }} {sp.latex(on)}"
    if isinstance(condition, Periodic):
        on = condition.faces
    if on is None:
        return "\\text{on the boundary}"
    if on == REST:
        return "\\text{on the rest of the boundary}"
    names = [on] if isinstance(on, str) else on
    return f"\\text{{on }} \\text{{{', '.join(map(str, names))}}}"
