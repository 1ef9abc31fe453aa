"""How strongly the residual of a system shows in its solution, and errors beyond the basis."""

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
from fspielm.cells.basis import RowsInCells
from fspielm.collocation.least_squares import Factored
from fspielm.collocation.system import (
    BlockResidual,
    BlockRows,
    Discretisation,
    Finite,
    HeldOut,
    draw_features,
    make_blocks,
)
from fspielm.errors import ProblemError
from fspielm.estimate.amounts import FEW, FEW_DIGITS, MANY, SAFETY, SEVERAL, VALUES, ZERO
from fspielm.estimate.bands import waves_at
from fspielm.estimate.growth import Growth
from fspielm.estimate.let_through import Degenerate, LetThrough
from fspielm.estimate.residuals import Unfitted
from fspielm.estimate.stability import Hidden, find_hidden, point_text
from fspielm.geometry.boundary import Sites
from fspielm.numerics.tolerances import CLOSE, ROUNDING, SAME, TINY
from fspielm.problem.derived import natural_scales
from fspielm.problem.operator import Operator, cache_by_object, identity
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation

# Polynomials of degree d on a side of length L show waves up to this times d / L, with one digit: enough to see that a
# wave grows.
_SHOWN = 1.4


def shown_at(basis: Basis, points: FloatArray, frequencies: FloatArray) -> BoolArray:
    """Whether a basis shows waves ``(n, d)`` at points ``(n, d)``; on cells, the functions of the point's cell."""
    if not basis.on_cells:
        return np.asarray(np.all(frequencies <= basis.reach, axis=1))
    found = np.ones(len(points), dtype=np.bool_)
    for cells in basis.on_cells:
        highest = (_SHOWN * cells.degrees / cells.frames.lengths)[cells.frames.locate(points)]
        # degrees are those within an ellipse, and so are frequencies
        found &= np.linalg.norm(frequencies / highest, axis=1) <= 1.0
    return found


# ---- The part of a residual that can drive a wave: that which oscillates with it
# Rounding of high derivatives is large at the ends of cells, but hardly contained in longer waves; and a residual that
# changes far more slowly with time than a wave does not drive it.

# Frequencies a third of an octave apart stand for all between.
_BAND = 2 ** (1 / 6) - 2 ** (-1 / 6)


def driving(relation: Relation, held_out: HeldOut, coefficients: NumberArray, k: FloatArray) -> FloatArray | None:
    """The size of a residual at frequencies ``(m,)`` along the first axis, at any time and place.

    Root mean squares over all cells; None where functions are not on cells of one dimension in space.
    """
    rows = held_out.rows.get(relation.name)
    if not isinstance(rows, RowsInCells) or rows.basis.dimension != 2:
        return None
    sites = held_out.sites[relation.name]
    residual = rows @ coefficients - relation.values(sites)
    squares, total = np.zeros(len(k)), 0.0
    frames = rows.basis.frames
    for batch in rows.batches:
        for cell, own_rows in zip(batch.cells.tolist(), batch.rows, strict=True):
            lengths, own = frames.lengths[cell], residual[own_rows[own_rows < batch.count]]
            amplitudes = np.full(len(k), safe_rms(own))
            if batch.is_grid:
                x = frames.lower[cell, 0] + 0.5 * lengths[0] * (1 + batch.unit[0])
                grid = own.reshape(len(x), -1)
                amplitudes = np.minimum(amplitudes, _amplitudes(grid, x, k, float(lengths[0])))
            squares += float(np.prod(lengths)) * amplitudes**2
            total += float(np.prod(lengths))
    return np.asarray(np.sqrt(squares / total))


def _amplitudes(grid: NumberArray, x: FloatArray, k: FloatArray, length: float) -> FloatArray:
    """Amplitudes of values ``(n, times)`` at nodes of one cell, averaged over times; infinite where not resolved."""
    waves = np.exp(-1j * k[:, None] * x) * _fejer_weights(len(x))
    each = np.abs(waves @ grid).mean(axis=1)
    several = np.sqrt(1 + _BAND * np.abs(k) * length / (2 * np.pi))
    # its nodes resolve a radian each
    return np.where(np.abs(k) * length <= len(x), 2 * several * each, np.inf)


