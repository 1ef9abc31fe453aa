"""Functions that meet the conditions of a nonlinear problem, and are smooth: somewhere else to begin."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import sympy as sp

from fspielm.equations.nonlinear.around import Around, AtPoints, AtSites
from fspielm.equations.nonlinear.iterate import Iterate
from fspielm.equations.parameters import used_in
from fspielm.errors import ProblemError

if TYPE_CHECKING:
    from fspielm.equations.problem import Problem

# Of the equation: what a Laplacian can stand for.
_ORDER = 2


def smooth_problem(problem: Problem, around: Iterate) -> Problem | None:
    """The problem with Laplace's equation in the place of its own; None where that would not determine it.

    For one unknown, at rest, in an equation of second order. Conditions are linearised around an iterate.
    """
    from fspielm.equations.compiled import Compiled, in_pairs
    from fspielm.equations.problem import compile_statement, problem_of

    nonlinear = problem.nonlinear
    assert nonlinear is not None
    order = max(equation.operator.order for equation in problem.pattern if equation.region.kind == "domain")
    if len(problem.stated.unknowns) > 1 or problem.domain.time is not None or order != _ORDER or problem.interfaces:
        return None
    unknown = problem.stated.unknowns[0].symbol
    at = Around(problem, around)
    needs_normals = [law.needs_normals for law in nonlinear.laws]
    filled = nonlinear.filled(lambda law, slot: (AtSites if needs_normals[law] else AtPoints)(at, law, slot))
    laplace = sp.Add(*(unknown.diff(coordinate, 2) for coordinate in problem.coordinates))
    statement = replace(filled, equations=(sp.Eq(laplace, 0, evaluate=False),))
    try:
        made = compile_statement(replace(statement, given=used_in(filled.given or {}, statement.expressions)))
    except ProblemError:
        return None
    if problem.whole is None or made.whole is not None:
        return made
    # Laplace's equation has no conjugates, which the problem's own has
    return problem_of(in_pairs(Compiled(made.statement, made.unknowns, made.pattern, made.givens)))
