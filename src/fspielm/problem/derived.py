"""What follows from a compiled problem: the scales of unknowns, and the problem with other data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.expr.functions import Field, Value
from fspielm.geometry.boundary import Sites
from fspielm.numerics.tolerances import SAME
from fspielm.problem.compiled import Compiled, split_real_imaginary
from fspielm.problem.further_conditions import Condition
from fspielm.problem.linear import residual_form
from fspielm.problem.operator import FEW_SITES, cache_by_object
from fspielm.problem.problem import Problem, problem_of, problem_with
from fspielm.problem.setting import Setting, by_unknown
from fspielm.problem.statement import AnyCondition, Relation


def natural_scales(problem: Problem, frequencies: FloatArray) -> FloatArray:
    """The relative size of each unknown at which the terms of all unknowns balance, shape ``(U,)``.

    The matrix of the equations at `frequencies` along each axis is balanced: rows and columns are scaled such that the
    largest product of its determinant has factors of one, and no other entry is larger (I. S. Duff, J. Koster, SIAM J.
    Matrix Anal. Appl. 22, 2001). Of all such sizes, these differ least. Example: the pressure of a slow flow has the
    size of its viscosity.
    """
    number = len(problem.unknowns)
    if number == 1:
        return np.ones(1)
    matrix = np.zeros((len(problem.equations), number))
    for row, orders, place, size in _terms(problem):
        matrix[row, place] += size * np.prod(frequencies**orders)
    heights = _heights(matrix)
    return np.asarray(np.exp(heights.min() - heights))


def _heights(matrix: FloatArray) -> FloatArray:
    """Logarithms of the divisors of columns: a linear program, and a second one for the least spread."""
    from scipy.optimize import linprog

    rows, columns = matrix.shape
    some = np.argwhere(matrix > 0)
    # unknowns: one height for each row, none of them negative, then for each column; then the lowest and the highest
    above = np.zeros((len(some), rows + columns + 2))
    above[np.arange(len(some)), some[:, 0]] = above[np.arange(len(some)), rows + some[:, 1]] = -1.0
    least = -np.log(matrix[some[:, 0], some[:, 1]])
    total = np.concatenate([np.ones(rows + columns), np.zeros(2)])
    bounds = [(0, None)] * rows + [(None, None)] * (columns + 2)
    best = linprog(total, above, least, bounds=bounds)
    if not best.success:  # the determinant vanishes
        return np.zeros(columns)
    each = np.zeros((2 * columns, rows + columns + 2))
    each[:columns, rows:-2], each[columns:, rows:-2] = -np.eye(columns), np.eye(columns)
    each[:columns, -2], each[columns:, -1] = 1.0, -1.0
    limits = np.concatenate([above, each, total[None]])
    most = np.concatenate([least, np.zeros(2 * columns), [best.fun + SAME * (1.0 + abs(best.fun))]])
    spread = np.concatenate([np.zeros(rows + columns), [-1.0, 1.0]])
    found = linprog(spread, limits, most, bounds=bounds)
    return np.asarray((found if found.success else best).x[rows:-2])


@cache_by_object
def _terms(problem: Problem) -> list[tuple[int, tuple[int, ...], int, float]]:
    """For each term: its equation, orders, unknown, and the largest size of its coefficient."""
    sites = Sites(problem.domain.sample(FEW_SITES, np.random.default_rng(0), "low-discrepancy"))  # samples only
    return [
        (row, term.orders, term.unknown, float(np.abs(term.at(sites)).max()))
        for row, equation in enumerate(problem.equations)
        for term in equation.operator.terms
    ]


def leaves_constant_open(problem: Problem) -> bool:
    """Whether a constant can be added to one of the unknowns, as with conditions on fluxes or periods alone.

    Not on an open domain: the field that is solved for vanishes at infinity.
    """
    if problem.domain.is_unbounded:
        return False
    # a periodic condition with a factor admits no constant
    operators = [r.operator for r in problem.relations if r.region.shift is None or r.region.factor != 1]
    determined = {term.unknown for operator in operators for term in operator.terms if term.order == 0}
    return not determined.issuperset(range(len(problem.unknowns)))


def with_data(
    problem: Problem, right_hand_side: Value | Sequence[Value] | None = None, values: Mapping[str, Any] | None = None
) -> Problem:
    """Replace right-hand sides and values of conditions, and keep operators, domain and kinds of conditions.

    Parameters
    ----------
    problem : Problem
    right_hand_side : number, Expr or callable, optional
        For a system a list of them, one for each equation.
    values : mapping, optional
        New values of conditions, by the name of a block (``"dirichlet x-"``, or ``"dirichlet x- u"`` with several
        unknowns) or by kind (``"dirichlet"``); with several unknowns, a mapping by unknown.
    """
    origin = partial(with_data, problem, right_hand_side, values)
    if problem.whole is not None:
        whole = with_data(problem.whole, right_hand_side, values)
        statement = replace(whole.statement, origin=origin)
        return problem_of(split_real_imaginary(Compiled(statement, whole.unknowns, whole.relations, whole.givens)))
    setting = problem.setting
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
    return problem_with(problem, statement, relations)


def _right_hand_sides(given: Any, number: int) -> list[Any]:
    """One value for each equation."""
    if number == 1 and not isinstance(given, list | tuple):
        return [given]
    if not isinstance(given, list | tuple) or len(given) != number:
        raise ProblemError(f"right_hand_side must be a list of {number}, one for each equation; got {given!r}")
    return list(given)


def _renewed(constraint: Relation, setting: Setting, values: Mapping[str, Any]) -> Relation:
    """A relation whose condition gets a new value, for this relation or another one."""
    condition, key = constraint.condition, _key(constraint, values)
    assert condition is not None
    if len(setting.unknowns) > 1 and not isinstance(condition, Condition):
        # stated for this unknown alone, as the others may have other values now
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
    """The new value of one of several unknowns, or its old one if a mapping leaves it out."""
    if not isinstance(value, Mapping):
        return value
    own = {at: one for at, _, one in by_unknown(value, "values", setting)}
    return own.get(place, constraint.value.source)


def _key(constraint: Relation, values: Mapping[str, Any]) -> str | None:
    """The key of the new value for a relation, if there is one."""
    assert constraint.condition is not None
    return next((key for key in (constraint.name, constraint.condition.kind) if key in values), None)


def _conditions(constraints: tuple[Relation, ...]) -> tuple[AnyCondition, ...]:
    """The conditions as they would be stated for single parts; those with several rules once."""
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


# Cosines in each sum.
_COSINES = 12


class SmoothSides:
    """Random smooth right-hand sides of relations: sums of cosines with at most `waves` waves along the domain."""

    def __init__(
        self, problem: Problem, names: Sequence[str], count: int, rng: np.random.Generator, waves: float
    ) -> None:
        self._problem, self.names = problem, list(names)
        shape = len(self.names), count, problem.dimension, _COSINES
        self._waves = 2 * np.pi * rng.uniform(0, waves, shape)
        self._phases = rng.uniform(0, 6, (len(self.names), count, 1, _COSINES))

    def with_periods(self) -> None:
        """Round to whole numbers of waves along periods, to avoid jumps there."""
        lower, upper = self._problem.domain.bounding_box
        for shift in (relation.region.shift for relation in self._problem.relations):
            if shift is not None:
                period = shift / (upper - lower)
                along = np.einsum("d,...dn->...n", period, self._waves)[..., None, :]
                whole = 2 * np.pi * np.round(along / (2 * np.pi))
                self._waves = self._waves + (whole - along) * (period / (period @ period))[:, None]

    def tied(self, name: str, points: FloatArray) -> NumberArray:
        """The values for a relation, times the factor of periodic conditions, shape ``(n, count)``."""
        regions = [r.region for r in self._problem.relations if r.region.shift is not None and r.region.factor != 1]
        if not regions:
            return self.at(name, points)
        shifts, logarithms = np.array([r.shift for r in regions]), np.log([complex(r.factor) for r in regions])
        growth = np.linalg.lstsq(shifts, logarithms, rcond=None)[0]
        return np.asarray(np.exp(points @ growth)[:, None] * self.at(name, points))

    def at(self, name: str, points: FloatArray) -> FloatArray:
        """The values for a relation, shape ``(n, count)``."""
        lower, upper = self._problem.domain.bounding_box
        unit, place = (points - lower) / (upper - lower), self.names.index(name)
        return np.asarray(np.cos(unit @ self._waves[place] + self._phases[place]).sum(axis=2).T)
