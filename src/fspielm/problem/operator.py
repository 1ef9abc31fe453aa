"""Linear differential operators, and the determinant of several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from itertools import combinations, combinations_with_replacement
from math import factorial, prod
from typing import Any, TypeAlias, TypeVar, final
from weakref import WeakKeyDictionary

import numpy as np
import sympy as sp
from sympy.core.evalf import PrecisionExhausted
from sympy.core.function import AppliedUndef

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.expr.functions import Field, describe, simplest_number
from fspielm.expr.identities import is_multiple
from fspielm.geometry.boundary import Sites
from fspielm.geometry.domain import Domain
from fspielm.numerics.tolerances import ITERATIONS, ROUNDED, ROUNDING

# Samples that tell what a coefficient is like: whether it is zero, complex, or cancels others.
FEW_SITES = 64

K = TypeVar("K")
T = TypeVar("T")


def cache_by_object(find: Callable[[K], T]) -> Callable[[K], T]:
    """Cache the result of `find` for each object, as long as that object lives."""
    known: WeakKeyDictionary[K, T] = WeakKeyDictionary()

    @wraps(find)
    def found(thing: K) -> T:
        if thing not in known:
            known[thing] = find(thing)
        return known[thing]

    return found


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
        The index of the unknown.
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
    """A linear differential operator on one or several functions of `dimension` coordinates."""

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
        """The indices of the unknowns in its terms."""
        return frozenset(term.unknown for term in self.terms)

    @property
    def fields(self) -> dict[Field, str]:
        """The coefficients that are fields, with their names."""
        factors = [factor for term in self.terms for factor in _factors(term.coefficient)]
        return {factor.field: factor.what for factor in factors if isinstance(factor, FieldCoefficient)}

    @property
    def numbers(self) -> tuple[complex, ...]:
        """The numbers among the coefficients and their factors."""
        factors = [factor for term in self.terms for factor in _factors(term.coefficient)]
        return tuple(factor for factor in factors if not callable(factor))

    @property
    def by_derivative(self) -> dict[tuple[tuple[int, ...], int], list[Term]]:
        """The terms of each derivative of each unknown, by their orders and the index of the unknown."""
        groups: dict[tuple[tuple[int, ...], int], list[Term]] = {}
        for term in self.terms:
            groups.setdefault((term.orders, term.unknown), []).append(term)
        return groups

    def times(self, coefficient: Coefficient) -> Operator:
        """The operator times a coefficient."""
        terms = (replace(t, coefficient=product(coefficient, t.coefficient)) for t in self.terms)
        return Operator(self.dimension, tuple(terms))

    def after(self, orders: tuple[int, ...]) -> Operator:
        """The operator applied to the derivative ``D^orders``."""
        terms = (replace(t, orders=tuple(np.add(t.orders, orders).tolist())) for t in self.terms)
        return Operator(self.dimension, tuple(terms))

    def on(self, unknown: int) -> Operator:
        """The same operator on another unknown."""
        return Operator(self.dimension, tuple(replace(t, unknown=unknown) for t in self.terms))

    def part(self, unknown: int) -> Operator:
        """The terms of one unknown, as an operator on that alone."""
        return Operator(self.dimension, tuple(replace(t, unknown=0) for t in self.terms if t.unknown == unknown))

    def __add__(self, other: Operator) -> Operator:
        return Operator(self.dimension, self.terms + other.terms)

    def order_along(self, axes: range) -> int:
        """The highest order of any term along `axes`."""
        return max((sum(term.orders[axis] for axis in axes) for term in self.terms), default=0)


def derivative(orders: tuple[int, ...]) -> Operator:
    """The single derivative ``D^orders``; all zeros give the identity."""
    return Operator(len(orders), (Term(1.0, orders),))


def identity(dimension: int) -> Operator:
    """The operator that leaves a function as it is."""
    return derivative((0,) * dimension)


def along_normal(dimension: int, order: int = 1, axes: range | None = None) -> Operator:
    """The derivative of the given order along the outward normal, which is held fixed.

    Parameters
    ----------
    dimension : int
    order : int
    axes : range, optional
        The axes of normals, if not all: never time.
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
    """``factor * normal^powers``, the coefficient of ``D^powers`` in a normal derivative."""

    powers: tuple[int, ...]
    factor: float

    def __call__(self, sites: Sites) -> NumberArray:
        if sites.normals is None:
            raise ValueError("a normal derivative needs sites on a boundary")
        return np.asarray(self.factor * np.prod(sites.normals**self.powers, axis=1))


