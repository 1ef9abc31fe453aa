"""Problems of one real unknown as parts of larger ones: of a system, or of a complex field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from random_families.conditions import as_callable
from random_families.draw import Draw

import fspielm as fs
from adversary_families.challenge import Challenge

_NORMAL = type(fs.normal_derivative(sp.Symbol("x")))
_KNOWN = (fs.Dirichlet, fs.Neumann, fs.Robin, fs.Condition, fs.Initial)


@dataclass(frozen=True)
class Mixture:
    """How a deceptive unknown and a harmless one are hidden in two: theirs are ``a - alpha b`` and ``b - beta a``."""

    alpha: float
    beta: float
    rate: float
    phase: float


def draw_mixture(draw: Draw) -> Mixture:
    """Drawn before the problem, so that a twin has the same."""
    return Mixture(draw.between(0.2, 0.8), draw.between(-0.8, 0.8), draw.between(0.5, 2), draw.phase())


def can_be_lifted(challenge: Challenge) -> bool:
    """Whether all that it states is known here."""
    conditions = challenge.problem.conditions
    return challenge.first is None and all(isinstance(c, _KNOWN) and getattr(c, "at", None) is None for c in conditions)


@dataclass(eq=False)
class _Statement:
    """A problem of one unknown, and functions given by name for what is a callable in it."""

    problem: fs.Problem
    given: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.given |= dict(self.problem.statement.given or {})

    @property
    def x(self) -> tuple[sp.Symbol, ...]:
        return self.problem.coordinates

    def equation(self, of: Any) -> Any:
        """What is to be zero, for another function than the unknown."""
        equation = self.problem.equation
        zero = equation.lhs - equation.rhs if isinstance(equation, sp.Equality) else equation
        return _put(zero, self.problem.unknown, of)

    def written(self, value: Any) -> Any:
        """An expression, also for a callable."""
        if isinstance(value, sp.Basic) or not callable(value):
            return sp.sympify(value)
        name = sp.Function(f"given{len(self.given)}")(*self.x)
        self.given[name] = value
        return name

    def condition(self, condition: Any, of: Callable[[Callable[[Any], Any]], Any]) -> tuple[Any, Any]:
        """Both sides of a condition; `of` takes what it does to a function, and applies that to another."""
        u = self.problem.unknown
        if isinstance(condition, fs.Condition):
            equation = condition.equation
            zero = equation.lhs - equation.rhs if isinstance(equation, sp.Equality) else equation
            value = -_put(zero, u, sp.Integer(0))
            return of(lambda v: _put(zero, u, v) + value), value
        value = self.written(condition.value)
        if isinstance(condition, fs.Neumann):
            return of(fs.normal_derivative), value
        if isinstance(condition, fs.Robin):
            alpha, beta = self.written(condition.alpha), self.written(condition.beta)
            return of(lambda v: alpha * v + beta * fs.normal_derivative(v)), value
        return of(lambda v: v), value


def _put(expression: Any, unknown: Any, function: Any) -> Any:
    return expression.subs(unknown, function).doit()


def lift_system(challenge: Challenge, mixture: Mixture) -> Challenge:
    """The same for two unknowns, one equation of which is the deceptive one."""
    statement = _Statement(challenge.problem)
    x, time = statement.x, challenge.problem.domain.time
    a, b = (sp.Function(name)(*x) for name in ("first", "second"))
    harmless = _harmless(challenge.problem, mixture)
    space = x if time is None else x[:-1]
    order = max([c.order + 1 for c in challenge.problem.conditions if isinstance(c, fs.Initial)], default=0)

    def other(v: Any) -> Any:
        return (v.diff(x[-1], order) if order else v) - sum(v.diff(s, 2) for s in space)

    def first(rule: Callable[[Any], Any]) -> Any:
        return rule(a) - mixture.alpha * rule(b)

    zero = statement.equation(sp.Integer(0))
    equations = [
        sp.Eq(first(lambda v: statement.equation(v) - zero), -zero, evaluate=False),
        sp.Eq(other(b) - mixture.beta * other(a), other(harmless), evaluate=False),
    ]
    conditions: list[Any] = [fs.Condition(sp.Eq(b - mixture.beta * a, harmless))]
    share = 1 / (1 - mixture.alpha * mixture.beta)
    for c in challenge.problem.conditions:
        if isinstance(c, fs.Initial):
            start = harmless.diff(x[-1], c.order).subs(x[-1], time.start if time is not None else 0)
            conditions.append(_started(c, (a, b), mixture, as_callable(start, x)))
            continue
        left, right = statement.condition(c, first)
        conditions.append(fs.Condition(sp.Eq(left, right, evaluate=False), on=c.on))
    exact = as_callable(harmless, x)

    def values(points: NDArray[np.float64]) -> NDArray[np.float64]:
        one, two = challenge.exact(points), exact(points)
        return np.stack([share * (one + mixture.alpha * two), share * (two + mixture.beta * one)], axis=1)

    problem = fs.Problem(
        equations, challenge.problem.domain, conditions, given=statement.given or None, unknowns=[a, b]
    )
    return replace(challenge, kind=f"system: {challenge.kind}", problem=problem, exact=values)


def _started(initial: Any, unknowns: Sequence[Any], mixture: Mixture, start: Callable[..., Any]) -> Any:
    """Initial values of both, as callables."""
    value, share = initial.value, 1 / (1 - mixture.alpha * mixture.beta)
    first = value if callable(value) and not isinstance(value, sp.Basic) else None
    known = first or as_callable(sp.sympify(value), unknowns[0].args)

    def one(points: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(share * (known(points) + mixture.alpha * start(points)))

    def two(points: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(share * (start(points) + mixture.beta * known(points)))

    return fs.Initial({unknowns[0]: one, unknowns[1]: two}, order=initial.order)


def _harmless(problem: fs.Problem, mixture: Mixture) -> Any:
    lower, upper = problem.domain.bounding_box
    s = [
        (v - float(m)) / float(h)
        for v, m, h in zip(problem.coordinates, (lower + upper) / 2, (upper - lower) / 2, strict=True)
    ]
    return 1 + sp.cos(mixture.rate * sum(s) / len(s) + mixture.phase) / 2


def lift_complex(challenge: Challenge, mixture: Mixture) -> Challenge:
    """The same for ``(1 + i alpha) u + i beta``, the equation turned in the complex plane from place to place."""
    statement = _Statement(challenge.problem)
    u = challenge.problem.unknown
    factor, offset = 1 + sp.I * mixture.alpha, sp.I * mixture.beta
    turn = sp.exp(sp.I * mixture.rate * (_harmless(challenge.problem, mixture) - 1))
    zero = statement.equation(sp.Integer(0))
    shifted = statement.equation(offset) - zero
    equation = sp.Eq(turn * (statement.equation(u) - zero), turn * (shifted - factor * zero), evaluate=False)
    conditions: list[Any] = []
    for c in challenge.problem.conditions:
        if isinstance(c, fs.Initial):
            value = factor * statement.written(c.value) + (offset if c.order == 0 else 0)
            conditions.append(replace(c, value=value))
            continue
        left, right = statement.condition(c, lambda rule: (rule(u), rule(sp.Symbol("shift"))))
        shift = sp.sympify(left[1]).replace(lambda e: isinstance(e, _NORMAL), lambda e: sp.Integer(0))
        conditions.append(
            fs.Condition(sp.Eq(left[0], factor * right + shift.subs("shift", offset), evaluate=False), on=c.on)
        )
    whole, apart = complex(factor), complex(offset)

    def values(points: NDArray[np.float64]) -> NDArray[Any]:
        return np.asarray(whole * challenge.exact(points) + apart)

    problem = fs.Problem(equation, challenge.problem.domain, conditions, given=statement.given or None)
    return replace(challenge, kind=f"complex: {challenge.kind}", problem=problem, exact=values)
