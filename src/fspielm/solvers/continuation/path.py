"""Curves of solutions: equations around a place, tangents and steps, stability, folds and bifurcations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Literal, final

import numpy as np
import scipy
import sympy as sp
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray, safe_rms
from fspielm.basis.evaluation.direct import tabulate
from fspielm.collocation.least_squares import Factored
from fspielm.collocation.system import BlockRows, Finite
from fspielm.errors import IterateError, ProblemError, SolveError
from fspielm.estimate.examination import examine
from fspielm.geometry.boundary import Sites
from fspielm.numerics.krylov import Space
from fspielm.numerics.tolerances import CLOSE, HALF, ITERATIONS, PROBES, ROUNDED
from fspielm.problem.derived import SmoothSides
from fspielm.problem.operator import identity
from fspielm.problem.parameters import check_parameter
from fspielm.problem.problem import Moving, Problem, moving
from fspielm.problem.substitutions import ByRegion, read_givens
from fspielm.solvers.newton.iteration import Deviations, Expansion, applied_to_sum, deviations, probes_in, values_of
from fspielm.solvers.request import Request
from fspielm.solvers.round import BETTER, factor

# ---- A problem with one parameter


@final
@dataclass(frozen=True, eq=False)
class Along:
    """A problem with one free parameter in an interval; the `problem` is for any value of it."""

    problem: Problem
    parameter: sp.Symbol
    lower: float
    upper: float

    def at(self, value: float) -> Problem:
        """The problem with a value of the parameter."""
        return self._compiled(float(value))

    @cached_property
    def _compiled(self) -> Callable[[float], Problem]:
        return lru_cache(lambda value: self.problem.at({self.parameter: value}))  # each is used several times

    @cached_property
    def is_affine(self) -> bool:
        """Whether the problem is affine in the parameter."""
        given = self.problem.statement.given or {}
        if any(isinstance(value, ByRegion) for value in given.values()):
            return False
        others = {key: value for key, value in given.items() if isinstance(key, sp.Symbol) and key != self.parameter}
        derived = read_givens(others).symbols
        written = [e.xreplace(derived) for e in self.problem.statement.expressions]
        each = [e for e in written if e.has(self.parameter)]
        sides = [side for e in each for side in (e.args if isinstance(e, sp.Eq) else (e,))]
        return all(side.diff(self.parameter, 2).doit() == 0 for side in sides)  # without further simplification

    @property
    def length(self) -> float:
        """Length of the interval."""
        return self.upper - self.lower


def read_along(problem: Any, parameter: Any, interval: Any) -> Along:
    """Check the first arguments of `follow`.

    A `ProblemError` says that the parameter does not occur, the interval is empty or the wrong way round, or the
    problem is linear in it.
    """
    if not isinstance(problem, Problem):
        raise ProblemError(f"problem must be an fs.Problem; got {problem!r}")
    lower, upper = _read_interval(interval)
    check_parameter(parameter, problem.parameters, problem.coordinates)
    along = Along(problem, parameter, lower, upper)
    if along.at(0.5 * (lower + upper)).is_linear and along.at(lower + 0.381966 * (upper - lower)).is_linear:
        raise ProblemError(
            f"the problem is linear for every {parameter}: it has one solution for each value, without folds or "
            "branches; solve it for the values you need"
        )
    if problem.stated.dtype.kind == "c" or problem.whole is not None:
        raise ProblemError("solutions of complex problems are not followed; state the real and the imaginary part")
    return along


def _read_interval(interval: Any) -> tuple[float, float]:
    try:
        lower, upper = (float(end) for end in interval)
    except (TypeError, ValueError):
        raise ProblemError(f"interval must be two numbers, as in (0, 7); got {interval!r}") from None
    if not (np.isfinite(lower) and np.isfinite(upper)):
        raise ProblemError(f"interval must be finite; got {interval!r}")
    if lower == upper:
        raise ProblemError(f"interval is empty: both of its ends are {lower:g}")
    if lower > upper:
        raise ProblemError(
            f"interval is the wrong way round: write ({upper:g}, {lower:g}); solutions are followed from its lower end"
        )
    return lower, upper


# ---- Lengths and angles in the space of solutions and parameters


@final
@dataclass(frozen=True, eq=False)
class Place:
    """The coefficients of a function and a value of the parameter; or the difference of two such pairs."""

    coefficients: FloatArray
    value: float

    @classmethod
    def of(cls, vector: FloatArray) -> Place:
        """The place with this `vector`."""
        return cls(vector[:-1].copy(), float(vector[-1]))

    @property
    def vector(self) -> FloatArray:
        """The coefficients, followed by the value."""
        return np.append(self.coefficients, self.value)

    def moved(self, length: float, along: Place) -> Place:
        """The place at a distance in a direction."""
        return Place(self.coefficients + length * along.coefficients, self.value + length * along.value)

    def minus(self, other: Place) -> Place:
        """The difference from another place to this one."""
        return self.moved(-1.0, other)

    def scaled(self, factor: float) -> Place:
        """A multiple."""
        return Place(factor * self.coefficients, factor * self.value)


@final
@dataclass(frozen=True, eq=False)
class Metric:
    """Norm of functions, by root mean squares, and the parameter, each in its own unit: `unit` and `length`.

    The `values` are those of all functions at points all over the domain, for each unknown. The `sides` are weights of
    these points for the sign of a function, without any symmetry.
    """

    values: tuple[FloatArray, ...]
    sides: FloatArray
    unit: float
    length: float

    @classmethod
    def on(cls, finite: Finite, unit: float, length: float) -> Metric:
        """The metric for the functions of a discretisation."""
        problem = finite.problem
        points = probes_in(problem)
        values = tuple(tabulate(finite.basis, each, points, threads=finite.threads) for each in values_of(problem))
        lower, upper = problem.domain.bounding_box
        sides = 1.0 + ((points.points - lower) / (upper - lower)) @ np.sqrt(np.arange(2.0, 2.0 + problem.dimension))
        return cls(values, sides, unit, length)

    def inner(self, one: Place, other: Place) -> float:
        """The inner product of two places."""
        first, second = self.seen(one.coefficients), self.seen(other.coefficients)
        return float(np.mean(first * second)) / self.unit**2 + one.value * other.value / self.length**2

    def norm(self, one: Place) -> float:
        """The norm of a place."""
        return float(np.sqrt(self.inner(one, one)))

    def unit_of(self, one: Place) -> Place:
        """The direction of a place, of norm one."""
        return one.scaled(1.0 / self.norm(one))

    def size(self, coefficients: FloatArray) -> float:
        """Root mean square of a function."""
        return float(np.sqrt(np.mean(self.seen(coefficients) ** 2)))

    def signed_size(self, coefficients: FloatArray) -> float:
        """The root mean square of a function, with a sign that changes with that of the function."""
        sides = self.seen(coefficients).reshape(len(self.values), -1) @ self.sides
        return float(np.copysign(self.size(coefficients), sides[np.argmax(np.abs(sides))]))

    def seen(self, coefficients: FloatArray) -> FloatArray:
        """The values of a function at the points, one unknown after the other."""
        return np.concatenate([np.asarray(values @ coefficients) for values in self.values])


# ---- The linearisation around one place, factored, and its change with the parameter

# Nodes of the derivative with respect to the parameter, in shares of its interval; exact for polynomials of lower
# degree than their number.
_NODES = 0.01 * np.arange(5)


@final
@dataclass(frozen=True, eq=False)
class Equations:
    """A problem with a parameter, and the functions and the sites of rows for all values."""

    along: Along
    request: Request
    finite: Finite

    def linear(self, place: Place) -> Problem:
        """The linear problem around a place, which has the same residual there."""
        problem = self.along.at(place.value)
        return problem.linearised(self.expansion(place)) if not problem.is_linear else problem

    def expansion(self, place: Place) -> Expansion:
        """The function at a place."""
        finite = self.finite
        return Expansion(self.along.problem, finite.basis, place.coefficients, finite.threads)

    def at(self, place: Place) -> Local:
        """The factored linearisation around a place."""
        finite = self.finite.with_problem(self.linear(place))
        system = finite.assemble(self.request.scaling, reuse=True)
        factored, _, _ = factor(self.request.method, system, in_place=True)
        return Local(self, place, finite, system.blocks, factored)

    def left(self, place: Place, sites: Mapping[str, Sites]) -> Deviations:
        """The residual of the equations at a place."""
        if not self.along.is_affine:
            return self._deviations(self.linear(place), place, sites)
        share = (place.value - self.along.lower) / self.along.length
        first, last = self._at_ends(place, sites)
        return {name: (1 - share) * first[name] + share * last[name] for name in first}

    def slope(self, place: Place, sites: Mapping[str, Sites]) -> Deviations:
        """The derivative of the residual with respect to the parameter."""
        if self.along.is_affine:
            first, last = self._at_ends(place, sites)
            return {name: (last[name] - first[name]) / self.along.length for name in first}
        lower, length = self.along.lower, self.along.length
        nodes = np.clip(place.value - 0.5 * _NODES[-1] * length, lower, lower + (1 - _NODES[-1]) * length)
        nodes = nodes + _NODES * length
        weights = _derivative_at(place.value, nodes)
        found: Deviations = {}
        for node, weight in zip(nodes, weights, strict=True):
            there = Place(place.coefficients, float(node))
            for name, values in self._deviations(self.linear(there), there, sites).items():
                found[name] = found.get(name, 0.0) + weight * values
        return found

    def _at_ends(self, place: Place, sites: Mapping[str, Sites]) -> list[Deviations]:
        """The residuals of the function of a place at both ends of the interval, without compiling a problem."""
        ends = [end if isinstance(end, Problem) else end.to(self.expansion(place)) for end in self._ends]
        return [self._deviations(end, place, sites) for end in ends]

    def _deviations(self, problem: Problem, place: Place, sites: Mapping[str, Sites]) -> Deviations:
        return deviations(problem, sites, applied_to_sum(self.finite, place.coefficients))

    @cached_property
    def _ends(self) -> list[Problem | Moving]:
        ends = [self.along.at(value) for value in (self.along.lower, self.along.upper)]
        return [end if end.is_linear else moving(end) for end in ends]


@final
@dataclass(frozen=True, eq=False)
class Local:
    """The linearisation around a place, as a linear problem that is discretised and factored."""

    equations: Equations
    place: Place
    finite: Finite
    blocks: Sequence[BlockRows]
    factored: Factored

    @cached_property
    def sites(self) -> dict[str, Sites]:
        """The sites of rows, by block."""
        return {name: sites for name, (sites, _) in self.finite.fitted(self.blocks).items()}

    def solve(self, values: Mapping[str, FloatArray]) -> FloatArray:
        """Coefficients of the solution of the linearisation with these values on the right."""
        return np.asarray(self.factored.solve(self.finite.spread(values, self.blocks)))

    def correction(self, place: Place) -> FloatArray:
        """Newton's step at a place nearby, with the parameter fixed."""
        return -self.solve(self.equations.left(place, self.sites))

    @cached_property
    def sideways(self) -> FloatArray:
        """The derivative of the solution with respect to the parameter."""
        return -self.solve(self.equations.slope(self.place, self.sites))