@dataclass(frozen=True)
class FieldCoefficient:
    """A field as a coefficient; `what` is its name in messages."""

    field: Field
    what: str

    def __call__(self, sites: Sites) -> NumberArray:
        """The field's values at `sites`."""
        return self.field.checked(sites.points, self.what, sites.normals)


@dataclass(frozen=True)
class Product:
    """The product of two coefficients, at least one of which varies."""

    first: Coefficient
    second: Coefficient

    def __call__(self, sites: Sites) -> NumberArray:
        """The product at `sites`."""
        factors = [f(sites) if callable(f) else f for f in (self.first, self.second)]
        return np.asarray(factors[0] * factors[1])


def _factors(coefficient: Coefficient) -> tuple[Coefficient, ...]:
    if isinstance(coefficient, Product):
        return _factors(coefficient.first) + _factors(coefficient.second)
    return (coefficient,)


def field_coefficient(field: Field, what: str) -> Coefficient:
    """A field as a coefficient; a number if it is constant."""
    return field.constant if field.constant is not None else FieldCoefficient(field, what)


def product(first: Coefficient, second: Coefficient) -> Coefficient:
    """One coefficient times another."""
    if callable(first) or callable(second):
        return second if first == 1.0 else first if second == 1.0 else Product(first, second)
    return first * second


# ---- Operators that are constant up to one common factor


@final
@dataclass(frozen=True, eq=False)
class ConstantOperator:
    """A factor (None for one) times an operator whose coefficients are nonzero numbers."""

    operator: Operator
    factor: Field | None


def constant_operator(operator: Operator) -> ConstantOperator:
    """Divide `operator` by a common factor of its coefficients, such that numbers are left.

    Coefficients are compared as expressions, as a callable may look constant wherever it is sampled.

    Raises
    ------
    UnsuitableError
        If there is no such factor, or all coefficients are zero.
    """
    if operator.is_constant:
        return ConstantOperator(_merge_terms(operator), None)
    factor = next(t.coefficient for t in operator.terms if callable(t.coefficient))
    if not isinstance(factor, FieldCoefficient):
        raise UnsuitableError("the coefficients of the equation must be constant; got one that is not an expression")
    terms = tuple(replace(term, coefficient=_quotient(term, factor)) for term in operator.terms)
    return ConstantOperator(_merge_terms(replace(operator, terms=terms)), factor.field)


def _quotient(term: Term, factor: FieldCoefficient) -> complex:
    """The coefficient divided by the factor, which must be a number."""
    if term.coefficient is factor:
        return 1.0
    above, below = _written_form(term.coefficient), _written_form(factor)
    ratio = _ratio(above, below) if isinstance(above, sp.Expr) and isinstance(below, sp.Expr) else None
    if ratio is None:
        raise UnsuitableError(
            "the coefficients of the equation must be constant, or all be multiples of one function; got "
            f"{describe(below)} and {describe(above)}"
        )
    return ratio


def _ratio(above: sp.Expr, below: sp.Expr) -> complex | None:
    """The quotient of two expressions if it is a number; None otherwise."""
    if not is_multiple(above, below):
        # SymPy makes 0.1*(x + 6) into 0.1*x + 0.6, a multiple of x + 6 to 15 digits only
        above, below = _in_decimals(above), _in_decimals(below)
        if not is_multiple(above, below):
            return None
    opaque = {part: sp.Dummy() for part in (above / below).atoms(AppliedUndef, sp.Derivative)}
    ratio = (above / below).xreplace(opaque)
    symbols = sorted(ratio.free_symbols, key=str)
    # arbitrary places, where the quotient may happen to be undefined
    for places in np.random.default_rng(0).normal(size=(ITERATIONS, len(symbols))).tolist():
        at = {symbol: sp.Rational(place) for symbol, place in zip(symbols, places, strict=True)}
        try:
            number = complex(ratio.xreplace(at).evalf(30, strict=True))
        except (PrecisionExhausted, TypeError, ValueError, ArithmeticError):
            continue  # undefined, or too close to zero
        if np.isfinite(number):
            return simplest_number(number)
    return None


