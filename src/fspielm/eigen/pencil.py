"""Problems that are polynomials in the eigenvalue, the inner product of modes, and independent Trefftz functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from math import comb
from typing import Any, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray
from fspielm.basis.basis import localise
from fspielm.basis.evaluation.direct import tabulate
from fspielm.basis.evaluation.sums import evaluate
from fspielm.cells.basis import RowsInCells
from fspielm.collocation.system import Finite
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import Quadrature, Sites
from fspielm.numerics.tolerances import CLOSE, PROBES, ROUNDED
from fspielm.problem.operator import Coefficient, Operator, Term, identity
from fspielm.problem.parameters import need_values
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation
from fspielm.resources import memory_left
from fspielm.solution.integrals import NodeCount, find_place, with_cells
from fspielm.solvers.request import TABLE_SHARE
from fspielm.wording import argument

# The highest power of the eigenvalue.
MOST_DEGREE = 4
# Values of the symbol at which coefficients are sampled, in units of their scale: with more values than coefficients of
# a polynomial we recognise other functions.
_VALUES = (-1.0, 1.0, -0.5, 0.5, 0.25, -0.75)


@final
@dataclass(frozen=True, eq=False)
class Pencil:
    """A problem whose operators are polynomials in one symbol."""

    problem: Problem
    symbol: sp.Symbol  # the eigenvalue
    # the operators that multiply the first power of the symbol, the second, and so on, by relation
    powers: tuple[Mapping[str, Operator], ...]

    def at(self, value: complex) -> Problem:
        """The problem with a value of the symbol."""
        return self._remembered(_python_number(value))

    @cached_property
    def _remembered(self) -> Callable[[complex], Problem]:
        return lru_cache(lambda value: with_value(self.problem, self.symbol, value))

    @property
    def degree(self) -> int:
        """The highest power."""
        return len(self.powers)

    def around(self, shift: complex) -> tuple[Mapping[str, Operator], ...]:
        """The operators that multiply the powers of the distance from a shift, from the first on."""
        found: list[dict[str, Operator]] = []
        for order in range(1, self.degree + 1):
            own: dict[str, Operator] = {}
            for power in range(order, self.degree + 1):
                number = comb(power, order) * shift ** (power - order)
                for name, operator in self.powers[power - 1].items():
                    part = operator.times(_python_number(number))
                    own[name] = own[name] + part if name in own else part
            found.append(own)
        return tuple(found)


def with_value(problem: Problem, symbol: sp.Symbol, value: complex) -> Problem:
    """The problem with a value of one of its parameters."""
    return problem.at({symbol: _python_number(value)})


def pencil_of(problem: Problem, symbol: sp.Symbol) -> Pencil | None:
    """The problem as a polynomial in a symbol of degree `MOST_DEGREE` at most; None if it is none."""
    first = _tables(problem, symbol, 1.0)
    # values so large that the powers weigh as much as the rest: differences would be rounding otherwise
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
    """One term of a relation for K values of the symbol: its coefficients, and their values at places, ``(K, n)``."""

    orders: tuple[int, ...]
    unknown: int
    coefficients: tuple[tuple[Coefficient, ...], ...]
    values: NumberArray
    nodes: FloatArray

    @property
    def _powers(self) -> FloatArray:
        return np.vander(self.nodes / np.abs(self.nodes).max(), MOST_DEGREE + 1, increasing=True)

    @cached_property
    def _fitted(self) -> NumberArray:
        """Coefficients of polynomials in the symbol, in units of the nodes' scale, ``(P + 1, n)``."""
        return np.asarray(np.linalg.lstsq(self._powers, self.values, rcond=None)[0])

    @property
    def is_polynomial(self) -> bool:
        left = self.values - self._powers @ self._fitted
        return bool(np.abs(left).max() <= 100 * ROUNDED * np.abs(self.values).max())

    def has(self, power: int) -> bool:
        return bool(np.abs(self._fitted[power]).max() > 10 * ROUNDED * np.abs(self.values).max())

    @property
    def degree(self) -> int:
        return max((power for power in range(1, MOST_DEGREE + 1) if self.has(power)), default=0)

    @property
    def scale(self) -> float:
        """The size of the symbol at which its highest power weighs as much as the rest."""
        if not self.degree:
            return 1.0
        sizes = np.abs(self._fitted).max(axis=1)
        return float(np.abs(self.nodes).max() * (sizes[0] / sizes[self.degree]) ** (1 / self.degree))

    def term(self, power: int) -> Term:
        """The term that multiplies a power of the symbol."""
        count = self.degree + 1  # as few nodes as possible: their differences may be exact
        weights = np.linalg.inv(np.vander(self.nodes[:count], count, increasing=True))[power]
        used = self.coefficients[:count]
        if all(not callable(each) for own in used for each in own):
            number = sum(weight * sum(own) for weight, own in zip(weights.tolist(), used, strict=True))  # type: ignore[arg-type]
            return Term(_python_number(number), self.orders, self.unknown)
        return Term(_Combined(tuple(weights.tolist()), used), self.orders, self.unknown)


