"""How strongly the residual of a system shows in its solution, also beyond the basis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray, adjoint, safe_rms
from fspielm.basis.basis import Basis, ExponentialBasis, JoinedBasis
from fspielm.basis.evaluation.direct import tabulate
from fspielm.basis.evaluation.sums import evaluate, evaluate_each
from fspielm.basis.exact.family import Characteristic, neurons_needed, realise
from fspielm.basis.exact.laws import directions_needed, scene_of
from fspielm.basis.exact.symbol import Frequencies, symbol_of
from fspielm.basis.random.families import Band, Each, Family, Joined, for_unknowns, in_rounded_box
from fspielm.basis.singular.columns import satisfies, special_columns
from fspielm.cells.basis import CellBasis, RowsInCells
from fspielm.collocation.least_squares import Factored
from fspielm.collocation.system import BlockResidual, BlockRows, Discretisation, Finite, draw_features, make_blocks
from fspielm.errors import ProblemError
from fspielm.estimate.bands import waves_at
from fspielm.estimate.growth import Growth
from fspielm.estimate.let_through import Degenerate, LetThrough
from fspielm.estimate.residuals import HeldOut, Unfitted
from fspielm.estimate.stability import Hidden, hidden_of, place_of
from fspielm.geometry.boundary import Sites
from fspielm.problem.derived import natural_scales
from fspielm.problem.operator import Operator, identity, once
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation

# ---- What the estimate adds for functions beyond the basis

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
        later = np.exp(np.minimum(growth.remaining(which, shares), _MOST_FOLDINGS))
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


# ---- How strongly the residual of a system shows in its solution

# ---- How strongly the residual of a system shows in its solution


# Points at which the solution is looked at.
PROBES = 600
_POWER_STEPS = 10


@final
@dataclass(frozen=True, eq=False)
class Sensitivity:
    """How strongly a system's residual shows in its solution; does not depend on the data.

    Attributes
    ----------
    each : tuple of float
        The amplification of the residual in each unknown.
    values : tuple of (n, M) arrays
        The features at the points where the solution is looked at, for each unknown; sparse where they are on cells.
    null : (M,) array
        Coefficients of the function that is amplified most: in the unknown of the largest amplification.
    """

    each: tuple[float, ...]
    values: tuple[NumberArray, ...]
    null: NumberArray

    @property
    def amplification(self) -> float:
        """The largest."""
        return max(self.each)

    def times(self, factor: float) -> Sensitivity:
        """The same, more cautious."""
        return self if factor == 1.0 else replace(self, each=tuple(factor * each for each in self.each))

    def at_least(self, other: Sensitivity) -> Sensitivity:
        """With the amplifications of another one, where those are larger."""
        return replace(self, each=tuple(max(pair) for pair in zip(self.each, other.each, strict=True)))


def find_sensitivity(
    problem: Problem, basis: Basis, factored: Factored, rng: np.random.Generator, threads: int
) -> Sensitivity:
    """``|Phi R^-1| / sqrt(n)`` by power iteration, with Phi the features at n points, for each unknown."""
    probes = Sites(problem.domain.sample(PROBES, rng, "low-discrepancy"))
    each, values, nulls = [], [], []
    for unknown, known in enumerate(problem.unknowns):
        elsewhere = problem.domain.is_unbounded and known.domain is not problem.domain
        here = Sites(known.domain.sample(PROBES, rng, "low-discrepancy")) if elsewhere else probes
        Phi = tabulate(basis, identity(problem.dimension).on(unknown), here, threads=threads)
        amplification, null = largest_amplification(Phi, factored, rng)
        each.append(amplification)
        values.append(Phi)
        nulls.append(null)
    return Sensitivity(tuple(each), tuple(values), nulls[int(np.argmax(each))])


def largest_amplification(Phi: NumberArray, factored: Factored, rng: np.random.Generator) -> tuple[float, NumberArray]:
    """The largest amplification, and the coefficients of the function that has it."""
    rows, columns = factored.shape
    if rows < columns or not np.all(factored.diagonal > 0):  # the rows do not determine the coefficients
        return float("inf"), np.zeros(columns)
    direction: NumberArray = rng.standard_normal(columns)
    Phi_H, norm = adjoint(Phi), 0.0
    for _ in range(_POWER_STEPS):
        image = Phi @ factored.solve_triangle(_unit(direction))
        direction = factored.solve_triangle(Phi_H @ image, adjoint=True)
        size = float(np.linalg.norm(direction))
        if not np.isfinite(size) or size == 0.0:
            return float("inf") if size else 0.0, np.zeros(columns)
        norm = float(np.sqrt(size))
    null = factored.solve_triangle(_unit(direction))
    return norm / float(np.sqrt(Phi.shape[0])), null


def _unit(vector: NumberArray) -> NumberArray:
    return np.asarray(vector / np.linalg.norm(vector))


# ---- Functions that almost satisfy an equation: what a right-hand side that was left out would show as
# The response to a part of the right-hand side is largest where the equation almost vanishes: at low frequencies, and
# at those of its own solutions, where it grows along the way. Features for the peaks of a right-hand side answer less,
# so the largest response among them alone would make light of what they leave out.

# Functions of low frequencies, by the number of dimensions, and how many periods over the domain those have at most.
_LOW = {1: 12, 2: 30}
_LOW_ABOVE = 60
_PERIODS = 2.0
# Functions that grow along the way.
_GROWING = 24
# A slope of the symbol, relative to its terms, that is rounding: the zero is a double one.
_DOUBLE = 1e-6
_TINY = float(np.finfo(np.float64).tiny)


def nearby_number(problem: Problem) -> int:
    """How many there are, at most."""
    return len(problem.unknowns) * _LOW.get(problem.dimension, _LOW_ABOVE) + _GROWING


def nearby_functions(problem: Problem, exact: Basis, rng: np.random.Generator) -> list[Basis]:
    """Cosines of low frequencies for each unknown, and functions like those of `exact` with a linear factor.

    The latter for a single unknown alone.
    """
    lower, upper = problem.domain.bounding_box
    widths = tuple(_PERIODS * 2 * np.pi / (upper - lower))
    band = Band(_LOW.get(problem.dimension, _LOW_ABOVE), widths)
    low = for_unknowns(band, natural_scales(problem, np.array(widths)))
    found: list[Basis] = [low.draw(problem.dimension, rng, center=0.5 * (lower + upper))]
    total = sum(basis.size for basis in exact.exponentials)
    for basis in exact.exponentials:
        some = _some(problem, basis, -(-_GROWING * basis.size // total), rng)
        if some.size:
            found.append(_growing(problem, basis, some))
    return found


def _some(problem: Problem, basis: ExponentialBasis, number: int, rng: np.random.Generator) -> NDArray[np.int_]:
    """So many of the functions that oscillate or fall off, from the slowest to the fastest, most of them slow."""
    moving = rng.permutation(np.flatnonzero(np.any(basis.W != 0, axis=1) & _leads_away(problem, basis)))
    slowest = moving[np.argsort(np.linalg.norm(basis.W[moving], axis=1), kind="stable")]
    ranks = np.unique(np.geomspace(1, max(len(slowest), 1), number).astype(int)) - 1
    return np.asarray(slowest[ranks] if len(slowest) else slowest)


def _leads_away(problem: Problem, basis: ExponentialBasis) -> NDArray[np.bool_]:
    """Whether a linear factor makes functions that no longer satisfy the equation.

    At a double zero of the symbol, as all are that a plate has, it does not: with it they are among the exact ones.
    """
    symbol = symbol_of(problem.determinant)
    slopes = np.linalg.norm(basis.W, axis=1) * np.linalg.norm(symbol.gradient(basis.W), axis=1)
    return np.asarray((slopes > _DOUBLE * symbol.size(basis.W)) | (basis.powers > 0))


def _growing(problem: Problem, basis: ExponentialBasis, some: NDArray[np.int_]) -> ExponentialBasis:
    """The functions with a factor that is linear along the direction in which the symbol changes."""
    lower, upper = problem.domain.bounding_box
    W, powers = basis.W[some], basis.powers[some]
    along = _steepest(symbol_of(problem.determinant).gradient(W) / (upper - lower)) / (upper - lower)
    direction = np.where(powers[:, None] > 0, basis.along[some], along)
    return ExponentialBasis(W, basis.b[some], basis.origin, basis.peaks[some], powers + 1, direction)


def _steepest(gradient: NDArray[np.complex128]) -> FloatArray:
    """Real unit vectors along complex gradients ``(n, d)``, as far as they have a direction."""
    leading = np.take_along_axis(gradient, np.argmax(np.abs(gradient), axis=1)[:, None], axis=1)
    square = np.maximum(np.abs(leading) ** 2, _TINY)
    turned = (gradient * np.conj(leading) / square).real
    return np.asarray(turned / np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-300))


# ---- How sensitive a problem is, seen by more functions than the solution is made of
# Features that satisfy the equation are few, and may leave out just the function that the conditions see least: the
# eigenfunction of a resonance that the data hardly excite, or a singular one at a corner. The residual then looks
# harmless. Functions independent of them, which satisfy the equation as well, show what it may hide; beside features
# for a right-hand side, so do functions that almost satisfy it (see `nearly_exact`).

# Independent features, as a share of those that are there.
_SHARE = 0.125
# Fewer tell nothing.
_LEAST_FEATURES = 4
# Rows for each of the functions, at least.
_LEAST_ROWS = 1.2


def probe(
    discretisation: Finite, blocks: Sequence[BlockRows], factored: Factored, rng: np.random.Generator
) -> Sensitivity | None:
    """The sensitivity of a system, or that of the one with further columns, whichever is larger.

    None where no part of the family satisfies the equation, and conditions let nothing through that is known: then
    nothing is hidden, nor can be found this way.

    Parameters
    ----------
    discretisation : Finite
    blocks : sequence of BlockRows
        Of its system.
    factored : Factored
        The same.
    rng : Generator
    """
    if not isinstance(discretisation, Discretisation):
        return None
    problem, basis, threads = discretisation.problem, discretisation.basis, discretisation.threads
    let_through = _let_through(problem, basis.size, discretisation.rows)
    if not _exact(discretisation.family) and not let_through:
        return None
    plain = find_sensitivity(problem, basis, factored, rng, threads).times(discretisation.family.caution)
    further = let_through + (_further(discretisation, rng) if _exact(discretisation.family) else [])
    if not further:
        return plain
    beside = JoinedBasis(further)
    larger = factored.extend(discretisation.further_columns(beside, blocks))
    seen = find_sensitivity(problem, JoinedBasis([basis, beside]), larger, rng, threads)
    return plain.at_least(seen)


def further_features(problem: Problem, family: Family, columns: int, rows: int) -> int:
    """How many features are added to probe those of a family that satisfy the equation.

    As many as the rows can tell apart beside all of the `columns`.
    """
    exact = _exact(family)
    if not exact or problem.domain.is_unbounded:  # where functions of the objects are as many as these could tell apart
        return 0
    needed = max(neurons_needed(problem), passing_size(problem))
    wanted = max(int(_SHARE * exact), needed if exact < needed else 0)
    number = min(wanted, _most(columns, rows))
    return number if number >= _LEAST_FEATURES else 0


def further_columns(problem: Problem, family: Family, columns: int, rows: int) -> int:
    """How many columns `probe` adds to a system, those at corners and holes apart."""
    further = further_features(problem, family, columns, rows)
    if _exact(family) and not family.satisfies_equation:
        further += nearby_number(problem)
    return further


def special_beside(problem: Problem, columns: Iterable[Basis]) -> list[Basis]:
    """The functions at corners and in holes that `probe` looks at: those where no `columns` are."""
    there = {corner for basis in columns for corner in basis.corners}
    return [basis for basis in special_columns(problem, True) if there.isdisjoint(basis.corners)]


def fitting_columns(sizes: Iterable[int], columns: int, rows: int) -> int:
    """How many columns bases of these sizes add to so many `columns`, each as long as the rows can tell all apart."""
    added = 0
    for size in sizes:
        added += size if size <= _most(columns + added, rows) else 0
    return added


def _let_through(problem: Problem, columns: int, rows: int) -> list[Basis]:
    """The functions themselves that conditions on flat parts let through: a basis may hold them to few digits."""
    found = [function.W for function in hidden_of(problem).passing if function.W is not None]
    if not found or 2 * sum(map(len, found)) > _most(columns, rows):
        return []
    W = np.concatenate(found)
    none = np.zeros(len(W), dtype=np.int_)
    rng = np.random.default_rng(0)  # whatever the phases
    return [realise(Frequencies(W, none, np.zeros(W.shape)), scene_of(problem.domain), rng)]


def _exact(family: Family) -> int:
    """How many features of a family satisfy the equation."""
    return sum(part.neurons for part in family.parts if part.satisfies_equation)


def _most(columns: int, rows: int) -> int:
    return int(rows / _LEAST_ROWS) - columns


def _further(discretisation: Discretisation, rng: np.random.Generator) -> list[Basis]:
    """Functions that satisfy the equation, or almost, beside those of the basis: as many as the rows can tell apart."""
    problem, family, basis = discretisation.problem, discretisation.family, discretisation.basis
    rows = discretisation.rows
    further: list[Basis] = []
    number = further_features(problem, family, basis.size, rows)
    if number:
        # the few of frequency zero are in every basis, and must not be there twice
        further += draw_features(problem, Characteristic(number), rng).varying
    if not family.satisfies_equation:
        exact = Joined([part for part in family.parts if part.satisfies_equation])
        further += nearby_functions(problem, draw_features(problem, exact, rng), rng)
    for columns in special_beside(problem, basis.leaves):
        left = _most(basis.size + sum(part.size for part in further), rows)
        if columns.size <= left and satisfies(problem, columns):
            further.append(columns)
    return further


# ---- Whether a sensitivity has settled: at a resonance it grows as long as functions are added
# The function that residuals see least is held by a basis to some digits, and the sensitivity ends with those, be the
# problem well-posed or at a resonance. Where it is well-posed, a part of the functions shows nearly the same
# sensitivity; at a resonance every function that is added shows more of it. An estimate rests on a sensitivity that has
# settled.

# Radians that a wave of the equation turns across the domain, if it may resonate there.
_RADIANS = 1.0
# A band is to show no more than so many times the sensitivity of a narrower one, with this share of what it has beyond
# the problem's frequencies; on an interval, and above. Fewer functions in the same band may show all that it can hold.
_MARGIN, _GROWTH, _GROWTH_ABOVE = 0.3, 1.5, 1.9
# Or, where only the last functions show more, as those do that few rows hold: a band without these, no more than so
# many times the sensitivity of the problem's frequencies alone. At a resonance every function shows more.
_WITHOUT_LAST, _LITTLE_GROWTH = 0.7, 1.25
# Of other families, the share of the functions that stands for the problem's frequencies.
_SHARE_SETTLED = 0.57
# In cells: what the last degrees alone leave of the function that residuals see least, over what all of them do.
_CANCELLED = 3.5


@once
def may_resonate(problem: Problem) -> bool:
    """Whether waves of a steady equation fit into its domain, which is bounded."""
    if problem.domain.time is not None or problem.domain.is_unbounded:
        return False
    lower, upper = problem.domain.bounding_box
    try:
        _, waves = waves_at(problem, np.zeros(problem.dimension))
    except ProblemError:  # a coefficient has no value at one of many points: whoever needs it there says so
        return True
    return bool(np.any(waves * (upper - lower) > _RADIANS))


def has_settled(
    finite: Finite, blocks: Sequence[BlockRows], factored: Factored, held_out: HeldOut, sensitivity: Sensitivity
) -> bool:
    """Whether a sensitivity would hardly grow with more functions."""
    if not 0 < sensitivity.amplification < np.inf or not may_resonate(finite.problem):
        return True
    worst = int(np.argmax(sensitivity.each))
    Phi = sensitivity.values[worst]
    if finite.basis.is_piecewise:
        last = finite.last_degrees(sensitivity.null)
        left = {
            block.name: held_out.apply(block, finite.basis, last, finite.threads)
            for block in make_blocks(finite.problem, held_out.sites)
        }
        size = safe_rms(Phi @ sensitivity.null)
        return Unfitted(finite, blocks, held_out).norm(left) * sensitivity.amplification <= _CANCELLED * size

    def shown(margin: float) -> float:
        some = _slower(finite, margin)
        return largest_amplification(Phi[:, some], factored.restricted(some), np.random.default_rng(0))[0]

    growth = _GROWTH if finite.problem.dimension == 1 else _GROWTH_ABOVE
    if sensitivity.amplification <= growth * shown(_MARGIN):
        return True
    return shown(_WITHOUT_LAST) <= _LITTLE_GROWTH * shown(0.0)


def _slower(finite: Finite, margin: float) -> NDArray[np.intp]:
    """The columns of a narrower band; of any other family, the first; of functions without frequencies, all."""
    family = finite.family if isinstance(finite, Discretisation) else None
    band = family.family if isinstance(family, Each) else family

    def kept(leaf: Basis) -> BoolArray:
        if leaf.frequencies is None:
            return np.ones(leaf.size, dtype=np.bool_)
        if not isinstance(band, Band) or band.core is None:
            return np.arange(leaf.size) < (_SHARE_SETTLED + (1 - _SHARE_SETTLED) * margin) * leaf.size
        core, widths = np.array(band.core), np.array(band.widths)
        return in_rounded_box(leaf.frequencies.real, core, core + margin * (widths - core))

    return np.flatnonzero(np.concatenate([kept(leaf) for leaf in finite.basis.leaves]))
