"""Whether the conditions of a system hold back all that may fall off from its boundary.

Along a boundary with a high frequency, the solutions of a system without time that fall off from it are the zeros of
its determinant on one side, with their null vectors: as many as conditions belong there. If the matrix of the
conditions on these is singular whatever the frequency, as where one of them follows from the others, something is let
through that no basis of lower frequencies holds (S. Agmon, A. Douglis, L. Nirenberg, Comm. Pure Appl. Math. 17, 1964).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations import Operator, Problem, Relation, natural_scales
from fspielm.equations.determinant import determinant
from fspielm.equations.regions import probe
from fspielm.errors import UnsuitableError
from fspielm.features import ExponentialBasis, ModeBasis, symbol_of
from fspielm.features.characteristic import Frequencies, null_amplitudes, solve_along
from fspielm.features.characteristic.directions import tangents
from fspielm.geometry import Sites

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
