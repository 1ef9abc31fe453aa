"""Whether exact solutions are: equation and conditions by finite differences, the reference by refinement."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fspielm as fs
from adversary_families import make_challenge
from adversary_families.challenge import Challenge, Exact
from adversary_families.modes_challenge import ModesChallenge
from adversary_families.narrow import scales
from adversary_families.reference import finer
from fspielm.geometry import Sites

_POINTS = 40
_HALF = 4
# Of the length over which things change; the error of nine points is this to the eighth.
_STEP = 0.06
# What is taken for the length where nothing is narrow, over the domain's sides.
_WIDEST = 0.02
_RESIDUAL = 1e-6
_ROUNDING = 1e-13
_REFINED = 1e-11


@dataclass(frozen=True)
class Finding:
    """What is wrong with a challenge, if anything; and how much of it rounding let nobody see."""

    wrong: tuple[str, ...]
    seen: float


def check(family: str, seed: int, deceptive: bool) -> Finding:
    """Check one problem."""
    challenge = make_challenge(family, seed, deceptive)
    if isinstance(challenge, ModesChallenge):
        return _known(challenge)
    rng = np.random.default_rng(seed)
    if any(isinstance(each, fs.Transparent) for each in challenge.problem.conditions):
        return Finding((), 1.0)  # the series of a transparent object, of one side at a time
    if not challenge.exists:
        return Finding((), 1.0)
    points, _ = challenge.check_points(_POINTS, seed)
    wrong, seen = [], []
    # around the solution itself, the linear problem leaves what the nonlinear one does
    problem = challenge.problem if challenge.problem.is_linear else challenge.problem.linearised(challenge.exact)
    relations = [(r, r.sample(_POINTS // 2, rng, "uniform")) for r in problem.constraints]
    relations += [(equation, Sites(points)) for equation in problem.equations]
    for relation, sites in relations:
        excess, clear = _residual(challenge, relation, sites)
        seen.append(clear)
        if excess > 1:
            wrong.append(f"{relation.name}: residual {excess:.1g} times what is allowed")
    exact = challenge.exact(points)
    if not np.all(np.isfinite(exact)) or not (np.any(exact) or family == "zero data"):
        wrong.append("not finite, or zero")
    with finer():
        again = make_challenge(family, seed, deceptive)
        assert isinstance(again, Challenge)
        change = np.abs(again.exact(points) - exact).max() / max(np.abs(exact).max(), np.finfo(float).tiny)
    if change > _REFINED:
        wrong.append(f"refined: changes by {change:.1g}")
    return Finding(tuple(wrong), float(np.mean(seen)))


def _known(challenge: ModesChallenge) -> Finding:
    """Values of two degrees differ by less than what is asked for."""
    known, unit = challenge.asked.known, challenge.asked.unit
    slack = float(np.max(known.slack / np.maximum(np.abs(known.values), unit)))
    ordered = bool(np.all(np.diff(known.values) >= 0) and np.all(np.isfinite(known.values)))
    wrong = [f"known to {slack:.1g} only"] * (slack > challenge.tol) + ["not in order"] * (not ordered)
    return Finding(tuple(wrong), float(slack <= _REFINED))


def _residual(challenge: Challenge, relation: Any, sites: Any) -> tuple[float, float]:
    """The largest residual over what is allowed, and the share of points at which rounding does not hide it."""
    points = sites.points
    lower, upper = challenge.problem.domain.bounding_box
    steps = np.minimum(scales(challenge.spots, points, math.inf)[:, None], _WIDEST * (upper - lower))
    if challenge.scale is not None:
        steps = np.minimum(steps if not challenge.spots else _WIDEST * (upper - lower), challenge.scale(points))
    steps = _STEP * steps
    value = relation.value(points, sites.normals) if relation.value.needs_normals else relation.value(points)
    total, size, noise = -value, np.abs(value), np.zeros(len(points))
    for term in relation.operator.terms:
        field = _field(challenge, term.unknown)
        magnitude = np.abs(field(points)) + np.abs(field(points + _HALF * steps))
        # what is small beside a peak may be what is left of large numbers
        magnitude = np.maximum(magnitude, 2e-2 * np.abs(field(challenge.check_points(_POINTS, 0)[0])).max())
        coefficient = term.at(sites)
        image = coefficient * _derivative(field, points, term.orders, steps)
        total, size = total + image, size + np.abs(image)
        noise = noise + np.abs(coefficient) * magnitude / np.prod(steps ** np.array(term.orders), axis=1)
    keep = np.full(len(points), True)
    if challenge.jumps is not None:
        keep = challenge.jumps(points) > 2 * _HALF * steps.max(axis=1)
    # places are rounded as well
    noise *= _ROUNDING + np.finfo(float).eps * np.abs(points).max(axis=1) / steps.min(axis=1)
    allowed = _RESIDUAL * size + noise + 1e-300
    ratio = np.abs(total) / allowed
    seen = noise < 1e-2 * size + 1e-300
    return float(ratio[keep].max(initial=0.0)), float(np.mean(seen))


def _field(challenge: Challenge, unknown: int) -> Exact:
    """One unknown of the exact solution."""
    if len(challenge.problem.unknowns) == 1:
        return challenge.exact
    return lambda points: challenge.exact(points)[:, unknown]


def _derivative(
    function: Exact, points: NDArray[np.float64], orders: tuple[int, ...], steps: NDArray[np.float64]
) -> NDArray[np.float64]:
    """A derivative by central differences along one axis after the other."""
    axis = next((i for i, order in enumerate(orders) if order), None)
    if axis is None:
        return function(points)
    left = tuple(0 if i == axis else order for i, order in enumerate(orders))
    offsets = np.arange(-_HALF, _HALF + 1)
    powers = offsets[None, :].astype(float) ** np.arange(len(offsets))[:, None]
    unit = np.zeros(len(offsets))
    unit[orders[axis]] = math.factorial(orders[axis])
    result: NDArray[Any] = np.zeros(len(points))
    for offset, weight in zip(offsets, np.linalg.solve(powers, unit), strict=True):
        moved = points.copy()
        moved[:, axis] += offset * steps[:, axis]
        result = result + weight * _derivative(function, moved, left, steps)
    return result / steps[:, axis] ** orders[axis]
