"""What the estimate adds for functions beyond the basis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray, safe_rms
from fspielm.basis.basis import Basis
from fspielm.basis.evaluation.sums import evaluate, evaluate_each
from fspielm.basis.exact.laws import directions_needed, scene_of
from fspielm.cells.basis import CellBasis, RowsInCells
from fspielm.collocation.system import BlockResidual
from fspielm.estimate.degenerate import Degenerate
from fspielm.estimate.growth import Growth
from fspielm.estimate.let_through import LetThrough
from fspielm.estimate.residuals import HeldOut
from fspielm.estimate.stability import Hidden, hidden_of, place_of
from fspielm.geometry.points import Sites
from fspielm.problem.operator import Operator, identity
from fspielm.problem.problem import Problem
from fspielm.problem.relations import Relation

# ---- Which waves a basis holds, place by place


# Polynomials of degree d on a side of length L show waves up to this times d / L, with a digit: ten degrees a
# wavelength would give ten, but that a wave grows shows with one.
_SHOWN = 1.4


def shown_at(basis: Basis, points: FloatArray, frequencies: FloatArray) -> BoolArray:
    """Whether waves ``(n, d)`` show in a basis at points ``(n, d)``: of functions on cells, in those of its cell."""
    if not basis.on_cells:
        return np.asarray(np.all(frequencies <= basis.reach, axis=1))
    found = np.ones(len(points), dtype=np.bool_)
    for cells in basis.on_cells:
        highest = (_SHOWN * cells.degrees / cells.frames.lengths)[cells.frames.locate(points)]
        # degrees are those within an ellipse, and so are frequencies
        found &= np.linalg.norm(frequencies / highest, axis=1) <= 1.0
    return found


# ---- What of a residual can drive a wave: the part that oscillates as the wave does
# Rounding of high derivatives is large where polynomials end, and next to nothing in any wave that is longer; and what
# changes with time far more slowly than a wave oscillates makes none of it.


# Waves in a cell that its nodes tell apart, as a share of their number.
_TOLD_APART = 0.5
# Frequencies are looked at a third of an octave apart, and stand for all between.
_BAND = 2 ** (1 / 6) - 2 ** (-1 / 6)


def driving(relation: Relation, held_out: HeldOut, coefficients: NumberArray, k: FloatArray) -> FloatArray | None:
    """The size of a residual at frequencies ``(m,)`` along the first axis, whenever and wherever it has them.

    Root mean squares over all cells; None where functions are not on cells of one dimension in space.
    """
    rows = held_out.rows.get(relation.name)
    if not isinstance(rows, RowsInCells) or rows.basis.dimension != 2:
        return None
    sites = held_out.sites[relation.name]
    residual = rows @ coefficients - relation.values(sites)
    squares, total, begin = np.zeros(len(k)), 0.0, 0
    for cell, operator in rows.parts:
        own = residual[begin : begin + len(operator.points)]
        begin += len(own)
        lengths = rows.basis.frames.lengths[cell]
        amplitudes = np.full(len(k), safe_rms(own))
        if operator.axes:
            grid = own.reshape(len(operator.axes[0]), -1)
            amplitudes = np.minimum(amplitudes, _amplitudes(grid, operator.axes[0], k, float(lengths[0])))
        squares += float(np.prod(lengths)) * amplitudes**2
        total += float(np.prod(lengths))
    return np.asarray(np.sqrt(squares / total))


def fastest_change(basis: CellBasis) -> float:
    """The highest frequency in time that functions of any cell, and products of them, have at all."""
    return float(2 * np.pi * np.max(basis.degrees[:, -1] / basis.frames.lengths[:, -1]))


def _amplitudes(grid: NumberArray, x: FloatArray, k: FloatArray, length: float) -> FloatArray:
    """Of values ``(n, times)`` at nodes of one cell, on the average over times; infinite where nodes do not tell."""
    waves = np.exp(-1j * k[:, None] * x) * _weights(len(x))
    each = np.abs(waves @ grid).mean(axis=1)
    several = np.sqrt(1 + _BAND * np.abs(k) * length / (2 * np.pi))
    return np.where(0.5 * np.abs(k) * length <= _TOLD_APART * len(x), 2 * several * each, np.inf)


@cache
def _weights(n: int) -> FloatArray:
    """Of n nodes of Chebyshev's, so that sums are means of polynomials (Fejer's first rule)."""
    theta = np.pi * (np.arange(n) + 0.5) / n
    m = np.arange(1, n // 2 + 1)
    return np.asarray((1 - 2 * (np.cos(2 * m * theta[:, None]) / (4 * m**2 - 1)).sum(axis=1)) / n)


# ---- What the estimate has to add for functions that are beyond the basis


# Data and solutions are known to so many digits.
_ROUNDING = 2e-16
# Where the solution is looked at.
_PROBES = 256
# A frequency that is in a basis up to this is in it.
_SLACK = 1 - 1e-3
# Of a function that is let through: beside one that is not a solution, by a twentieth of a period, the residual is
# amplified by little; of one that is, by as much as the digits to which a basis holds it.
_LET_THROUGH = 1e4
# e-foldings that no number would hold, nearly; and those that a factorisation still shows.
_MOST_FOLDINGS = 600.0
_SEEN_FOLDINGS = 30.0
# Of one function that grows along a line, which a basis holds to few digits only: those that it shows for sure.
_SEEN_FROM_ONE_END = 15.0
# Powers of ten by which a disturbance grows if it is worth to be named.
_GROWS = 0.3
# What a solution may be off by beside a zero of the leading coefficients, over what its residual makes of one there.
_AMPLE = 3.0
# Of functions that fall off from the boundary, those across the domain that cosines hold.
_STEEP_FOLDINGS = 20.0


@final
@dataclass(frozen=True)
class Beyond:
    """An error that no residual within a basis shows, and what makes it; infinite where nothing bounds it."""

    error: float = 0.0
    reason: str = ""


@final
@dataclass(frozen=True, eq=False)
class Solved:
    """A solution, and what is known of it.

    Attributes
    ----------
    basis : Basis
    coefficients : (M,) array
    amplification : float
        How much larger its error can be than the residual, as far as the basis shows.
    residuals : mapping of str to BlockResidual
        Of each block, in its own units.
    held_out : HeldOut or None
        The rows that these are of.
    """

    basis: Basis
    coefficients: NumberArray
    amplification: float
    residuals: Mapping[str, BlockResidual]
    held_out: HeldOut | None = None


def beyond_basis(problem: Problem, solved: Solved) -> Beyond:
    """What may hide beyond the basis of a solution of `problem`."""
    hidden = hidden_of(problem)
    if hidden.reason:
        return Beyond(float("inf"), hidden.reason)
    if hidden.passing:
        return _passing(problem, hidden, solved)
    beside = Beyond() if hidden.degenerate is None else _beside_zero(problem, hidden.degenerate, solved)
    grown = Beyond() if hidden.growth is None else _grown(problem, hidden.growth, solved)
    return max(beside, grown, key=lambda each: each.error)


def _beside_zero(problem: Problem, degenerate: Degenerate, solved: Solved) -> Beyond:
    """What the residual amounts to beside a zero of the leading coefficients.

    With a coefficient a of the highest derivative, of order n, a residual r at a distance h from the zero changes the
    solution by about ``h^n r / a``, however small r and a are there: its norm over the domain says nothing of that.
    """
    (equation, *others), sites = problem.equations, Sites(degenerate.around)
    if others or len(problem.unknowns) > 1 or not len(sites):
        return Beyond()
    residual = evaluate(solved.basis, solved.coefficients, equation.operator, sites, threads=1) - equation.values(sites)
    order = equation.operator.order
    leading = [np.abs(term.at(sites)) for term in equation.operator.terms if term.order == order]
    unit = np.max(leading, axis=0) / degenerate.distances**order
    return Beyond(
        _AMPLE * float(np.max(np.abs(residual)[unit > 0] / unit[unit > 0], initial=0.0)),
        f"the leading coefficient vanishes at {place_of(problem, degenerate.place)}: solutions need not be smooth "
        "there, and may be fixed by the equation alone; check the conditions there, or leave the place out",
    )


def passing_size(problem: Problem) -> int:
    """How many functions hold what the conditions of a problem let through, where that is anything to be held."""
    lower, upper = problem.domain.bounding_box
    affordable = float(hidden_of(problem).affordable(upper - lower).max())
    return functions_up_to(problem, affordable) if affordable else 0


def functions_up_to(problem: Problem, frequency: float) -> int:
    """All orders up to the frequency around the domain, as of waves of that length."""
    scene = scene_of(problem.domain)
    return directions_needed(frequency * scene.radius(tuple(range(scene.dimension))), problem.dimension)


def _passing(problem: Problem, hidden: Hidden, solved: Solved) -> Beyond:
    """Whether the basis holds the functions that conditions let through: then the sensitivity has seen them.

    Where that is very large, one of them may be a solution without data, of which any multiple can be added.
    """
    highest, basis = solved.basis.reach, solved.basis
    # what is steep at the boundary is held by functions that are so too, which there are for one unknown and on open
    # domains, or by cells
    is_smooth = len(problem.unknowns) > 1 and not basis.is_piecewise and not problem.domain.is_unbounded
    lower, upper = problem.domain.bounding_box
    for function in hidden.passing:
        if np.all(function.along * (upper - lower) <= 2 * np.pi):
            continue  # which every basis holds
        almost, remedy = _told(function)
        few = basis.size < functions_up_to(problem, function.frequency)
        if few or (is_smooth and function.foldings > _STEEP_FOLDINGS) or np.any(_SLACK * function.along > highest):
            beyond = "and is beyond the functions that were solved with, so that it may be in the solution unseen"
            return Beyond(float("inf"), f"{almost}, {beyond}; {remedy}, or allow more functions")
        if solved.amplification > _LET_THROUGH:
            return Beyond(float("inf"), f"{almost}, so that any multiple of it may be in the solution; {remedy}")
    return Beyond()


def _told(function: LetThrough) -> tuple[str, str]:
    """What may be in the solution, and what would help."""
    if function.is_interface:
        return (
            f"materials of opposite signs meet at {function.condition!r}, along which functions of frequencies up to "
            f"{function.frequency:.3g} may satisfy all conditions (surface plasmons)",
            "check the signs of the materials, or give one an imaginary part (losses)",
        )
    return (
        f"a function of frequency {function.frequency:.3g} along the boundary satisfies the equation and "
        f"{function.condition!r} almost",
        "the sign of the condition may be wrong (with alpha u + beta du/dn, n outward, alpha and beta should have the "
        "same)",
    )


def unseen_growth(problem: Problem, basis: Basis) -> float:
    """By how much a disturbance grows over the time of a problem, at most, that the sensitivity does not show."""
    growth = hidden_of(problem).growth
    among = np.empty(0, dtype=np.intp) if growth is None else _unseen(growth, basis)
    if growth is None or not among.size:
        return 0.0
    return float(np.exp(min(growth.foldings[among].max(), _MOST_FOLDINGS)))


def _unseen(growth: Growth, basis: Basis) -> NDArray[np.intp]:
    """The disturbances that the sensitivity does not show, by their places in `growth`.

    Such are those of frequencies, or rates, beyond the basis; and those that grow by more than its rounding leaves.
    """
    seen = _SEEN_FOLDINGS if growth.ends is None else _SEEN_FROM_ONE_END
    return np.flatnonzero(_is_beyond(growth, basis) | (growth.foldings > seen))


def _is_beyond(growth: Growth, basis: Basis) -> BoolArray:
    """Whether disturbances are beyond the basis; at a front, beyond the functions that are there."""
    if growth.places is None:
        return np.asarray(np.any(_SLACK * growth.frequencies > basis.reach, axis=1))

    n, stretches, dimension = growth.places.shape
    frequencies = np.repeat(growth.frequencies, stretches, axis=0)
    shown = shown_at(basis, growth.places.reshape(-1, dimension), frequencies).reshape(n, stretches)
    return np.asarray(np.any(~shown & (growth.stretches > 0), axis=1))


def _grown(problem: Problem, growth: Growth, solved: Solved) -> Beyond:
    """What the residual, if it is one disturbance, and the solution's last digits at every time have grown to."""
    time, among = problem.domain.time, _unseen(growth, solved.basis)
    if not among.size:
        return Beyond()
    begin, end = growth.ends or (0.0, 0.0)
    if growth.ends is None:
        assert time is not None
        begin, end = time.start, time.end
    duration = abs(end - begin)
    sites = Sites(problem.domain.sample(_PROBES, np.random.default_rng(0), "low-discrepancy"))  # only looks
    value = identity(problem.dimension)
    each = [value.on(unknown) for unknown in range(len(problem.unknowns))]
    values = evaluate_each(solved.basis, solved.coefficients, each, sites, threads=1)
    shares = (sites.points[:, -1] - begin) / (end - begin)
    if growth.places is None:
        among = among[[growth.foldings[among].argmax()]]
        sources, at_once = np.zeros(1), _disturbance(problem, duration, sites, solved)
    else:
        sources = _sources(problem, growth, among, sites, solved)
        at_once = _disturbance(problem, duration, sites, solved, sources=False)
    error, worst = -1.0, 0
    for which, source in zip(among, sources, strict=True):
        later = np.exp(np.minimum(growth.left(which, shares), _MOST_FOLDINGS))
        rounded = _ROUNDING * max(safe_rms(own * later) for own in values)
        whole = float(np.exp(min(growth.foldings[which], _MOST_FOLDINGS)))
        grown = rounded + at_once * whole + float(source) * (safe_rms(later) if source > 0 else 0.0)
        error, worst = max((error, worst), (grown, int(which)), key=lambda one: one[0])
    frequency = float(np.linalg.norm(growth.frequencies[worst, :-1]))
    what = f"of frequency {frequency:.3g} " if problem.dimension > 1 else ""
    over = "over the time given" if growth.ends is None else "from the end that all conditions are at to the other"
    remedy = "shorten the time" if growth.ends is None else "move conditions to the other end"
    digits = float(growth.foldings[worst]) / np.log(10)
    if digits < _GROWS:
        return Beyond(error)
    times = f"1e{digits:.0f}" if digits >= 2 else f"{10**digits:.0f}"
    return Beyond(
        error,
        f"a disturbance {what}grows by a factor of {times} {over}, and with it the last digits of the "
        f"data; {remedy}, or check the signs of the equation",
    )


