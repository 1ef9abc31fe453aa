"""The one operator that stands for several equations: the determinant of their matrix of operators.

With constant coefficients every unknown of a system satisfies the equation of its determinant, so its symbol says which
waves there are, how many conditions belong to a boundary, and what grows. Coefficients that vary are multiplied as if
they did not: the determinant is that of the equations frozen at a point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import TypeAlias

import numpy as np

from fspielm.arrays import NumberArray
from fspielm.errors import ProblemError
from fspielm.geometry.domain import Domain
from fspielm.geometry.points import Sites
from fspielm.problem.operator import Coefficient, Operator, Term

# Points at which it is seen whether coefficients cancel.
_SITES = 16
# Products that cancel to less than this share of their sum are rounding.
_ROUNDING = 1e-13

# Factors of the products that make up the coefficient of each derivative.
_Products: TypeAlias = dict[tuple[int, ...], list[tuple[Coefficient, ...]]]


def determinant(operators: Sequence[Operator], unknowns: int, domain: Domain) -> Operator:
    """The determinant of as many equations as there are unknowns; without terms, where it vanishes.

    Of more equations, the first ones whose determinant does not vanish count. Whether coefficients that vary cancel is
    seen at some points of the domain.
    """
    if unknowns == 1:
        return next((o for o in operators if o.order > 0), operators[0])
    dimension = operators[0].dimension
    for chosen in combinations(range(len(operators)), unknowns):
        rows = [[operators[i].part(j).terms for j in range(unknowns)] for i in chosen]
        products = _expand(rows, tuple(range(unknowns)), dimension)
        made = {orders: value for orders, value in _collected(products).items() if not _vanishes(value, domain)}
        if made:
            return Operator(dimension, tuple(Term(made[orders], orders) for orders in sorted(made)))
    return Operator(dimension, ())


def adjugate(operators: Sequence[Operator], unknowns: int) -> list[list[Operator]]:
    """The adjugate of the matrix of operators, row by row.

    Each of its columns, on any function that the determinant annihilates, is a field that the equations annihilate. Of
    more equations than unknowns, those count that make the `determinant`; without any, it is empty.
    """
    dimension = operators[0].dimension
    for chosen in combinations(range(len(operators)), unknowns):
        rows = [[operators[i].part(j).terms for j in range(unknowns)] for i in chosen]
        if _collected(_expand(rows, tuple(range(unknowns)), dimension)):
            return [[_cofactor(rows, i, j, dimension) for i in range(unknowns)] for j in range(unknowns)]
    return []


def _cofactor(rows: Sequence[Sequence[tuple[Term, ...]]], row: int, column: int, dimension: int) -> Operator:
    left = tuple(j for j in range(len(rows)) if j != column)
    made = _collected(_expand([*rows[:row], *rows[row + 1 :]], left, dimension))
    sign = -1.0 if (row + column) % 2 else 1.0
    return Operator(dimension, tuple(Term(made[orders], orders) for orders in sorted(made))).times(sign)


def _expand(rows: Sequence[Sequence[tuple[Term, ...]]], columns: tuple[int, ...], dimension: int) -> _Products:
    """Products of the determinant of the `columns` of all rows, along the first row."""
    if not rows:
        return {(0,) * dimension: [()]}
    found: _Products = {}
    for place, column in enumerate(columns):
        terms = rows[0][column]
        if not terms:
            continue
        minor = _expand(rows[1:], columns[:place] + columns[place + 1 :], dimension)
        sign = -1.0 if place % 2 else 1.0
        for term in terms:
            for orders, products in minor.items():
                total = tuple(a + b for a, b in zip(term.orders, orders, strict=True))
                found.setdefault(total, []).extend((sign, term.coefficient, *product) for product in products)
    return found


def _collected(products: _Products) -> dict[tuple[int, ...], Coefficient]:
    """One coefficient for each derivative, a number where its factors are; none where products cancel."""
    made: dict[tuple[int, ...], Coefficient] = {}
    for orders, each in products.items():
        varying = [product for product in each if any(callable(factor) for factor in product)]
        numbers = [prod(_numbers(product), start=1.0 + 0j) for product in each if product not in varying]
        total, size = sum(numbers), sum(map(abs, numbers))
        constant = 0.0 if abs(total) <= _ROUNDING * size else total if np.imag(total) else float(np.real(total))
        if varying:
            made[orders] = _SumOfProducts(tuple(varying), constant)
        elif constant:
            made[orders] = constant
    return made


def _vanishes(coefficient: Coefficient, domain: Domain) -> bool:
    """Whether a coefficient that varies is zero at some points all over the domain."""
    if not isinstance(coefficient, _SumOfProducts):
        return False
    sites = Sites(domain.sample(_SITES, np.random.default_rng(0), "low-discrepancy"))  # only looks
    try:
        return not np.any(coefficient(sites))
    except ProblemError:  # one has no value there: whoever needs it says so
        return False


def _numbers(product: tuple[Coefficient, ...]) -> list[complex]:
    return [factor for factor in product if not callable(factor)]


@dataclass(frozen=True)
class _SumOfProducts:
    """Products of coefficients, and a number, added up."""

    products: tuple[tuple[Coefficient, ...], ...]
    constant: complex

    def __call__(self, sites: Sites) -> NumberArray:
        known: dict[Coefficient, NumberArray] = {}  # each is a function of the user's, perhaps a slow one

        def at(factor: Coefficient) -> NumberArray | complex:
            if not callable(factor):
                return factor
            if factor not in known:
                known[factor] = factor(sites)
            return known[factor]

        total: NumberArray = np.full(len(sites), self.constant)
        size = np.abs(total)
        for product in self.products:
            value: NumberArray | complex = 1.0
            for factor in product:
                value = value * at(factor)
            total = total + value
            size = size + np.abs(value)
        return np.asarray(np.where(np.abs(total) <= _ROUNDING * size, 0.0, total))