def _in_decimals(expression: sp.Expr) -> sp.Expr:
    """The expression with floating-point numbers as the decimal fractions that they print."""
    written = {number: f"{float(number):.15g}" for number in expression.atoms(sp.Float)}
    return expression.xreplace({number: sp.Rational(text) for number, text in written.items() if "inf" not in text})


def _written_form(coefficient: Coefficient) -> Any:
    """The coefficient as the user wrote it."""
    if isinstance(coefficient, FieldCoefficient):
        return coefficient.field.source
    return coefficient if callable(coefficient) else sp.sympify(coefficient)


def _merge_terms(operator: Operator) -> Operator:
    """The same operator, of numbers, with one term for each derivative of each unknown, and no zeros."""
    numbers = ([t.coefficient for t in same if not callable(t.coefficient)] for same in operator.by_derivative.values())
    sums = zip(operator.by_derivative, (sum(each, 0.0) for each in numbers), strict=True)
    kept = tuple(Term(total, *derivative) for derivative, total in sums if total != 0.0)
    if not kept:
        raise UnsuitableError("the equation vanishes identically: all of its coefficients are zero")
    return replace(operator, terms=kept)


# ---- Characteristic boundaries


def is_characteristic(operator: Operator, sites: Sites, space: range) -> BoolArray:
    """Where the boundary is characteristic, so that conditions cannot be counted.

    This is where the sum of ``coefficient * normal^orders`` over the terms of highest order in space vanishes.
    """
    assert sites.normals is not None
    order = operator.order_along(space)
    symbols: dict[int, FloatArray] = {}
    largest = np.zeros(len(sites))
    for term in operator.terms:
        along = [term.orders[axis] for axis in space]
        direction = np.prod(sites.normals[:, list(space)] ** along, axis=1)
        if sum(along) == order and np.any(direction):
            share = direction * _coefficient(term, sites)
            # terms with other time derivatives cannot cancel this one
            time_order = term.order - order
            symbols[time_order] = symbols.get(time_order, 0.0) + share
            largest = np.maximum(largest, np.abs(share))
    nowhere = [np.abs(symbol) <= ROUNDED * largest for symbol in symbols.values()]
    return np.logical_and.reduce(nowhere, axis=0) if nowhere else np.ones(len(sites), dtype=bool)


def _coefficient(term: Term, sites: Sites) -> FloatArray:
    try:
        return term.at(sites)
    except ProblemError:
        return np.ones(len(sites))  # infinite on the boundary, as 1/r at r = 0, and so not zero


# ---- The determinant of a system
# With constant coefficients every unknown of a system satisfies the equation of the determinant, whose symbol shows the
# waves, the number of conditions on a boundary, and what grows. Varying coefficients are multiplied as if they were
# constant: the determinant is that of the equations frozen at a point.


# The terms of each equation in each unknown, and the factors of a product of coefficients.
_Matrix: TypeAlias = Sequence[Sequence[tuple[Term, ...]]]
_Factors: TypeAlias = tuple[Coefficient, ...]


def determinant(operators: Sequence[Operator], unknowns: int, domain: Domain) -> Operator:
    """The determinant of as many equations as there are unknowns; without terms if it vanishes.

    With more equations, the first selection with a nonzero determinant counts. Varying coefficients are compared at
    some points of the domain.
    """
    if unknowns == 1:
        return next((o for o in operators if o.order > 0), operators[0])
    dimension = operators[0].dimension
    for rows in _selections(operators, unknowns):
        made = _expand(rows, tuple(range(unknowns)), dimension)
        made = replace(made, terms=tuple(term for term in made.terms if not _vanishes(term.coefficient, domain)))
        if made.terms:
            return made
    return Operator(dimension, ())