@final
@dataclass(frozen=True)
class _Combined:
    """A weighted sum of coefficients."""

    weights: tuple[float, ...]
    coefficients: tuple[tuple[Coefficient, ...], ...]

    def __call__(self, sites: Sites) -> NumberArray:
        total: Any = 0.0
        for weight, own in zip(self.weights, self.coefficients, strict=True):
            total = total + weight * _sum_at(own, sites)
        return np.asarray(total)


def _tables(problem: Problem, symbol: sp.Symbol, scale: float) -> dict[str, dict[Any, _Table]]:
    """All terms of all relations that may depend on the symbol, for values of this size."""
    nodes = scale * np.array(_VALUES)
    problems = [with_value(problem, symbol, node) for node in nodes]
    rng = np.random.default_rng(0)  # only for sampling
    found: dict[str, dict[Any, _Table]] = {}
    for relations in zip(*(each.relations for each in problems), strict=True):
        if len({relation.region.factor for relation in relations}) > 1:
            raise ProblemError(
                f"the factor of {relations[0].name!r} depends on {symbol}, of which all must be polynomials; give the "
                "factor, and take another symbol for the eigenvalue"
            )
        sites = relations[0].sample(PROBES, rng, "low-discrepancy")
        by_term = [_group_terms(relation) for relation in relations]
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


def _group_terms(relation: Relation) -> dict[tuple[tuple[int, ...], int], tuple[Coefficient, ...]]:
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


def value_and_slope(operator: Operator, sites: Sites) -> tuple[NumberArray, NumberArray]:
    """The coefficients of the value and of the slope along the normal in a condition on one unknown."""
    each = [np.zeros(len(sites), dtype=np.complex128) for _ in range(2)]
    for term in operator.terms:
        if term.order < 2:
            each[term.order] += term.at(sites) * (sites.outward[:, term.orders.index(1)] if term.order else 1.0)
    return each[0], each[1]


def _python_number(value: complex) -> complex:
    """A Python number, real where its imaginary part is zero."""
    number = complex(value)
    return number.real if number.imag == 0 else number


# ---- Checks of the arguments of `eigenmodes`


def read_pencil(problem: Any, symbol: Any) -> Pencil:
    """The problem as a polynomial in its eigenvalue.

    Raises `ProblemError` if it is not linear, homogeneous, steady and bounded, or the symbol does not occur as it
    should.
    """
    check_symbol(problem, symbol)
    if problem.domain.is_unbounded:
        raise ProblemError(
            f"the domain {problem.domain!r} is unbounded: its spectrum is continuous, without modes that could be told "
            "apart; take a bounded domain"
        )
    sample = with_value(problem, symbol, 0.731)
    if not sample.is_linear:
        raise ProblemError(
            "the problem is not linear in its unknowns, so it has no modes; follow its solutions with fs.follow, or "
            "state its linearisation"
        )
    if sample.whole is not None:
        raise ProblemError(
            "modes of equations with conjugates, re, im or Abs are not found; state the real and imaginary parts"
        )
    check_zero(sample)
    if sample.missing:
        raise ProblemError(f"the modes are not determined: {sample.missing}")
    pencil = pencil_of(sample, symbol)
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
    """Refuse symbols that cannot be the eigenvalue of a problem, and problems without eigenvalues."""
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
    """Refuse data: modes are solutions without data."""
    rng = np.random.default_rng(0)  # only for sampling
    for relation in problem.relations:
        values = relation.values(relation.sample(PROBES, rng, "low-discrepancy"))
        if np.any(values != 0):
            what = "the right-hand side" if relation.condition is None else "the value"
            raise ProblemError(
                f"{what} of {relation.name!r} is not zero; modes are solutions without data: state the problem with "
                "zero on all right-hand sides and in all conditions"
            )


