"""Modes refined with functions that satisfy the equations at their values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray, safe_rms
from fspielm.collocation import BlockResidual, Discretisation
from fspielm.equations import Operator, identity
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.features.evaluation import Method, evaluate
from fspielm.geometry import Sites
from fspielm.solvers.modes.exact import ExactFunctions, Nearly, exact_functions
from fspielm.solvers.modes.inner import sign_of
from fspielm.solvers.modes.inverse import Inverse
from fspielm.solvers.modes.round import Round
from fspielm.solvers.record import Record
from fspielm.solvers.request import Request
from fspielm.solvers.trial import FeatureTrial

# How often functions are made more.
_ENLARGED = (1, 2, 3)
# Half the distance of the first values that lines are drawn through, of the size of a value at least; how close zeros
# of lines are to the last value at the end, and how close values of one mode are then; steps at most.
_FIRST, _LAST, _SAME, _STEPS = 1e-5, 2e-12, 1e-9, 8
# Zeros that are farther apart, of the distance of the values that lines go through, are those of different modes.
_APART = 0.05
# How far from where they were values may be found, in units of that half.
_STRAY = 10.0
# What a lifting on the functions of the first search may be too small by.
_AMPLE = 3.0
# Places inside where equations are looked at.
_PLACES = 200
# Relative error of a function of which no digit is certain; and of a value as it is computed.
_NONE, _ROUNDING = 0.5, 2e-15


@final
@dataclass(frozen=True, eq=False)
class Refined:
    """A mode of functions that satisfy the equations.

    Attributes
    ----------
    value : float
    error : float
        Of the value, absolute.
    relative : float
        Error of the function as a solution of the problem at the shift with its own right-hand side.
    finite : Discretisation
    coefficients : (M,) array
        The integral of the square is one.
    residuals : mapping of str to BlockResidual
        What it leaves, by relation.
    trial : FeatureTrial
    near : Nearly
        Where it comes from.
    """

    value: float
    error: float
    relative: float
    finite: Discretisation
    coefficients: NumberArray
    residuals: Mapping[str, BlockResidual]
    trial: FeatureTrial
    near: Nearly


def refined(best: Round, errors: FloatArray, request: Request, record: Record) -> list[Refined] | None:
    """The wanted modes of a round, each to the tolerance; None where there are no functions that do that."""
    inverse = best.inverse
    if not np.all(np.isfinite(errors)):
        return None
    if not (
        inverse.symmetric
        and inverse.is_real
        and np.ptp(inverse.inner.densities) == 0
        and inverse.finite.problem.dimension < 3
        and len(best.wanted)
    ):
        return None
    values = best.values.real
    found: list[Refined] = []
    for cluster in _clusters(values, errors):
        own = _refine(best, values[cluster], float(errors[cluster].max()), request, record)
        if own is None or any(each.error > request.tol * max(abs(each.value), inverse.unit) for each in own):
            return None
        found += own
    return sorted(found, key=lambda each: each.value, reverse=bool(values[0] > values[-1]))


def _clusters(values: FloatArray, errors: FloatArray) -> list[NDArray[np.intp]]:
    """Places of values that are closer to each other than to the next ones, or than can be told."""
    gaps = np.abs(np.diff(values))
    apart = np.flatnonzero(gaps > np.maximum(10 * (errors[1:] + errors[:-1]), 1e-6 * np.abs(values[1:])))
    return [np.asarray(own) for own in np.split(np.arange(len(values)), apart + 1)]


def _refine(best: Round, values: FloatArray, error: float, request: Request, record: Record) -> list[Refined] | None:
    """One cluster, with more and more functions until its error is small enough, or no longer falls."""
    assert record.bands is not None
    pencil, latest = best.inverse.pencil, None

    def left() -> float:  # beside what is to be done with modes that are not refined
        return record.seconds_left - best.closing

    for enlarged in _ENLARGED:
        try:
            functions = exact_functions(pencil, request, float(values.mean()), record.bands, enlarged)
            own = _on(replace(functions, clock=left), best, values, error)
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


def _on(functions: ExactFunctions, best: Round, values: FloatArray, error: float) -> list[Refined] | None:
    """The values where traces vanish, and the functions there."""
    inverse, amplification = best.inverse, float(1 / np.abs(best.found.mu).min())
    size = max(float(np.abs(values).max()), inverse.unit)
    half = max(2 * error, float(np.ptp(values)), _FIRST * size)
    zeros = _zeros(functions, values, half, _LAST * size)
    if zeros is None or np.abs(np.sort(zeros) - np.sort(values)).max() > _STRAY * half:  # those of other modes
        return None
    modes: list[Refined] = []
    for group in _split(np.sort(zeros), _SAME * size):
        modes += _modes(functions, inverse, amplification, float(group.mean()), len(group))
    return modes


def _zeros(functions: ExactFunctions, values: FloatArray, half: float, last: float) -> FloatArray | None:
    """Where traces vanish, by lines through those at values that come closer and closer; None if they do not."""
    middle, count = float(values.mean()), len(values)
    old, new = (functions.at(middle + side * half, count) for side in (-1, 1))
    if max(old.sizes.max(), new.sizes.max()) > _NONE:
        return None
    return _closer(functions, old, new, last, _STEPS)


def _closer(functions: ExactFunctions, old: Nearly, new: Nearly, last: float, steps: int) -> FloatArray:
    """The values where lines through two sets of traces vanish; and from there on, if that is not close enough."""
    zeros = _crossings(old, new)
    distance = abs(new.value - old.value)
    if steps == 0 or np.abs(zeros - new.value).max() <= last:
        return zeros
    groups = _split(zeros, max(_APART * distance, last))
    nearer = [functions.at(float(group.mean()), len(group)) for group in groups]
    return np.concatenate([_closer(functions, new, each, last, steps - 1) for each in nearer])


def _crossings(old: Nearly, new: Nearly) -> FloatArray:
    """Where the traces of the new functions vanish, if they are linear in the value."""
    before = old.traces @ (new.inside.conj().T @ old.inside).conj().T  # of the same functions
    slope = (new.traces - before) / (new.value - old.value)
    steps = np.linalg.eigvals(np.linalg.lstsq(slope, new.traces, rcond=None)[0])
    return np.asarray(np.sort(new.value - steps.real))


def _split(values: FloatArray, gap: float) -> list[FloatArray]:
    """Sorted values in groups, between which are larger gaps."""
    return list(np.split(values, np.flatnonzero(np.diff(values) > gap) + 1))


def _modes(
    functions: ExactFunctions, inverse: Inverse, amplification: float, value: float, count: int
) -> list[Refined]:
    """As many functions at a value, orthonormal, with the errors that their traces amount to."""
    near = functions.at(value, count)
    finite, rule = near.finite, inverse.inner.rule
    unit, unknowns = identity(finite.problem.dimension), range(len(finite.problem.unknowns))
    weights = np.tile(np.sqrt(rule.weights), len(unknowns))
    values = [
        np.concatenate([_own(finite, each, unit.on(place), rule.sites, "tiles") for place in unknowns]) * weights
        for each in near.coefficients.T
    ]
    Q, R = np.linalg.qr(np.array(values).T)
    found = []
    for own, at_nodes in zip(np.linalg.solve(R.T, near.coefficients.T), (Q / weights[:, None]).T, strict=True):
        coefficients = own * sign_of(at_nodes)
        sites = _sites(inverse, finite)
        left = _left(finite, coefficients, sites)
        relative = _relative(functions, inverse, amplification, sites, left)
        mu = abs(value - inverse.shift)
        error = mu * relative / (1 - relative) + _ROUNDING * abs(value) if relative < _NONE else np.inf
        residuals = {name: BlockResidual(safe_rms(own), float(np.abs(own).max())) for name, own in left.items()}
        trial = replace(functions.trial, columns=finite.columns)
        found.append(Refined(value, float(error), relative, finite, coefficients, residuals, trial, near))
    return found


def _own(
    finite: Discretisation, coefficients: NumberArray, operator: Operator, sites: Sites, method: Method = "direct"
) -> NumberArray:
    """What an operator makes of a function: directly where that is rounding, by expansions at many sites."""
    return evaluate(finite.basis, coefficients, operator, sites, threads=finite.threads, method=method)


def _sites(inverse: Inverse, finite: Discretisation) -> dict[str, Sites]:
    """Where relations are looked at: conditions where the first search has rows; anywhere, if that has none for them.

    Its cells have periods by themselves.
    """
    rng = np.random.default_rng(0)  # only looks
    places = Sites(finite.problem.domain.sample(_PLACES, rng, "low-discrepancy"))
    found = {}
    for relation in finite.problem.relations:
        if relation.region.kind == "domain":
            found[relation.name] = places
        else:
            known = inverse.sites.get(relation.name)
            found[relation.name] = relation.sample(_PLACES, rng, "low-discrepancy") if known is None else known
    return found


def _left(finite: Discretisation, coefficients: NumberArray, sites: Mapping[str, Sites]) -> dict[str, NumberArray]:
    """What a function leaves in all relations."""
    found = {}
    for relation in finite.problem.relations:
        inside = relation.region.kind == "domain"
        own = sites[relation.name]
        pieces = [(relation.operator, own)] if inside else relation.pieces(own)
        found[relation.name] = np.asarray(sum(_own(finite, coefficients, *piece) for piece in pieces))
    return found


def _relative(
    functions: ExactFunctions,
    inverse: Inverse,
    amplification: float,
    sites: Mapping[str, Sites],
    left: Mapping[str, NumberArray],
) -> float:
    """What a function of norm one leaves in conditions and equations, as an error of it at the shift.

    With w the solution at the shift that has the function's own values in the conditions, and no right-hand side, the
    function less w is what the inverse makes of the function: w is the error. Of w a digit is enough, and the functions
    of the first search have more; those that satisfy the equations at the shift serve where the first search has no
    rows for a condition. What equations leave is rounding, amplified no more than by the closest value; and so is what
    the norm is off by, which is a sum over the nodes of a rule.
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
    return _AMPLE * (lifting + rounding) + float(np.sqrt(volume * np.sum(squares))) * amplification / density
