"""How many features that satisfy the equation a problem needs."""

from __future__ import annotations

import numpy as np

from fspielm.equations import Problem
from fspielm.equations.once import once
from fspielm.features.characteristic.scene import scene_of
from fspielm.features.characteristic.steady import Space, directions_needed, highest_ring, highest_wavenumber
from fspielm.features.characteristic.symbol import symbol_of

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
    return highest_wavenumber(symbol_of(problem.determinant), _space(problem))


def steady_neurons(problem: Problem, along: float, decades: float) -> int:
    """How many features a problem without time needs whose conditions oscillate with frequencies up to `along`.

    Where those are higher than the frequencies of the waves, the solution falls off from the boundary, and exponentials
    as steep as that are counted too, for so many digits.
    """
    symbol, space = symbol_of(problem.determinant), _space(problem)
    wavenumber = highest_wavenumber(symbol, space)
    if problem.dimension == 1:
        return symbol.order
    steepness = np.sqrt(max(along**2 - wavenumber**2, 0.0)) * space.radius
    return directions_needed(
        wavenumber * space.radius, problem.dimension, beyond=_ORDERS_PER_FOLDING * decades * steepness
    )


def neurons_for_rings(problem: Problem, frequency: float, most: int) -> int:
    """How many features a problem without time needs to have exponentials that oscillate with `frequency` on one side.

    More than `most` where they are not among so many.
    """
    symbol, space = symbol_of(problem.determinant), _space(problem)
    number = steady_neurons(problem, 0.0, 0.0)
    while number <= most and highest_ring(symbol, space, number) < frequency:
        number = int(_MORE * number) + 1
    return number


def _space(problem: Problem) -> Space:
    axes = tuple(range(problem.dimension))
    return Space(axes, np.zeros(problem.dimension), scene_of(problem.domain).radius(axes))
