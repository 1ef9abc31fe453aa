"""Fields inside of objects whose wavenumber varies: polynomials in cells, for whatever arrives from around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import numpy as np

from fspielm.accuracy import ErrorEstimate, Examination
from fspielm.arrays import FloatArray, NumberArray
from fspielm.collocation.cells import Patchwork
from fspielm.equations import Operator, Problem, with_data
from fspielm.equations.within import arriving, impedance, problem_inside
from fspielm.errors import ProblemError, SolveError
from fspielm.features import Basis, CellBasis
from fspielm.features.sums_on_cells import SumsOnCells
from fspielm.geometry import Sites
from fspielm.latest import Latest
from fspielm.linalg import QR, Factored
from fspielm.solvers.automatic import solve_automatically
from fspielm.solvers.request import Request

# Right-hand sides that are solved for together.
_AT_ONCE = 48
# Of the seconds that are left, what the field inside may take; and so many at least.
_SHARE, _LEAST = 0.7, 1e-3


@final
@dataclass(frozen=True, eq=False)
class Driven:
    """What arrives of a sum of functions, as data of the problem inside.

    Attributes
    ----------
    operator : Operator
        What arrives of a function.
    basis : Basis
    coefficients : (F,) array
    """

    operator: Operator
    basis: Basis
    coefficients: NumberArray

    def __call__(self, points: FloatArray, normals: FloatArray) -> NumberArray:
        """At points of the boundary, with the normals of the object."""
        return np.asarray(self.basis.matrix(self.operator, Sites(points, normals)) @ self.coefficients)


@final
@dataclass(frozen=True, eq=False)
class Inside:
    """The problem inside of an object, factored: it serves for whatever arrives.

    Attributes
    ----------
    problem : Problem
        The two-sided one.
    number : int
        Which of its unknowns this is.
    factored : Factored
    examination : Examination
    """

    problem: Problem
    number: int
    factored: Factored
    examination: Examination

    @property
    def arriving(self) -> Operator:
        """What of a function around the object is prescribed inside."""
        return arriving(self.problem, self.number)

    def driven_by(self, basis: Basis) -> Responses:
        """The fields inside that each function around the object makes."""
        finite, blocks = self.examination.discretisation, self.examination.blocks
        places = {name: sites for name, (sites, _) in finite.fitted(blocks).items() if sites.normals is not None}
        rows = {name: basis.matrix(self.arriving, sites) for name, sites in places.items()}
        found = []
        for some in np.array_split(np.arange(basis.size), -(-basis.size // _AT_ONCE)):
            each = [finite.spread({name: own[:, j] for name, own in rows.items()}, blocks) for j in some]
            found.append(self.factored.solve(np.stack(each, axis=1)).T)
        return Responses(self, basis, np.concatenate(found))


@final
@dataclass(frozen=True, eq=False)
class Responses:
    """Fields inside, one for each of some functions around the object.

    Attributes
    ----------
    inside : Inside
    basis : Basis
        Functions around it.
    fields : (F, M) array
        Coefficients of the field that each makes.
    """

    inside: Inside
    basis: Basis
    fields: NumberArray

    @cached_property
    def functions(self) -> SumsOnCells:
        """These fields."""
        cells, fields = self.inside.examination.discretisation.basis.valued(self.fields)
        assert isinstance(cells, CellBasis)
        return SumsOnCells(cells, fields)

    def data(self, coefficients: NumberArray) -> Driven:
        """What arrives where fields inside are summed with these coefficients."""
        return Driven(self.inside.arriving, self.basis, coefficients)

    def estimate(self, coefficients: NumberArray) -> ErrorEstimate:
        """How wrong their sum is inside, as the field that what arrives makes."""

        def work() -> ErrorEstimate:
            examination = self.inside.examination
            problem = with_data(examination.discretisation.problem, values={"robin": self.data(coefficients)})
            return examination.estimate(coefficients @ self.fields, problem)

        return self._latest(work, coefficients)

    def doubts(self, coefficients: NumberArray) -> Mapping[str, float]:
        """What the error of their sum inside may amount to in the conditions on the object, each by name.

        Nothing of it arrives: so its slope is that of an impedance.
        """
        (Phi,) = self.inside.examination.sensitivity.values
        peak = float(np.abs(Phi @ (coefficients @ self.fields)).max())
        error = self.estimate(coefficients).largest * peak
        problem, number = self.inside.problem, self.inside.number
        factors = (1.0, abs(impedance(problem, number)))
        own = [each for each in problem.constraints if number in each.operator.unknowns]
        return {each.name: factors[min(each.operator.order, 1)] * error for each in own}

    @cached_property
    def _latest(self) -> Latest[ErrorEstimate]:
        return Latest()


def solve_inside(request: Request, number: int, tol: float, data: Driven, seconds: float) -> Inside:
    """Solve for what arrives at a medium in a share of the `seconds` that are left; keep what serves for other data.

    Raises
    ------
    ProblemError
        If the budget is too small.
    SolveError
        If cells do not serve.
    """
    budget = request.budget
    if budget.seconds is not None:
        budget = replace(budget, seconds=max(_SHARE * seconds, _LEAST))
    inner = replace(
        request,
        problem=problem_inside(request.problem, number, data),
        tol=tol,
        budget=budget,
        method=QR(),
        scaling="rms",
        approach="patches",
        reuse=True,
    )
    try:
        kept = solve_automatically(inner).best.reusable
    except ProblemError as error:  # which names the approach, as if it had been asked for
        raise ProblemError(f"Transparent: the field inside: {str(error).removeprefix('approach: ')}") from None
    if kept is None or not isinstance(kept.examination.discretisation, Patchwork):
        raise SolveError("the field inside was not kept")
    return Inside(request.problem, number, kept.factored, kept.examination)
