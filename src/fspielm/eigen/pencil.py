"""A problem in which a symbol is the eigenvalue, and the inner product of its modes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from math import comb
from typing import Any, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray
from fspielm.basis.basis import Basis, localise
from fspielm.basis.evaluation.direct import tabulate
from fspielm.basis.evaluation.sums import evaluate
from fspielm.cells.basis import RowsInCells
from fspielm.collocation.system import Finite
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import Quadrature, Sites
from fspielm.problem.operator import Coefficient, Operator, Term, identity
from fspielm.problem.parameters import need_values
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation
from fspielm.resources import memory_left
from fspielm.solution.calculus import find_place, with_cells

# ---- A linear problem in which a symbol stands for the eigenvalue: what multiplies each of its powers


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


# ---- What `eigenmodes` refuses, and why


def read_pencil(problem: Any, symbol: Any) -> Pencil:
    """The problem as a polynomial in its eigenvalue.

    Raises
    ------
    ProblemError
        If it is not linear, homogeneous, steady and bounded, or the symbol does not occur as it should.
    """
    check_symbol(problem, symbol)
    if problem.domain.is_unbounded:
        raise ProblemError(
            f"the domain {problem.domain!r} is unbounded: its spectrum is continuous, without modes that could be told "
            "apart; take a bounded domain"
        )
    looked = with_value(problem, symbol, 0.731)
    if not looked.is_linear:
        raise ProblemError(
            "the problem is not linear in its unknowns, so it has no modes; follow its solutions with fs.follow, or "
            "state its linearisation"
        )
    if looked.whole is not None:
        raise ProblemError(
            "modes of equations with conjugates, re, im or Abs are not found; state the real and imaginary parts"
        )
    check_zero(looked)
    if looked.missing:
        raise ProblemError(f"the modes are not determined: {looked.missing}")
    pencil = pencil_of(looked, symbol)
    if pencil is None:
        raise ProblemError(
            f"the equations must depend on {symbol} as polynomials do, of degree {MOST_DEGREE} at most; they do not: "
            "take another symbol for what stands there, such as a square root"
        )
    if not pencil.degree:
        raise ProblemError(
            f"lam={symbol} is given, but stands in no term with an unknown; write it there, as in {symbol}*u"
        )
    return pencil


def check_symbol(problem: Any, symbol: Any) -> None:
    """Refuse what is no eigenvalue of a problem, and problems that have none.

    Raises
    ------
    ProblemError
    """
    if not isinstance(problem, Problem):
        raise ProblemError(f"problem must be an fs.Problem; got {problem!r}")
    if not isinstance(symbol, sp.Symbol):
        raise ProblemError(f"lam must be the SymPy symbol of the eigenvalue; got {symbol!r}")
    if symbol in problem.coordinates:
        raise ProblemError(f"lam={symbol} is a coordinate; the eigenvalue must be a symbol of its own")
    if symbol not in problem.parameters:
        raise ProblemError(
            f"lam={symbol} does not occur in the problem; write the symbol {symbol} into an equation or a condition; "
            "symbols of one name but different assumptions (real=True) are different symbols"
        )
    if others := tuple(other for other in problem.open_symbols if other != symbol):
        raise ProblemError(need_values(problem, others))
    if problem.domain.time is not None:
        raise ProblemError(
            "modes are of problems in space alone; put u(x, t) = exp(-I omega t) u(x) into the equation, and take "
            "omega, or its square, for the eigenvalue"
        )


def check_zero(problem: Problem) -> None:
    """Refuse data: modes are solutions without any."""
    rng = np.random.default_rng(0)  # only looks
    for relation in problem.relations:
        values = relation.values(relation.sample(_PLACES, rng, "low-discrepancy"))
        if np.any(values != 0):
            what = "the right-hand side" if relation.condition is None else "the value"
            raise ProblemError(
                f"{what} of {relation.name!r} is not zero; modes are solutions without data: state the problem with "
                "zero on all right-hand sides and in all conditions"
            )


def read_wish(count: Any, within: Any) -> tuple[int | None, tuple[float, float] | None]:
    """How many modes are wanted, or where.

    Raises
    ------
    ProblemError
    """
    if (count is None) == (within is None):
        raise ProblemError("say which modes: count=10 for the first ten, or within=(a, b) for all in an interval")
    if within is None:
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise ProblemError(f"count must be a whole number, at least 1; got {count!r}")
        return int(count), None
    if np.iscomplexobj(within):
        raise ProblemError(
            f"within={within!r} is a part of the complex plane, where open domains have resonances, fs.Exterior(...); "
            "on this one, write an interval of real values, as in (0, 100)"
        )
    try:
        lower, upper = (float(end) for end in within)
    except (TypeError, ValueError):
        raise ProblemError(f"within must be two numbers, as in (0, 100); got {within!r}") from None
    if not (np.isfinite(lower) and np.isfinite(upper)):
        raise ProblemError(f"within must be finite; got {within!r}")
    if lower > upper:
        raise ProblemError(f"within is the wrong way round: write ({upper:g}, {lower:g})")
    if lower == upper:
        raise ProblemError(f"within is empty: both of its ends are {lower:g}")
    return None, (lower, upper)


# ---- The inner product in which modes are orthonormal


# Nodes of a rule for functions all over the domain: for each radian along an axis, some more, and at most.
_EACH_RADIAN, _MORE, _MOST = 0.7, 12, 40_000
# Numbers in a table of functions on cells, at most.
_MOST_ENTRIES = 4e7
# Of the memory that is left, what a table of functions all over the domain may take.
_OF_MEMORY = 0.25
# Of the largest value, where signs are looked at: the first place that has about that.
_ABOUT = 0.999
# Of the largest density, what is none.
_NONE = 1e-12


class Rows:
    """An operator on the functions of a basis, at sites: as a table, where that is not too large."""

    def __init__(self, finite: Finite, operator: Operator, sites: Sites) -> None:
        basis = finite.basis
        self._cells: RowsInCells | None = None
        self._table: NumberArray | None = None
        self._sums = partial(evaluate, basis, operator=operator, sites=sites, threads=finite.threads, method="direct")
        for cells in basis.on_cells:
            each = np.diff(cells.starts)[finite.cells_at(sites.points)]
            if cells is basis and float(each.sum()) > _MOST_ENTRIES:
                self._cells = RowsInCells.at(cells, localise(operator, sites, basis.components))
                return
        if basis.on_cells or 8.0 * basis.size * len(sites) < _OF_MEMORY * memory_left():
            self._table = tabulate(basis, operator, sites, threads=finite.threads)

    def __matmul__(self, coefficients: NumberArray) -> NumberArray:
        """On sums with coefficients ``(M, F)``, shape ``(n, F)``."""
        if self._cells is not None:
            return np.asarray(self._cells.sums(coefficients.T).T)
        if self._table is None:
            return np.asarray(self._sums(coefficients.T).T)
        return np.asarray(self._table @ coefficients)


@final
@dataclass(frozen=True, eq=False)
class Inner:
    """The integral of ``conj(v) rho u`` over the domain, summed over the unknowns.

    Attributes
    ----------
    finite : Finite
    rule : Quadrature
    densities : (U, n) array
        What each unknown is multiplied with, at the nodes of the rule: what multiplies the eigenvalue in its equation,
        where that makes an inner product; otherwise one.
    """

    finite: Finite
    rule: Quadrature
    densities: FloatArray

    @cached_property
    def _rows(self) -> list[Rows]:
        """Of each unknown, at the nodes."""
        own = identity(self.finite.problem.dimension)
        return [Rows(self.finite, own.on(place), self.rule.sites) for place in range(len(self.densities))]

    @cached_property
    def _roots(self) -> list[tuple[Rows, FloatArray]]:
        """Of those that have a density, with the roots of what their squares weigh."""
        each = zip(self._rows, self.densities, strict=True)
        return [(rows, np.sqrt(self.rule.weights * density)) for rows, density in each if density.any()]

    def plain(self, place: int, coefficients: NumberArray) -> NumberArray:
        """One unknown of functions ``(M, F)`` at the nodes, shape ``(n, F)``."""
        return self._rows[place] @ coefficients

    def plain_values(self, coefficients: NumberArray) -> NumberArray:
        """All unknowns of functions ``(M, F)`` as vectors whose products are integrals without a density."""
        weights = np.sqrt(self.rule.weights)[:, None]
        return np.concatenate([weights * self.plain(place, coefficients) for place in range(len(self.densities))])

    def values(self, coefficients: NumberArray) -> NumberArray:
        """Functions with coefficients ``(M, F)`` as vectors ``(n, F)``, whose products are those of the functions."""
        return np.concatenate([weights[:, None] * (rows @ coefficients) for rows, weights in self._roots])


def sign_of(values: NumberArray) -> complex:
    """What makes a function with these values positive where it is largest, at the first of such places."""
    sizes = np.abs(values)
    first = values[np.argmax(sizes >= _ABOUT * sizes.max())]
    turn = np.conj(first) / abs(first)
    return complex(turn) if np.iscomplexobj(values) else float(turn)


def quadrature_for(finite: Finite) -> Quadrature:
    """A rule for products of two of its functions."""
    basis = finite.basis
    place = find_place(finite.problem, None, None, None, singular=not basis.is_smooth)
    if basis.on_cells:
        place = with_cells(place, basis.on_cells[0])
    lower, upper = finite.problem.domain.bounding_box
    each = _EACH_RADIAN * _reach(basis) * (upper - lower) + _MORE
    by_itself = 2 * basis.size if basis.on_cells else int(min(np.prod(each), _MOST))
    return place.rule(place.fewest if place.fewest > 1 else by_itself)


def densities_at(pencil: Pencil, sites: Sites) -> FloatArray | None:
    """By unknown ``(U, n)``: minus what multiplies the eigenvalue in its equation, if that is all, and of one sign.

    None where the eigenvalue occurs in conditions, with derivatives, with another unknown, or with higher powers.
    """
    problem = pencil.problem
    count = len(problem.unknowns)
    if pencil.degree != 1 or set(pencil.powers[0]) - {equation.name for equation in problem.equations}:
        return None
    found = np.zeros((count, len(sites)), dtype=complex)
    for place, equation in enumerate(problem.equations):
        operator = pencil.powers[0].get(equation.name)
        for term in () if operator is None else operator.terms:
            if term.order or term.unknown != place or place >= count:
                return None
            found[place] -= term.at(sites)
    largest = np.abs(found).max()
    if np.abs(found.imag).max() > _NONE * largest:
        return None
    densities = found.real * np.sign(found.real.flat[np.abs(found.real).argmax()])
    if densities.min() < -_NONE * largest or not densities.any():
        return None
    return np.asarray(np.maximum(densities, 0.0))


def _reach(basis: Basis) -> Any:
    frequencies = basis.frequencies
    return np.abs(frequencies).max(axis=0) if frequencies is not None and len(frequencies) else basis.reach