def _derivative_at(value: float, nodes: FloatArray) -> FloatArray:
    """Weights of values at nodes for the derivative of their interpolating polynomial."""
    width = nodes[-1] - nodes[0]
    powers = np.vander((nodes - value) / width, increasing=True).T
    wanted = np.zeros(len(nodes))
    wanted[1] = 1.0 / width
    return np.asarray(np.linalg.solve(powers, wanted))


# ---- Eigenvalues closest to zero, and stability

# Dimension of the Krylov space.
_FUNCTIONS = 24
# Number of first functions, and their waves along each axis. Eigenvalues of the inverse count if they are larger than a
# share of the one after so many: the basis does not resolve the functions of smaller ones.
_STARTS, _WAVES, _LEAST = 3, 1.5, 1e-2


@final
@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues mu of the linearisation F' closest to zero: ``F' phi = mu phi``, with homogeneous conditions.

    The `values`, the closest first, are those of ``u_t = F(u)`` or of ``u_t = -F(u)``, whichever is well posed: a
    solution is stable if all real parts are negative. The `sign` is that of F in this equation; zero if neither is well
    posed, so that stability is not known. The columns of `functions` are coefficients of the eigenfunctions.
    """

    values: NDArray[np.complex128]
    functions: NDArray[np.complex128]
    sign: int

    @property
    def without_functions(self) -> Spectrum:
        """The values alone, which take little memory."""
        return replace(self, functions=self.functions[:, :0].copy())

    @property
    def unstable(self) -> int | None:
        """How many have a positive real part; None if stability is not known."""
        return int(np.sum(self.values.real > 0)) if self.sign else None

    @property
    def positive_real(self) -> int:
        """How many are real and positive, whatever the sign of F."""
        return int(np.sum(self._real > 0))

    def closest(self, *, positive: bool) -> float:
        """The real one with a sign that is closest to zero; infinite if there is none."""
        found = self._real[self._real > 0 if positive else self._real < 0]
        return float(found[0]) if len(found) else np.inf

    @property
    def null(self) -> FloatArray:
        """Coefficients of the eigenfunction of the real eigenvalue closest to zero."""
        return np.asarray(self.functions[:, np.flatnonzero(self.is_real)[0]].real)

    def is_singular(self, share: float) -> bool:
        """Whether the one closest to zero is less than a share of the next one."""
        sizes = np.abs(self.values[:2])
        return len(sizes) > 0 and bool(sizes[0] < share * sizes[-1])

    @property
    def _real(self) -> FloatArray:
        return np.asarray(self.values[self.is_real].real)

    @cached_property
    def is_real(self) -> NDArray[np.bool_]:
        """Which of them are real."""
        return np.asarray(np.abs(self.values.imag) <= CLOSE * np.abs(self.values))


def find_spectrum(local: Local) -> Spectrum:
    """Find the eigenvalues in a Krylov space of the inverse.

    The space has values at the sites of the equations' rows, in which coefficients that are hardly determined do not
    show. It begins with several functions, since eigenvalues may be double, and with smooth ones, which the basis
    resolves.
    """
    inverse = _Inverse(local)
    space = Space(inverse.values, HALF)
    block = space.add(inverse.starts(_STARTS))
    while block.shape[1] and space.count <= min(_FUNCTIONS, inverse.rows):
        block = space.add(inverse(block))
    H = space.matrix
    square, beyond = np.split(H, [H.shape[1]])
    theta, modes = np.linalg.eig(square)
    outside = np.linalg.norm(beyond @ modes, axis=0)
    order = np.argsort(-np.abs(theta))
    sizes = np.abs(theta[order])
    # relative to a usual one: the largest is much larger where the linearisation is almost singular
    usual = sizes[min(_STARTS, len(sizes) - 1)]
    settled = (outside[order] <= CLOSE * sizes[0]) & (sizes > _LEAST * usual)
    order = order[settled] if settled.any() else order[:1]
    functions = space.images @ (modes[:, order] / theta[order])
    sign = leading_sign(local.finite.problem)
    return Spectrum(np.asarray((sign or 1) / theta[order], dtype=complex), np.asarray(functions, dtype=complex), sign)


def leading_sign(problem: Problem) -> int:
    """The sign with which ``u_t = F(u)`` is well posed, by the highest derivatives of an equation for one unknown.

    Zero if neither is, and for several unknowns or time-dependent problems.
    """
    if len(problem.unknowns) > 1 or problem.domain.time is not None:
        return 0
    operator = problem.equations[0].operator
    if operator.order % 2:
        return 0
    places = probes_in(problem)
    directions = np.random.default_rng(0).standard_normal((PROBES, problem.dimension))
    symbol = np.zeros((PROBES, PROBES))
    for term in operator.terms:
        if term.order == operator.order:
            powers = np.prod(directions ** np.array(term.orders), axis=1)
            symbol += (-1) ** (operator.order // 2) * np.outer(np.real(term.at(places)), powers)
    return -1 if np.all(symbol > 0) else int(np.all(symbol < 0))


@dataclass(frozen=True, eq=False)
class _Inverse:
    """Solves the linearisation for right-hand sides, with homogeneous conditions."""

    local: Local

    def __call__(self, functions: NumberArray) -> NumberArray:
        """Coefficients ``(M, F)`` of solutions, for those of right-hand sides."""
        return self._solved(self.values(functions))

    def values(self, functions: NumberArray) -> NumberArray:
        """Values ``(n, F)`` at the sites of all equations' rows."""
        return np.concatenate([np.asarray(table @ functions) for table in self._tables])

    @property
    def rows(self) -> int:
        """The number of the equations' rows."""
        return sum(self._counts)

    def starts(self, count: int) -> NumberArray:
        """Solutions for smooth right-hand sides without any symmetry."""
        smooth = SmoothSides(self.local.finite.problem, self._names, count, np.random.default_rng(0), _WAVES)
        return self._solved(np.concatenate([smooth.at(name, self.local.sites[name].points) for name in self._names]))

    def _solved(self, values: NumberArray) -> NumberArray:
        parts = np.split(values, np.cumsum(self._counts)[:-1])
        each = [dict(zip(self._names, own, strict=True)) for own in zip(*(part.T for part in parts), strict=True)]
        return np.stack([self.local.solve(own) for own in each], axis=1)

    @cached_property
    def _names(self) -> list[str]:
        return [equation.name for equation in self.local.finite.problem.equations]

    @cached_property
    def _counts(self) -> list[int]:
        return [len(self.local.sites[name]) for name in self._names]

    @cached_property
    def _tables(self) -> list[Any]:
        finite = self.local.finite
        each = zip(values_of(finite.problem), self._names, strict=False)
        return [tabulate(finite.basis, value, self.local.sites[name], threads=finite.threads) for value, name in each]


