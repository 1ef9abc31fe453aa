"""A problem as LaTeX."""

from __future__ import annotations

import sympy as sp

from fspielm.equations import BoundaryCondition, Condition, Initial, Neumann
from fspielm.files import Statement


def as_latex(statement: Statement) -> str:
    """The equation and the conditions, aligned, as amsmath has them."""
    equation = statement.equation
    left, right = equation.args if isinstance(equation, sp.Eq) else (equation, sp.S.Zero)
    rows = [f"{sp.latex(left)} &= {sp.latex(right)} && \\text{{in the domain}}"]
    rows += [_row(condition, statement) for condition in statement.conditions]
    given = statement.names.parameters.items()
    rows += [f"{sp.latex(sp.Symbol(name))} &= {sp.latex(value)}" for name, value in given]
    return "\\begin{align}\n  " + " \\\\\n  ".join(rows) + "\n\\end{align}"


def _row(condition: Condition, statement: Statement) -> str:
    unknown = statement.names.unknown
    value = sp.latex(sp.sympify(condition.value))
    if isinstance(condition, Initial):
        left = sp.latex(unknown.diff(statement.names.time, condition.order) if condition.order else unknown)
        start = sp.latex(statement.names.time)
        return f"{left} &= {value} && \\text{{at the first }} {start}"
    left = sp.latex(unknown)
    if isinstance(condition, Neumann):
        left = f"\\frac{{\\partial}}{{\\partial n}} {left}"
    return f"{left} &= {value} && {_place(condition)}"


def _place(condition: Condition) -> str:
    on = condition.on if isinstance(condition, BoundaryCondition) else None
    if isinstance(on, sp.Basic):
        return f"\\text{{where }} {sp.latex(on)}"
    if on is None:
        return "\\text{on the boundary}"
    names = [on] if isinstance(on, str) else on
    return f"\\text{{on }} \\text{{{', '.join(map(str, names))}}}"  # type: ignore[arg-type]
