"""An equation of the family "stages", with a solution of it that needs no right-hand side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import sympy as sp

Operator: TypeAlias = Callable[[sp.Expr], sp.Expr]


@dataclass(frozen=True, eq=False)
class Equation:
    """An operator and what its problems need.

    Attributes
    ----------
    name : str
    operator : callable
    exact : Expr
        What the operator takes to zero; none of its features does exactly.
    ingredients : str
        What `exact` is made of.
    time_order : int
        Initial conditions it asks for.
    clamped : bool
        Whether it asks for value and slope on the boundary.
    inflow : str
        The only part of the boundary where a value may be given; all of them if empty.
    wave : Expr or None
        A wave that satisfies it; None where there is none.
    growing : Expr or None
        What multiplies `wave` in the answer to a force in resonance with it.
    """

    name: str
    operator: Operator
    exact: sp.Expr
    ingredients: str
    time_order: int = 0
    clamped: bool = False
    inflow: str = ""
    wave: sp.Expr | None = None
    growing: sp.Expr | None = None


def laplacian(v: sp.Expr, x: Sequence[sp.Symbol]) -> sp.Expr:
    """The sum of second derivatives."""
    return sum(v.diff(i, 2) for i in x)
