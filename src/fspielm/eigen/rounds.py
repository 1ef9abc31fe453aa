"""Modes around one shift: the inverse there, its block Krylov spaces, and rounds with finer functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.basis.evaluation.sums import evaluate
from fspielm.collocation.least_squares import Factored
from fspielm.collocation.system import BlockRows, Finite
from fspielm.eigen.modes import Window
from fspielm.eigen.pencil import Inner, Pencil, Rows, densities_at, quadrature_for
from fspielm.errors import OutOfTime, ProblemError, SolveError
from fspielm.estimate.estimate import NO_DIGITS, CellErrors, ErrorEstimate
from fspielm.estimate.examination import examine
from fspielm.expr.functions import Field
from fspielm.geometry.boundary import Quadrature, Sites
from fspielm.numerics.krylov import Space
from fspielm.numerics.tolerances import HALF, ROUNDED, SAME
from fspielm.problem.derived import SmoothSides
from fspielm.problem.operator import Operator, identity
from fspielm.problem.problem import Problem, problem_with
from fspielm.problem.statement import Relation, has_complex_operator
from fspielm.solvers.driver import FIRST_TIMES, FittedPlan, Rounds, play_rounds
from fspielm.solvers.request import INTERRUPTED, STAGE, Request, offering
from fspielm.solvers.round import (
    BETTER,
    PATIENCE,
    Ending,
    Record,
    RoundPlan,
    RoundResult,
    Step,
    StopReason,
    Strategy,
    factor,
)
from fspielm.wording import MORE_TIME

# ---- Solutions for smooth right-hand sides, and whether the inverse is symmetric on them

# Functions in a block of a Krylov space (as many modes of one value can be distinguished), and to test symmetry with.
_BLOCK = 6
# How often the inverse is applied to get an envelope.
_ENVELOPE_STEPS = 3


def smooth_sides(inverse: Inverse, count: int, rng: np.random.Generator, waves: float) -> SmoothSides:
    """Smooth right-hand sides for each relation with the eigenvalue."""
    names = sorted(set().union(*(set(operators) for operators in inverse.pencil.powers)))
    return SmoothSides(inverse.finite.problem, names, count, rng, max(waves, 1.0))


def solve_sides(inverse: Inverse, smooth: SmoothSides) -> NumberArray:
    """The solutions for smooth right-hand sides, ``(M, count)``."""
    return inverse.solved({name: smooth.tied(name, inverse.sites[name].points) for name in smooth.names})


def asymmetry_of(inverse: Inverse) -> float:
    """The relative asymmetry of the inverse: of integrals of one solution times the side of another.

    Sides are cosines, or cosines times an envelope: the inverse applied several times to one of them, which is large
    where modes are. A basis for modes may represent only one kind of solutions well, so that the smaller asymmetry
    counts. The eigenvalue must occur only in equations, each with their own unknown.
    """
    smooth = smooth_sides(inverse, _BLOCK, np.random.default_rng(3), 1.0)
    smooth.with_periods()
    envelope = solve_sides(inverse, smooth)[:, :1]
    for _ in range(_ENVELOPE_STEPS):
        envelope = inverse(envelope)
    envelope = envelope / np.linalg.norm(inverse.inner.values(envelope))
    return min(_asymmetry(inverse, smooth, None), _asymmetry(inverse, smooth, envelope))


def _asymmetry(inverse: Inverse, smooth: SmoothSides, envelope: NumberArray | None) -> float:
    """The asymmetry on smooth sides times an envelope ``(M, 1)``."""
    rule, unit = inverse.inner.rule, identity(inverse.finite.problem.dimension)
    # an envelope already has the phase factors of periods
    side = smooth.tied if envelope is None else smooth.at
    sides: dict[str, NumberArray] = {}
    at_nodes: dict[int, NumberArray] = {}
    for place, equation in enumerate(inverse.finite.problem.equations):
        if equation.name in inverse.pencil.powers[0]:
            sites = inverse.sites[equation.name]
            sides[equation.name], at_nodes[place] = (side(equation.name, p) for p in (sites.points, rule.points))
            if envelope is not None:
                own = Rows(inverse.finite, unit.on(place), sites) @ envelope
                sides[equation.name] = sides[equation.name] * own
                at_nodes[place] = at_nodes[place] * inverse.inner.plain(place, envelope)
    solutions = inverse.solved(sides)
    total = np.zeros((_BLOCK, _BLOCK), dtype=np.result_type(solutions, *at_nodes.values()))
    for place, nodes in at_nodes.items():
        total += inverse.inner.plain(place, solutions).T @ (rule.weights[:, None] * nodes.conj())
    return float(np.linalg.norm(total - total.conj().T, 2) / np.linalg.norm(total, 2))


# ---- The inverse of a problem at a shift, of which modes are eigenfunctions


@final
@dataclass(frozen=True, eq=False)
class Inverse:
    """A problem at a shift s, factored.

    With ``F(s + mu) = F_0 + mu F_1 + mu^2 F_2 + ...`` a mode has ``F_0 u = -(F_1 u + F_2 (mu u) + ...) mu``. The map
    from ``(u, mu u, mu^2 u, ...)`` to ``(w, u, mu u, ...)`` with ``F_0 w = -(F_1 u + F_2 (mu u) + ...)`` multiplies it
    by ``1 / mu``. Functions are coefficients ``(p M,)``, those of each power after one another.
    """

    pencil: Pencil
    shift: complex
    finite: Finite  # the discretisation of the problem at the shift
    blocks: Sequence[BlockRows]
    factored: Factored
    unit: float  # the unit of distances from the shift, so that all powers have equal weight
    slack: float  # the asymmetry up to which the inverse counts as symmetric
    # an inverse on the same basis at another shift: both have the same inner product and symmetry
    like: Inverse | None = None

    @property
    def size(self) -> int:
        """Number of functions."""
        return self.finite.basis.size

    @property
    def is_real(self) -> bool:
        """Whether it maps real functions to real functions."""
        problem = self.finite.problem
        return not any(map(has_complex_operator, problem.relations)) and self.finite.basis.dtype.kind == "f"

    def __call__(self, stacks: NumberArray) -> NumberArray:
        """The images of functions ``(p M, F)``."""
        parts = np.split(stacks, self.pencil.degree)
        values: dict[str, NumberArray] = {}
        for power, (part, rows) in enumerate(zip(parts, self._rows, strict=True)):
            for name, own in rows.items():
                image = -(self.unit ** (power + 1)) * (own @ part)
                values[name] = values[name] + image if name in values else image
        return np.concatenate([self.solved(values), *parts[:-1]])

    def solved(self, values: Mapping[str, NumberArray]) -> NumberArray:
        """Coefficients ``(M, F)`` for right-hand sides ``(n, F)`` at the places of rows, by relation."""
        count = next(iter(values.values())).shape[1]
        columns = [{name: own[:, column] for name, own in values.items()} for column in range(count)]
        given = np.stack([self.finite.spread(each, self.blocks) for each in columns], axis=1)
        return np.asarray(self.factored.solve(np.asfortranarray(given)))

    @cached_property
    def sites(self) -> dict[str, Sites]:
        """The sites of rows, by relation."""
        return {name: sites for name, (sites, _) in self.finite.fitted(self.blocks).items()}

    @cached_property
    def _rows(self) -> list[dict[str, Rows]]:
        return [
            {name: Rows(self.finite, operator, self.sites[name]) for name, operator in operators.items()}
            for operators in self.pencil.around(self.shift)
        ]

    @cached_property
    def _rule(self) -> Quadrature:
        return quadrature_for(self.finite)

    @cached_property
    def _densities(self) -> FloatArray | None:
        return densities_at(self.pencil, self._rule.sites)

    @cached_property
    def inner(self) -> Inner:
        """The inner product in which it is symmetric, if it is in any."""
        if self.like is not None:
            return self.like.inner
        densities = self._densities
        if densities is None:
            densities = np.ones((len(self.finite.problem.unknowns), len(self._rule)))
        return Inner(self.finite, self._rule, densities)

    @cached_property
    def asymmetry(self) -> float:
        """The asymmetry on smooth functions, relative to the norm."""
        return asymmetry_of(self)

    @cached_property
    def symmetric(self) -> bool:
        """Whether the problem is selfadjoint, up to the errors of the inverse."""
        if self.like is not None:
            return self.like.symmetric
        return self._densities is not None and self.asymmetry <= self.slack

    def vectors(self, stacks: NumberArray) -> NumberArray:
        """Functions ``(p M, F)`` as vectors of an inner product."""
        return np.concatenate([self.inner.values(part) for part in np.split(stacks, self.pencil.degree)])


def inverse_at(
    pencil: Pencil, shift: complex, finite: Finite, request: Request, unit: float, like: Inverse | None = None
) -> Inverse:
    """The problem at a shift, factored on a given basis; `like` is an inverse on the same basis."""
    here = finite.with_problem(pencil.at(shift))
    system = here.assemble(request.scaling, reuse=True)
    factored, _, _ = factor(request.method, system, in_place=True)
    return Inverse(pencil, shift, here, system.blocks, factored, unit, max(HALF, request.tol), like)


# ---- Modes closest to a shift, by block Krylov spaces of the inverse

# The residual of a mode that certainly exists.
KNOWN = 1e-2
_MOST_FUNCTIONS = 240


@final
@dataclass(frozen=True, eq=False)
class Found:
    """Modes, the closest to the shift first."""

    mu: NDArray[np.complex128]  # (k,): distances from the shift
    coefficients: NumberArray  # (M, k): the functions, with norm one in the inner product of the inverse
    left: FloatArray  # (k,): relative residuals in the Krylov space
    conditions: FloatArray  # (k,): condition numbers of the values; one if the inverse is symmetric
    is_cut: bool = False  # whether the search ran out of time: there may be other modes, closer or between them

    def select(self, which: NDArray[np.intp] | BoolArray) -> Found:
        """Some of them."""
        return Found(self.mu[which], self.coefficients[:, which], self.left[which], self.conditions[which], self.is_cut)

    def followed_by(self, other: Found) -> Found:
        """These, and others."""
        return Found(
            np.concatenate([self.mu, other.mu]),
            np.concatenate([self.coefficients, other.coefficients], axis=1),
            np.concatenate([self.left, other.left]),
            np.concatenate([self.conditions, other.conditions]),
            self.is_cut or other.is_cut,
        )


def closest(
    inverse: Inverse,
    starts: NumberArray,
    needed: Callable[[NDArray[np.complex128]], int],
    tol: float,
    seconds_left: Callable[[], float] = lambda: np.inf,
) -> Found:
    """As many of the closest modes as are `needed` by their distances, and others; to a tolerance where possible."""
    space = Space(inverse.vectors, SAME)
    block = space.add(starts)
    history: list[float] = []
    while True:
        block = space.add(inverse(block))
        theta, _, left, _ = _eigenvalues(inverse, space)
        count = needed(np.asarray(inverse.unit / theta, dtype=complex))
        enough = len(theta) > count and left[count] < KNOWN
        history.append(float(left[:count].max(initial=0.0)) if enough else np.inf)
        helps = len(history) <= PATIENCE or BETTER * history[-1] <= min(history[:-PATIENCE]) or history[-1] >= KNOWN
        late = seconds_left() <= 0 and left.min(initial=1.0) < KNOWN  # one mode is known, at least
        done = history[-1] <= tol or not helps or not block.shape[1] or space.count >= _MOST_FUNCTIONS
        if done or late:
            return replace(_found(inverse, space), is_cut=not done)


def polished(inverse: Inverse, found: Found) -> Found:
    """The same modes after applying the inverse once more, which smooths them.

    Without the other modes of the search, which are less accurate and would spoil these. The condition numbers still
    include the other modes.
    """
    space = Space(inverse.vectors, SAME)
    powers = [found.coefficients * (found.mu / inverse.unit) ** n for n in range(inverse.pencil.degree)]
    stacks = np.concatenate(powers)
    if inverse.is_real:  # complex pairs span the same space as their real and imaginary parts
        stacks = np.concatenate([stacks.real, stacks[:, found.mu.imag != 0].imag], axis=1)
    space.add(inverse(space.add(stacks)))
    better = _found(inverse, space, symmetric=inverse.symmetric)
    before = np.argmin(np.abs(better.mu[:, None] - found.mu), axis=1)
    return replace(better, conditions=np.maximum(better.conditions, found.conditions[before]))


_Eigen: TypeAlias = tuple[NumberArray, NumberArray, FloatArray, FloatArray]


def _eigenvalues(inverse: Inverse, space: Space, *, symmetric: bool = False) -> _Eigen:
    """Eigenvalues and vectors of the inverse in a space, the largest first, with residuals and conditions of `Found`.

    On rough functions the inverse may be far from symmetric.
    """
    H = space.matrix
    square, outside = H[: H.shape[1]], H[H.shape[1] :]
    gap = float(np.linalg.norm(square - square.conj().T))
    # not beyond rounding: errors of the inverse are large on rough functions, and would spread to all modes
    if symmetric or (inverse.symmetric and gap <= 10 * ROUNDED * float(np.linalg.norm(square))):
        theta, Y = np.linalg.eigh(0.5 * (square + square.conj().T))
        conditions = np.ones(len(theta))
    else:
        theta, Y = _eig(square, np.inf if inverse.symmetric else SAME)
        conditions = np.linalg.norm(np.linalg.pinv(Y), axis=1) * np.linalg.norm(Y, axis=0)
    order = np.argsort(-np.abs(theta), kind="stable")
    order = order[np.abs(theta[order]) > SAME * np.abs(theta).max()]
    theta, Y = theta[order], Y[:, order]
    return theta, Y, np.linalg.norm(outside @ Y, axis=0) / np.abs(theta), conditions[order]


def _found(inverse: Inverse, space: Space, *, symmetric: bool = False) -> Found:
    """The modes of the largest eigenvalues of the inverse in a space."""
    theta, Y, left, conditions = _eigenvalues(inverse, space, symmetric=symmetric)
    functions = space.images[: inverse.size] @ Y
    return Found(np.asarray(inverse.unit / theta, dtype=complex), functions / theta, left, conditions)


def _eig(matrix: NumberArray, share: float) -> tuple[NumberArray, NumberArray]:
    """Eigenvalues and vectors; conjugate pairs of a real matrix become double real values with real vectors.

    This applies to pairs whose imaginary parts are at most a share of their size, and therefore errors.
    """
    theta, Y = np.linalg.eig(matrix)
    if np.isrealobj(matrix) and np.iscomplexobj(theta):
        for place in np.flatnonzero((theta.imag > 0) & (theta.imag <= share * np.abs(theta))):
            # the conjugate is the next one
            Y[:, place : place + 2] = np.linalg.qr(np.stack([Y[:, place].real, Y[:, place].imag], axis=1))[0]
            theta[place : place + 2] = theta[place].real
        if not theta.imag.any():
            theta, Y = theta.real, Y.real
    return theta, Y


def first_functions(inverse: Inverse, rng: np.random.Generator, waves: float) -> NumberArray:
    """Solutions for smooth right-hand sides without symmetry, with so many `waves` along the domain.

    Sides that the basis cannot represent would only give rounding errors.
    """
    degree = inverse.pencil.degree
    smooth = smooth_sides(inverse, _BLOCK * degree, rng, waves)
    parts = solve_sides(inverse, smooth).reshape(inverse.size, degree, _BLOCK)
    return np.concatenate([parts[:, power] for power in range(degree)])


# ---- Errors of modes, each as the solution of the problem at the shift with its own right-hand side


@final
@dataclass(frozen=True, eq=False)
class Checked:
    """A mode, or a sum of several, with its error estimate from held-out rows."""

    coefficients: NumberArray  # (M,)
    estimate: ErrorEstimate  # as a solution of the problem at the shift
    error: float  # in the norm of modes: its distance from the inverse applied to it


class Inspector:
    """Estimates the errors of the modes of one inverse, one after the other."""

    def __init__(self, inverse: Inverse, rng: np.random.Generator) -> None:
        self._inverse = inverse
        around = inverse.pencil.around(inverse.shift)
        names = dict.fromkeys(name for operators in around for name in operators)
        self._images = {
            name: _Image(inverse.finite, tuple(operators.get(name) for operators in around)) for name in names
        }
        self._problem = _with_values(inverse.finite.problem, self._images)
        self._examination = examine(inverse.finite, inverse.blocks, inverse.factored, rng)

    def check(self, found: Found, shares: NumberArray) -> Checked:
        """The sum of modes with these shares ``(k,)``."""
        coefficients = np.asarray(found.coefficients @ shares)
        powers = range(1, self._inverse.pencil.degree + 1)
        mu = found.mu.real if np.isrealobj(found.coefficients) else found.mu
        for image in self._images.values():
            image.powers = [found.coefficients @ (shares * mu**power) for power in powers]
        estimate = self._examination.estimate(coefficients, self._problem, by_itself=True)
        return Checked(coefficients, estimate, self._error(estimate))

    def by_cell(self, checked: Checked) -> CellErrors | None:
        """The error of each cell, for the sum that was checked last."""
        return self._examination.by_cell(checked.coefficients, checked.estimate, self._problem)

    def _error(self, estimate: ErrorEstimate) -> float:
        """The error in the norm of modes, from those of the unknowns."""
        inner = self._inverse.inner
        volume = float(inner.rule.weights.sum())
        errors = [
            field.relative * max(field.size, field.scale) * np.sqrt(volume * density.max())
            for field, density in zip(estimate.fields, inner.densities, strict=True)
            if density.any()
        ]
        return float(np.linalg.norm(errors))


class _Image:
    """The right-hand side of a mode at the shift, as a function of points; zero before there is one."""

    def __init__(self, finite: Finite, operators: tuple[Operator | None, ...]) -> None:
        self._finite, self._operators = finite, operators
        self.powers: list[NumberArray] = []

    def __call__(self, points: FloatArray) -> NumberArray:
        """Values at points, which may have columns for normals."""
        finite, dimension = self._finite, self._finite.problem.dimension
        normals = points[:, dimension:] if points.shape[1] > dimension else None
        sites, total = Sites(points[:, :dimension], normals), np.zeros(len(points))
        for coefficients, operator in zip(self.powers, self._operators, strict=False):
            if operator is not None:
                own = evaluate(finite.basis, coefficients, operator, sites, threads=finite.threads, method="tiles")
                total = total - own
        return total


def _with_values(problem: Problem, images: Mapping[str, _Image]) -> Problem:
    """The problem with these right-hand sides."""

    def valued(relation: Relation) -> Relation:
        if relation.name not in images:
            return relation
        image, normals = images[relation.name], relation.region.kind != "domain"
        return replace(relation, value=Field(problem.coordinates, image, None, image, normals))

    relations = tuple(map(valued, problem.relations))
    return problem_with(problem, problem.statement, relations)


# ---- Modes on one set of functions


@final
@dataclass(frozen=True, eq=False)
class Round:
    """Modes on one set of functions."""

    plan: RoundPlan
    inverse: Inverse
    found: Found  # the wanted modes and some more, the closest to the shift first
    wanted: NDArray[np.intp]  # the places of the wanted ones
    inspector: Inspector
    # a sum of the wanted ones, weighted by the accuracy that their values need; None without wanted ones
    combined: Checked | None
    cells: CellErrors | None  # the error of each cell
    seconds: dict[str, float]
    forecast: float  # the forecast of the factorisation in seconds

    @property
    def values(self) -> NDArray[np.complex128]:
        """The wanted eigenvalues."""
        return np.asarray(self.inverse.shift + self.found.mu[self.wanted])

    @property
    def error(self) -> float:
        """The relative error of all values together."""
        return 0.0 if self.combined is None else self.combined.error

    @property
    def sizes(self) -> FloatArray:
        """The sizes that errors of the values are relative to."""
        return np.maximum(np.abs(self.values), self.inverse.unit)

    @property
    def searching(self) -> float:
        """Seconds of the search."""
        return self.seconds["solve"] + self.seconds["modes"]

    @property
    def taken(self) -> float:
        """Seconds of the round."""
        return self.searching + self.seconds["estimate"]

    @property
    def closing(self) -> float:
        """About the seconds to check each of the wanted modes, and to search a second time."""
        return self.searching + len(self.wanted) * self.seconds["estimate"]

    def singles(self, record: Record) -> list[Checked]:
        """Each wanted mode by itself, with an infinite error where no time is left to check it."""
        found: list[Checked] = []
        for place in self.wanted:
            shares = np.zeros(len(self.found.mu))
            shares[place] = 1.0
            if found and record.seconds_left <= 0:
                estimate = replace(found[0].estimate, relative=np.inf)
                found.append(Checked(np.asarray(self.found.coefficients @ shares), estimate, np.inf))
            else:
                found.append(self.inspector.check(self.found, shares))
        return found

    def errors(self, checks: list[Checked]) -> FloatArray:
        """Absolute errors of the values.

        With T the inverse and u a mode of norm one, ``|T u - u / mu| <= e / |mu|``, where e is the error of the mode as
        a solution of the problem at the shift with its own right-hand side. If T is symmetric, it has an eigenvalue
        within that distance of 1 / mu. We add the asymmetry of T, which may be due to errors, and rounding: the size of
        the matrix of T times its norm for an eigenvalue, and the sizes of shift and distance for their sum.
        """
        found = self.found.select(self.wanted)
        mu, inverse = np.abs(found.mu), self.inverse
        eps, closest = float(np.finfo(float).eps), float(np.abs(self.found.mu).min())
        each = np.array([checked.error for checked in checks]) + eps * len(self.found.mu) * mu / closest
        if inverse.symmetric:
            each = each + 0.5 * inverse.asymmetry * mu / closest
        each = found.conditions * np.where(np.isfinite(each), each, 1.0)
        errors = mu * each / (1 - np.minimum(each, NO_DIGITS)) + eps * (mu + abs(inverse.shift))
        return np.asarray(np.where(each < NO_DIGITS, errors, np.inf))


def result_of(latest: Round, checked: Checked, error: float) -> RoundResult:
    """A sum of modes as the result of a round, with a given error."""
    factored = latest.inverse.factored
    found = latest.plan, latest.inverse.finite, checked.coefficients, checked.estimate.residuals
    estimate = replace(checked.estimate, relative=error)
    return RoundResult(*found, factored.rank, factored.condition, latest.seconds, estimate, cells=latest.cells)


# ---- Time


# Shorter forecasts are no measure.
_SHORTEST = 0.1


def times(latest: Round | None) -> float:
    """How many times longer than its factorisation a round takes, with the work after the last one."""
    if latest is None:
        return FIRST_TIMES
    return (latest.taken + latest.closing) / max(latest.forecast, _SHORTEST)


def share(latest: Round | None) -> float:
    """The share of that time for the round itself."""
    return 1.0 if latest is None else latest.taken / (latest.taken + latest.closing)


def out_of_time(record: Record) -> str:
    """The reason if no time is left; empty otherwise."""
    return "" if record.seconds_left > 0 else f"the budget of {record.budget.seconds:g} s ended it; {MORE_TIME}"


def too_late(record: Record, latest: Round, owed: float = 0.0) -> str:
    """The reason if there is no time for another round as long as the latest; empty otherwise.

    `owed` are seconds for the modes that other searches have found.
    """
    if record.seconds_left > latest.taken + latest.closing + owed:
        return ""
    return f"the budget of {record.budget.seconds:g} s ended it, a further round would not end before; {MORE_TIME}"


@final
@dataclass(frozen=True, eq=False)
class Task:
    """The search for the modes of a window."""

    pencil: Pencil
    request: Request  # for the problem at the shift of the window
    window: Window
    unit: float  # of distances from the shift
    roughly: bool = False  # whether to check only the sum of all modes, not each one
    owed: float = 0.0  # seconds that are still needed for the modes of other searches


# ---- The search: rounds with finer functions

# Modes beyond the wanted ones that are kept, for the distances to others.
_BEYOND = 4
# The residual of modes in their Krylov space, relative to the tolerance.
_LEFT = 0.05


@final
@dataclass(frozen=True, eq=False)
class Searched:
    """The result of a search."""

    best: Round
    checks: list[Checked]  # of each wanted mode; empty if only their sum was checked
    step: Step  # the last one, for further searches
    ending: str  # why there was no further round; empty if all values meet the tolerance

    @property
    def has_no_digit(self) -> bool:
        """Whether the functions have digits but none of their values has, as far from symmetry."""
        known = all(checked.error < KNOWN for checked in self.checks)
        return bool(self.checks) and known and not np.isfinite(self.best.errors(self.checks)).any()


def search(task: Task, step: Step, record: Record, best: Round | None = None) -> Searched:
    """Rounds until the errors of all wanted values meet the tolerance, or nothing more can be done.

    It may go on from the best round of another search.
    """
    rounds = ModeRounds(task.request, record, task, step, best)
    with offering(lambda _: None if rounds.best is None else Searched(rounds.best, [], rounds.step, INTERRUPTED)):
        ending = play_rounds(rounds, step)
        if rounds.latest is not None and ending.cause is StopReason.MET:
            return Searched(rounds.latest, rounds.checks, rounds.step, "")
    if rounds.best is None:
        unfit = SolveError if record.seconds_left <= 0 else ProblemError
        raise unfit(f"no modes could be looked for: {ending.reason}")
    return Searched(rounds.best, [] if task.roughly else rounds.best.singles(record), rounds.step, ending.reason)


@final
@dataclass(eq=False)
class ModeRounds(Rounds):
    """Rounds of a search around one shift."""

    request: Request  # for the problem at the shift
    record: Record
    task: Task
    step: Step  # the one that is tried now
    best: Round | None  # that with the smallest error
    latest: Round | None = None
    # of each wanted mode of the latest round, if they were looked at one by one
    checks: list[Checked] = field(default_factory=list)
    late: str = ""  # why there is no time for another round

    @property
    def times(self) -> float:
        """How many times longer than its factorisation a round takes."""
        return times(self.best)

    def play(self, fitted: FittedPlan, strategy: Strategy) -> RoundResult | Ending:
        """One round, recorded and reported; an ending without time, and where no mode is wanted or the shift moves."""
        request, record, task = self.request, self.record, self.task
        try:
            with record.deadline.enforced():
                latest = play(task, fitted, record, self.best)
        except OutOfTime:
            return Ending(out_of_time(record), cause=StopReason.BUDGET)
        self.late = too_late(record, latest, task.owed)
        if self.best is not None and self.late and len(latest.wanted) < len(self.best.wanted):  # no time to find all
            return Ending(self.late, cause=StopReason.BUDGET)
        if self.best is None or latest.error <= self.best.error:
            self.best = latest
        self.latest, self.checks = latest, []
        if latest.combined is not None:  # as it was recorded
            request.progress(record.rounds[-1])
        if latest.combined is None or len(task.window.behind(latest.found.mu)):
            return Ending("", cause=StopReason.MET)
        error = latest.error
        if not task.roughly and error <= 2 * request.tol * np.sqrt(len(latest.wanted)):
            self.checks = latest.singles(record)
            error = float(np.max(latest.errors(self.checks) / latest.sizes))
        return result_of(latest, latest.combined, error)

    def following(self, step: Step, latest: RoundResult) -> Step | Ending:
        """What to try next, if there is time for it."""
        if self.late:
            return Ending(self.late, cause=StopReason.BUDGET)
        following = super().following(step, latest)
        self.step = step if isinstance(following, Ending) else following
        return following


def play(task: Task, fitted: FittedPlan, record: Record, before: Round | None) -> Round:
    """One round, recorded."""
    request, window = task.request, task.window
    plan, began = fitted.plan, perf_counter()
    forecast = share(before) * fitted.seconds
    record.begin(request, plan, forecast)
    seconds: dict[str, float] = {}
    finite = plan.discretise(request, seconds)
    inverse = inverse_at(task.pencil, window.shift, finite, request, task.unit)
    seconds["solve"] = perf_counter() - began
    found = find(inverse, window, request, record)
    wanted = window.pick(found.mu)
    seconds["modes"] = perf_counter() - began - seconds["solve"]
    inspector = Inspector(inverse, request.streams.probes)
    combined, cells = None, None
    if len(wanted):
        signs = np.random.default_rng(1).choice([-1.0, 1.0], len(found.mu))  # apart from the streams of the solve
        # the factors from errors of functions to relative errors of their values
        sizes = np.maximum(np.abs(inverse.shift + found.mu), inverse.unit)
        weights = found.conditions * np.abs(found.mu) / sizes
        shares = np.zeros(len(found.mu))
        shares[wanted] = (signs * weights)[wanted]
        combined = inspector.check(found, shares)
        cells = inspector.by_cell(combined)
    seconds["estimate"] = perf_counter() - began - seconds["solve"] - seconds["modes"]
    once = fitted.seconds / times(before)
    done = Round(plan, inverse, found, wanted, inspector, combined, cells, seconds, once)
    if combined is not None:
        shown = result_of(done, combined, done.error)
        record.add(shown, forecast=forecast, seconds=perf_counter() - began)
    return done


def find(
    inverse: Inverse, window: Window, request: Request, record: Record, *, seed: int = 0, kept: float = STAGE
) -> Found:
    """The modes of a window and some beyond them, from random first functions.

    A share of the seconds left is `kept` for the work that follows.
    """
    assert record.bands is not None
    waves = float(np.max(record.bands.frequencies * request.lengths)) / (2 * np.pi)
    starts = first_functions(inverse, np.random.default_rng(seed), waves)
    until = kept * record.seconds_left if np.isfinite(record.seconds_left) else 0.0
    found = closest(inverse, starts, window.needed, _LEFT * request.tol, lambda: record.seconds_left - until)
    # others are spurious: their residual, or rounding, may be an error of the inverse
    found = found.select(found.conditions * np.maximum(found.left, ROUNDED) < KNOWN)
    if not len(found.mu):
        return found
    needed, known = window.needed(found.mu), np.arange(len(found.mu))
    if not needed:
        return found.select(known[:_BEYOND])
    while needed < len(known) and found.mu[needed] == found.mu[needed - 1]:  # multiple ones belong together
        needed += 1
    best = replace(polished(inverse, found.select(known[:needed])), is_cut=found.is_cut)
    return best.followed_by(found.select(known[needed : needed + _BEYOND]))