def adjugate(operators: Sequence[Operator], unknowns: int) -> list[list[Operator]]:
    """The adjugate of the matrix of operators, row by row; empty if the `determinant` vanishes.

    Each column, applied to a function in the kernel of the determinant, solves the equations. With more equations than
    unknowns, the selection is that of the `determinant`.
    """
    dimension = operators[0].dimension

    def cofactor(rows: _Matrix, row: int, column: int) -> Operator:
        left = tuple(j for j in range(unknowns) if j != column)
        minor = _expand([*rows[:row], *rows[row + 1 :]], left, dimension)
        return minor.times(-1.0 if (row + column) % 2 else 1.0)

    for rows in _selections(operators, unknowns):
        if _expand(rows, tuple(range(unknowns)), dimension).terms:
            return [[cofactor(rows, i, j) for i in range(unknowns)] for j in range(unknowns)]
    return []


def _selections(operators: Sequence[Operator], unknowns: int) -> Iterator[_Matrix]:
    """The matrices of terms of as many operators as there are unknowns."""
    for chosen in combinations(operators, unknowns):
        yield [[operator.part(j).terms for j in range(unknowns)] for operator in chosen]


def _expand(rows: _Matrix, columns: tuple[int, ...], dimension: int) -> Operator:
    """The determinant of `columns` of all rows, without derivatives whose coefficients cancel as numbers."""
    products = _products(rows, columns, dimension)
    sums = {orders: _sum_products(each) for orders, each in sorted(products.items())}
    return Operator(dimension, tuple(Term(value, orders) for orders, value in sums.items() if value != 0.0))


def _products(rows: _Matrix, columns: tuple[int, ...], dimension: int) -> dict[tuple[int, ...], list[_Factors]]:
    """The products in a determinant by the orders of their derivatives, expanded along the first row."""
    if not rows:
        return {(0,) * dimension: [()]}
    found: dict[tuple[int, ...], list[_Factors]] = {}
    for place, column in enumerate(columns):
        terms = rows[0][column]
        if not terms:
            continue
        minor = _products(rows[1:], columns[:place] + columns[place + 1 :], dimension)
        sign = -1.0 if place % 2 else 1.0
        for term in terms:
            for orders, products in minor.items():
                total = tuple(a + b for a, b in zip(term.orders, orders, strict=True))
                found.setdefault(total, []).extend((sign, term.coefficient, *product) for product in products)
    return found


def _sum_products(products: Sequence[_Factors]) -> Coefficient:
    """The sum of products as one coefficient; zero if numbers cancel."""
    varying = tuple(product for product in products if any(map(callable, product)))
    plain = [[factor for factor in product if not callable(factor)] for product in products if product not in varying]
    numbers = [prod(factors, start=1.0 + 0j) for factors in plain]
    total, size = sum(numbers), sum(map(abs, numbers))
    constant = 0.0 if abs(total) <= ROUNDING * size else total if total.imag else total.real
    return _SumOfProducts(varying, constant) if varying else constant


def _vanishes(coefficient: Coefficient, domain: Domain) -> bool:
    """Whether a varying coefficient is zero at all sample points of the domain."""
    if not isinstance(coefficient, _SumOfProducts):
        return False
    sites = Sites(domain.sample(FEW_SITES, np.random.default_rng(0), "low-discrepancy"))  # samples only
    try:
        return not np.any(coefficient(sites))
    except ProblemError:  # a coefficient without a value there is reported where it is needed
        return False


@dataclass(frozen=True)
class _SumOfProducts:
    """A sum of products of coefficients, and a number."""

    products: tuple[_Factors, ...]
    constant: complex

    def __call__(self, sites: Sites) -> NumberArray:
        # each coefficient once, as it may be a slow callable
        varying = {factor for product in self.products for factor in product if callable(factor)}
        known: dict[Any, Any] = {factor: factor(sites) for factor in varying}
        total: NumberArray = np.full(len(sites), self.constant)
        size = np.abs(total)
        for product in self.products:
            value: Any = prod((known.get(factor, factor) for factor in product), start=1.0)
            total = total + value
            size = size + np.abs(value)
        return np.asarray(np.where(np.abs(total) <= ROUNDING * size, 0.0, total))
