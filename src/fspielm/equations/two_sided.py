"""Open domains whose objects have fields inside, as problems with an unknown for each medium."""

from __future__ import annotations

from dataclasses import replace
from functools import partial, reduce
from operator import sub
from typing import TYPE_CHECKING

import sympy as sp

from fspielm.equations.media import Medium, media_of
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


@once
def two_sided(problem: Problem) -> Problem:
    """The problem with the fields inside of objects as further unknowns; as it is where there are none."""
    media = media_of(problem)
    if not media or len(problem.unknowns) > 1:
        return problem
    from fspielm.equations.problem import make_problem  # which knows of this module's users

    domain, outside = problem.domain, problem.unknowns[0]
    assert isinstance(domain, Exterior)  # as the condition is for no other
    unknowns, equations = [outside], []
    for number, medium in enumerate(media, 1):
        which = _inside(domain, medium.place)
        within = [domain.shapes[i] for i, outer in enumerate(domain.around) if outer == medium.place]
        region = reduce(sub, within, medium.shape)
        name = f"{outside.symbol.func.__name__} {which}"
        unknowns.append(Unknown(sp.Function(name)(*outside.coordinates), region))
        operator = operator_inside(problem, medium).on(number)
        zero = make_field(0, outside.coordinates)
        equations.append(Relation(f"equation {which}", operator, zero, whole_domain(region)))
    first, *rest = problem.relations
    statement = replace(problem.statement, origin=partial(two_sided, problem))
    return make_problem(statement, tuple(unknowns), (first, *equations, *rest), problem.givens)


def operator_inside(problem: Problem, medium: Medium) -> Operator:
    """What is zero of the field in a medium: the Laplacian, and the square of the wavenumber there times the field."""
    d = problem.dimension
    laplacian = [Term(1.0, tuple(2 * (axis == other) for other in range(d))) for axis in range(d)]
    setting = Setting(problem.unknowns, problem.givens, problem.domain)
    return Operator(d, (*laplacian, Term(medium.condition.square(setting), (0,) * d)))


def _inside(domain: Exterior, place: int) -> str:
    """Where the field of an object is, in words: by the object's name, with a number where several have it."""
    name, names = domain.shapes[place].name, [shape.name for shape in domain.shapes]
    if name:
        return f"in {name}" if names.count(name) == 1 else f"in {name} ({place + 1})"
    return "inside" if len(names) == 1 else f"inside object {place + 1}"


def as_one(problem: Problem) -> Problem:
    """The problem of one unknown that a two-sided one was made from, on all sides of the boundaries."""
    from fspielm.equations.problem import make_problem

    assert problem.statement.origin is not None  # which made the unknowns
    stated: Problem = problem.statement.origin.args[0]
    domain = stated.domain
    assert isinstance(domain, Exterior)
    filled = domain.filled(medium.place for medium in media_of(stated))
    statement = replace(stated.statement, domain=filled, origin=partial(as_one, problem))
    return make_problem(statement, stated.unknowns, stated.relations, stated.givens)