# ---- The curve of solutions: tangents, and steps to the next place

# The most corrections of one step; the linearisation is renewed if a correction is larger than a share of the one
# before.
_MOST_CORRECTIONS, _SLOW = 12, 0.1


@final
@dataclass(frozen=True, eq=False)
class Station:
    """A place on a curve of solutions, with its linearisation and tangent, of norm one.

    So many corrections were needed.
    """

    local: Local
    tangent: Place
    corrections: int = 0

    @property
    def place(self) -> Place:
        """The solution and the parameter."""
        return self.local.place

    @property
    def value(self) -> float:
        """The parameter."""
        return self.local.place.value

    @cached_property
    def spectrum(self) -> Spectrum:
        """Eigenvalues of the linearisation."""
        return find_spectrum(self.local)

    @property
    def steepness(self) -> float:
        """The change of the parameter along the curve: zero at folds."""
        return self.tangent.value


@final
@dataclass(frozen=True, eq=False)
class Mark:
    """A station without its factored linearisation, which takes much memory.

    The solution changes so much with the parameter as the `slope` says: never zero, so that one can divide by it.
    """

    place: Place
    tangent: Place
    slope: float


@final
@dataclass(frozen=True, eq=False)
class Curve:
    """Solutions of equations, as a curve in the space of functions and parameters."""

    equations: Equations
    metric: Metric

    def station(self, local: Local, like: Place, corrections: int = 0) -> Station:
        """The station at a place of the curve, with the direction that is more like another one."""
        tangent = self.metric.unit_of(Place(local.sideways, 1.0))
        sign = 1.0 if self.metric.inner(tangent, like) >= 0 else -1.0
        return Station(local, tangent.scaled(sign), corrections)

    def step(self, start: Station, length: float) -> Station | None:
        """The place of the curve at a distance along the tangent; None if none is found."""
        guess = start.place.moved(length, start.tangent)
        return self.correct(guess, start.tangent, start.local, like=start.tangent)

    def correct(self, guess: Place, across: Place, local: Local | None, like: Place) -> Station | None:
        """The place of the curve near a guess, in the plane through it with a normal `across`; None if none is found.

        The first correction uses a linearisation nearby, if there is one. The tangent has a direction `like` another
        one.
        """
        at, last = guess, np.inf
        try:
            for count in range(1, _MOST_CORRECTIONS + 1):
                local = local or self.equations.at(at)
                change = self._change(at.minus(guess), at, across, local)
                size, rate = self.metric.norm(change), self.metric.norm(change) / last
                is_fresh = local.place is at
                at, last = at.moved(1.0, change), size
                # the expected error: the square of the correction, or, with an old linearisation, linear convergence
                left = size * (size if is_fresh else max(rate, size) if count > 1 else 1.0)
                whole = max(1.0, self.metric.norm(at))
                if left <= ROUNDED * whole or (rate > _SLOW and size <= HALF * whole):
                    return self.station(self.equations.at(at), like, count)
                if not rate <= BETTER:  # clearly worse: there is no solution
                    return None
                if rate > _SLOW and count > 1:
                    local = None
        except (IterateError, SolveError):
            return None
        return None

    def _change(self, gone: Place, at: Place, across: Place, local: Local) -> Place:
        """Newton's step within the plane."""
        straight = Place(local.correction(at), 0.0)
        sideways = Place(local.sideways, 1.0)
        by = self.metric.inner(across, gone) + self.metric.inner(across, straight)
        return straight.moved(-by / self.metric.inner(across, sideways), sideways)

    def at_value(self, start: Station, value: float) -> Station | None:
        """The place of the curve with a value of the parameter, near a station."""
        nearby = start.place.moved((value - start.value) / start.tangent.value, start.tangent)
        return self.correct(nearby, Place(np.zeros_like(nearby.coefficients), 1.0), start.local, like=start.tangent)

    def mark(self, station: Station) -> Mark:
        """The mark of a station."""
        slope = max(self.metric.size(station.local.sideways), np.finfo(float).tiny)
        return Mark(station.place, station.tangent, slope)


