"""Integrals of a solution, and of expressions in it."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from fspielm.arrays import NumberArray
from fspielm.errors import AccuracyWarning, ProblemError
from fspielm.features.evaluation import split_waves
from fspielm.geometry import Quadrature
from fspielm.solution.by_cells import with_cells
from fspielm.solution.fields import Derived
from fspielm.solution.places import Place, find_place

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution

# Gauss' rules need half a node for each radian of the highest frequency, and some more for all digits.
_NODES_PER_RADIAN, _EXTRA_NODES = 0.5, 20
_MOST_AT_FIRST, _MOST = 2**18, 2**21
# From one rule to the next, along each dimension.
_FINER = 1.6
# A rule must have so many times the nodes of the one before, for their difference to say something.
_MORE = 1.3
# So many moves tell how fast an integral settles, once there are nodes enough to see every bend of a shape.
_LEAST_MOVES, _NODES_TO_JUDGE = 3, 2**16


def integrate_derived(
    derived: Derived, *, on: Any = None, along: Any = None, at: Any = None, tol: float = 1e-10
) -> Any:
    """The integral of an expression in a solution; see `integrate`."""
    if isinstance(tol, bool) or not isinstance(tol, int | float) or not 0 < tol < 1:
        raise ProblemError(f"tol must be a number between 0 and 1; got {tol!r}")
    solution = derived.solution
    place = find_place(solution.problem, on, along, at, singular=not solution.basis.is_smooth)
    if solution.basis.on_cells:
        place = with_cells(place, solution.basis.on_cells[0])
    nodes = max(_first_nodes(solution, place), place.fewest)
    rule = place.rule(nodes)
    if derived.on_boundary and rule.normals is None:
        raise ProblemError(
            f"{derived!r} contains {derived.of_normals}, which has a meaning on a boundary alone; say where, with on="
        )
    floor = derived.noise(rule.sites) @ rule.weights
    previous: NumberArray | None = None
    moves: list[float] = []
    while True:
        values = derived.at(rule.sites)
        integral = values @ rule.weights
        if not np.isfinite(integral).all():
            raise ProblemError(f"{derived!r} is not finite everywhere; its integral may not exist")
        settled = tol * (np.abs(values) @ rule.weights) + floor
        if place.extents.size == 0:  # single points
            break
        if previous is not None:
            # 1 is where it has settled
            moves.append(float((np.abs(integral - previous) / np.maximum(settled, 1e-300)).max()))
            if moves[-1] <= 1:
                break
            if _is_hopeless(moves, nodes, place):
                _warn(derived, integral, previous, len(rule))
                break
        previous = integral
        nodes, rule = _finer(place, nodes, len(rule))
    return integral if derived.vector else integral[0].item()


def _first_nodes(solution: Solution, place: Place) -> int:
    """Enough for the frequencies of the features, within limits."""
    waves = [group for basis, fields in solution.sums for group in split_waves(basis, fields)[0]]
    highest = np.max([np.abs(group.W).max(axis=0) for group in waves], axis=0) if waves else np.zeros(1)
    # a domain has the frequencies of its axes, a curve or a face may run along any of them
    along = highest if len(highest) == place.extents.size else np.linalg.norm(highest)
    each = _NODES_PER_RADIAN * along * place.extents + _EXTRA_NODES
    return int(min(np.prod(each), _MOST_AT_FIRST))


def _finer(place: Place, nodes: int, count: int) -> tuple[int, Quadrature]:
    """A rule of more than `count` nodes: a shape of many pieces has as many as it needs, however few are asked for."""
    while True:
        nodes = math.ceil(nodes * _FINER**place.extents.size)
        rule = place.rule(nodes)
        if len(rule) > _MORE * count or nodes > _MOST:
            return nodes, rule


def _is_hopeless(moves: list[float], nodes: int, place: Place) -> bool:
    """Whether the integral will not settle within the most nodes, at the rate that it has settled so far."""
    steps = int(math.log(_MOST / nodes) / (place.extents.size * math.log(_FINER)))
    if steps <= 0:
        return True
    if len(moves) < _LEAST_MOVES or nodes < _NODES_TO_JUDGE:
        return False
    rate = (moves[-1] / moves[-_LEAST_MOVES]) ** (1 / (_LEAST_MOVES - 1))
    return bool(moves[-1] * rate**steps > 1)


def _warn(derived: Derived, integral: NumberArray, previous: NumberArray, nodes: int) -> None:
    moved = float(np.abs(integral - previous).max())
    warnings.warn(
        f"the integral of {derived!r} still moves by {moved:.1e} at {nodes} nodes; where the shape has no rule of high "
        "order, or the expression is not smooth, that is what to expect of it: ask for less, with tol=",
        AccuracyWarning,
        stacklevel=4,
    )
