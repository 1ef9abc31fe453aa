"""A linear problem in which a symbol stands for the eigenvalue: what multiplies each of its powers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb
from typing import Any, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations import Operator, Problem, Relation, Term
from fspielm.equations.operator import Coefficient
from fspielm.errors import ProblemError
from fspielm.geometry import Sites

# The highest power of the eigenvalue.
MOST_DEGREE = 4
# Values of the symbol at which coefficients are looked at, in units of their scale: two more than powers tell a
# polynomial from other functions.
_NODES = (-1.0, 1.0, -0.5, 0.5, 0.25, -0.75)
_PLACES = 64
# Of a coefficient, what rounding leaves of a power that it does not have.
_NOTHING = 1e-11
_REMEMBERED = 16


@final
@dataclass(frozen=True, eq=False)
class Pencil:
    """Problems that differ in one number, on which their operators depend as polynomials do.

    Attributes
    ----------
    problem : Problem
    symbol : Symbol
        The eigenvalue.
    powers : tuple of dict of str to Operator
        What multiplies the first power of the symbol, the second, and so on, in the relations of these names.
    """

    problem: Problem
    symbol: sp.Symbol
    powers: tuple[Mapping[str, Operator], ...]

    def at(self, value: complex) -> Problem:
        """The problem with a value of the symbol."""
        return self._remembered(_plain(value))

    @cached_property
    def _remembered(self) -> Callable[[complex], Problem]:
        return lru_cache(maxsize=_REMEMBERED)(lambda value: with_value(self.problem, self.symbol, value))

    @property
    def degree(self) -> int:
        """The highest power."""
        return len(self.powers)

    def around(self, shift: complex) -> tuple[Mapping[str, Operator], ...]:
        """What multiplies the powers of the distance from a shift, from the first on."""
        found: list[dict[str, Operator]] = []
        for order in range(1, self.degree + 1):
            own: dict[str, Operator] = {}
            for power in range(order, self.degree + 1):
                number = comb(power, order) * shift ** (power - order)
                for name, operator in self.powers[power - 1].items():
                    part = operator.times(_plain(number))
                    own[name] = own[name] + part if name in own else part
            found.append(own)
        return tuple(found)


def with_value(problem: Problem, symbol: sp.Symbol, value: complex) -> Problem:
    """The problem with a value of one of its parameters."""
    return problem.at({symbol: _plain(value)})


def pencil_of(problem: Problem, symbol: sp.Symbol) -> Pencil | None:
    """The problem as a polynomial in a symbol; None where it is none, or has higher powers than `MOST_DEGREE`."""
    first = _tables(problem, symbol, 1.0)
    # so far apart that the power differs as much as what it is added to: differences are rounding otherwise
    scale = max((table.scale for tables in first.values() for table in tables.values()), default=1.0)
    tables = first if scale <= 1.0 else _tables(problem, symbol, 2.0 ** np.ceil(np.log2(scale)))
    if not all(table.is_polynomial for own in tables.values() for table in own.values()):
        return None
    powers: list[dict[str, Operator]] = [{} for _ in range(MOST_DEGREE)]
    for name, own in tables.items():
        for power in range(1, MOST_DEGREE + 1):
            terms = tuple(table.term(power) for table in own.values() if table.has(power))
            if terms:
                powers[power - 1][name] = Operator(problem.dimension, terms)
    while powers and not powers[-1]:
        powers.pop()
    return Pencil(problem, symbol, tuple(powers))


@dataclass(frozen=True, eq=False)
class _Table:
    """One term of a relation at the nodes: its coefficients, and their values at some places, ``(K, n)``."""

    orders: tuple[int, ...]
    unknown: int
    coefficients: tuple[tuple[Coefficient, ...], ...]
    values: NumberArray
    nodes: FloatArray

    @cached_property
    def _fitted(self) -> NumberArray:
        """Coefficients of polynomials in the symbol, in units of the nodes' scale, ``(P + 1, n)``."""
        unit = self.nodes / np.abs(self.nodes).max()
        return np.asarray(
            np.linalg.lstsq(np.vander(unit, MOST_DEGREE + 1, increasing=True), self.values, rcond=None)[0]
        )

    @property
    def is_polynomial(self) -> bool:
        unit = self.nodes / np.abs(self.nodes).max()
        left = self.values - np.vander(unit, MOST_DEGREE + 1, increasing=True) @ self._fitted
        return bool(np.abs(left).max() <= 10 * _NOTHING * np.abs(self.values).max())

    def has(self, power: int) -> bool:
        return bool(np.abs(self._fitted[power]).max() > _NOTHING * np.abs(self.values).max())

    @property
    def degree(self) -> int:
        return max((power for power in range(1, MOST_DEGREE + 1) if self.has(power)), default=0)

    @property
    def scale(self) -> float:
        """Values of the symbol at which its power weighs as much as what there is without it."""
        if not self.degree:
            return 1.0
        sizes = np.abs(self._fitted).max(axis=1)
        return float(np.abs(self.nodes).max() * (sizes[0] / sizes[self.degree]) ** (1 / self.degree))

    def term(self, power: int) -> Term:
        """What multiplies a power of the symbol."""
        count = self.degree + 1  # nodes that are enough: of few, differences may be exact
        weights = np.linalg.inv(np.vander(self.nodes[:count], count, increasing=True))[power]
        used = self.coefficients[:count]
        if all(not callable(each) for own in used for each in own):
            number = sum(weight * sum(own) for weight, own in zip(weights.tolist(), used, strict=True))  # type: ignore[arg-type]
            return Term(_plain(number), self.orders, self.unknown)
        return Term(_Combined(tuple(weights.tolist()), used), self.orders, self.unknown)