# ---- Errors of eigenvalues


def eigenvalue_error(station: Station, value: float) -> float:
    """The error of an eigenvalue, from the residual of its eigenfunction in held-out rows.

    With T the inverse of the linearisation, of norm A, and r the residual of ``F' phi = mu phi``, there is an
    eigenvalue of T within ``A r / mu`` of ``1 / mu``.
    """
    local, spectrum = station.local, station.spectrum
    place = int(np.argmin(np.abs(spectrum.values - value)))
    finite, function = local.finite, np.asarray(spectrum.functions[:, place].real)
    examination = examine(finite, local.blocks, local.factored, local.equations.request.streams.probes)
    apply, nothing = (applied_to_sum(finite, each) for each in (function, np.zeros_like(function)))
    sites = examination.held_out.sites
    left, constant = (deviations(finite.problem, sites, each) for each in (apply, nothing))
    left = {name: left[name] - constant[name] for name in left}
    for number, equation in enumerate(finite.problem.equations):
        values = apply(identity(finite.problem.dimension).on(number), sites[equation.name])
        left[equation.name] = left[equation.name] - value * (spectrum.sign or 1) * values
    seams = finite.seams(function)
    residual = examination.norm(left)
    for seam in seams:
        residual = float(np.hypot(residual, seam.rows.scale * np.sqrt(seam.rows.count) * safe_rms(seam.deviation)))
    size = max(safe_rms(values @ function) for values in examination.sensitivity.values)
    return abs(value) * examination.sensitivity.amplification * residual / size


