"""How sensitive a problem is, seen by more functions than the solution is made of.

Features that satisfy the equation are few, and may leave out just the function that the conditions see least: the
eigenfunction of a resonance that the data hardly excite, or a singular one at a corner. The residual then looks
harmless. Functions independent of them, which satisfy the equation as well, show what it may hide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fspielm.collocation import RowBlock, System, assemble
from fspielm.equations import Problem, derivative
from fspielm.features import Basis, Characteristic, JoinedBasis, SingularBasis, neurons_needed
from fspielm.geometry import Sites
from fspielm.linalg import Factorisation, extend
from fspielm.solution import Sensitivity, find_sensitivity
from fspielm.solvers.special import special_columns

# Independent features, as a share of those that are there.
_SHARE = 0.125
# Fewer tell nothing.
_LEAST_FEATURES = 4
# Rows for each of the functions, at least.
_LEAST_ROWS = 1.2
_SATISFIED = 1e-8


def probe(
    problem: Problem,
    basis: Basis,
    factorisation: Factorisation,
    system: System,
    blocks: Sequence[RowBlock],
    rng: np.random.Generator,
    *,
    threads: int,
) -> Sensitivity:
    """The sensitivity of a system, or that of the one with further columns, whichever is larger.

    Parameters
    ----------
    problem, basis
    factorisation, system
        Of the basis on its rows.
    blocks : sequence of RowBlock
        What the system was assembled from.
    rng : Generator
    threads : int
    """
    plain = find_sensitivity(problem, basis, factorisation, rng, threads)
    further = _further(problem, basis, len(system.values), rng)
    if not further:
        return plain
    beside = JoinedBasis(further)
    # on the same rows with the same scales, so that the two are in the same units
    scaled = [replace(block, weight=scale) for block, scale in zip(blocks, system.scales, strict=True)]
    larger = extend(factorisation, assemble(beside, scaled, threads=threads).augmented[:, :-1])
    seen = find_sensitivity(problem, JoinedBasis([basis, beside]), larger, rng, threads)
    return replace(plain, amplification=max(plain.amplification, seen.amplification))


def satisfies(problem: Problem, columns: Basis) -> bool:
    """Whether functions satisfy the equation without its right-hand side, at some points."""
    sites = Sites(problem.domain.sample(20, np.random.default_rng(0)))  # only looks
    image = np.abs(columns.matrix(problem.operator, sites))
    terms = [
        term.at(sites)[:, None] * columns.matrix(derivative(term.orders), sites) for term in problem.operator.terms
    ]
    return bool(np.all(image <= _SATISFIED * np.sum(np.abs(terms), axis=0)))


def further_features(problem: Problem, neurons: int, rows: int) -> int:
    """How many features are added to probe `neurons` of them, as far as the rows can tell them apart."""
    needed = neurons_needed(problem)
    wanted = max(int(_SHARE * neurons), needed if neurons < needed else 0)
    number = min(wanted, _most(neurons, rows))
    return number if number >= _LEAST_FEATURES else 0


def _most(neurons: int, rows: int) -> int:
    return int(rows / _LEAST_ROWS) - neurons


def _further(problem: Problem, basis: Basis, rows: int, rng: np.random.Generator) -> list[Basis]:
    """Functions that satisfy the equation beside those of the basis, as many as the rows can tell apart."""
    further: list[Basis] = []
    number = further_features(problem, basis.size, rows)
    if number:
        axis = None if problem.domain.time is None else problem.dimension - 1
        further.append(Characteristic(number).draw(problem.dimension, rng, time_axis=axis, problem=problem))
    there = isinstance(basis, JoinedBasis) and any(isinstance(part, SingularBasis) for part in basis.parts)
    for columns in () if there else special_columns(problem, True):
        left = _most(basis.size + sum(part.size for part in further), rows)
        if columns.size <= left and satisfies(problem, columns):
            further.append(columns)
    return further
