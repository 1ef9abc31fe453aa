"""Resonances: found as poles of driven fields, pinned by contour integrals, and with errors estimated."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import final

import numpy as np
import scipy
import sympy as sp
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, ComplexArray, FloatArray, NumberArray, safe_rms
from fspielm.basis.evaluation.direct import tabulate
from fspielm.basis.outgoing.family import Outward, at_wavenumbers
from fspielm.collocation.system import BlockResidual, BlockRows, Discretisation
from fspielm.eigen.modes import AMPLE, ROUGH_TOL, VALUE_ROUNDING, Mode, modes_of
from fspielm.eigen.pencil import DEPENDENT, TRIES, independent, with_value
from fspielm.errors import ProblemError
from fspielm.estimate.estimate import estimate_without_data
from fspielm.geometry.boundary import Sites
from fspielm.numerics.rational import Rational, rational
from fspielm.numerics.tolerances import CLOSE, HALF, HALVINGS, PROBES, SAME
from fspielm.problem.operator import identity
from fspielm.problem.problem import Problem
from fspielm.problem.scattering.inside import transmission_problem
from fspielm.problem.scattering.media import media_of
from fspielm.problem.scattering.open_domain import ratio_of
from fspielm.solvers.driver import solution_of
from fspielm.solvers.request import LONG, Request
from fspielm.solvers.round import FeaturePlan, Record, RoundResult
from fspielm.solvers.strategies.open_space import OpenSpace, first_efforts
from fspielm.wording import duration, readable_bytes

# ---- Rectangles of the complex plane

# Points of a contour on the longer sides; shorter sides have fewer in proportion, but at least half as many.
_ON_SIDE = 20


@final
@dataclass(frozen=True)
class Rectangle:
    """All numbers between two opposite corners."""

    lower: complex  # the lower left and the upper right corner
    upper: complex

    @property
    def extent(self) -> complex:
        """Width and height."""
        return self.upper - self.lower

    @property
    def longer(self) -> float:
        """The length of the longer sides."""
        return max(self.extent.real, self.extent.imag)

    @property
    def largest(self) -> float:
        """The largest absolute value in it."""
        return max(abs(self.lower), abs(complex(self.upper.real, self.lower.imag)), abs(self.upper))

    @property
    def contour(self) -> ComplexArray:
        """Points on its sides, denser toward the corners."""
        size, parts = self.extent, []
        for length, along, across in ((size.real, 1, 1j * size.imag), (size.imag, 1j, size.real)):
            share = max(length / self.longer, 0.5)
            count = round(_ON_SIDE * share)
            t = 0.5 - 0.5 * np.cos(np.pi * (np.arange(count) + 0.5) / count)
            side = self.lower + along * length * t
            parts += [side, side + across]
        return np.concatenate(parts)

    def contains(self, values: ComplexArray, slack: float = 0.0) -> BoolArray:
        """Which numbers are in it, or no farther away than a slack."""
        lower, upper = self.lower, self.upper
        across = (values.real >= lower.real - slack) & (values.real <= upper.real + slack)
        return np.asarray(across & (values.imag >= lower.imag - slack) & (values.imag <= upper.imag + slack))

    def grown(self, share: float) -> Rectangle:
        """Extended by a share of its longer sides everywhere, but at most to half of its distance from zero."""
        more = share * self.longer
        left = min(more, 0.5 * self.lower.real)
        return Rectangle(self.lower - complex(left, more), self.upper + complex(more, more))

    def cut(self, share: float) -> tuple[Rectangle, Rectangle]:
        """Two rectangles, cut across the longer sides."""
        lower, upper, size = self.lower, self.upper, self.extent
        if size.real >= size.imag:
            cut = lower.real + share * size.real
            return Rectangle(lower, complex(cut, upper.imag)), Rectangle(complex(cut, lower.imag), upper)
        cut = lower.imag + share * size.imag
        return Rectangle(lower, complex(upper.real, cut)), Rectangle(complex(lower.real, cut), upper)

    @property
    def corners(self) -> tuple[str, str]:
        """Both corners, for messages."""
        return _format(self.lower), _format(self.upper)

    def __str__(self) -> str:
        return f"({', '.join(self.corners)})"


def _format(number: complex) -> str:
    return f"{number:.6g}" if number.imag else f"{number.real:.6g}"


# ---- Functions that satisfy the equation and radiate from the same places, at every value of a symbol

# The number of data that drive fields, in the plane and in space: more than modes of one value.
_DRIVES = {2: 6, 3: 30}
# Wavenumbers with larger angles get the other sign.
_TURNED = 0.75 * np.pi


def waves_of(problem: Problem) -> tuple[complex, ...]:
    """Wavenumbers outside of the objects and, if they have a field, inside.

    Below the real axis they continue outgoing waves analytically, rather than decaying ones. Inside they are as stated
    up to their signs: a root would have a branch cut at metals.
    """
    first, *_ = transmission_problem(problem).equations
    inside = [medium.condition.number(problem.givens) for medium in media_of(problem)]
    return cmath.sqrt(ratio_of(first.operator)), *(-k if abs(cmath.phase(k)) > _TURNED else k for k in inside)


@final
@dataclass(frozen=True, eq=False)
class OpenRows:
    """The functions at one value."""

    value: complex
    finite: Discretisation
    conditions: NumberArray  # (n, M): their images in the conditions, scaled so that squares add up to a mean
    window: NumberArray  # (m, M): their values in the window, likewise
    data: NumberArray  # (n, L): data that drive fields

    @property
    def response(self) -> ComplexArray:
        """Fields in the window, driven by the data, ``(m, L)``: functions of the value with poles at resonances."""
        R, order, sizes, data = self._factored
        solved = scipy.linalg.solve_triangular(R, data, check_finite=False)
        return np.asarray((self.window[:, order] / sizes[order]) @ solved)

    @property
    def amplification(self) -> float:
        """The largest norm of fields in the window for data of norm one."""
        R, order, sizes, _ = self._factored
        window = (self.window[:, order] / sizes[order]).T
        return float(np.linalg.norm(scipy.linalg.solve_triangular(R, window, trans="T", check_finite=False), 2))

    @cached_property
    def _factored(self) -> tuple[ComplexArray, NumberArray, FloatArray, ComplexArray]:
        """R of the conditions by pivoted QR, the order of functions, the sizes of all functions, and Q* data.

        As pivoting is slow, a QR of all rows without pivots comes first and reduces them to a square factor.
        """
        sizes = np.linalg.norm(self.conditions, axis=0)
        count = len(sizes)
        plain = np.asarray(np.linalg.qr(np.column_stack([self.conditions / sizes, self.data]), mode="r"))
        Q, R, order = scipy.linalg.qr(plain[:count, :count], mode="economic", pivoting=True, check_finite=False)
        rank = int(np.count_nonzero(np.abs(np.diag(R)) > 0.1 * DEPENDENT * abs(R[0, 0])))
        return R[:rank, :rank], order[:rank], sizes, Q[:, :rank].conj().T @ plain[:count, count:]

    def smallest(self, count: int) -> tuple[ComplexArray, int, float]:
        """Coefficients ``(M, count)`` of the functions with the least residuals, orthonormal in the window.

        Also the number of independent functions in the basis, and their condition number.
        """
        among = independent(np.concatenate([self.conditions, self.window]))
        own = among.combined(among.smallest(len(self.conditions), count))
        _, R = np.linalg.qr(self.window @ own)
        return np.asarray(np.linalg.solve(R.T, own.T).T, dtype=np.complex128), among.rank, among.condition


@final
@dataclass(frozen=True, eq=False)
class Left:
    """Residuals of k functions in one condition, ``(n, k)``, in its own units; and the scale of its rows."""

    name: str
    scale: float
    values: NumberArray


@final
@dataclass(frozen=True, eq=False)
class OpenFunctions:
    """Functions of one kind and number at the same places, for all values of a rectangle."""

    problem: Problem
    symbol: sp.Symbol
    plan: FeaturePlan
    first: Discretisation  # the discretisation at the largest value

    def at(self, value: complex) -> OpenRows:
        """The functions at a value."""
        problem = transmission_problem(with_value(self.problem, self.symbol, value))
        basis = at_wavenumbers(self.first.basis, waves_of(problem))
        finite = replace(self.first, problem=problem, drawn=basis)
        window = [
            tabulate(basis, identity(problem.dimension).on(place), sites, threads=finite.threads)
            for place, sites in enumerate(self.window)
        ]
        scale = 1 / np.sqrt(sum(map(len, self.window)))
        conditions = finite.further_columns(basis, self._scaled)
        return OpenRows(value, finite, conditions, scale * np.concatenate(window), self._data)

    def left(self, rows: OpenRows, coefficients: ComplexArray) -> tuple[Left, ...]:
        """Residuals of functions in the conditions at held-out places, by block."""
        finite = replace(rows.finite, sites=rows.finite.hold_out(np.random.default_rng(1)).sites)
        plain = finite.assemble("none")
        left = plain.matrix @ coefficients
        return tuple(
            Left(own.name, fitted.scale * np.sqrt(fitted.count / own.count), left[own.rows])
            for own, fitted in zip(plain.blocks, self._scaled, strict=True)
        )

    @property
    def drives(self) -> int:
        """The number of data that drive fields, which limits the modes of one value that can be found."""
        return _DRIVES[self.problem.dimension]

    @cached_property
    def window(self) -> tuple[Sites, ...]:
        """Places in the window: outside of the objects and, if they have a field, inside."""
        domains = [unknown.domain for unknown in self.first.problem.unknowns]
        return tuple(Sites(domain.sample(PROBES, np.random.default_rng(0), "low-discrepancy")) for domain in domains)

    @cached_property
    def _scaled(self) -> Sequence[BlockRows]:
        blocks = self.first.assemble("rms").blocks
        return [replace(each, scale=each.scale / np.sqrt(each.count)) for each in blocks]

    @cached_property
    def _data(self) -> NumberArray:
        """Data that drive fields: images in the conditions of random sums of the functions at the largest value.

        So they drive exactly what the functions can represent, including short waves along surfaces.
        """
        columns = self.first.further_columns(self.first.basis, self._scaled)
        size = self.first.basis.size
        mixed = np.random.default_rng(size).standard_normal((size, self.drives))  # others for other functions
        return np.asarray((columns / np.linalg.norm(columns, axis=0)) @ mixed / np.sqrt(size))


# ---- Functions for a search for resonances, within the budget

# Tables of the size of a system that are in memory at a time.
_TABLES = 4
# Larger matrices are filled on threads.
_MANY_ENTRIES = 200_000


class BeyondBudgetError(ProblemError):
    """There is no time, or no memory, for functions or for all of a rectangle."""


@final
@dataclass(frozen=True, eq=False)
class Requirements:
    """What functions have to represent."""

    problem: Problem
    symbol: sp.Symbol  # the symbol of the value
    largest: float  # the largest absolute value
    along: float  # the highest wavenumber of waves that are bound to surfaces


def open_functions(required: Requirements, record: Record, request: Request, level: int) -> OpenFunctions:
    """Functions that represent all that is required, more of them for each level.

    Raises `BeyondBudgetError` if the budget does not allow so many.
    """
    here = replace(
        request, problem=transmission_problem(with_value(required.problem, required.symbol, required.largest))
    )
    efforts = [
        replace(each, made=replace(each.made, held=max(each.made.held, required.along)))
        for each in first_efforts(here.problem, None, level)
    ]
    plan = OpenSpace(here, tuple(efforts)).first().plan
    assert isinstance(plan, FeaturePlan)  # as that of open domains is
    _check_budget(required, record, here, plan)
    first = plan.discretise(here, {})
    entries = first.rows * first.basis.size
    threads = first.threads if entries > _MANY_ENTRIES else 1
    return OpenFunctions(required.problem, required.symbol, plan, replace(first, threads=threads))


def _check_budget(required: Requirements, record: Record, request: Request, plan: FeaturePlan) -> None:
    budget, memory = record.budget, _TABLES * plan.nbytes(request)
    each = plan.outlook(request, None, math.inf).seconds
    least = _ON_SIDE * each  # a search solves more systems
    bound = (
        f"; waves of wavenumber {required.along:.3g} are bound to a surface"
        if required.along > required.largest
        else ""
    )
    for is_beyond, what, remedy in (
        (budget.neurons is not None and plan.neurons > budget.neurons, "", f"neurons={plan.neurons}"),
        (memory > budget.memory_limit, f" and {readable_bytes(memory)} of memory", "memory=..."),
        (each > LONG and least > record.seconds_left, f" and {duration(least)}, at least", "seconds=..."),
    ):
        if is_beyond:
            raise BeyondBudgetError(
                f"resonances there need {plan.neurons} functions{what}{bound}: ask for fewer digits, or allow more "
                f"with budget=fs.Budget({remedy})"
            )


# ---- Poles of driven fields as functions of the value: there may be resonances

# The largest difference, in radians across half of the window, of waves on the left and right side of a rectangle.
_RADIANS = 8.0


@final
@dataclass(frozen=True)
class Way:
    """How to search a rectangle: the margin of contours around it, and where to cut it."""

    margin: float
    share: float


@final
@dataclass(frozen=True, eq=False)
class Found:
    """Poles of a rectangle, rough poles beside it, and parts of it in which poles are not certain."""

    poles: ComplexArray
    beside: ComplexArray
    doubtful: tuple[Rectangle, ...] = ()


def search(functions: OpenFunctions, rectangle: Rectangle, way: Way, record: Record) -> Found:
    """All poles of a rectangle.

    Raises `BeyondBudgetError` if there is no time for that.
    """
    cells = list(_cells(functions, rectangle, way))
    began = perf_counter()
    functions.at(rectangle.upper)
    expected = (perf_counter() - began) * sum(len(cell.contour) for cell in cells)
    if expected > record.seconds_left:
        raise BeyondBudgetError(
            f"to look at all of this rectangle would take about {expected:.0f} seconds, of which there are "
            f"{max(record.seconds_left, 0.0):.0f}: ask for a smaller one, or allow more with "
            "budget=fs.Budget(seconds=...)"
        )
    parts = [part for cell in cells for part in _search_cell(functions, cell, way, HALVINGS, record)]
    doubtful = tuple(each for part in parts for each in part.doubtful)
    poles, beside = (np.concatenate([getattr(part, name) for part in parts]) for name in ("poles", "beside"))
    return Found(poles, beside, doubtful)


def _cells(functions: OpenFunctions, rectangle: Rectangle, way: Way) -> Iterator[Rectangle]:
    """Parts of a rectangle so small that each has few poles."""
    problem, symbol = functions.problem, functions.symbol
    ends = (rectangle.lower.real, rectangle.upper.real)
    first, last = (waves_of(problem.at({symbol: end})) for end in ends)
    lower, upper = problem.domain.bounding_box
    radians = max(abs(b - a) for a, b in zip(first, last, strict=True)) * 0.5 * float(np.max(upper - lower))
    if radians <= _RADIANS or rectangle.extent.real < rectangle.extent.imag:
        yield rectangle
    else:
        for part in rectangle.cut(way.share):
            yield from _cells(functions, part, way)


def _search_cell(functions: OpenFunctions, cell: Rectangle, way: Way, cuts: int, record: Record) -> Iterator[Found]:
    """The poles of a cell, which is cut in two if there are too many."""
    around = cell.grown(way.margin)
    fitted = _fitted(functions, around.contour, record)
    if fitted.error > CLOSE and cuts and record.seconds_left > 0:
        for part in cell.cut(way.share):
            yield from _search_cell(functions, part, way, cuts - 1, record)
    else:
        inside = around.contains(fitted.poles)
        yield Found(fitted.poles[inside], fitted.poles[~inside], () if fitted.error <= CLOSE else (cell,))


def _fitted(functions: OpenFunctions, contour: ComplexArray, record: Record) -> Rational:
    """Rational functions through fields on a contour, at every other place of it if that is enough.

    Without time for all places, those that were found so far.
    """
    values: dict[complex, ComplexArray] = {}
    fitted = Rational(np.empty(0, dtype=np.complex128), np.inf)
    for places in (contour[::2], contour):
        for place in places.tolist():
            if record.seconds_left <= 0:
                return fitted
            if place not in values:
                response = functions.at(place).response
                weights = np.random.default_rng(4).standard_normal((functions.drives, len(response)))
                values[place] = np.asarray((weights @ response).ravel())
        fitted = rational(places, np.array([values[place] for place in places.tolist()]), CLOSE)
        if fitted.error <= CLOSE:
            break
    return fitted


# ---- Resonances pinned by integrals around them
# A driven field is meromorphic in the value. Its integral around a resonance is the residue, and that of the field
# times the distance gives the place: of several and of multiple resonances at once (W.-J. Beyn, Linear Algebra Appl.
# 436, 2012).

# The number of places on a circle.
_NODES = 8
# The least radius of a circle in units of the distance of values in it, and the factor from one circle to the next.
_AROUND = 4.0
# The radius of circles that give all digits, as a share of that radius.
_SHARE = 0.1
# The radius of the first circle, as a share of the distance to others.
_APART = 0.3


@final
@dataclass(frozen=True, eq=False)
class Pinned:
    """Resonances that are close to each other."""

    values: ComplexArray  # (m,)
    radius: float  # the radius of a circle around them, without others
    seen: int  # the largest number of them that any functions have found

    @property
    def is_whole(self) -> bool:
        """Whether all that any functions have found are there."""
        return len(self.values) >= self.seen


def pinned(functions: OpenFunctions, seen: Found, rectangle: Rectangle, record: Record) -> Iterator[Pinned]:
    """The resonances at poles of a rectangle, and others close to them, as long as there is time."""
    poles = seen.poles
    groups = list(clusters(poles, ROUGH_TOL))
    middles = np.array([poles[group].mean() for group in groups])
    for group, middle in zip(groups, middles, strict=True):
        if record.seconds_left <= 0:
            return
        if not np.any(rectangle.contains(poles[group], ROUGH_TOL * abs(middle))):
            continue
        others = np.abs(np.concatenate([middles[middles != middle], seen.beside]) - middle)
        least = max(_AROUND * float(np.abs(poles[group] - middle).max()), ROUGH_TOL * abs(middle))
        apart = float(np.min(others[others > least], initial=np.inf))
        # outside of the rectangle there may be many, which the search does not know
        reach = max(min(_APART * apart, 0.1 * abs(middle), 0.5 * middle.real, rectangle.longer), least)
        first, within = _first_poles(functions, complex(middle), reach)
        for own in clusters(first, ROUGH_TOL):
            center = complex(first[own].mean())
            apart = float(np.min(np.abs(np.delete(first, own) - center), initial=np.inf))
            wanted = max(ROUGH_TOL * abs(center), _AROUND * float(np.abs(first[own] - center).max()))
            found = repinned(functions, Pinned(first[own], min(wanted, _APART * apart, within), len(own)))
            if found is not None:
                yield found


def _first_poles(functions: OpenFunctions, middle: complex, reach: float) -> tuple[ComplexArray, float]:
    """The poles within a circle around a known one, and its radius; smaller if unknown poles hide it."""
    for radius in (reach / _AROUND ** np.arange(TRIES)).tolist():
        found = _poles_within(functions, middle, radius, CLOSE)
        if _AROUND * np.min(np.abs(found - middle), initial=np.inf) <= radius:
            return found, radius
    return np.empty(0, dtype=np.complex128), reach


def repinned(functions: OpenFunctions, known: Pinned) -> Pinned | None:
    """The same resonances to all digits, on a smaller circle and with other functions; None if there are none."""
    middle = complex(known.values.mean())
    smaller = max(_SHARE * known.radius, _AROUND * float(np.abs(known.values - middle).max()))
    for own in sorted({smaller, max(smaller, known.radius)}):  # the larger one if these functions move them much
        # other resonances are far; those that are about to meet have small residues
        found = _poles_within(functions, middle, own, HALF)
        if len(found):
            return Pinned(found, known.radius, max(known.seen, len(found)))
    return None


def clusters(values: ComplexArray, share: float) -> Iterator[NDArray[np.intp]]:
    """Places of values in clusters, whose neighbours are no farther apart than a share of their size."""
    left = list(range(len(values)))
    while left:
        own = [left.pop(0)]
        for place in own:
            near = [other for other in left if abs(values[other] - values[place]) <= share * abs(values[place])]
            own += near
            left = [other for other in left if other not in near]
        yield np.array(own)


def _poles_within(functions: OpenFunctions, center: complex, radius: float, least: float) -> ComplexArray:
    """The poles within a circle with residues of at least `least`, relative to the field on it.

    Empty if there may be more than the data can distinguish.
    """
    turns = np.exp(2j * np.pi * (np.arange(_NODES) + 0.5) / _NODES)
    fields = np.array([functions.at(center + radius * complex(turn)).response for turn in turns])
    residue, moment = (np.tensordot(turns**power, fields, 1) / _NODES for power in (1, 2))
    U, S, Vh = np.linalg.svd(residue, full_matrices=False)
    largest = float(np.linalg.norm(fields, axis=(1, 2)).max())
    kept = np.flatnonzero(max(least * largest, CLOSE * S[0]) < S)
    if len(kept) == functions.drives:
        return np.empty(0, dtype=np.complex128)
    U, S, Vh = U[:, kept], S[kept], Vh[kept]
    steps = np.linalg.eigvals((U.conj().T @ moment @ Vh.conj().T) / S)
    return np.asarray(center + radius * steps[np.abs(steps) <= 1])


# ---- Errors of resonances

# Places on a circle of radius one.
_WAYS = (1.0, -0.5 + 0.75j)


@final
@dataclass(frozen=True, eq=False)
class Judged:
    """A resonance with an estimate of its error."""

    value: complex
    estimate: float  # the estimated error of the value
    relative: float  # the estimated relative error of the field
    plan: FeaturePlan  # the functions it was found with
    rows: OpenRows  # the functions at the value
    coefficients: ComplexArray  # (M,)
    left: tuple[Left, ...]  # residuals in the conditions
    rank: int  # the number of independent functions
    condition: float  # the condition number of these


def judged(functions: OpenFunctions, found: Pinned, before: Pinned) -> Iterator[Judged]:
    """Resonances with estimates of their errors; `before` has the same from other functions.

    A field v of size one in the window with residual r in the conditions is the field that r drives at its value s.
    Near a resonance at s + e any driven field is v divided by the distance from there. So e is no larger than r times
    the field that data of size one drive at some distance, times this distance. The difference to `before`, from fewer
    functions, is an estimate, too, and we take the larger one.

    If several resonances with the same field are about to meet, driven fields grow faster toward them, and errors are
    roots: then we enlarge circles until r drives less than one on them.
    """
    for own in clusters(found.values, SAME):
        value = complex(found.values[own].mean())
        rows = functions.at(value)
        coefficients, rank, condition = rows.smallest(len(own))
        left = functions.left(rows, coefficients)
        sizes = np.linalg.norm([each.scale * np.linalg.norm(each.values, axis=0) for each in left], axis=0)
        driven = functions.at(value + found.radius).amplification
        is_clear = found.is_whole and len(before.values) == len(found.values) < functions.drives
        moved = float(np.abs(before.values - value).min()) if is_clear else np.inf
        for place, size in enumerate(sizes):
            shown = AMPLE * found.radius * driven * float(size)
            if len(found.values) > 1:
                shown = _safe_radius(functions, value, AMPLE * float(size), shown, found.radius)
            estimate = max(shown, moved) + 2 * VALUE_ROUNDING * abs(value)
            if estimate > found.radius:  # nothing is known beyond the circle
                estimate = np.inf
            residuals = tuple(replace(each, values=each.values[:, place]) for each in left)
            known = (value, estimate, estimate / found.radius, functions.plan, rows, coefficients[:, place], residuals)
            yield Judged(*known, rank, condition)


def _safe_radius(functions: OpenFunctions, value: complex, left: float, first: float, most: float) -> float:
    """The radius of a circle on which the residual drives less than one: resonances stay within it."""
    radius = max(first, 2 * VALUE_ROUNDING * abs(value))
    while radius < most:
        driven = max(functions.at(value + radius * way).amplification for way in _WAYS)
        if left * driven <= 1:
            return radius
        radius *= _AROUND
    return np.inf


# ---- Resonances as modes, whose fields are solutions

_WHY = "functions that satisfy the equation and radiate"
_ENDING = "the function of a resonance is known to fewer digits than its value; ask for a smaller tol"


def judged_modes(found: Iterable[Judged], request: Request, record: Record) -> list[Mode]:
    """Resonances as modes, in the order of their real parts."""
    each = sorted(found, key=lambda one: (one.value.real, one.value.imag))
    values = np.array([one.value for one in each], dtype=np.complex128)
    fields = [solution_of(request, one.rows.finite.problem, _result_of(one), record, _WHY, _ENDING) for one in each]
    return modes_of(values, np.array([one.estimate for one in each]), fields, bounded=False)


def _result_of(one: Judged) -> RoundResult:
    """The field, which is one where it is largest of all places of the window that were looked at."""
    in_window: ComplexArray = one.rows.window @ one.coefficients * np.sqrt(len(one.rows.window))
    top = complex(in_window[np.argmax(np.abs(in_window))])
    coefficients = one.coefficients / top
    scale = safe_rms(in_window) / abs(top)
    residuals = {
        each.name: BlockResidual(safe_rms(each.values) / abs(top), float(np.abs(each.values).max()) / abs(top))
        for each in one.left
    }
    estimate = estimate_without_data(
        one.relative,
        scale,
        coefficients,
        residuals,
        residual=float(np.linalg.norm([each.scale * np.linalg.norm(each.values) for each in one.left])) / abs(top),
        unknowns=len(one.rows.finite.problem.unknowns),
    )
    finite = one.rows.finite
    assert isinstance(one.plan.family, Outward)  # as those of open domains are
    family = replace(one.plan.family, basis=finite.drawn)
    plan = replace(one.plan, family=family)
    return RoundResult(
        plan, replace(finite, family=family), coefficients, residuals, one.rank, one.condition, {}, estimate
    )