def _disturbance(problem: Problem, duration: float, sites: Sites, solved: Solved, *, sources: bool = True) -> float:
    """The residuals in units of the solution: as values at the start and on the boundary, and as a source."""
    total = 0.0
    for relation in problem.relations:
        residual = solved.residuals[relation.name].rms if relation.name in solved.residuals else 0.0
        if relation.condition is None:
            total += residual * _of_a_source(relation.operator, duration, sites) if sources else 0.0
        elif relation.region.kind == "start" or relation.operator.order == 0 or problem.dimension == 1:
            total += residual * duration**relation.operator.order
    return total


def _sources(problem: Problem, growth: Growth, among: NDArray[np.intp], sites: Sites, solved: Solved) -> FloatArray:
    """What residuals of equations are as sources of some of the disturbances, in units of the solution."""
    assert problem.domain.time is not None
    duration = problem.domain.time.duration
    k, exponents = growth.frequencies[among, 0], growth.frequencies[among, -1]
    total = np.zeros(len(among))
    for relation in problem.relations:
        if relation.condition is not None or relation.name not in solved.residuals:
            continue
        size = np.full(len(among), solved.residuals[relation.name].rms)
        known = None if solved.held_out is None else driving(relation, solved.held_out, solved.coefficients, k)
        if known is not None:
            slow = min(fastest_change(basis) for basis in solved.basis.on_cells)
            # over the time given it adds up as if it oscillated along, or it is off by so much
            off = np.maximum(duration * (exponents - slow), 1.0)
            size = np.minimum(known, size / np.where(exponents > 2 * slow, off, 1.0))
        total += size * _of_a_source(relation.operator, duration, sites)
    return total


def _of_a_source(operator: Operator, duration: float, sites: Sites) -> float:
    """What a source of size one amounts to over the time given: each equation is in units of its own."""
    highest = max(term.orders[-1] for term in operator.terms)
    leading = sum(safe_rms(term.at(sites)) for term in operator.terms if term.orders[-1] == term.order == highest)
    return duration**highest / leading if leading > 0 else 0.0
