"""How many features that satisfy the equation a problem needs."""

from __future__ import annotations

import numpy as np

from fspielm.equations import Problem
from fspielm.equations.once import once
from fspielm.features.characteristic.scene import scene_of
from fspielm.features.characteristic.sheets import longest
from fspielm.features.characteristic.steady import Space, directions_needed, find_sheets, highest_ring, waves_needed
from fspielm.features.characteristic.symbol import problem_symbol

# Orders for each e-folding from the center to the boundary, and each decade of accuracy.
_ORDERS_PER_FOLDING = 0.33
# How finely a number is searched for.
_MORE = 1.2


@once
def neurons_needed(problem: Problem) -> int:
    """How many features hold every wave of a problem without time; one where there are none to be held.

    A basis of fewer may not see a resonance: its eigenfunction is not among what it holds.
    """
    return 1 if problem.domain.time is not None and problem.dimension > 1 else steady_neurons(problem, 0.0, 0.0)


def wavenumber_of(problem: Problem) -> float:
    """The highest real wavenumber among the zeros of a problem without time; zero if there is none."""
    return longest(find_sheets(problem_symbol(problem), _space(problem)))


def fields_of_one_kind(problem: Problem) -> int:
    """How many times as many functions a system has as an equation of second order."""
    return 1 if len(problem.unknowns) == 1 else max(problem_symbol(problem).order // 2, 1)


def steady_neurons(problem: Problem, along: float, decades: float) -> int:
    """How many features a problem without time needs whose conditions oscillate with frequencies up to `along`.

    Where those are higher than the frequencies of the waves, the solution falls off from the boundary, and exponentials
    as steep as that are counted too, for so many digits.
    """
    symbol, space = problem_symbol(problem), _space(problem)
    if problem.dimension == 1:
        return symbol.order
    sheets = [sheet for sheet in find_sheets(symbol, space) if sheet.wavenumber > 0]
    steepness = np.sqrt(max(along**2 - longest(sheets) ** 2, 0.0)) * space.radius
    beyond = _ORDERS_PER_FOLDING * decades * steepness
    if not sheets:
        return fields_of_one_kind(problem) * directions_needed(0.0, problem.dimension, beyond)
    return sum(waves_needed(sheets, space, beyond))


def neurons_for_rings(problem: Problem, frequency: float, most: int) -> int:
    """How many features a problem without time needs to have exponentials that oscillate with `frequency` on one side.

    More than `most` where they are not among so many.
    """
    symbol, space = problem_symbol(problem), _space(problem)
    number = steady_neurons(problem, 0.0, 0.0)
    while number <= most and highest_ring(symbol, space, number) < frequency:
        number = int(_MORE * number) + 1
    return number


def _space(problem: Problem) -> Space:
    axes = tuple(range(problem.dimension))
    return Space(axes, np.zeros(problem.dimension), scene_of(problem.domain).radius(axes))
