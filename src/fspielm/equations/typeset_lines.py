"""What a problem says, line by line: the equation and its domain, then every condition and its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from fspielm.equations.conditions import (
    AnyCondition,
    Condition,
    Dirichlet,
    Initial,
    Measured,
    Neumann,
    Periodic,
    Robin,
    Symmetry,
)
from fspielm.equations.normal import normal_derivative
from fspielm.equations.where import REST
from fspielm.geometry import Box, Domain, SpaceTime, Time

if TYPE_CHECKING:
    from fspielm.equations.problem import Problem


_LONG_NUMBER = re.compile(r"\d+\.\d{5,}(e[-+]?\d+)?")


@dataclass(frozen=True)
class TypesetLine:
    """Something that holds somewhere, to be set in one line.

    Attributes
    ----------
    what : Basic or str
        Mathematics, or words where it has no formula.
    where : tuple of Basic or str
        Mathematics and words, to be set one after the other.
    """

    what: sp.Basic | str
    where: tuple[sp.Basic | str, ...]


def typeset_lines(problem: Problem) -> list[TypesetLine]:
    """The equation with its domain, then every condition with its place."""
    stated = [TypesetLine(_equation(problem.equation), _domain(problem.domain, problem.coordinates))]
    return stated + [_stated(condition, problem) for condition in problem.conditions]


def _equation(equation: sp.Basic) -> sp.Basic:
    return equation if isinstance(equation, sp.Equality) else sp.Eq(equation, 0, evaluate=False)


def _domain(domain: Domain, coordinates: Sequence[sp.Symbol]) -> tuple[sp.Basic | str, ...]:
    """Where the equation holds: intervals for boxes and time, the shape as it is written otherwise."""
    if isinstance(domain, Time):
        ends = (_number(domain.start), _number(domain.end))
        return (sp.Contains(coordinates[-1], sp.Interval.Lopen(*ends), evaluate=False),)
    if isinstance(domain, SpaceTime):
        return (*_domain(domain.space, coordinates[:-1]), ",", *_domain(domain.time, coordinates[-1:]))
    if not isinstance(domain, Box):
        return ("in", _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.4g}", repr(domain)))
    inside: list[sp.Basic | str] = []
    for symbol, low, high in zip(coordinates, domain.lower, domain.upper, strict=True):
        interval = sp.Interval.open(_number(low), _number(high))
        inside += [",", sp.Contains(symbol, interval, evaluate=False)]
    return tuple(inside[1:])


def _where(on: Any) -> tuple[sp.Basic | str, ...]:
    if on is None:
        return ("on the boundary",)
    if isinstance(on, sp.Basic):
        return ("where", on)
    if isinstance(on, str):
        return ("on the rest of the boundary" if on == REST else f"on {on}",)
    if isinstance(on, tuple):
        return (f"on {', '.join(on)}",)
    return (f"where {_name(on)} holds",)


def _equals(left: sp.Expr, value: Any, problem: Problem) -> sp.Basic:
    return sp.Eq(left, _value(value, problem), evaluate=False)


def _value(value: Any, problem: Problem) -> sp.Expr:
    """A number, an expression, or a callable as a function of the coordinates under its own name."""
    if callable(value) and not isinstance(value, sp.Basic):
        return sp.Function(_name(value))(*problem.coordinates)
    return value if isinstance(value, sp.Basic) else _number(float(value))


def _name(function: Callable[..., Any]) -> str:
    name = str(getattr(function, "__name__", type(function).__name__))
    return "g" if name == "<lambda>" else name


def _number(value: float) -> sp.Expr:
    return sp.Integer(int(value)) if float(value).is_integer() else sp.Float(f"{value:.6g}")


@singledispatch
def _stated(condition: AnyCondition, problem: Problem) -> TypesetLine:
    """What a condition says; one that is not known here says it in its own words."""
    return TypesetLine(repr(condition), ())


@_stated.register(Dirichlet)
def _(condition: Dirichlet, problem: Problem) -> TypesetLine:
    return TypesetLine(_equals(problem.unknown, condition.value, problem), _where(condition.on))


@_stated.register(Neumann)
def _(condition: Neumann, problem: Problem) -> TypesetLine:
    slope = normal_derivative(problem.unknown)
    return TypesetLine(_equals(slope, condition.value, problem), _where(condition.on))


@_stated.register(Robin)
def _(condition: Robin, problem: Problem) -> TypesetLine:
    alpha, beta = (_value(value, problem) for value in (condition.alpha, condition.beta))
    mixture = alpha * problem.unknown + beta * normal_derivative(problem.unknown)
    return TypesetLine(_equals(mixture, condition.value, problem), _where(condition.on))


@_stated.register(Symmetry)
def _(condition: Symmetry, problem: Problem) -> TypesetLine:
    return TypesetLine(_equals(normal_derivative(problem.unknown), 0, problem), ("by symmetry", *_where(condition.on)))


@_stated.register(Periodic)
def _(condition: Periodic, problem: Problem) -> TypesetLine:
    faces = condition.faces
    return TypesetLine("periodic", (f"in {faces}",) if isinstance(faces, str) else (f"from {faces[0]} to {faces[1]}",))


@_stated.register(Initial)
def _(condition: Initial, problem: Problem) -> TypesetLine:
    time = problem.coordinates[-1]
    left = problem.unknown.diff(time, int(condition.order)) if condition.order else problem.unknown
    start = problem.domain.bounding_box[0][-1]
    return TypesetLine(
        _equals(left, condition.value, problem), ("at", sp.Eq(time, _number(float(start)), evaluate=False))
    )


@_stated.register(Measured)
def _(condition: Measured, problem: Problem) -> TypesetLine:
    count = len(np.atleast_1d(np.asarray(condition.points, dtype=np.float64)))
    return TypesetLine(problem.unknown, (f"measured at {count} point{'s' * (count > 1)}",))


@_stated.register(Condition)
def _(condition: Condition, problem: Problem) -> TypesetLine:
    where: tuple[sp.Basic | str, ...]
    if condition.at is None:
        where = _where(condition.on)
    elif isinstance(condition.at, tuple):
        count = len(condition.at)
        where = (f"at {count} point{'s' * (count > 1)}",)
    else:
        where = ("on a curve inside",)
    return TypesetLine(_equation(condition.equation), where)
