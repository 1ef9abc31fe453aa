"""Iterates to linearise around, and the coefficients that they determine."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import product
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.expr.functions import Field, Value, check_value
from fspielm.geometry.boundary import Sites
from fspielm.problem.operator import Operator
from fspielm.problem.setting import by_unknown, freeze

if TYPE_CHECKING:
    from fspielm.problem.nonlinear.law import Law
    from fspielm.problem.problem import Problem


# To differentiate a callable by interpolation: points along each axis, and their width relative to the domain.
_NODES = 7
_WIDTH = 0.02


class Iterate(Protocol):
    """Functions with values and derivatives at points, such as a `Solution`."""

    def evaluate_each(self, operators: Sequence[Operator], sites: Sites) -> NumberArray:
        """Each of T operators on the unknowns as written, at n sites; shape ``(T, n)``.

        Conjugates are further unknowns, after all others.
        """
        ...


def as_iterate(problem: Problem, guess: Any = None) -> Iterate:
    """A guess as an iterate for the unknowns of a problem.

    Parameters
    ----------
    problem : Problem
    guess : None, number, Expr, callable ``(n, d) -> (n,)``, Solution; or a mapping from unknowns to numbers, ...
        None is zero, as are unknowns that a mapping leaves out. Callables are differentiated numerically. An earlier
        solution must have the same unknowns; anything with ``evaluate_each`` is accepted.

    Raises
    ------
    ProblemError
        If it is none of these, or has other unknowns.
    """
    stated = problem.stated
    if hasattr(guess, "evaluate_each"):
        _check_solution(stated, guess)
        iterate: Iterate = guess
        return iterate
    if guess is not None:
        guess = freeze(guess, "guess", check_value)
    each = [] if guess is None else by_unknown(guess, "guess", stated.setting)
    values = {place: value for place, _, value in each}
    made = Guess(problem, tuple(values.get(place, 0) for place in range(len(stated.unknowns))))
    _ = made.fields  # checks the values
    return made


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
    """An iterate of numbers, expressions and callables, one for each unknown."""

    problem: Problem
    values: tuple[Value, ...]

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The values as functions of points."""
        setting = self.problem.stated.setting
        return tuple(setting.field(value, self._what(place)) for place, value in enumerate(self.values))

    def _what(self, place: int) -> str:
        return f"the guess for {self.problem.names[place]}" if len(self.values) > 1 else "the guess"

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
        field, what = self.fields[place], self._what(place)
        if isinstance(field.source, sp.Expr):
            if (place, orders) not in self._derived:
                along = zip(self.problem.coordinates, orders, strict=True)
                self._derived[place, orders] = self.problem.stated.setting.field(field.source.diff(*along), what)
            return self._derived[place, orders].checked(points, what)
        lower, upper = self.problem.domain.bounding_box
        return _finite_difference(lambda places: field.checked(places, what), orders, points, lower, upper)

    @cached_property
    def _derived(self) -> dict[tuple[int, tuple[int, ...]], Field]:
        return {}

    def __reduce__(self) -> tuple[type[Guess], tuple[Any, ...]]:
        return Guess, (self.problem, self.values)  # compiled fields cannot be pickled


def _finite_difference(
    function: Callable[[FloatArray], NumberArray],
    orders: tuple[int, ...],
    points: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
) -> NumberArray:
    """A derivative of a callable by interpolation at nearby points within the box."""
    axes = [axis for axis, order in enumerate(orders) if order]
    if not axes:
        return function(points)
    powers, width = np.arange(_NODES), _WIDTH * (upper - lower)
    offsets, steps = powers - (_NODES - 1) / 2, width / (_NODES - 1)
    centers = np.clip(points, lower + 0.5 * width, upper - 0.5 * width)
    weights = []
    for axis in axes:
        place, order = (points[:, axis] - centers[:, axis]) / steps[axis], orders[axis]
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


# ---- Coefficients that an iterate makes


