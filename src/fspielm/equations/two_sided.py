"""Open domains whose object has a field of its own inside, as problems of two unknowns."""

from __future__ import annotations

from dataclasses import replace
from functools import partial, reduce
from operator import or_
from typing import TYPE_CHECKING

import sympy as sp

from fspielm.equations.conditions.transparent import INSIDE, Transparent
from fspielm.equations.once import once
from fspielm.equations.operator import Operator, Term
from fspielm.equations.regions import whole_domain
from fspielm.equations.relations import Relation
from fspielm.equations.setting import Setting
from fspielm.equations.unknowns import Unknown
from fspielm.expressions import make_field
from fspielm.geometry.exterior import Exterior

if TYPE_CHECKING:
    from fspielm.equations.problem import Problem


def transparency(problem: Problem) -> Transparent | None:
    """The condition by which the object has a field inside, if there is one."""
    found = [condition for condition in problem.conditions if isinstance(condition, Transparent)]
    return found[0] if found else None


@once
def two_sided(problem: Problem) -> Problem:
    """The problem with the field inside as another unknown; as it is where there is none."""
    condition = transparency(problem)
    if condition is None or len(problem.unknowns) > 1:
        return problem
    from fspielm.equations.problem import make_problem  # which knows of this module's users

    assert isinstance(problem.domain, Exterior)  # as the condition is for no other
    shapes = problem.domain.shapes
    outside = problem.unknowns[0]
    objects = reduce(or_, shapes)
    inner = Unknown(sp.Function(f"{outside.symbol.func.__name__}_inside")(*outside.coordinates), objects)
    square = condition.square(Setting(problem.unknowns, problem.givens, problem.domain))
    d = problem.dimension
    terms = [Term(1.0, tuple(2 * (axis == other) for other in range(d))) for axis in range(d)]
    operator = Operator(d, (*terms, Term(square, (0,) * d))).on(INSIDE)
    zero = make_field(0, outside.coordinates)
    equation = Relation("equation inside", operator, zero, whole_domain(objects))
    first, *rest = problem.relations
    statement = replace(problem.statement, origin=partial(two_sided, problem))
    return make_problem(statement, (outside, inner), (first, equation, *rest), problem.givens)


def as_one(problem: Problem) -> Problem:
    """The problem of one unknown that a two-sided one was made from, on both sides of the boundary."""
    from fspielm.equations.problem import make_problem

    assert problem.statement.origin is not None  # which made it two-sided
    stated: Problem = problem.statement.origin.args[0]
    domain = stated.domain
    assert isinstance(domain, Exterior)
    statement = replace(stated.statement, domain=domain.filled(), origin=partial(as_one, problem))
    return make_problem(statement, stated.unknowns, stated.relations, stated.givens)
