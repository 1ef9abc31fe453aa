"""How sensitive a problem is, seen by more functions than the solution is made of.

Features that satisfy the equation are few, and may leave out just the function that the conditions see least: the
eigenfunction of a resonance that the data hardly excite, or a singular one at a corner. The residual then looks
harmless. Functions independent of them, which satisfy the equation as well, show what it may hide; beside features for
a right-hand side, so do functions that almost satisfy it (see `nearly_exact`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from fspielm.accuracy.beyond import passing_size
from fspielm.accuracy.nearly_exact import nearby_functions, nearby_number
from fspielm.accuracy.sensitivity import Sensitivity, find_sensitivity
from fspielm.collocation import BlockRows, Discretisation, Finite, draw_features
from fspielm.equations import Problem
from fspielm.features import Basis, Characteristic, Family, Joined, JoinedBasis, neurons_needed
from fspielm.features.characteristic import Frequencies, realise, scene_of
from fspielm.features.special import satisfies, special_columns
from fspielm.linalg import Factored
from fspielm.spectrum import hidden_of

# Independent features, as a share of those that are there.
_SHARE = 0.125
# Fewer tell nothing.
_LEAST_FEATURES = 4
# Rows for each of the functions, at least.
_LEAST_ROWS = 1.2


def probe(
    discretisation: Finite, blocks: Sequence[BlockRows], factored: Factored, rng: np.random.Generator
) -> Sensitivity | None:
    """The sensitivity of a system, or that of the one with further columns, whichever is larger.

    None where no part of the family satisfies the equation, and conditions let nothing through that is known: then
    nothing is hidden, nor can be found this way.

    Parameters
    ----------
    discretisation : Finite
    blocks : sequence of BlockRows
        Of its system.
    factored : Factored
        The same.
    rng : Generator
    """
    if not isinstance(discretisation, Discretisation):
        return None
    problem, basis, threads = discretisation.problem, discretisation.basis, discretisation.threads
    let_through = _let_through(problem, basis.size, discretisation.rows)
    if not _exact(discretisation.family) and not let_through:
        return None
    plain = find_sensitivity(problem, basis, factored, rng, threads).times(discretisation.family.caution)
    further = let_through + (_further(discretisation, rng) if _exact(discretisation.family) else [])
    if not further:
        return plain
    beside = JoinedBasis(further)
    larger = factored.extend(discretisation.further_columns(beside, blocks))
    seen = find_sensitivity(problem, JoinedBasis([basis, beside]), larger, rng, threads)
    return plain.at_least(seen)


def further_features(problem: Problem, family: Family, columns: int, rows: int) -> int:
    """How many features are added to probe those of a family that satisfy the equation.

    As many as the rows can tell apart beside all of the `columns`.
    """
    exact = _exact(family)
    if not exact or problem.domain.is_unbounded:  # where functions of the objects are as many as these could tell apart
        return 0
    needed = max(neurons_needed(problem), passing_size(problem))
    wanted = max(int(_SHARE * exact), needed if exact < needed else 0)
    number = min(wanted, _most(columns, rows))
    return number if number >= _LEAST_FEATURES else 0


def further_columns(problem: Problem, family: Family, columns: int, rows: int) -> int:
    """How many columns `probe` adds to a system, those at corners and holes apart."""
    further = further_features(problem, family, columns, rows)
    if _exact(family) and not family.satisfies_equation:
        further += nearby_number(problem)
    return further


def special_beside(problem: Problem, columns: Iterable[Basis]) -> list[Basis]:
    """The functions at corners and in holes that `probe` looks at: those where no `columns` are."""
    there = {corner for basis in columns for corner in basis.corners}
    return [basis for basis in special_columns(problem, True) if there.isdisjoint(basis.corners)]


def fitting_columns(sizes: Iterable[int], columns: int, rows: int) -> int:
    """How many columns bases of these sizes add to so many `columns`, each as long as the rows can tell all apart."""
    added = 0
    for size in sizes:
        added += size if size <= _most(columns + added, rows) else 0
    return added


def _let_through(problem: Problem, columns: int, rows: int) -> list[Basis]:
    """The functions themselves that conditions on flat parts let through: a basis may hold them to few digits."""
    found = [function.W for function in hidden_of(problem).passing if function.W is not None]
    if not found or 2 * sum(map(len, found)) > _most(columns, rows):
        return []
    W = np.concatenate(found)
    none = np.zeros(len(W), dtype=np.int_)
    rng = np.random.default_rng(0)  # whatever the phases
    return [realise(Frequencies(W, none, np.zeros(W.shape)), scene_of(problem.domain), rng)]


def _exact(family: Family) -> int:
    """How many features of a family satisfy the equation."""
    return sum(part.neurons for part in family.parts if part.satisfies_equation)


def _most(columns: int, rows: int) -> int:
    return int(rows / _LEAST_ROWS) - columns


def _further(discretisation: Discretisation, rng: np.random.Generator) -> list[Basis]:
    """Functions that satisfy the equation, or almost, beside those of the basis: as many as the rows can tell apart."""
    problem, family, basis = discretisation.problem, discretisation.family, discretisation.basis
    rows = discretisation.rows
    further: list[Basis] = []
    number = further_features(problem, family, basis.size, rows)
    if number:
        # the few of frequency zero are in every basis, and must not be there twice
        further += draw_features(problem, Characteristic(number), rng).varying
    if not family.satisfies_equation:
        exact = Joined([part for part in family.parts if part.satisfies_equation])
        further += nearby_functions(problem, draw_features(problem, exact, rng), rng)
    for columns in special_beside(problem, basis.leaves):
        left = _most(basis.size + sum(part.size for part in further), rows)
        if columns.size <= left and satisfies(problem, columns):
            further.append(columns)
    return further
