"""Whether a constant may be added to an unknown of a problem."""

from __future__ import annotations

from collections.abc import Iterable

from fspielm.equations.operator import Operator
from fspielm.equations.problem import Problem


def leaves_constant_open(problem: Problem) -> bool:
    """Whether nothing sees a constant that is added to one of the unknowns, as with fluxes or periods alone.

    On an open domain, infinity does: what is solved for vanishes there, unless values on the boundary say otherwise.
    """
    if problem.domain.is_unbounded:
        return False
    # what is tied to itself times a factor is no constant
    seeing = [r.operator for r in problem.relations if r.region.shift is None or r.region.factor != 1]
    return any(not _sees(seeing, unknown) for unknown in range(len(problem.unknowns)))


def _sees(operators: Iterable[Operator], unknown: int) -> bool:
    return any(term.order == 0 and term.unknown == unknown for operator in operators for term in operator.terms)