def read_wish(count: Any, within: Any) -> tuple[int | None, tuple[float, float] | None]:
    """The number of modes that are wanted, or the interval."""
    if (count is None) == (within is None):
        raise ProblemError(
            f"say which modes: {argument('count', 10)} for the first ten, or {argument('within', ('a', 'b'))} for all "
            "in an interval"
        )
    if within is None:
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise ProblemError(f"{argument('count')} must be a whole number, at least 1; got {count!r}")
        return int(count), None
    if np.iscomplexobj(within):
        raise ProblemError(
            f"{argument('within', within)} is a part of the complex plane, where open domains have resonances; "
            f"on this one, write an interval of real values, as in {argument('within', (0, 100))}"
        )
    try:
        lower, upper = (float(end) for end in within)
    except (TypeError, ValueError):
        raise ProblemError(f"{argument('within')} must be two numbers, as in (0, 100); got {within!r}") from None
    if not (np.isfinite(lower) and np.isfinite(upper)):
        raise ProblemError(f"{argument('within')} must be finite; got {within!r}")
    if lower > upper:
        right = argument("within", (f"{upper:g}", f"{lower:g}"))
        raise ProblemError(f"{argument('within')} is the wrong way round: write {right}")
    if lower == upper:
        raise ProblemError(f"{argument('within')} is empty: both of its ends are {lower:g}")
    return None, (lower, upper)


# ---- The inner product in which modes are orthonormal

# Nodes of a rule for global functions.
_NODES = NodeCount(0.7, 12, 40_000)


class Rows:
    """An operator on the functions of a basis, at sites; as a table unless that is too large."""

    def __init__(self, finite: Finite, operator: Operator, sites: Sites) -> None:
        basis = finite.basis
        self._cells: RowsInCells | None = None
        self._table: NumberArray | None = None
        self._sums = partial(evaluate, basis, operator=operator, sites=sites, threads=finite.threads, method="direct")
        for cells in basis.on_cells:
            each = np.diff(cells.starts)[finite.cells_at(sites.points)]
            if cells is basis and 8.0 * float(each.sum()) > TABLE_SHARE * memory_left():
                self._cells = RowsInCells.at(cells, localise(operator, sites, basis.components))
                return
        if basis.on_cells or 8.0 * basis.size * len(sites) < TABLE_SHARE * memory_left():
            self._table = tabulate(basis, operator, sites, threads=finite.threads)

    def __matmul__(self, coefficients: NumberArray) -> NumberArray:
        """Values of sums with coefficients ``(M, F)``, shape ``(n, F)``."""
        if self._cells is not None:
            return np.asarray(self._cells.sums(coefficients.T).T)
        if self._table is None:
            return np.asarray(self._sums(coefficients.T).T)
        return np.asarray(self._table @ coefficients)


@final
@dataclass(frozen=True, eq=False)
class Inner:
    """The integral of ``conj(v) rho u`` over the domain, summed over the unknowns."""

    finite: Finite
    rule: Quadrature
    # (U, n): the weight of each unknown at the nodes of the rule: the factor of the eigenvalue in its equation if that
    # makes an inner product, otherwise one
    densities: FloatArray

    @cached_property
    def _rows(self) -> list[Rows]:
        """The rows of each unknown, at the nodes."""
        own = identity(self.finite.problem.dimension)
        return [Rows(self.finite, own.on(place), self.rule.sites) for place in range(len(self.densities))]

    @cached_property
    def _roots(self) -> list[tuple[Rows, FloatArray]]:
        """The rows of unknowns with a density, and the roots of the weights of their squares."""
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
        """Functions with coefficients ``(M, F)`` as vectors ``(n, F)`` with the same inner products."""
        return np.concatenate([weights[:, None] * (rows @ coefficients) for rows, weights in self._roots])


