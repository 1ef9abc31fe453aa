"""Frequencies to begin with: those of the solution, not of the right-hand side, whose harmonics it does not have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fspielm.arrays import real_parts
from fspielm.equations import identity
from fspielm.equations.nonlinear import Iterate
from fspielm.geometry import Sites, chord_lines
from fspielm.solution import Solution
from fspielm.solvers.request import Request
from fspielm.spectrum import Bands, bands_of_conditions, infer_bands, without_short_lines
from fspielm.spectrum.lines import line_band

# A right-hand side has what nonlinear terms make of a solution: three times its frequencies where they are cubes. With
# too few to begin with, the first rounds show it.
_HARMONICS = 3.0
# Of the domain's longest side: what varies along a shorter piece of the boundary says nothing about the rest.
_SHORT = 0.02
# What sets a band that data do not.
BY_EQUATION = "the equation"
# Lines along each axis on which a solution is measured, and points on each: at first, and at most.
_CHORDS, _SAMPLES, _MOST_SAMPLES = 16, 256, 4096


def bands_of(linear: Request) -> Bands:
    """The bands of the conditions and of the equation, and a share of those of the right-hand side."""
    rng = linear.streams.probes
    found = infer_bands(linear.problem, rng)
    found = without_short_lines(linear.problem, found, _SHORT * float(np.max(linear.lengths)), rng)
    own = bands_of_conditions(linear.problem, found, rng)
    shared = found.frequencies / _HARMONICS
    frequencies = np.maximum(own.frequencies, shared)
    sources = tuple(
        theirs if high > low else one
        for theirs, one, high, low in zip(found.sources, own.sources, shared, own.frequencies, strict=True)
    )
    return replace(found, frequencies=frequencies, sources=sources)


def like_those_of(linear: Request, bands: Bands, earlier: Solution) -> Bands:
    """The bands with those of an earlier solution in the place of what the equation could carry."""
    none = replace(bands, frequencies=np.zeros(len(bands.frequencies)))
    shown = measured(replace(linear, problem=earlier.problem), none, earlier)
    by_equation = np.array([source == BY_EQUATION for source in bands.sources])
    frequencies = np.where(by_equation, np.minimum(bands.frequencies, shown.frequencies), bands.frequencies)
    sources = tuple(
        "the solution before" if one else source for one, source in zip(by_equation, bands.sources, strict=True)
    )
    return replace(bands, frequencies=frequencies, sources=sources)


def measured(linear: Request, bands: Bands, iterate: Iterate) -> Bands:
    """The bands of an iterate itself, along lines, where they are higher than those that were found before."""
    problem, rng = linear.problem, linear.streams.probes
    seeds = problem.domain.sample(_CHORDS, rng, "low-discrepancy")
    operators = [identity(problem.dimension).on(place) for place in range(len(problem.stated.unknowns))]
    frequencies, sources = bands.frequencies.copy(), list(bands.sources)
    for axis in range(problem.dimension):
        n, settled, highest = _SAMPLES, False, 0.0
        while not settled and n <= _MOST_SAMPLES:
            lines, lengths = chord_lines(problem.domain, seeds, axis, n)
            values = iterate.evaluate_each(operators, Sites(lines.reshape(-1, problem.dimension)))
            parts = [part.reshape(len(lines), n) for each in values for part in real_parts(each)]
            found = [line_band(part, lengths) for part in parts]
            settled, highest = all(one.settled for one in found), max(one.frequency for one in found)
            n *= 4
        if highest > frequencies[axis]:
            frequencies[axis], sources[axis] = highest, "the solution"
    return replace(bands, frequencies=frequencies, sources=tuple(sources))
