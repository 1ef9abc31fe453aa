"""The same problem with another right-hand side, or other values in its conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import sympy as sp

from fspielm.equations.compiled import Compiled, in_pairs
from fspielm.equations.conditions import AnyCondition, Condition
from fspielm.equations.per_unknown import by_unknown
from fspielm.equations.problem import Problem, make_problem, problem_of
from fspielm.equations.relations import Relation
from fspielm.equations.residual import residual_form
from fspielm.equations.setting import Setting
from fspielm.errors import ProblemError
from fspielm.expressions import Field, Value


def with_data(
    problem: Problem, right_hand_side: Value | Sequence[Value] | None = None, values: Mapping[str, Any] | None = None
) -> Problem:
    """Replace data of `problem` and leave its operators, domain and kinds of conditions.

    Parameters
    ----------
    problem : Problem
    right_hand_side : number, Expr or callable, optional
        For a system a list of them, one for each equation.
    values : mapping, optional
        New values of conditions, by the name of a block (``"dirichlet x-"``, or ``"dirichlet x- u"`` with several
        unknowns) or by kind (``"dirichlet"``): with several unknowns, a mapping from those that get new ones.
    """
    origin = partial(with_data, problem, right_hand_side, values)
    if problem.whole is not None:
        whole = with_data(problem.whole, right_hand_side, values)
        statement = replace(whole.statement, origin=origin)
        return problem_of(in_pairs(Compiled(statement, whole.unknowns, whole.relations, whole.givens)))
    setting = Setting(problem.unknowns, problem.givens, problem.domain)
    equations = problem.equations
    if right_hand_side is not None:
        sources = _right_hand_sides(right_hand_side, len(equations))
        equations = tuple(
            replace(equation, value=setting.field(source, "right_hand_side"))
            for equation, source in zip(equations, sources, strict=True)
        )
    values = values or {}
    _check_names(problem, values)
    renewed = {id(c.condition) for c in problem.constraints if _key(c, values) is not None}
    constraints = tuple(_renewed(c, setting, values) if id(c.condition) in renewed else c for c in problem.constraints)
    added = tuple(r for r in problem.relations if r.region.kind != "domain" and r.condition is None)
    statement = replace(
        problem.statement,
        equations=tuple(_equation(problem, index, equation.value) for index, equation in enumerate(equations)),
        conditions=_conditions(constraints),
        origin=origin,
    )
    relations = (*equations, *constraints, *added)
    return make_problem(
        statement, problem.unknowns, relations, problem.givens, problem.missing, problem.interfaces, problem.notes
    )


def _right_hand_sides(given: Any, number: int) -> list[Any]:
    """One for each equation."""
    if number == 1 and not isinstance(given, list | tuple):
        return [given]
    if not isinstance(given, list | tuple) or len(given) != number:
        raise ProblemError(f"right_hand_side must be a list of {number}, one for each equation; got {given!r}")
    return list(given)


def _renewed(constraint: Relation, setting: Setting, values: Mapping[str, Any]) -> Relation:
    """A relation of a condition that gets a new value for this relation, or for another one of its own."""
    condition, key = constraint.condition, _key(constraint, values)
    assert condition is not None
    if len(setting.unknowns) > 1 and not isinstance(condition, Condition):
        # stated for its unknown alone: that of another relation may have another value now
        (place,) = constraint.operator.unknowns
        value = constraint.value.source if key is None else _value_for(place, values[key], constraint, setting)
        stated: Any = {setting.symbols[place]: value}
    elif key is None:
        return constraint
    else:
        stated = value = values[key]
    field = constraint.value if key is None else condition.read_value(value, f"values[{key!r}]", setting)
    return replace(constraint, value=field, condition=condition.with_value(stated, setting))


def _value_for(place: int, value: Any, constraint: Relation, setting: Setting) -> Any:
    """The value for one of several unknowns: what a mapping has for it, or else the one it had."""
    if not isinstance(value, Mapping):
        return value
    own = {at: one for at, _, one in by_unknown(value, "values", setting)}
    return own.get(place, constraint.value.source)


def _key(constraint: Relation, values: Mapping[str, Any]) -> str | None:
    """Under which name there is a new value for a relation."""
    assert constraint.condition is not None
    return next((key for key in (constraint.name, constraint.condition.kind) if key in values), None)


def _conditions(constraints: tuple[Relation, ...]) -> tuple[AnyCondition, ...]:
    """The conditions as they would be stated for their parts alone, those of several rules once."""
    stated: dict[tuple[int, str], AnyCondition] = {}
    for constraint in constraints:
        condition: Any = constraint.condition
        limit = ""
        if constraint.region.kind == "boundary" and constraint.mask is None and constraint.region.partner is None:
            limit = constraint.part_names[0]
        stated.setdefault((id(condition), limit), replace(condition, on=limit) if limit else condition)
    return tuple(stated.values())


def _check_names(problem: Problem, values: Mapping[str, Any]) -> None:
    known = [c.name for c in problem.constraints]
    kinds = list(dict.fromkeys(c.condition.kind for c in problem.constraints if c.condition is not None))
    for name in values:
        if name not in known and name not in kinds:
            raise ProblemError(f"values names {name!r}; the conditions are {known}, or by kind {kinds}")


def _equation(problem: Problem, index: int, source: Field) -> sp.Basic:
    stated, before = problem.statement.equations[index], problem.equations[index].value
    if source is before:
        return stated
    old = before.source
    left = residual_form(stated) + (old if isinstance(old, sp.Expr) else 0)
    right = source.source if isinstance(source.source, sp.Expr) else sp.Function("f")(*problem.coordinates)
    return sp.Eq(left, right, evaluate=False)
