"""The problem of one window in time, which begins where the last one ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import factorial
from typing import Any, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations import Operator, Problem
from fspielm.equations.conditions import Initial, Measured
from fspielm.equations.nonlinear import Iterate
from fspielm.equations.operator import derivative
from fspielm.equations.problem import compile_statement
from fspielm.errors import ProblemError
from fspielm.geometry import Sites, Time
from fspielm.geometry.time import SpaceTime
from fspielm.solution import Solution


def check_windows(problem: Problem) -> None:
    """Refuse what cannot be solved window by window; each window is solved with cells."""
    domain, statement = problem.domain, problem.statement
    reason = ""
    if domain.time is None:
        reason = "the domain has no time; write domain=space * fs.Time(start, end)"
    elif domain.dimension > 2:
        reason = f"each is solved with cells, which are for one dimension and time; this one has {domain.dimension}"
    elif problem.interfaces:
        reason = "they do not know materials yet"
    elif any(isinstance(condition, Measured) for condition in statement.conditions):
        reason = "measured values belong to one window or another; solve it as a whole"
    elif not any(isinstance(condition, Initial) for condition in statement.conditions):
        reason = "there is no fs.Initial to begin with"
    elif statement.origin is not None:
        reason = "the problem was made of another one; solve that"
    if reason:
        raise ProblemError(f'approach="windows" solves one window in time after the other: {reason}')


def problem_during(problem: Problem, during: Time, before: Solution | None) -> Problem:
    """The problem on a part of its time, from where the solution of the part before ended."""
    statement = problem.statement
    whole = statement.domain
    domain = whole.space * during if isinstance(whole, SpaceTime) else during
    conditions = statement.conditions
    if before is not None:
        conditions = tuple(_from(before, one) if isinstance(one, Initial) else one for one in conditions)
    return compile_statement(replace(statement, domain=domain, conditions=conditions))


def _from(before: Solution, condition: Initial) -> Initial:
    """The condition with the values that a solution ended with."""
    stated = before.problem.stated
    names = list(condition.value) if isinstance(condition.value, Mapping) else [stated.unknowns[0].symbol]
    orders = (0,) * (stated.dimension - 1) + (int(condition.order),)
    values = {stated.unknowns[stated.place(name)].symbol: stated.place(name) for name in names}
    carried = {symbol: Carried(before, derivative(orders).on(place)) for symbol, place in values.items()}
    return replace(condition, value=carried)


@final
@dataclass(frozen=True, eq=False)
class Carried:
    """What a solution ended with, as a function of points ``(n, d)``."""

    before: Solution
    operator: Operator

    def __call__(self, points: FloatArray) -> NumberArray:
        """Values ``(n,)``."""
        return self.before.evaluate(self.operator, points)


@final
@dataclass(frozen=True, eq=False)
class Held:
    """A guess: what a state at some time goes on as with its time derivatives below an order, and no others.

    Attributes
    ----------
    state : Iterate
    at : float
    order : int
    """

    state: Iterate
    at: float
    order: int

    def evaluate_each(self, operators: Sequence[Operator], sites: Sites) -> NumberArray:
        """Each of T operators, at n sites; shape ``(T, n)``."""
        points = sites.points.copy()
        points[:, -1] = self.at
        later, there = sites.points[:, -1] - self.at, replace(sites, points=points)
        needed = {(term.unknown, term.orders) for operator in operators for term in operator.terms}
        known = {}
        for unknown, orders in sorted(needed):
            total: NumberArray = np.zeros(len(sites))
            for order in range(orders[-1], self.order):
                power = order - orders[-1]
                own = derivative((*orders[:-1], order)).on(unknown)
                total = total + later**power / factorial(power) * self.state.evaluate_each([own], there)[0]
            known[unknown, orders] = total
        rows = [
            sum((term.at(sites) * known[term.unknown, term.orders] for term in operator.terms), np.zeros(len(sites)))
            for operator in operators
        ]
        return np.array(rows).reshape(len(operators), len(sites))


def guess_at_start(problem: Problem) -> dict[Any, Any]:
    """What the data at the start go on as, by unknown; callables as they are, without what comes with time."""
    assert problem.domain.time is not None
    begin, now = problem.domain.time.start, problem.coordinates[-1]
    stated = problem.stated
    found: dict[Any, Any] = {}
    given = [condition for condition in problem.statement.conditions if isinstance(condition, Initial)]
    for condition in sorted(given, key=lambda one: one.order):
        value, power = condition.value, int(condition.order)
        each = value if isinstance(value, Mapping) else {stated.unknowns[0].symbol: value}
        for name, own in each.items():
            symbol = stated.unknowns[stated.place(name)].symbol
            before = found.get(symbol, 0)
            if callable(own) and not power:
                found[symbol] = own
            elif not callable(own) and not callable(before):
                later = (now - begin) ** power / factorial(power)
                found[symbol] = before + later * sp.sympify(own).subs(now, begin)
    return found


def order_in_time(problem: Problem) -> int:
    """How many data the start has: the highest order of an initial condition, and one."""
    orders = [int(one.order) for one in problem.statement.conditions if isinstance(one, Initial)]
    return 1 + max(orders)
