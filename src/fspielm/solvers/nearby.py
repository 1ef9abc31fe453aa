"""Functions that almost satisfy an equation: what a right-hand side that was left out would show as.

The response to a part of the right-hand side is largest where the equation almost vanishes: at low frequencies, and at
those of its own solutions, where it grows along the way. Features for the peaks of a right-hand side answer less, so
the largest response among them alone would make light of what they leave out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.equations import Problem
from fspielm.features import Band, Basis, ExponentialBasis, RidgeBasis, symbol_of

# Functions of low frequencies, by the number of dimensions, and how many periods over the domain those have at most.
_LOW = {1: 12, 2: 30}
_LOW_ABOVE = 60
_PERIODS = 2.0
# Gradients below this have no direction that could be told from rounding; dividing by them would overflow.
_VANISHING = 1e-200
# Functions that grow along the way.
_GROWING = 24


def nearby_number(dimension: int) -> int:
    """How many there are, at most."""
    return _LOW.get(dimension, _LOW_ABOVE) + _GROWING


def nearby_functions(problem: Problem, exact: Basis, rng: np.random.Generator) -> list[Basis]:
    """Cosines of low frequencies, and functions like those of `exact` with a linear factor."""
    lower, upper = problem.domain.bounding_box
    widths = tuple(_PERIODS * 2 * np.pi / (upper - lower))
    low = Band(_LOW.get(problem.dimension, _LOW_ABOVE), widths)
    found: list[Basis] = [low.draw(problem.dimension, rng, center=0.5 * (lower + upper))]
    leaves = [leaf for leaf in exact.leaves if isinstance(leaf, RidgeBasis | ExponentialBasis)]
    total = sum(leaf.size for leaf in leaves)
    for leaf in leaves:
        some = _some(leaf, -(-_GROWING * leaf.size // total), rng)
        if some.size:
            found.append(_growing(problem, leaf, some))
    return found


def _some(leaf: RidgeBasis | ExponentialBasis, number: int, rng: np.random.Generator) -> NDArray[np.int_]:
    """So many of the functions that oscillate or fall off, from the slowest to the fastest, most of them slow."""
    moving = rng.permutation(np.flatnonzero(np.any(leaf.W != 0, axis=1)))
    slowest = moving[np.argsort(np.linalg.norm(leaf.W[moving], axis=1), kind="stable")]
    ranks = np.unique(np.geomspace(1, max(len(slowest), 1), number).astype(int)) - 1
    return np.asarray(slowest[ranks] if len(slowest) else slowest)


def _growing(problem: Problem, leaf: RidgeBasis | ExponentialBasis, some: NDArray[np.int_]) -> ExponentialBasis:
    """The functions with a factor that is linear along the direction in which the symbol changes."""
    lower, upper = problem.domain.bounding_box
    W = leaf.W[some].astype(np.complex128)
    along = _steepest(symbol_of(problem.operator).gradient(W) / (upper - lower)) / (upper - lower)
    if isinstance(leaf, RidgeBasis):
        return ExponentialBasis(W, leaf.b[some], leaf.origin, np.zeros(len(W)), np.ones(len(W), dtype=int), along)
    powers = leaf.powers[some] + 1
    direction = np.where(leaf.powers[some][:, None] > 0, leaf.along[some], along)
    return ExponentialBasis(W, leaf.b[some], leaf.origin, leaf.peaks[some], powers, direction)


def _steepest(gradient: NDArray[np.complex128]) -> FloatArray:
    """Real unit vectors along complex gradients ``(n, d)``.

    At a double zero the gradient vanishes, and no direction is better than another.
    """
    leading = np.take_along_axis(gradient, np.argmax(np.abs(gradient), axis=1)[:, None], axis=1)
    vanishes = np.abs(leading) < _VANISHING
    phase = np.where(vanishes, 1.0, leading)
    turned = np.where(vanishes, 1.0, (gradient / phase).real)  # the leading entry is one
    return np.asarray(turned / np.linalg.norm(turned, axis=1, keepdims=True))
