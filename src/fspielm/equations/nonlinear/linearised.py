"""Linear problems for the next iterate of Newton's method."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, final

import numpy as np

from fspielm.arrays import NumberArray, as_finite_points
from fspielm.equations.nonlinear.around import Around, AtPoints, AtSites, Elsewhere
from fspielm.equations.nonlinear.iterate import Iterate, as_iterate
from fspielm.errors import IterateError, ProblemError
from fspielm.geometry import Sites

if TYPE_CHECKING:
    from fspielm.equations.problem import Problem


def linearise(problem: Problem, around: Any = None, share: float = 1.0) -> Problem:
    """The linear problem ``F'(v) u = F'(v) v - F(v)`` for the next iterate u of Newton's method, around v.

    Conditions are those that were stated, for u is no correction; linear equations and conditions are the same objects.
    A solution u of the problem around u itself has the residuals that it has of the nonlinear one.

    Parameters
    ----------
    problem : Problem
        Given back as it is where it is linear.
    around : Iterate, or what `as_iterate` takes for one
        A `Solution`, a number, an expression, a callable, a mapping of such by unknown; zero by default.
    share : float
        Of the nonlinear terms: a number in front of all of them. With zero, the linear terms are left.

    Raises
    ------
    IterateError
        If something has no finite value at the iterate, here or when coefficients are evaluated.
    """
    if problem.nonlinear is None:
        return problem
    return _compiled(problem, Around(problem, as_iterate(problem, around), share))


def iterate_of(problem: Problem) -> Iterate | None:
    """What a linear problem is linearised around; None where it is not one of these."""
    for value in (problem.statement.given or {}).values():
        if isinstance(value, AtPoints | AtSites):
            around = value.around.at if isinstance(value.around, Elsewhere) else value.around
            return None if around is None else around.iterate
    return None


@final
@dataclass(frozen=True, eq=False)
class Moving:
    """One linear problem that is around other and other iterates, since to make a problem takes its time.

    What was found out about it, and what has been evaluated, belongs to the iterate of that time.

    Attributes
    ----------
    nonlinear : Problem
        Not linear.
    problem : Problem
        The linear one.
    """

    nonlinear: Problem
    problem: Problem
    _elsewhere: Elsewhere

    def to(self, iterate: Iterate, share: float = 1.0) -> Problem:
        """The linear problem, now around this iterate; see `linearise`."""
        self._elsewhere.at = Around(self.nonlinear, iterate, share)
        return self.problem


def moving(problem: Problem) -> Moving:
    """A linear problem that can be moved from iterate to iterate."""
    assert problem.nonlinear is not None
    is_complex = problem.whole is not None or problem.dtype.kind == "c"
    elsewhere = Elsewhere(partial(problem.nonlinear.anything, is_complex=is_complex))
    return Moving(problem, _compiled(problem, elsewhere), elsewhere)


def _compiled(problem: Problem, at: Around | Elsewhere) -> Problem:
    from fspielm.equations.problem import compile_statement

    nonlinear = problem.nonlinear
    assert nonlinear is not None
    needs_normals = [law.needs_normals for law in nonlinear.laws]
    statement = nonlinear.filled(lambda law, slot: (AtSites if needs_normals[law] else AtPoints)(at, law, slot))
    try:
        made = compile_statement(statement)
    except IterateError:
        raise
    except ProblemError as error:  # of the statement itself, nothing is left to be wrong
        raise IterateError(f"around this iterate, {error}") from error
    # what is pinned does not depend on the iterate, around which something may happen to be open that is not elsewhere
    kept = tuple(relation for relation in made.pattern if not relation.is_pin)
    vars(made).update(pattern=(*kept, *(relation for relation in problem.pattern if relation.is_pin)))
    return made


def residual(problem: Problem, iterate: Any, points: Any) -> NumberArray:
    """Left minus right-hand side of the equations for an iterate, at `points` ``(n, d)``; see `Problem.residual`."""
    stated, known = problem.stated, as_iterate(problem, iterate)
    sites = Sites(as_finite_points(points, problem.dimension))
    laws = {} if problem.nonlinear is None else problem.nonlinear.equations
    columns = [
        laws[index].residual(known, sites)
        if index in laws
        else known.evaluate_each([equation.operator], sites)[0] - equation.values(sites)
        for index, equation in enumerate(r for r in stated.pattern if r.region.kind == "domain")
    ]
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)
