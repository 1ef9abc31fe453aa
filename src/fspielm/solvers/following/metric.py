"""Lengths and angles in the space of solutions and parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.collocation import Finite
from fspielm.equations import identity
from fspielm.features.evaluation import tabulate
from fspielm.geometry import Sites

# Points at which functions are compared.
_POINTS = 400


@final
@dataclass(frozen=True, eq=False)
class Place:
    """A function and a value of the parameter; or the difference of two such.

    Attributes
    ----------
    coefficients : (M,) array
    value : float
        Of the parameter.
    """

    coefficients: FloatArray
    value: float

    @classmethod
    def of(cls, vector: FloatArray) -> Place:
        """That which has this `vector`."""
        return cls(vector[:-1].copy(), float(vector[-1]))

    @property
    def vector(self) -> FloatArray:
        """The coefficients, and then the value."""
        return np.append(self.coefficients, self.value)

    def moved(self, length: float, along: Place) -> Place:
        """So far in a direction."""
        return Place(self.coefficients + length * along.coefficients, self.value + length * along.value)

    def minus(self, other: Place) -> Place:
        """What leads from another one to this one."""
        return self.moved(-1.0, other)

    def scaled(self, factor: float) -> Place:
        """A multiple."""
        return Place(factor * self.coefficients, factor * self.value)


@final
@dataclass(frozen=True, eq=False)
class Metric:
    """Root mean squares of functions, and the parameter, each in a unit of its own.

    Attributes
    ----------
    values : tuple of (n, M) arrays
        The functions at points all over the domain, for each unknown.
    sides : (n,) array
        Weights of the points by which functions of opposite signs are told apart, whatever their symmetry is.
    unit : float
        Of functions.
    length : float
        That of the parameter.
    """

    values: tuple[FloatArray, ...]
    sides: FloatArray
    unit: float
    length: float

    @classmethod
    def on(cls, finite: Finite, unit: float, length: float) -> Metric:
        """For functions of a discretisation."""
        problem = finite.problem
        points = Sites(problem.domain.sample(_POINTS, np.random.default_rng(0), "low-discrepancy"))
        operators = [identity(problem.dimension).on(place) for place in range(len(problem.unknowns))]
        values = tuple(tabulate(finite.basis, operator, points, threads=finite.threads) for operator in operators)
        lower, upper = problem.domain.bounding_box
        sides = 1.0 + ((points.points - lower) / (upper - lower)) @ np.sqrt(np.arange(2.0, 2.0 + problem.dimension))
        return cls(values, sides, unit, length)

    def inner(self, one: Place, other: Place) -> float:
        """The inner product."""
        first, second = self.seen(one.coefficients), self.seen(other.coefficients)
        return float(np.mean(first * second)) / self.unit**2 + one.value * other.value / self.length**2

    def norm(self, one: Place) -> float:
        """The length."""
        return float(np.sqrt(self.inner(one, one)))

    def unit_of(self, one: Place) -> Place:
        """A direction of length one."""
        return one.scaled(1.0 / self.norm(one))

    def size(self, coefficients: FloatArray) -> float:
        """Root mean square of a function."""
        return float(np.sqrt(np.mean(self.seen(coefficients) ** 2)))

    def signed_size(self, coefficients: FloatArray) -> float:
        """The same, with a sign that is the other one for the function times minus one."""
        sides = self.seen(coefficients).reshape(len(self.values), -1) @ self.sides
        return float(np.copysign(self.size(coefficients), sides[np.argmax(np.abs(sides))]))

    def seen(self, coefficients: FloatArray) -> FloatArray:
        """Its values at the points, all unknowns in a row."""
        return np.concatenate([np.asarray(values @ coefficients) for values in self.values])

    def with_unit(self, unit: float) -> Metric:
        """The same with another unit of functions."""
        return replace(self, unit=unit)