# ---- Folds and bifurcations between two places of a curve

# Distances of the nodes of polynomials from a fold, on both sides, in shares of the way. Brent's method locates it up
# to the last one: next to an event the linearisation is almost singular, and residuals decide where a place is found.
_BESIDE = (0.15, 0.03)
# Distances of the nodes from the latest zero of an eigenvalue.
_CLOSER = (0.02, 0.004)


@final
@dataclass(frozen=True, eq=False)
class Event:
    """A fold or a bifurcation that was located, at which so many (`multiplicity`) eigenvalues are zero.

    The `doubt` is the error of its parameter from the location, and, at a bifurcation, from the eigenvalue.
    """

    kind: Literal["fold", "bifurcation"]
    station: Station
    doubt: float
    multiplicity: int = 1


def crossings(before: Station, after: Station) -> tuple[bool, int]:
    """Whether a curve turns back between two places, and how many further real eigenvalues change sign."""
    turns = before.steepness * after.steepness < 0
    real = abs(before.spectrum.positive_real - after.spectrum.positive_real)
    return turns, max(real - int(turns), 0)


def locate(curve: Curve, before: Station, after: Station, length: float) -> list[Event]:
    """The events between two places, the second of which is a step of some length from the first.

    A `SolveError` says that there is one that cannot be located.
    """
    turns, crossing = crossings(before, after)
    way = _Way(curve, before, after, length, has_spectra=not turns)
    if turns:
        return [_fold(way)]
    return [replace(_bifurcation(way), multiplicity=crossing)] if crossing else []


