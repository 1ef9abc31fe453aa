"""Whether a constant may be added to any solution of a problem."""

from __future__ import annotations

from fspielm.equations.operator import Operator
from fspielm.equations.problem import Problem


def leaves_constant_open(problem: Problem) -> bool:
    """Whether neither the equation nor any condition sees a constant, as with fluxes or periods alone."""
    return all(r.region.shift is not None or not _sees(r.operator) for r in problem.relations)


def _sees(operator: Operator) -> bool:
    return any(term.order == 0 for term in operator.terms)
