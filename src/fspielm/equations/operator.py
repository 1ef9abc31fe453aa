"""Linear differential operators: sums of coefficient times mixed partial derivative."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np

from fspielm.arrays import NumberArray
from fspielm.expressions import Field
from fspielm.geometry import Sites

Coefficient = complex | Callable[[Sites], NumberArray]


@dataclass(frozen=True)
class Term:
    """``coefficient * D^orders`` of one of the unknowns.

    Attributes
    ----------
    coefficient : number or callable
    orders : tuple of int
        The number of derivatives along each coordinate.
    unknown : int
        Which of the unknowns it takes, by its place among them.
    """

    coefficient: Coefficient
    orders: tuple[int, ...]
    unknown: int = 0

    @property
    def order(self) -> int:
        """Total order of the derivative."""
        return sum(self.orders)

    def at(self, sites: Sites) -> NumberArray:
        """The coefficient at each site, shape ``(n,)``."""
        if callable(self.coefficient):
            return self.coefficient(sites)
        return np.full(len(sites), self.coefficient)


@dataclass(frozen=True)
class Operator:
    """A linear differential operator on functions of `dimension` coordinates, or on several of them together."""

    dimension: int
    terms: tuple[Term, ...]

    @property
    def order(self) -> int:
        """The highest total order of any term."""
        return max((term.order for term in self.terms), default=0)

    @property
    def is_constant(self) -> bool:
        """Whether every coefficient is a number."""
        return not any(callable(term.coefficient) for term in self.terms)

    @property
    def unknowns(self) -> frozenset[int]:
        """Which of the unknowns it takes, by their places."""
        return frozenset(term.unknown for term in self.terms)

    @property
    def fields(self) -> dict[Field, str]:
        """The coefficients that are fields, with what they are called."""
        return {one.field: one.what for term in self.terms for one in _fields_in(term.coefficient)}

    @property
    def numbers(self) -> tuple[complex, ...]:
        """The numbers among the coefficients, and among their factors."""
        return tuple(number for term in self.terms for number in _numbers_in(term.coefficient))

    def times(self, coefficient: Coefficient) -> Operator:
        """The operator followed by a multiplication."""
        terms = (replace(t, coefficient=product(coefficient, t.coefficient)) for t in self.terms)
        return Operator(self.dimension, tuple(terms))

    def after(self, orders: tuple[int, ...]) -> Operator:
        """The derivative ``D^orders`` followed by the operator."""
        terms = (replace(t, orders=tuple(np.add(t.orders, orders).tolist())) for t in self.terms)
        return Operator(self.dimension, tuple(terms))

    def on(self, unknown: int) -> Operator:
        """The same operator on another one of the unknowns."""
        return Operator(self.dimension, tuple(replace(t, unknown=unknown) for t in self.terms))

    def part(self, unknown: int) -> Operator:
        """What it does to one of the unknowns, as an operator on that alone; without terms, if that is nothing."""
        return Operator(self.dimension, tuple(replace(t, unknown=0) for t in self.terms if t.unknown == unknown))

    def __add__(self, other: Operator) -> Operator:
        return Operator(self.dimension, self.terms + other.terms)

    def order_along(self, axes: range) -> int:
        """The highest order of any term counted over `axes` alone."""
        return max((sum(term.orders[axis] for axis in axes) for term in self.terms), default=0)


def derivative(orders: tuple[int, ...]) -> Operator:
    """The single derivative ``D^orders``; all zeros give the identity."""
    return Operator(len(orders), (Term(1.0, orders),))


def identity(dimension: int) -> Operator:
    """The operator that leaves a function as it is."""
    return derivative((0,) * dimension)


def along_normal(dimension: int, order: int = 1, axes: range | None = None) -> Operator:
    """The derivative of the given order along the outward normal of the sites it is applied at, the normal held fixed.

    Parameters
    ----------
    dimension : int
    order : int
    axes : range, optional
        Those that normals may point along, where that is not all: never along time.
    """
    if order == 0:
        return identity(dimension)
    axes = range(dimension) if axes is None else axes
    terms = []
    for chosen in combinations_with_replacement(axes, order):
        orders = tuple(chosen.count(axis) for axis in range(dimension))
        number = factorial(order) // prod(factorial(n) for n in orders)
        terms.append(Term(_NormalPower(orders, float(number)), orders))
    return Operator(dimension, tuple(terms))


@dataclass(frozen=True)
class _NormalPower:
    """``factor * normal^powers``: what ``D^powers`` is multiplied with in a normal derivative."""

    powers: tuple[int, ...]
    factor: float

    def __call__(self, sites: Sites) -> NumberArray:
        if sites.normals is None:
            raise ValueError("a normal derivative needs sites on a boundary")
        return np.asarray(self.factor * np.prod(sites.normals**self.powers, axis=1))


@dataclass(frozen=True)
class FieldCoefficient:
    """A coefficient that is a field; `what` names it where it has no value."""

    field: Field
    what: str

    def __call__(self, sites: Sites) -> NumberArray:
        """The field's values at `sites`."""
        return self.field.checked(sites.points, self.what, sites.normals)


@dataclass(frozen=True)
class Product:
    """One coefficient times another, at least one of which varies."""

    first: Coefficient
    second: Coefficient

    def __call__(self, sites: Sites) -> NumberArray:
        """The product at `sites`."""
        factors = [f(sites) if callable(f) else f for f in (self.first, self.second)]
        return np.asarray(factors[0] * factors[1])


def _fields_in(coefficient: Coefficient) -> tuple[FieldCoefficient, ...]:
    if isinstance(coefficient, Product):
        return _fields_in(coefficient.first) + _fields_in(coefficient.second)
    return (coefficient,) if isinstance(coefficient, FieldCoefficient) else ()


def _numbers_in(coefficient: Coefficient) -> tuple[complex, ...]:
    if isinstance(coefficient, Product):
        return _numbers_in(coefficient.first) + _numbers_in(coefficient.second)
    return () if callable(coefficient) else (coefficient,)


def field_coefficient(field: Field, what: str) -> Coefficient:
    """A field as a coefficient: a number where it is one."""
    return field.constant if field.constant is not None else FieldCoefficient(field, what)


def product(first: Coefficient, second: Coefficient) -> Coefficient:
    """One coefficient times another."""
    if callable(first) or callable(second):
        return second if first == 1.0 else first if second == 1.0 else Product(first, second)
    return first * second
