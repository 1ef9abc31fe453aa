"""Functions to linearise around: solutions, and guesses in whatever form they were written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Protocol, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations.operator import Operator
from fspielm.equations.per_unknown import by_unknown, freeze
from fspielm.equations.setting import Setting
from fspielm.errors import ProblemError
from fspielm.expressions import Field, Value, check_value
from fspielm.geometry import Sites

if TYPE_CHECKING:
    from fspielm.equations.problem import Problem

# Of a callable, derivatives are those of polynomials through so many points along each axis, so far apart in all.
_NODES = 7
_WIDTH = 0.02


class Iterate(Protocol):
    """What has values and derivatives at points: a `Solution`, for one."""

    def evaluate_each(self, operators: Sequence[Operator], sites: Sites) -> NumberArray:
        """Each of T operators on the unknowns as they were written, at n sites; shape ``(T, n)``.

        Their conjugates are further unknowns, after all others.
        """
        ...


def as_iterate(problem: Problem, guess: Any = None) -> Iterate:
    """What a guess means for the unknowns of a problem.

    Parameters
    ----------
    problem : Problem
    guess : None, number, Expr, callable ``(n, d) -> (n,)``, Solution; or a mapping from unknowns to numbers, ...
        None is zero, and so is an unknown that a mapping leaves out. Derivatives of callables are taken numerically. An
        earlier solution is of the same unknowns; anything with its ``evaluate_each`` will do.

    Raises
    ------
    ProblemError
        If it is none of these, or of other unknowns.
    """
    stated = problem.stated
    if hasattr(guess, "evaluate_each"):
        _check_solution(stated, guess)
        iterate: Iterate = guess
        return iterate
    if guess is not None:
        guess = freeze(guess, "guess", check_value)
    each = [] if guess is None else by_unknown(guess, "guess", _setting(problem))
    values = {place: value for place, _, value in each}
    made = Guess(problem, tuple(values.get(place, 0) for place in range(len(stated.unknowns))))
    _ = made.fields  # which says what is wrong
    return made


def _setting(problem: Problem) -> Setting:
    stated = problem.stated
    return Setting(stated.unknowns, stated.givens, stated.domain)


def _check_solution(problem: Problem, guess: Any) -> None:
    other = getattr(guess, "problem", None)
    if other is None:
        return
    if tuple(other.names) != tuple(problem.names) or other.dimension != problem.dimension:
        its, own = (", ".join(str(unknown.symbol) for unknown in p.stated.unknowns) for p in (other, problem))
        raise ProblemError(
            f"guess is a solution for {its}, but the unknowns are {own}; give functions by name, as in "
            f"guess={{{problem.names[0]}: ...}}"
        )


@final
@dataclass(frozen=True, eq=False)
class Guess:
    """Numbers, expressions and callables, one for each unknown.

    Attributes
    ----------
    problem : Problem
        Whose unknowns they are for.
    values : tuple of number, Expr or callable
    """

    problem: Problem
    values: tuple[Value, ...]

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The values as functions of points."""
        names = self.problem.names if len(self.values) > 1 else ("",)
        each = zip(self.values, names, strict=True)
        return tuple(_setting(self.problem).field(value, _what(name)) for value, name in each)

    def evaluate_each(self, operators: Sequence[Operator], sites: Sites) -> NumberArray:
        """Each of T operators, at n sites; shape ``(T, n)``."""
        needed = {(term.unknown, term.orders) for operator in operators for term in operator.terms}
        known = {key: self._derivative(*key, sites.points) for key in sorted(needed)}
        rows = [
            sum((term.at(sites) * known[term.unknown, term.orders] for term in operator.terms), np.zeros(len(sites)))
            for operator in operators
        ]
        return np.array(rows).reshape(len(operators), len(sites))

    def _derivative(self, place: int, orders: tuple[int, ...], points: FloatArray) -> NumberArray:
        if place >= len(self.values):
            return self._derivative(place - len(self.values), orders, points).conj()
        field = self.fields[place]
        what = _what(self.problem.names[place] if len(self.values) > 1 else "")
        if isinstance(field.source, sp.Expr):
            if (place, orders) not in self._derived:
                along = zip(self.problem.coordinates, orders, strict=True)
                self._derived[place, orders] = _setting(self.problem).field(field.source.diff(*along), what)
            return self._derived[place, orders].checked(points, what)
        lower, upper = self.problem.domain.bounding_box
        return _difference(lambda places: field.checked(places, what), orders, points, lower, upper)

    @cached_property
    def _derived(self) -> dict[tuple[int, tuple[int, ...]], Field]:
        return {}

    def __reduce__(self) -> tuple[type[Guess], tuple[Any, ...]]:
        return Guess, (self.problem, self.values)  # what was compiled cannot be pickled


def _what(name: str) -> str:
    return f"the guess for {name}" if name else "the guess"


def _difference(
    function: Callable[[FloatArray], NumberArray],
    orders: tuple[int, ...],
    points: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
) -> NumberArray:
    """A derivative of a function that has none: of the polynomial through its values nearby, within the box."""
    axes = [axis for axis, order in enumerate(orders) if order]
    if not axes:
        return function(points)
    offsets = np.arange(_NODES) - (_NODES - 1) / 2
    steps = _WIDTH * (upper - lower) / (_NODES - 1)
    reach = 0.5 * _WIDTH * (upper - lower)
    centers = np.clip(points, lower + reach, upper - reach)
    powers = np.arange(_NODES)
    weights = []
    for axis in axes:
        place = (points[:, axis] - centers[:, axis]) / steps[axis]
        order = orders[axis]
        factors = np.prod([powers - k for k in range(order)], axis=0)
        slopes = factors[:, None] * place ** np.maximum(powers - order, 0)[:, None] / steps[axis] ** order
        weights.append(np.linalg.solve(offsets ** powers[:, None], slopes))
    total: NumberArray = np.zeros(len(points))
    for chosen in product(range(_NODES), repeat=len(axes)):
        places = points.copy()
        for axis, node in zip(axes, chosen, strict=True):
            places[:, axis] = centers[:, axis] + offsets[node] * steps[axis]
        total = total + function(places) * np.prod([w[node] for w, node in zip(weights, chosen, strict=True)], axis=0)
    return total