@dataclass(frozen=True, eq=False)
class _Way:
    """The curve between two places, by the distance along the tangent of the first one."""

    curve: Curve
    before: Station
    after: Station
    length: float
    has_spectra: bool
    known: dict[float, tuple[Mark, Spectrum | None]] = field(default_factory=dict)

    def at(self, distance: float) -> Mark:
        return self._known_at(distance)[0]

    def spectrum(self, distance: float) -> Spectrum:
        spectrum = self._known_at(distance)[1]
        assert spectrum is not None
        return spectrum

    def _known_at(self, distance: float) -> tuple[Mark, Spectrum | None]:
        if distance not in self.known:
            ends = {0.0: self.before, self.length: self.after}
            station = ends[distance] if distance in ends else self.curve.step(self.before, distance)
            if station is None:
                raise SolveError("no place of the curve was found")
            spectrum = station.spectrum.without_functions if self.has_spectra else None
            self.known[distance] = self.curve.mark(station), spectrum
        return self.known[distance]

    def rate(self, distance: float) -> float:
        """The rate at which the parameter changes."""
        tangent = self.at(distance).tangent
        return tangent.value / self.curve.metric.inner(self.before.tangent, tangent)

    def top(self, nodes: Sequence[float]) -> Place:
        """The extremum of the parameter on a Hermite polynomial through some places."""
        rows = []
        for node in nodes:
            mark = self.at(node)
            along = mark.tangent.scaled(self.rate(node) / mark.tangent.value)
            rows += [mark.place.vector, along.vector]
        curve = scipy.interpolate.KroghInterpolator(np.repeat(nodes, 2), np.array(rows))
        top = scipy.optimize.brentq(lambda distance: float(curve.derivative(distance)[-1]), 0.0, self.length)
        return Place.of(curve(top))

    def between(self, nodes: Sequence[float], distance: float) -> Place:
        """The place at a distance, on a polynomial through those at some nodes."""
        curve = scipy.interpolate.BarycentricInterpolator(
            nodes, np.array([self.at(node).place.vector for node in nodes])
        )
        return Place.of(curve(distance))

    def closer(self, nodes: Sequence[float], about: float, share: float) -> list[float]:
        """The nodes, and one more on either side of a distance, at a share of the way."""
        beside = [about + side * share * self.length for side in (-1.0, 1.0)]
        return sorted({*nodes, *(float(np.clip(each, 0.0, self.length)) for each in beside)})

    def station(self, place: Place) -> Station:
        """The station at a place."""
        return self.curve.station(self.curve.equations.at(place), like=self.before.tangent)

    def root(self, function: Callable[[float], float], close: float) -> float:
        """Where a function changes sign, by Brent's method."""
        signs = function(0.0) * function(self.length)
        if not (np.isfinite(signs) and signs < 0):
            raise SolveError("nothing changes sign")
        tolerance = close * self.length
        return float(scipy.optimize.brentq(function, 0.0, self.length, xtol=tolerance, maxiter=ITERATIONS, disp=False))


