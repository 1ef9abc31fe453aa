"""What the inverse makes of smooth right-hand sides; whether it is symmetric on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fspielm.arrays import NumberArray
from fspielm.equations import identity
from fspielm.solvers.krylov import SmoothSides
from fspielm.solvers.modes.inner import Rows

if TYPE_CHECKING:
    from fspielm.solvers.modes.inverse import Inverse

# How often the inverse is taken for what is large where modes are.
_TIMES = 3


def sides_for(inverse: Inverse, count: int, rng: np.random.Generator, waves: float) -> SmoothSides:
    """Some for each relation with the eigenvalue."""
    names = sorted(set().union(*(set(operators) for operators in inverse.pencil.powers)))
    return SmoothSides(inverse.finite.problem, names, count, rng, max(waves, 1.0))


def solved(inverse: Inverse, smooth: SmoothSides) -> NumberArray:
    """What the inverse makes of them, ``(M, count)``."""
    return inverse.solved({name: smooth.tied(name, inverse.sites[name].points) for name in smooth.names})


def asymmetry_of(inverse: Inverse, count: int, rng: np.random.Generator) -> float:
    """Of the inverse on smooth functions, relative: integrals of a solution times another side, the two exchanged.

    Sides are cosines; or those times what the inverse makes of one of them again and again, which are large where modes
    are. Functions that suit modes may hold what the inverse makes of the ones, or of the others: the less counts. Of a
    problem with the eigenvalue in equations alone, each with that of its own unknown.
    """
    smooth = sides_for(inverse, count, rng, 1.0)
    smooth.with_periods()
    envelope = solved(inverse, smooth)[:, :1]
    for _ in range(_TIMES):
        envelope = inverse(envelope)
    envelope = envelope / np.linalg.norm(inverse.inner.values(envelope))
    return min(_asymmetry(inverse, smooth, count, None), _asymmetry(inverse, smooth, count, envelope))


def _asymmetry(inverse: Inverse, smooth: SmoothSides, count: int, envelope: NumberArray | None) -> float:
    """On smooth sides, times an envelope ``(M, 1)``."""
    rule, unit = inverse.inner.rule, identity(inverse.finite.problem.dimension)
    # what is multiplied with an envelope has its factors from that
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
    total = np.zeros((count, count), dtype=np.result_type(solutions, *at_nodes.values()))
    for place, nodes in at_nodes.items():
        total += inverse.inner.plain(place, solutions).T @ (rule.weights[:, None] * nodes.conj())
    return float(np.linalg.norm(total - total.conj().T, 2) / np.linalg.norm(total, 2))