def sign_of(values: NumberArray) -> complex:
    """The sign or phase factor that makes a function with these values positive where it is largest."""
    sizes = np.abs(values)
    first = values[np.argmax(sizes >= (1 - CLOSE) * sizes.max())]
    turn = np.conj(first) / abs(first)
    return complex(turn) if np.iscomplexobj(values) else float(turn)


def quadrature_for(finite: Finite) -> Quadrature:
    """A rule for products of two functions of the basis."""
    basis = finite.basis
    place = find_place(finite.problem, None, None, None, singular=not basis.is_smooth)
    if basis.on_cells:
        place = with_cells(place, basis.on_cells[0])
    lower, upper = finite.problem.domain.bounding_box
    waves = basis.frequencies
    reach = np.abs(waves).max(axis=0) if waves is not None and len(waves) else basis.reach
    by_itself = 2 * basis.size if basis.on_cells else _NODES.count(reach * (upper - lower))
    return place.rule(place.fewest if place.fewest > 1 else by_itself)


def densities_at(pencil: Pencil, sites: Sites) -> FloatArray | None:
    """The factors of the eigenvalue in the equations, by unknown ``(U, n)``, with the sign that makes them positive.

    None if they differ in sign, or if the eigenvalue occurs in conditions, with derivatives, with other unknowns or
    with higher powers.
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
    if np.abs(found.imag).max() > ROUNDED * largest:
        return None
    densities = found.real * np.sign(found.real.flat[np.abs(found.real).argmax()])
    if densities.min() < -ROUNDED * largest or not densities.any():
        return None
    return np.asarray(np.maximum(densities, 0.0))


# ---- Particular solutions: independent functions that satisfy the equations, and those that nearly satisfy conditions

# Functions that depend on others up to this share are dropped.
DEPENDENT = 1e-14
# The levels of functions above the first.
LEVELS = 3
# How often a search is repeated closer, farther or from elsewhere.
TRIES = 6
# Places all over a domain at which extremes are sampled.
PLACES = 2000


@final
@dataclass(frozen=True, eq=False)
class Independent:
    """Sums of functions with orthonormal rows, which span all that is independent."""

    rows: NumberArray  # (n, r)
    shares: NumberArray  # (M, r): of functions of norm one
    sizes: FloatArray  # (M,): the norms of the functions
    condition: float  # of the functions, each of norm one

    @property
    def rank(self) -> int:
        """The number of independent functions."""
        return int(self.rows.shape[1])

    def combined(self, factors: NumberArray) -> NumberArray:
        """The coefficients ``(M, k)`` of combinations with factors ``(r, k)``."""
        return np.asarray((self.shares @ factors) / self.sizes[:, None])

    def smallest(self, fitted: int, count: int) -> NumberArray:
        """Factors ``(r, count)`` of the sums with the smallest first `fitted` rows, in ascending order."""
        _, _, Yh = np.linalg.svd(np.linalg.qr(self.rows[:fitted], mode="r"))
        return np.asarray(Yh.conj().T[:, ::-1][:, :count])


def independent(rows: NumberArray, dependent: float = DEPENDENT) -> Independent:
    """The independent sums of functions with these rows ``(n, M)``: traces in conditions, values inside."""
    sizes = np.linalg.norm(rows, axis=0)
    Q, R = np.linalg.qr(rows / sizes)
    U, S, Vh = np.linalg.svd(R)
    kept = dependent * S[0] < S
    return Independent(Q @ U[:, kept], Vh[kept].conj().T / S[kept], sizes, float(S[0] / S[kept][-1]))