def _fold(way: _Way) -> Event:
    """Where the parameter has an extremum, by Hermite polynomials with closer and closer nodes."""
    about = way.root(way.rate, _BESIDE[-1])
    nodes, tops = [0.0, way.length], []
    for share in _BESIDE:
        nodes = way.closer(nodes, about, share)
        tops.append(way.top(nodes))
    place, earlier = tops[-1], tops[-2]
    return Event("fold", way.station(place), abs(place.value - earlier.value))


def _bifurcation(way: _Way) -> Event:
    """Where an eigenvalue is zero, by polynomials with closer and closer nodes."""
    first = way.before.spectrum.positive_real
    rises = way.after.spectrum.positive_real > first

    def crossing(distance: float) -> float:
        """The eigenvalue that crosses zero."""
        spectrum = way.spectrum(distance)
        return spectrum.closest(positive=(spectrum.positive_real != first) == rises)

    def zero(nodes: list[float]) -> float:
        values = [crossing(node) for node in nodes]
        if not np.all(np.isfinite(values)) or np.any(np.diff(values) * (1.0 if rises else -1.0) <= 0):
            raise SolveError("an eigenvalue does not cross zero once")
        return float(scipy.interpolate.BarycentricInterpolator(values, nodes)(0.0))

    nodes = [0.0, way.length]
    roots = [zero(nodes)]
    for share in _CLOSER:
        nodes = way.closer(nodes, roots[-1], share)
        roots.append(zero(nodes))
    place, earlier = (way.between(nodes, root) for root in (roots[-1], roots[-2]))
    before, after = crossing(0.0), crossing(way.length)
    wrong = max(eigenvalue_error(way.before, before), eigenvalue_error(way.after, after)) / abs(after - before)
    doubt = _CLOSER[-1] * abs(place.value - earlier.value) + wrong * abs(way.after.value - way.before.value)
    return Event("bifurcation", way.station(place), doubt)