@final
@dataclass(frozen=True)
class _Combined:
    """A sum of coefficients with weights."""

    weights: tuple[float, ...]
    coefficients: tuple[tuple[Coefficient, ...], ...]

    def __call__(self, sites: Sites) -> NumberArray:
        total: Any = 0.0
        for weight, own in zip(self.weights, self.coefficients, strict=True):
            total = total + weight * _sum_at(own, sites)
        return np.asarray(total)


def _tables(problem: Problem, symbol: sp.Symbol, scale: float) -> dict[str, dict[Any, _Table]]:
    """All terms of all relations that may depend on the symbol, with values of it of this size."""
    nodes = scale * np.array(_NODES)
    problems = [with_value(problem, symbol, node) for node in nodes]
    rng = np.random.default_rng(0)  # only looks
    found: dict[str, dict[Any, _Table]] = {}
    for relations in zip(*(each.relations for each in problems), strict=True):
        if len({relation.region.factor for relation in relations}) > 1:
            raise ProblemError(
                f"the factor of {relations[0].name!r} depends on {symbol}, of which all must be polynomials; give the "
                "factor, and take another symbol for the eigenvalue"
            )
        sites = relations[0].sample(_PLACES, rng, "low-discrepancy")
        by_term = [_by_term(relation) for relation in relations]
        keys = dict.fromkeys(key for each in by_term for key in each)
        found[relations[0].name] = {
            key: _Table(
                *key,
                tuple(each.get(key, ()) for each in by_term),
                np.array([_sum_at(each.get(key, ()), sites) for each in by_term]),
                nodes,
            )
            for key in keys
        }
    return found


def _by_term(relation: Relation) -> dict[tuple[tuple[int, ...], int], tuple[Coefficient, ...]]:
    found: dict[tuple[tuple[int, ...], int], tuple[Coefficient, ...]] = {}
    for term in relation.operator.terms:
        key = term.orders, term.unknown
        found[key] = (*found.get(key, ()), term.coefficient)
    return found


def _sum_at(coefficients: Sequence[Coefficient], sites: Sites) -> NumberArray:
    total: NumberArray = np.zeros(len(sites))
    for each in coefficients:
        total = total + (each(sites) if callable(each) else each)
    return total


def _plain(value: complex) -> complex:
    """A Python number, real where its imaginary part is zero."""
    number = complex(value)
    return number.real if number.imag == 0 else number