@cache
def _fejer_weights(n: int) -> FloatArray:
    """Weights of n Chebyshev nodes for means of polynomials (Fejer's first rule)."""
    theta = np.pi * (np.arange(n) + 0.5) / n
    m = np.arange(1, n // 2 + 1)
    return np.asarray((1 - 2 * (np.cos(2 * m * theta[:, None]) / (4 * m**2 - 1)).sum(axis=1)) / n)


# ---- Errors beyond the basis

# The relative rounding of data and solutions.
_ROUNDING = float(np.finfo(np.float64).eps)
# Growth in powers of e: the most that a number can hold safely, and the most that a factorisation shows.
_MOST_FOLDINGS, _SEEN_FOLDINGS = -np.log([TINY, ROUNDING])
# The decay across the domain, in powers of e, of functions at the boundary that cosines can represent.
_STEEP_FOLDINGS = -np.log(SAME)


@final
@dataclass(frozen=True)
class Beyond:
    """An error that no residual within a basis shows, and its cause; infinite where it has no bound."""

    error: float = 0.0
    reason: str = ""


@final
@dataclass(frozen=True, eq=False)
class Solved:
    """A solution with its residuals."""

    basis: Basis
    coefficients: NumberArray
    amplification: float  # how much larger its error can be than the residual, as far as the basis shows
    residuals: Mapping[str, BlockResidual]  # of each block, in its own units
    held_out: HeldOut | None = None  # the rows of these residuals


def beyond_basis(problem: Problem, solved: Solved) -> Beyond:
    """The largest error that may hide beyond the basis of a solution of `problem`."""
    hidden = find_hidden(problem)
    if hidden.reason:
        return Beyond(float("inf"), hidden.reason)
    if hidden.passing:
        return _passing(problem, hidden, solved)
    beside = Beyond() if hidden.degenerate is None else _beside_zero(problem, hidden.degenerate, solved)
    grown = Beyond() if hidden.growth is None else _grown(problem, hidden.growth, solved)
    return max(beside, grown, key=lambda each: each.error)


def _beside_zero(problem: Problem, degenerate: Degenerate, solved: Solved) -> Beyond:
    """The error that the residual causes beside a zero of the leading coefficients.

    With a coefficient a of the highest derivative, of order n, a residual r at a distance h from the zero changes the
    solution by about ``h^n r / a``, however small r and a are there; its norm over the domain does not show that.
    """
    (equation, *others), sites = problem.equations, Sites(degenerate.around)
    if others or len(problem.unknowns) > 1 or not len(sites):
        return Beyond()
    residual = evaluate(solved.basis, solved.coefficients, equation.operator, sites, threads=1) - equation.values(sites)
    order = equation.operator.order
    leading = [np.abs(term.at(sites)) for term in equation.operator.terms if term.order == order]
    unit = np.max(leading, axis=0) / degenerate.distances**order
    return Beyond(
        SAFETY * float(np.max(np.abs(residual)[unit > 0] / unit[unit > 0], initial=0.0)),
        f"the leading coefficient vanishes at {point_text(problem, degenerate.place)}: solutions need not be smooth "
        "there, and may be fixed by the equation alone; check the conditions there, or leave the place out",
    )


def passing_size(problem: Problem) -> int:
    """How many functions represent what the conditions of a problem let through; zero if they let nothing through."""
    affordable = float(find_hidden(problem).affordable(np.ptp(problem.domain.bounding_box, axis=0)).max())
    return functions_up_to(problem, affordable) if affordable else 0


def functions_up_to(problem: Problem, frequency: float) -> int:
    """The number of waves of a frequency that represent functions around the domain."""
    scene = scene_of(problem.domain)
    return directions_needed(frequency * scene.radius(tuple(range(scene.dimension))), problem.dimension)


def _passing(problem: Problem, hidden: Hidden, solved: Solved) -> Beyond:
    """An infinite error if the basis misses a function that conditions let through, or if that may be a solution.

    If the basis contains it, the sensitivity shows it; if that is very large, any multiple may be in the solution.
    """
    basis = solved.basis
    # only cells, and the functions for one unknown and on open domains, can be steep at the boundary
    is_smooth = len(problem.unknowns) > 1 and not basis.is_piecewise and not problem.domain.is_unbounded
    lengths = np.ptp(problem.domain.bounding_box, axis=0)
    for function in hidden.passing:
        if np.all(function.along * lengths <= 2 * np.pi):
            continue  # every basis contains it
        almost, remedy = _describe(function)
        few = basis.size < functions_up_to(problem, function.frequency)
        if (
            few
            or (is_smooth and function.foldings > _STEEP_FOLDINGS)
            or np.any((1 - ZERO) * function.along > basis.reach)
        ):
            beyond = "and is beyond the functions that were solved with, so that it may be in the solution unseen"
            return Beyond(float("inf"), f"{almost}, {beyond}; {remedy}, or allow more functions")
        if FEW_DIGITS * solved.amplification > 1:
            return Beyond(float("inf"), f"{almost}, so that any multiple of it may be in the solution; {remedy}")
    return Beyond()


def _describe(function: LetThrough) -> tuple[str, str]:
    """What may be in the solution, and a remedy."""
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
    """The largest growth over the time of a problem of a disturbance that the sensitivity does not show."""
    growth = find_hidden(problem).growth
    unseen = [] if growth is None else growth.foldings[_unseen(growth, basis)].tolist()
    return float(np.exp(min(max(unseen), _MOST_FOLDINGS))) if unseen else 0.0


def _unseen(growth: Growth, basis: Basis) -> NDArray[np.intp]:
    """Indices of disturbances that the sensitivity does not show: beyond the basis, or beyond the digits of numbers."""
    # of growth along a line, a basis represents half of the digits
    seen = _SEEN_FOLDINGS if growth.ends is None else _SEEN_FOLDINGS / 2
    if growth.places is None:
        is_beyond = np.any((1 - ZERO) * growth.frequencies > basis.reach, axis=1)
    else:  # at a front, beyond the functions there
        n, stretches, dimension = growth.places.shape
        frequencies = np.repeat(growth.frequencies, stretches, axis=0)
        shown = shown_at(basis, growth.places.reshape(-1, dimension), frequencies).reshape(n, stretches)
        is_beyond = np.any(~shown & (growth.stretches > 0), axis=1)
    return np.flatnonzero(is_beyond | (growth.foldings > seen))


def _grown(problem: Problem, growth: Growth, solved: Solved) -> Beyond:
    """The error to which the residual and the rounding of the solution at every time may have grown."""
    among = _unseen(growth, solved.basis)
    if not among.size:
        return Beyond()
    lower, upper = problem.domain.bounding_box
    begin, end = growth.ends or (float(lower[-1]), float(upper[-1]))
    duration = abs(end - begin)
    sites = Sites(problem.domain.sample(VALUES, np.random.default_rng(0), "low-discrepancy"))  # for inspection only
    value = identity(problem.dimension)
    each = [value.on(unknown) for unknown in range(len(problem.unknowns))]
    values = evaluate_each(solved.basis, solved.coefficients, each, sites, threads=1)
    shares = (sites.points[:, -1] - begin) / (end - begin)
    if growth.places is None:
        among = among[[growth.foldings[among].argmax()]]
        sources, initial = np.zeros(1), _disturbance(problem, duration, sites, solved)
    else:
        sources = _sources(problem, growth, among, sites, solved)
        initial = _disturbance(problem, duration, sites, solved, sources=False)
    error, worst = -1.0, 0
    for which, source in zip(among, sources, strict=True):
        later = np.exp(np.minimum(growth.remaining(which, shares), _MOST_FOLDINGS))
        rounded = _ROUNDING * max(safe_rms(own * later) for own in values)
        whole = float(np.exp(min(growth.foldings[which], _MOST_FOLDINGS)))
        grown = rounded + initial * whole + float(source) * (safe_rms(later) if source > 0 else 0.0)
        error, worst = max((error, worst), (grown, int(which)), key=lambda one: one[0])
    frequency = float(np.linalg.norm(growth.frequencies[worst, :-1]))
    what = f"of frequency {frequency:.3g} " if problem.dimension > 1 else ""
    over, remedy = "over the time given", "shorten the time"
    if growth.ends is not None:
        over, remedy = "from the end that all conditions are at to the other", "move conditions to the other end"
    digits = float(growth.foldings[worst]) / np.log(10)
    if digits < np.log10(2):
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
            total += residual * _source_effect(relation.operator, duration, sites) if sources else 0.0
        elif relation.region.kind == "start" or relation.operator.order == 0 or problem.dimension == 1:
            total += residual * duration**relation.operator.order
    return total


def _sources(problem: Problem, growth: Growth, among: NDArray[np.intp], sites: Sites, solved: Solved) -> FloatArray:
    """The residuals of equations as sources of some disturbances, in units of the solution."""
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
            # the highest frequency in time of the functions of any cell, and of products of them
            slow = min(
                float(2 * np.pi * np.max(cells.degrees[:, -1] / cells.frames.lengths[:, -1]))
                for cells in solved.basis.on_cells
            )
            # over time it adds up as if it oscillated with the wave, or less by this factor
            off = np.maximum(duration * (exponents - slow), 1.0)
            size = np.minimum(known, size / np.where(exponents > 2 * slow, off, 1.0))
        total += size * _source_effect(relation.operator, duration, sites)
    return total


def _source_effect(operator: Operator, duration: float, sites: Sites) -> float:
    """The effect of a source of size one over the time: each equation has its own units."""
    highest = max(term.orders[-1] for term in operator.terms)
    leading = sum(safe_rms(term.at(sites)) for term in operator.terms if term.orders[-1] == term.order == highest)
    return duration**highest / leading if leading > 0 else 0.0


# ---- The sensitivity of a system

# Points at which the solution is sampled.
PROBES = 600
_POWER_STEPS, _DIRECTIONS = 3, 6


@final
@dataclass(frozen=True, eq=False)
class Sensitivity:
    """How strongly a system's residual shows in its solution; it does not depend on the data."""

    each: tuple[float, ...]  # the amplification of the residual in each unknown
    values: tuple[NumberArray, ...]  # for each unknown, the features at the probing points (n, M); sparse on cells
    null: NumberArray  # (M,): coefficients of the function with the largest amplification

    @property
    def amplification(self) -> float:
        """The largest amplification of all unknowns."""
        return max(self.each)

    def times(self, factor: float) -> Sensitivity:
        """The sensitivity with amplifications multiplied by a factor."""
        return self if factor == 1.0 else replace(self, each=tuple(factor * each for each in self.each))

    def at_least(self, other: Sensitivity) -> Sensitivity:
        """The sensitivity with the amplifications of another one where those are larger."""
        return replace(self, each=tuple(max(pair) for pair in zip(self.each, other.each, strict=True)))


def find_sensitivity(
    problem: Problem, basis: Basis, factored: Factored, rng: np.random.Generator, threads: int
) -> Sensitivity:
    """``|Phi R^-1| / sqrt(n)`` by power iteration, with Phi the features at n points, for each unknown."""
    probes = Sites(problem.domain.sample(PROBES, rng, "low-discrepancy"))
    each, values, nulls = [], [], []
    for unknown, known in enumerate(problem.unknowns):
        has_own_domain = problem.domain.is_unbounded and known.domain is not problem.domain
        here = Sites(known.domain.sample(PROBES, rng, "low-discrepancy")) if has_own_domain else probes
        Phi = tabulate(basis, identity(problem.dimension).on(unknown), here, threads=threads)
        amplification, null = largest_amplification(Phi, factored, rng)
        each.append(amplification)
        values.append(Phi)
        nulls.append(null)
    return Sensitivity(tuple(each), tuple(values), nulls[int(np.argmax(each))])


def largest_amplification(Phi: NumberArray, factored: Factored, rng: np.random.Generator) -> tuple[float, NumberArray]:
    """The largest amplification, and the coefficients of its function.

    By iteration of a subspace of a few directions: their substitutions take hardly longer than those of a single one.
    """
    rows, columns = factored.shape
    if rows < columns or not np.all(factored.diagonal > 0):  # the rows do not determine the coefficients
        return float("inf"), np.zeros(columns)
    directions: NumberArray = rng.standard_normal((columns, min(_DIRECTIONS, columns)))
    Phi_H, norm, best = adjoint(Phi), 0.0, np.zeros(len(directions[0]))
    for _ in range(_POWER_STEPS):
        directions = np.linalg.qr(directions)[0]
        directions = factored.solve_triangle(Phi_H @ (Phi @ factored.solve_triangle(directions)), adjoint=True)
        if not np.all(np.isfinite(directions)):
            return float("inf"), np.zeros(columns)
        _, sizes, mixtures = np.linalg.svd(directions, full_matrices=False)
        norm, best = float(np.sqrt(sizes[0])), mixtures[0].conj()
        if norm == 0.0:
            return 0.0, np.zeros(columns)
    direction = directions @ best
    null = factored.solve_triangle(direction / np.linalg.norm(direction))
    return norm / float(np.sqrt(Phi.shape[0])), null


# ---- Functions that almost satisfy an equation
# The response to a right-hand side is largest where the equation almost vanishes: at low frequencies, and at those of
# its own solutions, where it grows along the way. Features for the peaks of a right-hand side respond less, and by
# themselves would underestimate the effect of what they leave out.

# Functions of low frequencies, by the number of dimensions up to three, and the most periods over the domain.
_LOW = {1: 12, 2: 30, 3: 60}
_PERIODS = 2.0


def nearby_number(problem: Problem) -> int:
    """The most functions that `nearby_functions` returns."""
    return len(problem.unknowns) * _LOW[min(problem.dimension, 3)] + MANY


def nearby_functions(problem: Problem, exact: Basis, rng: np.random.Generator) -> list[Basis]:
    """Cosines of low frequencies for each unknown; for a single one, also functions of `exact` with a linear factor."""
    lower, upper = problem.domain.bounding_box
    widths = tuple(_PERIODS * 2 * np.pi / (upper - lower))
    band = Band(_LOW[min(problem.dimension, 3)], widths)
    low = for_unknowns(band, natural_scales(problem, np.array(widths)))
    found: list[Basis] = [low.draw(problem.dimension, rng, center=0.5 * (lower + upper))]
    total = sum(basis.size for basis in exact.exponentials)
    grown = [_growing(problem, basis, -(-MANY * basis.size // total), rng) for basis in exact.exponentials]
    return found + [basis for basis in grown if basis.size]


def _growing(problem: Problem, basis: ExponentialBasis, number: int, rng: np.random.Generator) -> ExponentialBasis:
    """Some functions with a factor that is linear along the direction in which the symbol changes.

    Those that oscillate or decay, from the slowest to the fastest, most of them slow.
    """
    # functions with a linear factor still satisfy the equation at a double zero of the symbol
    symbol, sizes = symbol_of(problem.determinant), np.linalg.norm(basis.W, axis=1)
    gradient = symbol.gradient(basis.W)
    leads_away = (sizes * np.linalg.norm(gradient, axis=1) > CLOSE * symbol.size(basis.W)) | (basis.powers > 0)
    moving = rng.permutation(np.flatnonzero((sizes > 0) & leads_away))
    slowest = moving[np.argsort(sizes[moving], kind="stable")]
    ranks = np.unique(np.geomspace(1, max(len(slowest), 1), number).astype(int)) - 1
    some = slowest[ranks[: len(slowest)]]
    lengths = np.ptp(problem.domain.bounding_box, axis=0)
    W, powers, gradient = basis.W[some], basis.powers[some], gradient[some] / lengths
    leading = np.take_along_axis(gradient, np.argmax(np.abs(gradient), axis=1)[:, None], axis=1)
    turned = (gradient * np.conj(leading) / np.maximum(np.abs(leading) ** 2, np.finfo(np.float64).tiny)).real
    along = turned / np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), TINY) / lengths
    direction = np.where(powers[:, None] > 0, basis.along[some], along)
    return ExponentialBasis(W, basis.b[some], basis.origin, basis.peaks[some], powers + 1, direction)


# ---- The sensitivity with more functions than the solution has
# Trefftz features are few, and may leave out the function that the conditions hardly see: the eigenfunction of a
# resonance that the data hardly excite, or a singular function at a corner. The residual is then misleadingly small.
# Further Trefftz functions show it; with features for a right-hand side, so do those of `nearby_functions`.

# The fewest rows for each function.
_LEAST_ROWS = 1.2


def probe(
    discretisation: Finite, blocks: Sequence[BlockRows], factored: Factored, rng: np.random.Generator
) -> Sensitivity | None:
    """The sensitivity of a factored system, or that with further columns, whichever is larger.

    None where the family has no Trefftz functions and conditions let no known function through: then nothing is hidden
    that could be found this way.
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
    """How many Trefftz features are added to probe a family: no more than the rows can resolve with all `columns`."""
    exact = _exact(family)
    if not exact or problem.domain.is_unbounded:  # the functions of objects are as many as the rows resolve
        return 0
    needed = max(neurons_needed(problem), passing_size(problem))
    wanted = max(exact // SEVERAL, needed if exact < needed else 0)
    number = min(wanted, _most(columns, rows))
    return number if number >= FEW else 0


def further_columns(problem: Problem, family: Family, columns: int, rows: int) -> int:
    """How many columns `probe` adds to a system, without those at corners and holes."""
    further = further_features(problem, family, columns, rows)
    if _exact(family) and not family.satisfies_equation:
        further += nearby_number(problem)
    return further


def special_beside(problem: Problem, columns: Iterable[Basis]) -> list[Basis]:
    """The functions at corners and in holes that `probe` adds: at those without any of the `columns`."""
    there = {corner for basis in columns for corner in basis.corners}
    return [basis for basis in special_columns(problem, True) if there.isdisjoint(basis.corners)]


def fitting_columns(sizes: Iterable[int], columns: int, rows: int) -> int:
    """How many columns bases of these sizes add to `columns`, each if the rows can resolve all."""
    added = 0
    for size in sizes:
        added += size if size <= _most(columns + added, rows) else 0
    return added


def _let_through(problem: Problem, columns: int, rows: int) -> list[Basis]:
    """The functions that conditions on flat parts let through, which a basis may represent to a few digits only."""
    found = [function.W for function in find_hidden(problem).passing if function.W is not None]
    if not found or 2 * sum(map(len, found)) > _most(columns, rows):
        return []
    W = np.concatenate(found)
    none = np.zeros(len(W), dtype=np.int_)
    rng = np.random.default_rng(0)  # whatever the phases
    return [realise(Frequencies(W, none, np.zeros(W.shape)), scene_of(problem.domain), rng)]


def _exact(family: Family) -> int:
    """The number of Trefftz features of a family."""
    return sum(part.neurons for part in family.parts if part.satisfies_equation)


def _most(columns: int, rows: int) -> int:
    return int(rows / _LEAST_ROWS) - columns


def _further(discretisation: Discretisation, rng: np.random.Generator) -> list[Basis]:
    """Functions that satisfy the equation, or almost, in addition to the basis: as many as the rows can resolve."""
    problem, family, basis = discretisation.problem, discretisation.family, discretisation.basis
    further: list[Basis] = []
    if number := further_features(problem, family, basis.size, discretisation.rows):
        # functions of frequency zero are in every basis already
        further += draw_features(problem, Characteristic(number), rng).varying
    if not family.satisfies_equation:
        exact = Joined([part for part in family.parts if part.satisfies_equation])
        further += nearby_functions(problem, draw_features(problem, exact, rng), rng)
    for columns in special_beside(problem, basis.leaves):
        left = _most(basis.size + sum(part.size for part in further), discretisation.rows)
        if columns.size <= left and satisfies(problem, columns):
            further.append(columns)
    return further


# ---- Whether a sensitivity has settled
# The sensitivity of a basis is limited by the digits to which it represents the function with the smallest residual. In
# a well-posed problem, a part of the basis has nearly the same sensitivity; at a resonance, the sensitivity grows with
# every further function. An estimate is reliable if the sensitivity has settled.

# The largest ratio of the sensitivity of a band to that of a narrower one, with this share of the margin beyond the
# problem's frequencies; on an interval, and in more dimensions.
_MARGIN, _GROWTH, _GROWTH_ABOVE = 0.3, 1.5, 1.9
# The last functions, with few rows, may be more sensitive. Then the band without this margin may exceed the sensitivity
# of the problem's frequencies by this factor. At a resonance, every function adds to the sensitivity.
_LITTLE_GROWTH = 1.25
# For other families, the share of the functions that stands for the problem's frequencies.
_CORE_SHARE = 0.57
# In cells: the largest ratio of the residual of the last degrees to that of the whole function with the smallest one.
_CANCELLED = 3.5


@cache_by_object
def may_resonate(problem: Problem) -> bool:
    """Whether waves of a steady equation fit into its domain, which is bounded."""
    if problem.domain.time is not None or problem.domain.is_unbounded:
        return False
    try:
        _, waves = waves_at(problem, np.zeros(problem.dimension))
    except ProblemError:  # a coefficient has no value at one of many points, which is reported where it is needed
        return True
    return bool(
        np.any(waves * np.ptp(problem.domain.bounding_box, axis=0) > 1.0)
    )  # a wave resonates over a radian at least


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
        most = _CANCELLED * safe_rms(Phi @ sensitivity.null) / sensitivity.amplification
        plain = Unfitted(finite, blocks, held_out).norm(left)
        return plain <= most or finite.can_do_without_last(sensitivity.null, most)

    def amplification(margin: float) -> float:
        some = _narrower_band(finite, margin)
        return largest_amplification(Phi[:, some], factored.restricted(some), np.random.default_rng(0))[0]

    growth = _GROWTH if finite.problem.dimension == 1 else _GROWTH_ABOVE
    if sensitivity.amplification <= growth * amplification(_MARGIN):
        return True
    return amplification(1 - _MARGIN) <= _LITTLE_GROWTH * amplification(0.0)


def _narrower_band(finite: Finite, margin: float) -> NDArray[np.intp]:
    """The columns of a narrower band; for any other family, the first; of functions without frequencies, all."""
    family = finite.family if isinstance(finite, Discretisation) else None
    band = family.family if isinstance(family, Each) else family

    def kept(leaf: Basis) -> BoolArray:
        if leaf.frequencies is None:
            return np.ones(leaf.size, dtype=np.bool_)
        if not isinstance(band, Band) or band.core is None:
            return np.arange(leaf.size) < (_CORE_SHARE + (1 - _CORE_SHARE) * margin) * leaf.size
        core, widths = np.array(band.core), np.array(band.widths)
        return in_rounded_box(leaf.frequencies.real, core, core + margin * (widths - core))

    return np.flatnonzero(np.concatenate([kept(leaf) for leaf in finite.basis.leaves]))
