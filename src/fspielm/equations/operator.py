"""Linear differential operators: sums of coefficient times mixed partial derivative."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.geometry import Sites

Coefficient = float | Callable[[Sites], FloatArray]


@dataclass(frozen=True)
class Term:
    """``coefficient * D^orders``: `orders` counts the derivatives along each coordinate."""

    coefficient: Coefficient
    orders: tuple[int, ...]

    @property
    def order(self) -> int:
        """Total order of the derivative."""
        return sum(self.orders)

    def at(self, sites: Sites) -> FloatArray:
        """The coefficient at each site, shape ``(n,)``."""
        if callable(self.coefficient):
            return self.coefficient(sites)
        return np.full(len(sites), self.coefficient)


@dataclass(frozen=True)
class Operator:
    """A linear differential operator on functions of `dimension` coordinates."""

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

    def order_along(self, axes: range) -> int:
        """The highest order of any term counted over `axes` alone."""
        return max((sum(term.orders[axis] for axis in axes) for term in self.terms), default=0)


def derivative(orders: tuple[int, ...]) -> Operator:
    """The single derivative ``D^orders``; all zeros give the identity."""
    return Operator(len(orders), (Term(1.0, orders),))


def identity(dimension: int) -> Operator:
    """The operator that leaves a function as it is."""
    return derivative((0,) * dimension)


def normal_derivative(dimension: int) -> Operator:
    """The derivative along the outward normal of the sites it is applied at."""
    return Operator(
        dimension,
        tuple(
            Term(_NormalComponent(axis), tuple(int(axis == other) for other in range(dimension)))
            for axis in range(dimension)
        ),
    )


@dataclass(frozen=True)
class _NormalComponent:
    axis: int

    def __call__(self, sites: Sites) -> FloatArray:
        if sites.normals is None:
            raise ValueError("a normal derivative needs sites on a boundary")
        return sites.normals[:, self.axis]
