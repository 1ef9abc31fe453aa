"""The same problem with another right-hand side, or other values in its conditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from fspielm.equations.conditions import BoundaryCondition, Condition
from fspielm.equations.constraints import Constraint, known_field
from fspielm.equations.linear import residual_form
from fspielm.equations.problem import Problem
from fspielm.errors import ProblemError
from fspielm.expressions import Field, Value


def with_data(
    problem: Problem, right_hand_side: Value | None = None, values: Mapping[str, Value] | None = None
) -> Problem:
    """Replace data of `problem` and leave its operators, domain and kinds of conditions.

    Parameters
    ----------
    problem : Problem
    right_hand_side : number, Expr or callable, optional
    values : mapping, optional
        New values of conditions, by the name of a block (``"dirichlet x-"``) or by kind (``"dirichlet"``).
    """
    source = problem.right_hand_side
    if right_hand_side is not None:
        source = known_field(right_hand_side, "right_hand_side", problem.unknown, problem.givens)
    constraints = tuple(_renewed(c, problem, values or {}) for c in problem.constraints)
    _check_names(problem, values or {})
    renewed = object.__new__(Problem)
    for name, attribute in {
        **vars(problem),
        "equation": _equation(problem, source),
        "conditions": tuple(_condition(c) for c in constraints),
        "right_hand_side": source,
        "constraints": constraints,
    }.items():
        object.__setattr__(renewed, name, attribute)
    return renewed


def _renewed(constraint: Constraint, problem: Problem, values: Mapping[str, Value]) -> Constraint:
    for key in (constraint.name, constraint.condition.kind):
        if key in values:
            field = known_field(values[key], f"values[{key!r}]", problem.unknown, problem.givens)
            return replace(constraint, value=field, condition=_with_value(constraint.condition, values[key]))
    return constraint


def _with_value(condition: Any, value: Value) -> Condition:
    renewed: Condition = replace(condition, value=value)
    return renewed


def _condition(constraint: Constraint) -> Condition:
    """The condition as it would be stated for its part alone."""
    condition: Any = constraint.condition
    if isinstance(condition, BoundaryCondition) and constraint.mask is None and constraint.part is not None:
        limited: Condition = replace(condition, on=constraint.part.name)  # type: ignore[type-var]
        return limited
    return constraint.condition


def _check_names(problem: Problem, values: Mapping[str, Value]) -> None:
    known = [c.name for c in problem.constraints]
    kinds = list(dict.fromkeys(c.condition.kind for c in problem.constraints))
    for name in values:
        if name not in known and name not in kinds:
            raise ProblemError(f"values names {name!r}; the conditions are {known}, or by kind {kinds}")


def _equation(problem: Problem, source: Field) -> sp.Basic:
    if source is problem.right_hand_side:
        return problem.equation
    old = problem.right_hand_side.source
    left = residual_form(problem.equation) + (old if isinstance(old, sp.Expr) else 0)
    right = source.source if isinstance(source.source, sp.Expr) else sp.Function("f")(*problem.coordinates)
    return sp.Eq(left, right, evaluate=False)
