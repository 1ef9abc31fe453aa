"""How strongly the residual of a system shows in its solution."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray, adjoint, safe_rms
from fspielm.basis.basis import Basis, JoinedBasis
from fspielm.basis.evaluation.direct import tabulate
from fspielm.basis.exact.family import Characteristic, neurons_needed, realise
from fspielm.basis.exact.laws import scene_of
from fspielm.basis.exact.symbol import Frequencies, symbol_of
from fspielm.basis.exponential import ExponentialBasis
from fspielm.basis.random.band import Band, in_rounded_box
from fspielm.basis.random.families import Each, Family, Joined, for_unknowns
from fspielm.basis.singular.columns import satisfies, special_columns
from fspielm.collocation.discretisation import Discretisation, Finite, draw_features
from fspielm.collocation.least_squares import Factored
from fspielm.collocation.system import BlockRows, make_blocks
from fspielm.errors import ProblemError
from fspielm.estimate.bands import waves_at
from fspielm.estimate.beyond import passing_size
from fspielm.estimate.residuals import HeldOut, Unfitted
from fspielm.estimate.stability import hidden_of
from fspielm.geometry.points import Sites
from fspielm.problem.derived import natural_scales
from fspielm.problem.operator import identity, once
from fspielm.problem.problem import Problem

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
