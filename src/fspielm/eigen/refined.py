"""Modes refined with functions that satisfy the equations at their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray, safe_rms
from fspielm.basis.basis import Basis
from fspielm.basis.evaluation.direct import tabulate
from fspielm.basis.evaluation.sums import Method, evaluate
from fspielm.basis.exact.family import Characteristic
from fspielm.basis.random.families import Family
from fspielm.basis.singular.columns import satisfies, special_columns
from fspielm.collocation.points import allot_conditions
from fspielm.collocation.system import BlockResidual, BlockRows, Discretisation, draw_features
from fspielm.eigen.modes import AMPLE, VALUE_ROUNDING, Mode, modes_of, split_at_gaps
from fspielm.eigen.pencil import LEVELS, TRIES, Independent, Pencil, independent, sign_of
from fspielm.eigen.rounds import Checked, Inverse, Round, Searched, result_of
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.estimate.bands import Bands
from fspielm.estimate.estimate import NO_DIGITS
from fspielm.geometry.boundary import Quadrature, Sites
from fspielm.numerics.tolerances import CLOSE, PROBES, ROUNDED, SAME, STEP
from fspielm.problem.operator import Operator, identity
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation
from fspielm.solvers.driver import solution_of
from fspielm.solvers.request import AT_ONCE, Request
from fspielm.solvers.round import LEAST_ROWS_PER_FUNCTION, FeaturePlan, Record, RoundResult
from fspielm.solvers.strategies.exact import ExactFeatures
from fspielm.solvers.strategies.selection import select_strategies

# ---- Functions that satisfy the equations at a value: those that nearly satisfy the conditions are close to modes


@final
@dataclass(frozen=True, eq=False)
class NearModes:
    """Functions at one value, in ascending order of their residuals in the conditions relative to their size inside."""

    value: float
    finite: Discretisation
    coefficients: NumberArray  # (M, k)
    traces: NumberArray  # (n, k): their residuals in the rows of conditions
    inside: NumberArray  # (m, k): their values at places inside, orthonormal together with the traces
    among: Independent


@final
@dataclass(frozen=True, eq=False)
class ExactFunctions:
    """Functions that satisfy the equations at any value, of one kind and number and at the same places."""

    pencil: Pencil
    plan: FeaturePlan
    special: tuple[int, ...]  # which of the functions for corners and holes satisfy the equations
    first: Discretisation  # the discretisation at a first value
    clock: Callable[[], float] = lambda: np.inf  # returns the seconds that are left

    def at(self, value: float, count: int) -> NearModes:
        """The `count` functions that are closest to modes at a value.

        Raises `UnsuitableError` if there is no time for them.
        """
        if self.clock() <= 0:
            raise UnsuitableError("there is no time for functions that satisfy the equation")
        finite = self._discretised(value)
        conditions = finite.further_columns(finite.basis, self._scaled)
        unit = identity(finite.problem.dimension)
        unknowns = range(len(finite.problem.unknowns))
        inside = [tabulate(finite.basis, unit.on(place), self._inside, threads=finite.threads) for place in unknowns]
        weight = 1.0 / float(np.sqrt(len(self._inside)))
        rows = np.concatenate([conditions, *(weight * each for each in inside)])
        among, fitted = independent(rows), len(conditions)
        Y = among.smallest(fitted, count)
        own = among.rows @ Y
        return NearModes(value, finite, among.combined(Y), own[:fitted], own[fitted:], among)

    def lifting(self, shift: float, left: Mapping[str, tuple[Sites, NumberArray]], rule: Quadrature) -> float:
        """The norm of the solution at a shift with these values in the conditions, and no right-hand side.

        By functions that satisfy the equations at the shift. What they cannot fit, which should be rounding, counts
        with their largest amplification.
        """
        finite, operators = self._discretised(shift), {each.name: each for each in self.first.problem.relations}
        unit, unknowns = identity(finite.problem.dimension), range(len(finite.problem.unknowns))

        def table(operator: Operator, sites: Sites) -> NumberArray:
            return np.asarray(tabulate(finite.basis, operator, sites, threads=finite.threads))

        conditions, values = [], []
        for block in self._scaled:
            sites, own = left[block.name]
            weight = block.scale * np.sqrt(block.count / len(own))
            pieces = operators[block.name].pieces(sites)
            conditions.append(weight * sum(table(*piece) for piece in pieces))
            values.append(weight * own)
        rows, given = np.concatenate(conditions), np.concatenate(values)
        among = independent(rows, SAME)
        roots = np.sqrt(rule.weights)[:, None]
        inside = np.concatenate([roots * table(unit.on(place), rule.sites) for place in unknowns])
        images = (inside / among.sizes) @ among.shares
        shares = among.rows.conj().T @ given
        unfitted = float(np.linalg.norm(given - among.rows @ shares))
        return float(np.linalg.norm(images @ shares)) + float(np.linalg.norm(images, 2)) * unfitted

    def _discretised(self, value: float) -> Discretisation:
        problem, first = self.pencil.at(value), self.first
        drawn, columns = _functions_for(problem, first.family, self.special)
        return replace(first, problem=problem, drawn=drawn, columns=columns)

    @cached_property
    def _scaled(self) -> Sequence[BlockRows]:
        return self.first.assemble("rms").blocks

    @cached_property
    def _inside(self) -> Sites:
        count = max(PROBES, int(LEAST_ROWS_PER_FUNCTION * self.first.basis.size))
        return Sites(self.first.problem.domain.sample(count, np.random.default_rng(0), "low-discrepancy"))


def exact_functions(pencil: Pencil, request: Request, value: float, bands: Bands, enlarged: int) -> ExactFunctions:
    """The functions that satisfy the equations around a value, corner functions included; more if `enlarged`.

    Raises `ProblemError` or `UnsuitableError` if there are none.
    """
    problem = pencil.at(value)
    here = replace(request, problem=problem, approach="characteristic", singular=None)
    strategy = select_strategies(here, bands).steps[0].strategy
    assert isinstance(strategy, ExactFeatures)
    family: Characteristic = strategy.families(enlarged)
    every = special_columns(problem, True)
    special = tuple(place for place, columns in enumerate(every) if satisfies(problem, columns))
    drawn, columns = _functions_for(problem, family, special)
    points = allot_conditions(problem, family.neurons + sum(each.size for each in columns), family.reach)
    plan = FeaturePlan(family, points, (), "functions that satisfy the equation")
    sites = points.draw(problem, np.random.default_rng(0))
    first = Discretisation(problem, family, drawn, columns, points, sites, request.threads)
    return ExactFunctions(pencil, plan, special, first)


def _functions_for(problem: Problem, family: Family, special: Sequence[int]) -> tuple[Basis, tuple[Basis, ...]]:
    """The same functions at every value, and some of those for corners and holes."""
    every = special_columns(problem, True)
    drawn = draw_features(problem, family, np.random.default_rng(0))
    return drawn, tuple(every[place] for place in special)


# ---- Modes by a secant method: the values at which traces of such functions vanish

# Zeros that are farther apart, in units of the last step, belong to different modes.
_APART = 0.05
# How far values may move, in units of half the distance of the first two.
_STRAY = 10.0


@final
@dataclass(frozen=True, eq=False)
class Refined:
    """A mode of functions that satisfy the equations."""

    value: float
    error: float  # the absolute error of the value
    relative: float  # the error of the function as a solution of the problem at the shift with its own right-hand side
    finite: Discretisation
    coefficients: NumberArray  # (M,): the integral of the square is one
    residuals: Mapping[str, BlockResidual]  # by relation
    plan: FeaturePlan
    near: NearModes  # the functions it was found among


def refined(best: Round, errors: FloatArray, request: Request, record: Record) -> list[Refined] | None:
    """The wanted modes of a round, each to the tolerance; None if such functions do not reach that."""
    inverse = best.inverse
    if not (
        np.all(np.isfinite(errors))
        and inverse.symmetric
        and inverse.is_real
        and np.ptp(inverse.inner.densities) == 0
        and inverse.finite.problem.dimension < 3
        and len(best.wanted)
    ):
        return None
    values = best.values.real
    found: list[Refined] = []
    # values that are close to each other, or cannot be distinguished, belong together
    for cluster in split_at_gaps(values, np.maximum(10 * (errors[1:] + errors[:-1]), CLOSE * np.abs(values[1:]))):
        own = _refine_cluster(best, values[cluster], float(errors[cluster].max()), request, record)
        if own is None or any(each.error > request.tol * max(abs(each.value), inverse.unit) for each in own):
            return None
        found += own
    return sorted(found, key=lambda each: each.value, reverse=bool(values[0] > values[-1]))


def _refine_cluster(
    best: Round, values: FloatArray, error: float, request: Request, record: Record
) -> list[Refined] | None:
    """The modes of one cluster, with more and more functions until the error is small enough or no longer falls."""
    assert record.bands is not None
    pencil, latest = best.inverse.pencil, None

    def left() -> float:  # except the time to finish modes that are not refined
        return record.seconds_left - best.closing

    for enlarged in range(1, LEVELS + 1):
        try:
            functions = exact_functions(pencil, request, float(values.mean()), record.bands, enlarged)
            own = _modes_near(replace(functions, clock=left), best, values, error)
        except (ProblemError, UnsuitableError):
            return latest
        if own is None:
            continue
        worst = max(each.error for each in own)
        if worst < error:
            values, error = np.array([each.value for each in own]), worst
        if latest is not None and worst > 0.5 * max(each.error for each in latest):
            return min(own, latest, key=lambda one: max(each.error for each in one))
        latest = own
        if all(each.error <= 0.1 * request.tol * max(abs(each.value), best.inverse.unit) for each in own):
            return latest
    return latest


def _modes_near(functions: ExactFunctions, best: Round, values: FloatArray, error: float) -> list[Refined] | None:
    """The values near those given at which traces vanish, and the functions there; None if there are none."""
    inverse, amplification = best.inverse, float(1 / np.abs(best.found.mu).min())
    size = max(float(np.abs(values).max()), inverse.unit)
    half = max(2 * error, float(np.ptp(values)), STEP * size)
    old, new = (functions.at(float(values.mean()) + side * half, len(values)) for side in (-1, 1))
    if max(float(np.linalg.norm(each.traces, axis=0).max()) for each in (old, new)) > NO_DIGITS:
        return None
    zeros = np.sort(_iterate(functions, old, new, ROUNDED * size, TRIES))
    if np.abs(zeros - np.sort(values)).max() > _STRAY * half:  # they belong to other modes
        return None
    modes: list[Refined] = []
    for group in split_at_gaps(zeros, SAME * size):
        modes += _modes(functions, inverse, amplification, float(zeros[group].mean()), len(group))
    return modes


def _iterate(functions: ExactFunctions, old: NearModes, new: NearModes, last: float, steps: int) -> FloatArray:
    """One secant step through two sets of traces, and further ones until they are small enough."""
    zeros = _crossings(old, new)
    distance = abs(new.value - old.value)
    if steps == 0 or np.abs(zeros - new.value).max() <= last:
        return zeros
    groups = split_at_gaps(zeros, max(_APART * distance, last))
    nearer = [functions.at(float(zeros[group].mean()), len(group)) for group in groups]
    return np.concatenate([_iterate(functions, new, each, last, steps - 1) for each in nearer])


def _crossings(old: NearModes, new: NearModes) -> FloatArray:
    """The values at which the traces of the new functions vanish if they are linear in the value."""
    before = old.traces @ (new.inside.conj().T @ old.inside).conj().T  # traces of the same functions
    slope = (new.traces - before) / (new.value - old.value)
    steps = np.linalg.eigvals(np.linalg.lstsq(slope, new.traces, rcond=None)[0])
    return np.asarray(np.sort(new.value - steps.real))


def _modes(
    functions: ExactFunctions, inverse: Inverse, amplification: float, value: float, count: int
) -> list[Refined]:
    """The `count` modes at a value, orthonormal, with the errors that follow from their residuals."""
    near = functions.at(value, count)
    finite, rule = near.finite, inverse.inner.rule
    unit, unknowns = identity(finite.problem.dimension), range(len(finite.problem.unknowns))
    weights = np.tile(np.sqrt(rule.weights), len(unknowns))
    values = [
        np.concatenate([_image(finite, each, unit.on(place), rule.sites, "tiles") for place in unknowns]) * weights
        for each in near.coefficients.T
    ]
    Q, R = np.linalg.qr(np.array(values).T)
    found = []
    for own, at_nodes in zip(np.linalg.solve(R.T, near.coefficients.T), (Q / weights[:, None]).T, strict=True):
        coefficients = own * sign_of(at_nodes)
        sites = _sites(inverse, finite)
        left = _residuals(finite, coefficients, sites)
        relative = _relative_error(functions, inverse, amplification, sites, left)
        mu = abs(value - inverse.shift)
        error = mu * relative / (1 - relative) + VALUE_ROUNDING * abs(value) if relative < NO_DIGITS else np.inf
        residuals = {name: BlockResidual(safe_rms(own), float(np.abs(own).max())) for name, own in left.items()}
        plan = replace(functions.plan, columns=finite.columns)
        found.append(Refined(value, float(error), relative, finite, coefficients, residuals, plan, near))
    return found


def _image(
    finite: Discretisation, coefficients: NumberArray, operator: Operator, sites: Sites, method: Method = "direct"
) -> NumberArray:
    """The image of a function under an operator; directly if it is only rounding, else by expansions."""
    return evaluate(finite.basis, coefficients, operator, sites, threads=finite.threads, method=method)


def _sites(inverse: Inverse, finite: Discretisation) -> dict[str, Sites]:
    """Where residuals are evaluated: conditions at the rows of the first search, if it has any for them.

    It has none for periods, which its cells satisfy by themselves.
    """
    rng = np.random.default_rng(0)  # only for sampling
    places = Sites(finite.problem.domain.sample(PROBES, rng, "low-discrepancy"))

    def at(relation: Relation) -> Sites:
        if relation.region.kind == "domain":
            return places
        known = inverse.sites.get(relation.name)
        return relation.sample(PROBES, rng, "low-discrepancy") if known is None else known

    return {relation.name: at(relation) for relation in finite.problem.relations}


def _residuals(finite: Discretisation, coefficients: NumberArray, sites: Mapping[str, Sites]) -> dict[str, NumberArray]:
    """The residuals of a function in all relations."""
    return {
        relation.name: np.asarray(
            sum(_image(finite, coefficients, *piece) for piece in relation.pieces(sites[relation.name]))
        )
        for relation in finite.problem.relations
    }


def _relative_error(
    functions: ExactFunctions,
    inverse: Inverse,
    amplification: float,
    sites: Mapping[str, Sites],
    left: Mapping[str, NumberArray],
) -> float:
    """The error at the shift of a function of norm one, by its residuals in conditions and equations.

    Let w be the solution at the shift with the function's values in the conditions and no right-hand side. The function
    minus w is the image of the function under the inverse, so w is the error. One digit of w is enough: we use the
    basis of the first search, or, if that has no rows for a condition, functions that satisfy the equations at the
    shift. Residuals of equations are rounding errors, amplified at most as by the closest mode; the error of the norm,
    a sum over the nodes of a rule, is rounding, too.
    """
    inside = {equation.name for equation in inverse.finite.problem.equations}
    conditions = {name: own for name, own in left.items() if name not in inside}
    rule = inverse.inner.rule
    if not conditions:
        lifting = 0.0
    elif all(name in inverse.sites for name in conditions):
        values = {name: own[:, None] for name, own in conditions.items()}
        lifting = float(np.linalg.norm(inverse.inner.plain_values(inverse.solved(values))))
    else:
        given = {name: (sites[name], own) for name, own in conditions.items()}
        lifting = functions.lifting(float(np.real(inverse.shift)), given, rule)
    volume = float(rule.weights.sum())
    squares = [float(np.mean(np.abs(left[name]) ** 2)) for name in inside]
    density = float(inverse.inner.densities.max())
    rounding = float(np.finfo(float).eps * np.sqrt(len(rule)))
    return AMPLE * (lifting + rounding) + float(np.sqrt(volume * np.sum(squares))) * amplification / density


# ---- Modes as solutions, with bounds for their values

_CHOICE = "those that all modes were found with"


@final
@dataclass(frozen=True, eq=False)
class Notary:
    """Makes modes of what was found."""

    pencil: Pencil
    request: Request
    record: Record

    def modes(self, searched: Searched, better: Sequence[Refined] | None) -> list[Mode]:
        """The wanted modes of a search, or the same ones refined."""
        best = searched.best
        if not len(best.wanted):
            return []
        if better is not None:
            errors = np.array([each.error for each in better])
            values = np.array([each.value for each in better])
            results = [_refined_result(best, each) for each in better]
        else:
            # a search that was to go on elsewhere, and could not, has looked at none by itself
            checks = searched.checks or best.singles(self.record)
            errors, values = best.errors(checks), best.values
            results = _results(best, checks)
        if best.inverse.symmetric:
            values = values.real
        fields = [
            solution_of(self.request, self.pencil.at(value), result, self.record, _CHOICE)
            for value, result in zip(values.tolist(), results, strict=True)
        ]
        return modes_of(values, errors, fields, bounded=best.inverse.symmetric)


def _results(best: Round, checks: Sequence[Checked]) -> list[RoundResult]:
    """The modes of the search, some of them at once: what takes long is to go through the table of all functions."""
    found: list[RoundResult] = []
    for start in range(0, len(checks), AT_ONCE):
        some = checks[start : start + AT_ONCE]
        values = best.inverse.inner.plain_values(np.stack([checked.coefficients for checked in some], axis=1))
        found += [_found_result(best, start + i, checked, values[:, i]) for i, checked in enumerate(some)]
    return found


def _found_result(best: Round, place: int, checked: Checked, values: NumberArray) -> RoundResult:
    """A mode of the search, with an integral of its square of one, positive where it is largest."""
    roots = np.sqrt(np.tile(best.inverse.inner.rule.weights, len(best.inverse.inner.densities)))
    scale = sign_of(values / roots) / float(np.linalg.norm(values))
    relative = _beside_others(best, place, checked.error * best.found.conditions[best.wanted[place]])
    known = replace(checked, coefficients=checked.coefficients * scale)
    result = result_of(best, known, relative)
    assert result.estimate is not None
    estimate = result.estimate
    worse = relative / checked.estimate.relative if 0 < checked.estimate.relative < np.inf else 1.0
    by = abs(scale)
    fields = tuple(
        replace(each, relative=each.relative * worse, scale=each.scale * by, size=each.size * by)
        for each in estimate.fields
    )
    scaled = replace(estimate, largest=estimate.largest * worse, scale=estimate.scale * by, fields=fields)
    return replace(result, estimate=scaled)


def _refined_result(best: Round, mode: Refined) -> RoundResult:
    """A mode of functions that satisfy the equations."""
    distances = np.abs(best.inverse.shift + best.found.mu - mode.value)
    relative = _beside_others(best, int(np.argmin(distances[best.wanted])), mode.relative)
    assert best.combined is not None
    estimate = best.combined.estimate
    worse = relative / estimate.relative if 0 < estimate.relative < np.inf else 1.0
    volume = float(best.inverse.inner.rule.weights.sum())
    scale = 1.0 / np.sqrt(volume)
    fields = tuple(replace(field, relative=relative, scale=scale, size=scale) for field in estimate.fields)
    sizes = {"relative": relative, "largest": estimate.largest * worse, "scale": scale}
    known = replace(estimate, residuals=mode.residuals, fields=fields, **sizes)
    found, among = (mode.plan, mode.finite, mode.coefficients, mode.residuals), mode.near.among
    return RoundResult(*found, among.rank, among.condition, best.seconds, known)


def _beside_others(best: Round, place: int, error: float) -> float:
    """The error of a function that is off by so much at the shift: by as much more as other modes are close."""
    theta = 1.0 / best.found.mu
    own = theta[best.wanted[place]]
    off = error * abs(own)
    others = np.abs(theta - own)
    known = max(off, CLOSE * abs(own))  # values that cannot be told from each other share their functions
    apart = others[others > 2 * known]
    gap = float(apart.min()) if len(apart) else abs(own)
    return off / gap if off < NO_DIGITS * gap else np.inf
