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
# Functions that grow along the way.
_GROWING = 24
# A slope of the symbol, relative to its terms, that is rounding: the zero is a double one.
_DOUBLE = 1e-6
_TINY = float(np.finfo(np.float64).tiny)


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
        some = _some(problem, leaf, -(-_GROWING * leaf.size // total), rng)
        if some.size:
            found.append(_growing(problem, leaf, some))
    return found


def _some(
    problem: Problem, leaf: RidgeBasis | ExponentialBasis, number: int, rng: np.random.Generator
) -> NDArray[np.int_]:
    """So many of the functions that oscillate or fall off, from the slowest to the fastest, most of them slow."""
    moving = rng.permutation(np.flatnonzero(np.any(leaf.W != 0, axis=1) & _leads_away(problem, leaf)))
    slowest = moving[np.argsort(np.linalg.norm(leaf.W[moving], axis=1), kind="stable")]
    ranks = np.unique(np.geomspace(1, max(len(slowest), 1), number).astype(int)) - 1
    return np.asarray(slowest[ranks] if len(slowest) else slowest)


def _leads_away(problem: Problem, leaf: RidgeBasis | ExponentialBasis) -> NDArray[np.bool_]:
    """Whether a linear factor makes functions that no longer satisfy the equation.

    At a double zero of the symbol, as all are that a plate has, it does not: with it they are among the exact ones.
    """
    W, symbol = leaf.W.astype(np.complex128), symbol_of(problem.operator)
    slopes = np.linalg.norm(W, axis=1) * np.linalg.norm(symbol.gradient(W), axis=1)
    simple = slopes > _DOUBLE * symbol.size(W)
    return np.asarray(simple if isinstance(leaf, RidgeBasis) else simple | (leaf.powers > 0))


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
    """Real unit vectors along complex gradients ``(n, d)``, as far as they have a direction."""
    leading = np.take_along_axis(gradient, np.argmax(np.abs(gradient), axis=1)[:, None], axis=1)
    square = np.maximum(np.abs(leading) ** 2, _TINY)
    turned = (gradient * np.conj(leading) / square).real
    return np.asarray(turned / np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-300))
