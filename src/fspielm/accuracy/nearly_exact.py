"""Functions that almost satisfy an equation: what a right-hand side that was left out would show as.

The response to a part of the right-hand side is largest where the equation almost vanishes: at low frequencies, and at
those of its own solutions, where it grows along the way. Features for the peaks of a right-hand side answer less, so
the largest response among them alone would make light of what they leave out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.equations import Problem, natural_scales
from fspielm.features import Band, Basis, ExponentialBasis, for_unknowns, symbol_of

# Functions of low frequencies, by the number of dimensions, and how many periods over the domain those have at most.
_LOW = {1: 12, 2: 30}
_LOW_ABOVE = 60
_PERIODS = 2.0
# Functions that grow along the way.
_GROWING = 24
# A slope of the symbol, relative to its terms, that is rounding: the zero is a double one.
_DOUBLE = 1e-6
_TINY = float(np.finfo(np.float64).tiny)


def nearby_number(problem: Problem) -> int:
    """How many there are, at most."""
    return len(problem.unknowns) * _LOW.get(problem.dimension, _LOW_ABOVE) + _GROWING


def nearby_functions(problem: Problem, exact: Basis, rng: np.random.Generator) -> list[Basis]:
    """Cosines of low frequencies for each unknown, and functions like those of `exact` with a linear factor.

    The latter for a single unknown alone.
    """
    lower, upper = problem.domain.bounding_box
    widths = tuple(_PERIODS * 2 * np.pi / (upper - lower))
    band = Band(_LOW.get(problem.dimension, _LOW_ABOVE), widths)
    low = for_unknowns(band, natural_scales(problem, np.array(widths)))
    found: list[Basis] = [low.draw(problem.dimension, rng, center=0.5 * (lower + upper))]
    total = sum(basis.size for basis in exact.exponentials)
    for basis in exact.exponentials:
        some = _some(problem, basis, -(-_GROWING * basis.size // total), rng)
        if some.size:
            found.append(_growing(problem, basis, some))
    return found


def _some(problem: Problem, basis: ExponentialBasis, number: int, rng: np.random.Generator) -> NDArray[np.int_]:
    """So many of the functions that oscillate or fall off, from the slowest to the fastest, most of them slow."""
    moving = rng.permutation(np.flatnonzero(np.any(basis.W != 0, axis=1) & _leads_away(problem, basis)))
    slowest = moving[np.argsort(np.linalg.norm(basis.W[moving], axis=1), kind="stable")]
    ranks = np.unique(np.geomspace(1, max(len(slowest), 1), number).astype(int)) - 1
    return np.asarray(slowest[ranks] if len(slowest) else slowest)


def _leads_away(problem: Problem, basis: ExponentialBasis) -> NDArray[np.bool_]:
    """Whether a linear factor makes functions that no longer satisfy the equation.

    At a double zero of the symbol, as all are that a plate has, it does not: with it they are among the exact ones.
    """
    symbol = symbol_of(problem.determinant)
    slopes = np.linalg.norm(basis.W, axis=1) * np.linalg.norm(symbol.gradient(basis.W), axis=1)
    return np.asarray((slopes > _DOUBLE * symbol.size(basis.W)) | (basis.powers > 0))


def _growing(problem: Problem, basis: ExponentialBasis, some: NDArray[np.int_]) -> ExponentialBasis:
    """The functions with a factor that is linear along the direction in which the symbol changes."""
    lower, upper = problem.domain.bounding_box
    W, powers = basis.W[some], basis.powers[some]
    along = _steepest(symbol_of(problem.determinant).gradient(W) / (upper - lower)) / (upper - lower)
    direction = np.where(powers[:, None] > 0, basis.along[some], along)
    return ExponentialBasis(W, basis.b[some], basis.origin, basis.peaks[some], powers + 1, direction)


def _steepest(gradient: NDArray[np.complex128]) -> FloatArray:
    """Real unit vectors along complex gradients ``(n, d)``, as far as they have a direction."""
    leading = np.take_along_axis(gradient, np.argmax(np.abs(gradient), axis=1)[:, None], axis=1)
    square = np.maximum(np.abs(leading) ** 2, _TINY)
    turned = (gradient * np.conj(leading) / square).real
    return np.asarray(turned / np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-300))
