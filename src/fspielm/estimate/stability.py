"""Solutions that no basis shows: ill-posed problems, growth, and functions that conditions let through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.basis.basis import ExponentialBasis
from fspielm.basis.exact.null_vectors import ModeBasis, null_amplitudes
from fspielm.basis.exact.symbol import solve_along, symbol_of
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.estimate.amounts import FEW, SITES, SMALL, ZERO
from fspielm.estimate.growth import HOPELESS, Growth, find_growth, find_growth_from_one_end, undetermined_streamline
from fspielm.estimate.let_through import (
    Degenerate,
    LetThrough,
    boundary_pieces,
    find_degenerate,
    freeze_inside,
    let_through,
    representative_sites,
    without_phase,
)
from fspielm.geometry.boundary import Sites
from fspielm.numerics.sampling import half_sphere, tangents
from fspielm.numerics.tolerances import CLOSE, PROBES, SAME
from fspielm.problem.derived import natural_scales
from fspielm.problem.operator import Operator, cache_by_object, determinant
from fspielm.problem.places import probe
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation

# ---- Wave equations with conditions all round, as if they were elliptic


def is_wave_all_round(problem: Problem) -> bool:
    """Whether an equation without time is a wave equation with conditions on the whole boundary.

    Its principal part then takes both signs at one place, as that of ``u_xx - u_yy`` does; one that only vanishes
    along some direction describes diffusion along the others. Only characteristic parts of the boundary can be without
    conditions, as in Goursat's problem ``u_xy = f``; other cases are refused earlier.
    """
    operator, domain = problem.determinant, problem.domain
    if domain.time is not None or problem.dimension == 1 or operator.order < 2 or operator.order % 2:
        return False
    held = {part.name for relation in problem.constraints for part in relation.region.parts}
    parts = domain.boundary([str(symbol) for symbol in problem.coordinates])
    if any(part.name not in held for part in parts):
        return False
    principal = freeze_inside(problem)[1].principal()
    principal = principal.select(representative_sites(principal))
    directions = half_sphere(PROBES, problem.dimension, np.random.default_rng(0)) / np.ptp(domain.bounding_box, axis=0)
    powers = np.prod(directions[:, None, :] ** principal.orders, axis=2)
    values = without_phase(powers @ principal.coefficients.T)
    if values is None:
        return False
    smaller = np.minimum(values.max(axis=0), -values.min(axis=0))
    return bool(np.any(smaller > ZERO * np.abs(values).max(axis=0)))


# ---- Whether the conditions of a system determine all solutions that decay from its boundary
# The solutions of a system without time that oscillate along a boundary with a high frequency and decay from it are the
# zeros of its determinant on one side, with their null vectors; there should be as many conditions. If the matrix of
# the conditions on these is singular at every frequency, as where one condition follows from the others, some solutions
# are not determined, and no basis of lower frequencies shows them (S. Agmon, A. Douglis, L. Nirenberg, Comm. Pure Appl.
# Math. 17, 1964).

# Periods over the domain, all of which have to agree.
_PERIODS = (23.7, 71.3, 214.9)


def insufficient_conditions(problem: Problem) -> str:
    """The names of conditions that do not determine the solution at the boundary; empty if none are found."""
    number = len(problem.unknowns)
    if number == 1 or problem.domain.time is not None or problem.dimension == 1 or len(problem.equations) > number:
        return ""
    for sites, here in boundary_pieces(problem, FEW):
        for index in range(len(sites)):
            site = sites.select(slice(index, index + 1))
            try:
                if all(_is_insufficient(problem, here, site, periods) for periods in _PERIODS):
                    return ", ".join(condition.name for condition in here)
            except UnsuitableError:  # the determinant of the equations has no zeros here
                continue
    return ""


def _is_insufficient(problem: Problem, here: Sequence[Relation], site: Sites, periods: float) -> bool:
    """Whether some field that decays from the site satisfies all conditions."""
    assert site.normals is not None  # every boundary part has them
    frequency = 2 * np.pi * periods / float(np.ptp(problem.domain.bounding_box, axis=0).max())
    equations = [_frozen(equation.operator, site) for equation in problem.equations]
    # the zeros of the determinant that oscillate along the boundary and decay into the domain
    symbol = symbol_of(determinant(equations, len(problem.unknowns), problem.domain))
    across = frequency * tangents(site.normals, np.random.default_rng(0))  # for inspection only
    zeros = solve_along(symbol, across.astype(np.complex128), site.normals, frequency)
    decaying = zeros.select(-(zeros.W.imag @ site.normals[0]) > CLOSE * np.linalg.norm(zeros.W, axis=1))
    if not len(decaying) or len(here) < len(decaying):
        return len(decaying) > 0
    scales = natural_scales(problem, np.full(problem.dimension, frequency))
    amplitudes = null_amplitudes(equations, decaying, 1 / frequency)
    amplitudes /= np.abs(amplitudes / scales[:, None]).max(axis=(1, 2), keepdims=True)
    none = np.zeros(len(decaying))
    waves = ExponentialBasis(decaying.W, none, site.points[0], none, along=frequency * decaying.along)
    modes = ModeBasis(waves, amplitudes, is_real=False)
    rows = []
    for operator in (_frozen(c.operator, site) for c in here):
        # relative to the size of its terms
        size = sum(abs(complex(t.at(site)[0])) * frequency**t.order * scales[t.unknown] for t in operator.terms)
        rows.append(modes.matrix(operator, site)[0] / (size or 1.0))
    singular = np.linalg.svd(np.stack(rows), compute_uv=False)
    return bool(singular[-1] <= SAME * singular[0])


def _frozen(operator: Operator, site: Sites) -> Operator:
    """The operator with its coefficients at a site."""
    return Operator(operator.dimension, tuple(replace(t, coefficient=t.at(site)[0].item()) for t in operator.terms))


# ---- Functions along an interface between materials of opposite signs (surface plasmons)
# With coefficients a1 and a2 of opposite signs, ``exp(i k t - k |n|)`` has the flux residual ``k (a1 + a2)``. At a
# contrast of -1 it is zero, and functions of every frequency satisfy the conditions. Near it, the values of the
# function at the other ends of the layers, ``exp(-k d)``, balance the residual at some k; beyond that k there are none.


def interface_functions(problem: Problem) -> list[LetThrough]:
    """The function of the highest frequency along each interface between materials of opposite signs."""
    found: list[LetThrough] = []
    lines = [line for line in problem.interfaces if line.part.parameters]
    if not lines or len(problem.unknowns) > 1:
        return found
    every = [probe(line.part, SITES) for line in lines]
    around = [probe(part, SITES) for part in problem.domain.boundary()]
    ends = np.concatenate([sites.points for sites in every + around])
    for line, sites in zip(lines, every, strict=True):
        rules = [rule for rule in line.rules if rule.kind == "flux"]
        if not rules:
            continue
        first, second = (_normal_coefficients(flux, sites) for flux in (rules[0].first, rules[0].second))
        opposite = first * second < 0
        if not opposite.any():
            continue
        contrast = float((np.abs(first + second) / np.abs(first - second))[opposite].min())
        # nearer to a contrast of -1, only rounding would select a frequency
        frequency = np.inf if contrast < SAME else float(np.log(2 / contrast)) / _layer_thickness(sites, ends)
        assert sites.normals is not None  # every interface has them
        reach = np.sqrt(np.maximum(1 - sites.normals**2, 0.0)).max(axis=0)
        along = np.where(reach > 0, frequency, 0.0) * np.where(reach > 0, reach, 1.0)
        found.append(LetThrough(line.name, frequency, along, is_interface=True))
    return found


def _normal_coefficients(flux: Operator, sites: Sites) -> FloatArray:
    """The coefficients of the normal derivative in a flux."""
    assert sites.normals is not None
    total = np.zeros(len(sites))
    for term in flux.terms:
        if term.order == 1:
            total += np.real(term.at(sites)) * sites.normals[:, term.orders.index(1)]
    return total


def _layer_thickness(sites: Sites, ends: FloatArray) -> float:
    """The distance from an interface, along its normals, to the next boundary or interface; about the least."""
    assert sites.normals is not None
    away = ends[None] - sites.points[:, None]
    height = np.abs(np.einsum("ijk,ik->ij", away, sites.normals))
    sideways = np.sqrt(np.maximum(np.sum(away**2, axis=2) - height**2, 0.0))
    nearest = np.where((height > 0) & (FEW * sideways <= height), height, np.inf).min(axis=1)
    return float(np.quantile(nearest, SMALL, method="lower"))


# ---- All that may hide from a basis

# The most functions of a filled band that includes frequencies of hidden solutions.
_AFFORDABLE = 4000.0
# The density of its frequencies, and the number of additional ones along each axis.
_DENSITY, _MORE = 1.4, 6.0


@final
@dataclass(frozen=True, eq=False)
class Hidden:
    """Solutions that neither the equation nor its conditions determine, or that they amplify."""

    reason: str = ""  # why no solution can be trusted in any basis; nearly always empty
    # functions that conditions let through: a basis has to contain them to show whether they are solutions
    passing: tuple[LetThrough, ...] = field(default=())
    growth: Growth | None = None  # disturbances that grow in time, or from the one end with all conditions
    degenerate: Degenerate | None = None  # where leading coefficients vanish

    def affordable(self, lengths: FloatArray) -> FloatArray:
        """The highest frequency along each axis that a band should contain, if affordable.

        Zero for frequencies of less than a period over the domain, which are in every basis.
        """
        highest = np.max([np.zeros(len(lengths)), *(affordable(f.along, lengths) for f in self.passing)], axis=0)
        return np.where(highest * lengths > 2 * np.pi, highest, 0.0)


def affordable(frequencies: FloatArray, lengths: FloatArray) -> FloatArray:
    """The frequencies along each axis, or zero where a band up to them would have too many functions."""
    functions = np.prod(_DENSITY * frequencies * lengths / np.pi + _MORE)
    return frequencies if functions <= _AFFORDABLE else np.zeros(len(frequencies))


@cache_by_object
def find_hidden(problem: Problem) -> Hidden:
    """Find what may hide from a basis; nothing where a coefficient has no value."""
    try:
        return _find(problem)
    except ProblemError:  # a missing value is reported where it is needed
        return Hidden()


def _find(problem: Problem) -> Hidden:
    if problem.domain.is_unbounded and not all(unknown.domain.is_unbounded for unknown in problem.unknowns):
        return Hidden()  # fields on both sides of a boundary, coupled by its conditions
    if is_wave_all_round(problem):
        return Hidden(_WAVES)
    passing: tuple[LetThrough, ...] = ()
    degenerate = find_degenerate(problem) if problem.domain.time is None or problem.dimension == 1 else None
    if degenerate is not None and degenerate.several:
        return Hidden(_several_solutions(problem, degenerate.place))
    if (conditions := insufficient_conditions(problem)) != "":
        return Hidden(_insufficient(conditions))
    several = len(problem.unknowns) > 1
    if not several and (streamline := undetermined_streamline(problem)) is not None:
        return Hidden(_streamline(problem, *streamline))
    if problem.domain.time is None or not several:
        passing = tuple(let_through(problem))
    if problem.domain.time is None:
        passing += tuple(interface_functions(problem))
        if endless := [function for function in passing if np.isinf(function.frequency)]:
            return Hidden(_all_frequencies(endless[0]), passing)
        growth = find_growth_from_one_end(problem) if degenerate is None else None
        return Hidden(passing=passing, growth=growth, degenerate=degenerate)
    growth = _with_boundary(find_growth(problem), passing, problem.domain.time.duration)
    return Hidden("" if growth.has_bound else _unbounded(growth), growth=growth, degenerate=degenerate)


def _with_boundary(growth: Growth, passing: tuple[LetThrough, ...], duration: float) -> Growth:
    """The growth inside, joined with that of functions which conditions let through."""
    if not passing:
        return growth
    rates, sizes = np.array([(function.rate, function.frequency) for function in passing]).T
    along = np.stack([np.append(function.along[:-1], function.rate) for function in passing])
    # it has no bound if the highest frequency grows fastest, and by far
    fastest = int(rates.argmax())
    grows_by_far = sizes[fastest] > 0 and sizes[fastest] == sizes.max() and rates[fastest] * duration > HOPELESS
    has_bound = growth.has_bound and np.isfinite(rates).all() and not grows_by_far
    number = growth.stretches.shape[1]
    stretches = np.concatenate([growth.stretches, np.tile(rates[:, None] * duration / number, (1, number))])
    return Growth(np.concatenate([growth.frequencies, along]), stretches, bool(has_bound))


_WAVES = (
    "the problem is ill-posed: the highest derivatives are those of waves, that conditions all round do not determine; "
    "make one coordinate time (the last one, domain=space * fs.Time(start, end)) and prescribe fs.Initial values"
)


def point_text(problem: Problem, point: FloatArray) -> str:
    """A point in words."""
    return ", ".join(f"{symbol}={value:.4g}" for symbol, value in zip(problem.coordinates, point, strict=True))


def _several_solutions(problem: Problem, point: FloatArray) -> str:
    return (
        f"the leading coefficient vanishes at {point_text(problem, point)}: the equation may have several solutions "
        "there, as those on either side are not tied to each other; solve on each side by itself, with conditions there"
    )


def _streamline(problem: Problem, point: FloatArray, endless: bool) -> str:
    place = point_text(problem, point)
    if endless:
        return (
            f"the solution is not determined: the streamline through {place} never leaves the domain, and nothing "
            "is prescribed along it; add diffusion or damping, or values on a curve across, fs.Measured(curve, values)"
        )
    return (
        f"the solution is not determined: nothing is prescribed where the streamline through {place} enters the "
        "domain, nor where it leaves; prescribe values there, fs.Dirichlet(..., on=...)"
    )


def _insufficient(conditions: str) -> str:
    return (
        f"the problem is ill-posed: the conditions {conditions} hold back fewer fields than fall off from the boundary "
        "there, whatever the frequency; one of them follows from the others, or is about the wrong unknown: prescribe "
        "something else in its place"
    )


def _all_frequencies(function: LetThrough) -> str:
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
