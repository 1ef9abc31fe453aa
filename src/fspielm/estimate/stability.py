"""What may hide from every basis, found once for a problem."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.basis.basis import ExponentialBasis
from fspielm.basis.exact.null_vectors import ModeBasis, null_amplitudes
from fspielm.basis.exact.symbol import Frequencies, solve_along, symbol_of
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.estimate.growth import HOPELESS, Growth, find_growth, find_growth_from_one_end, undetermined_streamline
from fspielm.estimate.let_through import (
    Degenerate,
    LetThrough,
    find_degenerate,
    freeze_inside,
    let_through,
    representative_sites,
    without_phase,
)
from fspielm.geometry.boundary import Sites
from fspielm.numerics.sampling import half_sphere, tangents
from fspielm.problem.derived import natural_scales
from fspielm.problem.operator import Operator, determinant, once
from fspielm.problem.places import probe
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation

# ---- Equations of waves with conditions all round, as if they were elliptic

_DIRECTIONS = 500
# The principal part has both signs if the smaller extreme is more than this share of the larger.
_BOTH_SIGNS = 1e-3


def is_wave_all_round(problem: Problem) -> bool:
    """Whether an equation without time has waves in its highest derivatives, and conditions on the whole boundary.

    Its principal part then takes both signs at one place, as that of ``u_xx - u_yy`` does; one that only vanishes
    along some direction is of diffusion along the others. Parts of the boundary that are characteristic may be without
    conditions, as in Goursat's problem ``u_xy = f``; whatever else is, would have been refused.
    """
    operator, domain = problem.determinant, problem.domain
    if domain.time is not None or problem.dimension == 1 or operator.order < 2 or operator.order % 2:
        return False
    if _has_free_part(problem):
        return False
    principal = freeze_inside(problem)[1].principal()
    principal = principal.select(representative_sites(principal))
    lower, upper = domain.bounding_box
    directions = half_sphere(_DIRECTIONS, problem.dimension, np.random.default_rng(0)) / (upper - lower)
    powers = np.prod(directions[:, None, :] ** principal.orders, axis=2)
    values = without_phase(powers @ principal.coefficients.T)
    if values is None:
        return False
    smaller = np.minimum(values.max(axis=0), -values.min(axis=0))
    return bool(np.any(smaller > _BOTH_SIGNS * np.abs(values).max(axis=0)))


def _has_free_part(problem: Problem) -> bool:
    """Whether a part of the boundary is without any condition."""
    held = {part.name for relation in problem.constraints for part in relation.region.parts}
    parts = problem.domain.boundary([str(symbol) for symbol in problem.coordinates])
    return any(part.name not in held for part in parts)


# ---- Whether the conditions of a system hold back all that may fall off from its boundary
# Along a boundary with a high frequency, the solutions of a system without time that fall off from it are the zeros of
# its determinant on one side, with their null vectors: as many as conditions belong there. If the matrix of the
# conditions on these is singular whatever the frequency, as where one of them follows from the others, something is let
# through that no basis of lower frequencies holds (S. Agmon, A. Douglis, L. Nirenberg, Comm. Pure Appl. Math. 17,
# 1964).

# Sites of each part, and periods over the domain, at which it is looked: all of them have to agree.
_SITES = 3
_PERIODS = (23.7, 71.3, 214.9)
# What falls off does so by this share of its frequency, at least.
_FALLS = 1e-6
# Beside the largest, a singular value like this is rounding.
_SINGULAR = 1e-8


def uncovered(problem: Problem) -> str:
    """The conditions that hold back less than they should, by name; empty where there are none, or none can be told."""
    number = len(problem.unknowns)
    if number == 1 or problem.domain.time is not None or problem.dimension == 1 or len(problem.equations) > number:
        return ""
    for here, sites in _places(problem):
        try:
            if all(_lets_through(problem, here, sites, periods) for periods in _PERIODS):
                return ", ".join(condition.name for condition in here)
        except UnsuitableError:  # at this place the equations have no determinant with zeros
            continue
    return ""


def _places(problem: Problem) -> Iterator[tuple[list[Relation], Sites]]:
    """Single sites of every part, with the conditions that hold there."""
    parts = {part.name: part for c in problem.constraints for part in c.region.parts}
    for part in parts.values():
        on_part = [c for c in problem.constraints if part in c.region.parts]
        if any(c.region.partner is not None for c in on_part):
            continue
        sites = probe(part, _SITES)
        for index in range(len(sites)):
            site = sites.select(slice(index, index + 1))
            yield [c for c in on_part if c.holds(site.points)[0]], site


def _lets_through(problem: Problem, here: Sequence[Relation], site: Sites, periods: float) -> bool:
    """Whether some field that falls off from the site is held back by none of the conditions."""
    assert site.normals is not None  # every boundary part has them
    lower, upper = problem.domain.bounding_box
    frequency = 2 * np.pi * periods / float((upper - lower).max())
    equations = [_frozen(equation.operator, site) for equation in problem.equations]
    falling = _falling(problem, equations, site, frequency)
    if not len(falling):
        return False
    scales = natural_scales(problem, np.full(problem.dimension, frequency))
    amplitudes = null_amplitudes(equations, falling, 1 / frequency)
    amplitudes /= np.abs(amplitudes / scales[:, None]).max(axis=(1, 2), keepdims=True)
    none = np.zeros(len(falling))
    waves = ExponentialBasis(falling.W, none, site.points[0], none, along=frequency * falling.along)
    modes = ModeBasis(waves, amplitudes, is_real=False)
    rows = [_row(modes, _frozen(c.operator, site), site, frequency, scales) for c in here]
    if len(rows) < len(falling):
        return True
    singular = np.linalg.svd(np.stack(rows), compute_uv=False)
    return bool(singular[-1] <= _SINGULAR * singular[0])


def _frozen(operator: Operator, site: Sites) -> Operator:
    """The operator with the coefficients that it has at a site."""
    return Operator(operator.dimension, tuple(replace(t, coefficient=t.at(site)[0].item()) for t in operator.terms))


def _falling(problem: Problem, equations: Sequence[Operator], site: Sites, frequency: float) -> Frequencies:
    """The zeros of the determinant that oscillate along the boundary and fall off into the domain."""
    assert site.normals is not None
    symbol = symbol_of(determinant(equations, len(problem.unknowns), problem.domain))
    across = tangents(site.normals, np.random.default_rng(0))  # only looks
    found = solve_along(symbol, (frequency * across).astype(np.complex128), site.normals, frequency)
    inward = -(found.W.imag @ site.normals[0])
    return found.select(inward > _FALLS * np.linalg.norm(found.W, axis=1))


def _row(modes: ModeBasis, operator: Operator, site: Sites, frequency: float, scales: FloatArray) -> FloatArray:
    """A condition on the modes, relative to the size of its terms."""
    size = sum(abs(complex(t.at(site)[0])) * frequency**t.order * scales[t.unknown] for t in operator.terms)
    return np.asarray(modes.matrix(operator, site)[0] / (size or 1.0))


# ---- Functions that live along an interface between materials of opposite signs (surface plasmons)
# With ``a`` of opposite signs on either side, ``exp(i k t - k |n|)`` leaves in the flux ``k (a1 + a2)``, however large
# k is: nothing at a contrast of -1, where every frequency passes. Beside it, what the layers on either side leave of
# the function at their other end, ``exp(-k d)``, makes up for the difference at some k; beyond that k none passes.

_SITES_BETWEEN_MATERIALS = 256
# What is seen across a layer lies within this slope from the normal; of distances, the share that may be smaller.
_CONE, _SHARE = 0.25, 0.1
# Nearer to a contrast of -1 than this, only rounding would select a frequency.
_NO_CONTRAST = 1e-9


def between_materials(problem: Problem) -> list[LetThrough]:
    """The highest frequency along each interface at which a function may pass, where materials have opposite signs."""
    found: list[LetThrough] = []
    lines = [line for line in problem.interfaces if line.part.parameters]
    if not lines or len(problem.unknowns) > 1:
        return found
    every = [probe(line.part, _SITES_BETWEEN_MATERIALS) for line in lines]
    ends = np.concatenate(
        [sites.points for sites in every]
        + [probe(part, _SITES_BETWEEN_MATERIALS).points for part in problem.domain.boundary()]
    )
    for line, sites in zip(lines, every, strict=True):
        rules = [rule for rule in line.rules if rule.kind == "flux"]
        if not rules:
            continue
        first, second = (_along_normal(flux, sites) for flux in (rules[0].first, rules[0].second))
        opposite = first * second < 0
        if not opposite.any():
            continue
        contrast = float((np.abs(first + second) / np.abs(first - second))[opposite].min())
        frequency = float("inf") if contrast < _NO_CONTRAST else float(np.log(2 / contrast)) / _across(sites, ends)
        assert sites.normals is not None  # every interface has them
        reach = np.sqrt(np.maximum(1 - sites.normals**2, 0.0)).max(axis=0)
        along = np.where(reach > 0, frequency, 0.0) * np.where(reach > 0, reach, 1.0)
        found.append(LetThrough(line.name, frequency, along, is_interface=True))
    return found


def _along_normal(flux: Operator, sites: Sites) -> FloatArray:
    """What the derivative along the normal is multiplied with in a flux."""
    assert sites.normals is not None
    total = np.zeros(len(sites))
    for term in flux.terms:
        if term.order == 1:
            total += np.real(term.at(sites)) * sites.normals[:, term.orders.index(1)]
    return total


def _across(sites: Sites, ends: FloatArray) -> float:
    """How far it is from an interface, along its normals, to where something else begins."""
    assert sites.normals is not None
    away = ends[None] - sites.points[:, None]
    height = np.abs(np.einsum("ijk,ik->ij", away, sites.normals))
    beside = np.sqrt(np.maximum(np.sum(away**2, axis=2) - height**2, 0.0))
    seen = np.where((height > 0) & (beside <= _CONE * height), height, np.inf).min(axis=1)
    return float(np.quantile(seen, _SHARE, method="lower"))


# ---- What may hide from every basis, found once for a problem

# Functions that a filled band may have for the sake of frequencies that may be hidden.
_AFFORDABLE = 4000.0
# Of such a band: density of its frequencies, and how many more it has along each axis.
_DENSITY, _MORE = 1.4, 6.0


@final
@dataclass(frozen=True, eq=False)
class Hidden:
    """What neither the equation nor its conditions see, or what they amplify.

    Attributes
    ----------
    reason : str
        Why no solution can be trusted, whatever it is made of; empty nearly always.
    passing : tuple of LetThrough
        Functions that conditions let through: a basis has to hold them, to see whether they are solutions.
    growth : Growth or None
        Disturbances that grow in time, or from the one end that all conditions are at.
    degenerate : Degenerate or None
        Where leading coefficients vanish.
    """

    reason: str = ""
    passing: tuple[LetThrough, ...] = field(default=())
    growth: Growth | None = None
    degenerate: Degenerate | None = None

    def affordable(self, lengths: FloatArray) -> FloatArray:
        """The highest frequency along each axis that a band should hold for it, as far as one can.

        Frequencies of less than a period over the domain are in every basis.
        """
        highest = np.zeros(len(lengths))
        for function in self.passing:
            highest = np.maximum(highest, affordable(function.along, lengths))
        return np.where(highest * lengths > 2 * np.pi, highest, 0.0)


def affordable(frequencies: FloatArray, lengths: FloatArray) -> FloatArray:
    """The frequencies along each axis, or zero where a band that holds them would have too many functions."""
    functions = np.prod(_DENSITY * frequencies * lengths / np.pi + _MORE)
    return frequencies if functions <= _AFFORDABLE else np.zeros(len(frequencies))


@once
def hidden_of(problem: Problem) -> Hidden:
    """Look for what may hide from a basis; where the equation has no values to look at, for nothing."""
    try:
        return _find(problem)
    except ProblemError:  # a coefficient has no value somewhere: whoever needs it there says so
        return Hidden()


def _find(problem: Problem) -> Hidden:
    if problem.domain.is_unbounded and not all(unknown.domain.is_unbounded for unknown in problem.unknowns):
        return Hidden()  # fields on either side of a boundary, whose conditions tie them
    if is_wave_all_round(problem):
        return Hidden(_WAVES)
    passing: tuple[LetThrough, ...] = ()
    degenerate = find_degenerate(problem) if problem.domain.time is None or problem.dimension == 1 else None
    if degenerate is not None and degenerate.several:
        return Hidden(_several(problem, degenerate.place))
    if (conditions := uncovered(problem)) != "":
        return Hidden(_uncovered(conditions))
    several = len(problem.unknowns) > 1
    streamline = None if several else undetermined_streamline(problem)
    if streamline is not None:
        return Hidden(_streamline(problem, *streamline))
    if problem.domain.time is None or not several:
        passing = tuple(let_through(problem))
    if problem.domain.time is None:
        passing += tuple(between_materials(problem))
        everywhere = [function for function in passing if np.isinf(function.frequency)]
        if everywhere:
            return Hidden(_everywhere(everywhere[0]), passing)
        growth = find_growth_from_one_end(problem) if degenerate is None else None
        return Hidden(passing=passing, growth=growth, degenerate=degenerate)
    growth = _with_boundary(find_growth(problem), passing, problem.domain.time.duration)
    return Hidden("" if growth.has_bound else _unbounded(growth), growth=growth, degenerate=degenerate)


def _with_boundary(growth: Growth, passing: tuple[LetThrough, ...], duration: float) -> Growth:
    """The growth inside, and that of functions which conditions let through."""
    if not passing:
        return growth
    rates = np.array([function.rate for function in passing])
    along = np.stack([function.along for function in passing])
    along[:, -1] = rates
    # the fastest growth is that of the highest frequency, which is far beyond any other: it would go on
    sizes = np.array([function.frequency for function in passing])
    fastest = int(rates.argmax())
    endless = not np.isfinite(rates).all() or (
        sizes[fastest] > 0 and sizes[fastest] == sizes.max() and rates[fastest] * duration > HOPELESS
    )
    number = growth.stretches.shape[1]
    evenly = np.tile(rates[:, None] * duration / number, (1, number))
    return Growth(
        np.concatenate([growth.frequencies, along]),
        np.concatenate([growth.stretches, evenly]),
        growth.has_bound and not endless,
    )


_WAVES = (
    "the problem is ill-posed: the highest derivatives are those of waves, that conditions all round do not determine; "
    "make one coordinate time (the last one, domain=space * fs.Time(start, end)) and prescribe fs.Initial values"
)


def place_of(problem: Problem, point: FloatArray) -> str:
    """A point as it is told."""
    return ", ".join(f"{symbol}={value:.4g}" for symbol, value in zip(problem.coordinates, point, strict=True))


def _several(problem: Problem, point: FloatArray) -> str:
    return (
        f"the leading coefficient vanishes at {place_of(problem, point)}: the equation may have several solutions "
        "there, as those on either side are not tied to each other; solve on each side by itself, with conditions there"
    )


def _streamline(problem: Problem, point: FloatArray, endless: bool) -> str:
    place = place_of(problem, point)
    if endless:
        return (
            f"the solution is not determined: the streamline through {place} never leaves the domain, and nothing "
            "is prescribed along it; add diffusion or damping, or values on a curve across, fs.Measured(curve, values)"
        )
    return (
        f"the solution is not determined: nothing is prescribed where the streamline through {place} enters the "
        "domain, nor where it leaves; prescribe values there, fs.Dirichlet(..., on=...)"
    )


def _uncovered(conditions: str) -> str:
    return (
        f"the problem is ill-posed: the conditions {conditions} hold back fewer fields than fall off from the boundary "
        "there, whatever the frequency; one of them follows from the others, or is about the wrong unknown: prescribe "
        "something else in its place"
    )


def _everywhere(function: LetThrough) -> str:
    if function.is_interface:
        return (
            f"the problem is ill-posed: the materials beside {function.condition!r} are opposite, so that functions of "
            "every frequency along it satisfy all conditions; change one of them, or give it an imaginary part (losses)"
        )
    return (
        f"the problem is ill-posed: functions of every high frequency along the boundary satisfy the equation and "
        f"{function.condition!r} almost; check that its conditions are independent, and which derivatives they have"
    )


def _unbounded(growth: Growth) -> str:
    frequency, foldings = growth.first_hopeless()
    return (
        f"the problem is ill-posed: a disturbance of frequency {frequency:.3g} grows by a factor of "
        f"1e{foldings / np.log(10):.0f} over the time given, without bound for higher ones; check the signs of the "
        "equation and of time, or state it with conditions all round instead of at the start"
    )