# Cached sets of points: the coefficients of one block of rows are needed in succession.
_REMEMBERED = 4
# Replaces the iterate in outlines: hardly any term is infinite there.
_NUMBER = sp.GoldenRatio


@final
@dataclass(frozen=True, eq=False)
class SlotValues:
    """The slots of a nonlinear problem around an iterate, times a share; those of a law are evaluated together."""

    problem: Problem
    iterate: Iterate
    share: float = 1.0
    _known: OrderedDict[tuple[int, bytes], list[NumberArray]] = field(default_factory=OrderedDict, repr=False)
    _lock: Any = field(default_factory=Lock, repr=False)

    def values(self, law: int, slot: int, sites: Sites) -> NumberArray:
        """The values ``(n,)`` of one slot of a law."""
        normals = b"" if sites.normals is None else sites.normals.tobytes()
        key = law, blake2b(sites.points.tobytes() + normals, digest_size=16).digest()
        with self._lock:
            found = self._known.get(key)
        if found is None:
            found = self._laws[law].slots(self.iterate, sites)
            if self.share != 1.0:
                found = [self.share * values for values in found]
            with self._lock:
                self._known[key] = found
                while len(self._known) > _REMEMBERED:
                    self._known.popitem(last=False)
        return found[slot]

    def outline(self, law: int, slot: int) -> sp.Expr:
        """The expression of a slot with a number for the iterate."""
        of = self._laws[law]
        return of.linear.slots[slot].expression.xreplace(dict.fromkeys(of.jet.symbols, _NUMBER))

    @property
    def _laws(self) -> Sequence[Law]:
        assert self.problem.nonlinear is not None
        return self.problem.nonlinear.laws

    def __reduce__(self) -> tuple[type[SlotValues], tuple[Problem, Iterate, float]]:
        return SlotValues, (self.problem, self.iterate, self.share)


@final
@dataclass(eq=False)
class MovableIterate:
    """An `SlotValues` whose iterate can be replaced, for one linear problem with many iterates.

    Before the first iterate it has placeholder values, so that nothing that happens to be zero counts as always zero.
    """

    placeholder: Callable[[int, int], Placeholder]
    at: SlotValues | None = None

    def values(self, law: int, slot: int, sites: Sites) -> NumberArray:
        """The values ``(n,)`` of one slot of a law at the current iterate."""
        return self.placeholder(law, slot)(sites.points) if self.at is None else self.at.values(law, slot, sites)

    def outline(self, law: int, slot: int) -> sp.Expr:
        """See `SlotValues.outline`."""
        assert self.at is not None
        return self.at.outline(law, slot)


@dataclass(frozen=True, eq=False)
class _SlotValues:
    """One slot of a law."""

    is_slot: ClassVar[bool] = True

    around: SlotValues | MovableIterate
    law: int
    slot: int

    @property
    def outline(self) -> sp.Expr:
        """See `SlotValues.outline`."""
        return self.around.outline(self.law, self.slot)


@final
@dataclass(frozen=True, eq=False)
class AtPoints(_SlotValues):
    """One slot as a function of points."""

    def __call__(self, points: FloatArray) -> NumberArray:
        """Values ``(n,)``."""
        return self.around.values(self.law, self.slot, Sites(points))


@final
@dataclass(frozen=True, eq=False)
class AtSites(_SlotValues):
    """One slot as a function of points and normals."""

    def __call__(self, points: FloatArray, normals: FloatArray) -> NumberArray:
        """Values ``(n,)``."""
        return self.around.values(self.law, self.slot, Sites(points, normals))


@final
@dataclass(frozen=True, eq=False)
class Placeholder:
    """Arbitrary values of a slot before there is an iterate: not zero, and not constant."""

    number: int
    is_complex: bool

    def __call__(self, points: FloatArray) -> NumberArray:
        """Values ``(n,)``."""
        phases = points @ np.sqrt(np.arange(2.0, 2.0 + points.shape[1])) + self.number
        return np.asarray(1.0 + 0.5 * np.exp(1j * phases) if self.is_complex else 1.0 + 0.5 * np.cos(phases))
