"""What equations and conditions leave at some sites."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from fspielm.arrays import NumberArray, safe_norm
from fspielm.collocation.blocks import make_block
from fspielm.equations import Operator, Problem
from fspielm.equations.nonlinear import Iterate
from fspielm.features import Basis
from fspielm.features.evaluation import evaluate
from fspielm.geometry import Sites

# What an operator makes of a function at sites.
Apply = Callable[[Operator, Sites], NumberArray]
Deviations = dict[str, NumberArray]


def of_sum(basis: Basis, coefficients: NumberArray, threads: int) -> Apply:
    """What operators make of a sum."""

    def apply(operator: Operator, sites: Sites) -> NumberArray:
        return evaluate(basis, coefficients, operator, sites, threads=threads, method="tiles")

    return apply


def of_iterate(problem: Problem, iterate: Iterate) -> Apply | None:
    """What operators make of any iterate; None where they are on the parts of complex unknowns, and it is not."""
    if problem.whole is not None:
        return None
    return lambda operator, sites: iterate.evaluate_each([operator], sites)[0]


def deviations(problem: Problem, places: Mapping[str, Sites], apply: Apply) -> Deviations:
    """Left minus right-hand sides of a linear problem, by the names of the relations that have sites."""
    found: Deviations = {}
    for relation in problem.relations:
        if relation.name in places:
            block = make_block(relation, places[relation.name])
            rows = block.summed(np.asarray(sum(apply(operator, sites) for operator, sites in block.pieces)))
            found[relation.name] = rows - block.values
    return found


def norm(deviations: Deviations, scales: Mapping[str, NumberArray]) -> float:
    """Of all of them, in scaled rows."""
    return safe_norm(np.concatenate([scales[name] * each for name, each in deviations.items()]))
