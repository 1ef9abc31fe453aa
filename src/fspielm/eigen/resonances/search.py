"""Resonances: found as poles of driven fields, pinned by contour integrals, and with errors estimated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from time import perf_counter
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, safe_rms
from fspielm.basis.outgoing.family import Outward
from fspielm.collocation.system import BlockResidual
from fspielm.eigen.modes import AMPLE, ROUGH_TOL, VALUE_ROUNDING, Mode, modes_of
from fspielm.eigen.particular import TRIES
from fspielm.eigen.resonances.functions import BeyondBudgetError, Left, OpenFunctions, OpenRows, Rectangle, waves_of
from fspielm.estimate.estimate import estimate_without_data
from fspielm.numerics.rational import Rational, rational
from fspielm.numerics.tolerances import CLOSE, HALF, HALVINGS, SAME
from fspielm.solvers.driver import solution_of
from fspielm.solvers.request import Request
from fspielm.solvers.round import FeaturePlan, Record, RoundResult

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

    Raises
    ------
    BeyondBudgetError
        If there is no time for that.
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
