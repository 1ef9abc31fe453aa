"""Conditions stated as equations, for anything in the unknown and its derivatives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.equations.conditions.base import AnyCondition, check_weight, check_where
from fspielm.equations.conjugates import as_written
from fspielm.equations.inside import At, check_points, curve_region, points_region
from fspielm.equations.linear import linear_operator, linear_parts
from fspielm.equations.normal import OF_NORMALS
from fspielm.equations.regions import Region
from fspielm.equations.residual import residual_form
from fspielm.equations.setting import Rule, Setting
from fspielm.equations.where import Where, boundary_regions
from fspielm.errors import ProblemError
from fspielm.expressions import describe, evaluate_derivatives
from fspielm.geometry import PlaneCurve


@final
@dataclass(frozen=True)
class Condition(AnyCondition):
    """Any equation for the unknowns and their derivatives, on the boundary or inside; see `Problem` for nonlinear ones.

    Parameters
    ----------
    equation : Eq or Expr
        An equation, or an expression meant to be zero. ``fs.normal_derivative(u)`` stands in it for the derivative
        along the outward normal (the normal to the right of the way, on a `PlaneCurve` inside), and ``fs.normal(x)``
        for the component of the normal along x.
    on : str, list of str, SymPy relation or callable mask, optional
        Where on the boundary it holds, as for `Dirichlet`.
    at : (n, d) array, PlaneCurve or callable, optional
        Where inside it holds instead: points, a plane curve (at all times), or a function from parameters ``(n,)``
        between 0 and 1 to points ``(n, d)`` of a curve.
    weight : float
        As for `Dirichlet`.

    Examples
    --------
    >>> x, y = sp.symbols("x y")
    >>> u = sp.Function("u")(x, y)
    >>> oblique = Condition(sp.Eq(u.diff(x) + 2 * u.diff(y), x**2), on="x+")
    >>> probe = Condition(sp.Eq(u, 3), at=[[0.5, 0.5]])
    """

    equation: sp.Basic
    on: Where | None = None
    at: Any = None
    weight: float = 1.0
    kind: ClassVar[str] = "condition"
    repeats: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if isinstance(self.equation, list | tuple | sp.MatrixBase | sp.Tuple):
            raise ProblemError(
                f"Condition: equation is a list of {len(self.equation)}; write one fs.Condition for each of them"
            )
        if isinstance(self.equation, sp.Eq) and any(isinstance(side, sp.MatrixBase) for side in self.equation.args):
            raise ProblemError(
                "Condition: equation is one of vectors; write one fs.Condition for each component, as in "
                "fs.Condition(sp.Eq(left[0], right[0]))"
            )
        residual_form(self.equation, "Condition: equation")
        check_weight(self.weight, "Condition")
        object.__setattr__(self, "on", check_where(self.on, "Condition"))
        if self.at is None:
            return
        if self.on is not None:
            raise ProblemError("Condition: give on= for the boundary or at= for the inside, not both")
        if not isinstance(self.at, PlaneCurve) and not callable(self.at):
            object.__setattr__(self, "at", check_points(self.at, "Condition: at"))

    @property
    def expressions(self) -> tuple[Any, ...]:
        """The equation and its place."""
        return self.equation, self.on

    @property
    def has_normals(self) -> bool:
        """Those of the boundary, or of a plane curve inside."""
        return self.at is None or isinstance(self.at, PlaneCurve)

    def regions(self, setting: Setting) -> list[Region]:
        """Pieces of the boundary, points, or a curve."""
        at: At | None = self.at
        if at is None:
            return boundary_regions(self.on, "Condition", setting)
        if self.equation.has(*OF_NORMALS) and not self.has_normals:
            raise ProblemError(
                "Condition: there is no normal at points inside; write u.diff(x) in the place of normal_derivative in "
                f"{describe(self.equation)}"
            )
        if isinstance(at, tuple):
            return [points_region(at, "points", "Condition: at", setting)]
        return [curve_region(at, "Condition: at", setting)]

    def about(self, setting: Setting) -> frozenset[int]:
        """The unknowns in the equation."""
        names = {function.func.__name__ for function in self.equation.atoms(AppliedUndef)}
        return frozenset(i for i, symbol in enumerate(setting.symbols) if symbol.func.__name__ in names)

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """The equation, taken apart."""
        symbols, givens = setting.symbols, setting.givens
        written = residual_form(self.equation, "Condition: equation")
        check_unknowns(written, symbols)
        parts, rest = linear_parts(evaluate_derivatives(givens.substitute(written)), symbols, "the condition")
        if not parts:
            names = ", ".join(map(str, symbols))
            raise ProblemError(f"the condition {describe(self.equation)} prescribes nothing about {names}")
        operator = linear_operator(parts, setting, "the condition", normals=self.has_normals)
        value = self.read_value(-rest, f"the value of the condition {describe(self.equation)}", setting)
        return (Rule(operator, value),)

    def with_value(self, value: Any, setting: Setting) -> Condition:
        """The same operator with another value; a callable is shown as a function g."""
        written = residual_form(self.equation, "Condition: equation")
        parts, _ = linear_parts(evaluate_derivatives(setting.givens.substitute(written)), setting.symbols)
        left = sum((coefficient * as_written(atom) for atom, coefficient in parts.items()), sp.S.Zero)
        named = callable(value) and not isinstance(value, sp.Basic)
        right = sp.Function("g")(*setting.coordinates) if named else sp.sympify(value)
        return replace(self, equation=sp.Eq(left, right, evaluate=False))


def check_unknowns(expression: sp.Expr, unknowns: tuple[AppliedUndef, ...]) -> None:
    """Refuse an equation without any unknown, and one with an unknown at other places."""
    by_name = {unknown.func.__name__: unknown for unknown in unknowns}
    found = [f for f in expression.atoms(AppliedUndef) if f.func.__name__ in by_name]
    if not found:
        names = ", ".join(map(str, unknowns))
        which = f"the unknown {names}" if len(unknowns) == 1 else f"any of the unknowns {names}"
        raise ProblemError(f"the condition {describe(expression)} does not contain {which}")
    for other in sorted((f for f in found if f not in unknowns), key=str):
        raise ProblemError(
            f"the condition contains {other}; write {by_name[other.func.__name__]}, with the very symbols of the "
            "equation: where it holds is said with on= or at="
        )
