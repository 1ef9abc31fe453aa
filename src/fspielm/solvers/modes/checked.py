"""How wrong modes may be: each as the solution of the problem at the shift that it is, with its own right-hand side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from fspielm.accuracy import CellErrors, ErrorEstimate, examine
from fspielm.arrays import FloatArray, NumberArray
from fspielm.collocation import Finite
from fspielm.equations import Operator, Problem, Relation
from fspielm.equations.problem import make_problem
from fspielm.expressions import Field
from fspielm.features.evaluation import evaluate
from fspielm.geometry import Sites
from fspielm.solvers.modes.inverse import Inverse
from fspielm.solvers.modes.krylov import Found


@final
@dataclass(frozen=True, eq=False)
class Checked:
    """A mode, or a sum of several, and what it leaves in rows that were not fitted.

    Attributes
    ----------
    coefficients : (M,) array
    estimate : ErrorEstimate
        As a solution of the problem at the shift.
    error : float
        In the norm of modes: how far it is from what the inverse makes of it.
    """

    coefficients: NumberArray
    estimate: ErrorEstimate
    error: float


class Inspector:
    """Checks modes that came from one inverse; its right-hand sides are those of one after the other."""

    def __init__(self, inverse: Inverse, rng: np.random.Generator) -> None:
        self._inverse = inverse
        around = inverse.pencil.around(inverse.shift)
        names = dict.fromkeys(name for operators in around for name in operators)
        self._images = {
            name: _Image(inverse.finite, tuple(operators.get(name) for operators in around)) for name in names
        }
        self._problem = _with_values(inverse.finite.problem, self._images)
        self._examination = examine(inverse.finite, inverse.blocks, inverse.factored, rng)

    def check(self, found: Found, shares: NumberArray) -> Checked:
        """The sum of modes with these shares ``(k,)``."""
        coefficients = np.asarray(found.coefficients @ shares)
        powers = range(1, self._inverse.pencil.degree + 1)
        mu = found.mu.real if np.isrealobj(found.coefficients) else found.mu
        for image in self._images.values():
            image.powers = [found.coefficients @ (shares * mu**power) for power in powers]
        estimate = self._examination.estimate(coefficients, self._problem, by_itself=True)
        return Checked(coefficients, estimate, self._error(estimate))

    def by_cell(self, checked: Checked) -> CellErrors | None:
        """What each cell has of the error, of the sum that was checked last."""
        return self._examination.by_cell(checked.coefficients, checked.estimate, self._problem)

    def _error(self, estimate: ErrorEstimate) -> float:
        """From errors of the unknowns by themselves, to one in the norm of modes."""
        inner = self._inverse.inner
        volume = float(inner.rule.weights.sum())
        errors = [
            field.relative * max(field.size, field.scale) * np.sqrt(volume * density.max())
            for field, density in zip(estimate.fields, inner.densities, strict=True)
            if density.any()
        ]
        return float(np.linalg.norm(errors))


class _Image:
    """The right-hand side that a mode has at the shift, as a function of places; zero before there is one."""

    def __init__(self, finite: Finite, operators: tuple[Operator | None, ...]) -> None:
        self._finite, self._operators = finite, operators
        self.powers: list[NumberArray] = []

    def __call__(self, points: FloatArray) -> NumberArray:
        """At points, with normals beside them where there are any."""
        finite, dimension = self._finite, self._finite.problem.dimension
        normals = points[:, dimension:] if points.shape[1] > dimension else None
        sites, total = Sites(points[:, :dimension], normals), np.zeros(len(points))
        for coefficients, operator in zip(self.powers, self._operators, strict=False):
            if operator is not None:
                own = evaluate(finite.basis, coefficients, operator, sites, threads=finite.threads, method="tiles")
                total = total - own
        return total


def _with_values(problem: Problem, images: Mapping[str, _Image]) -> Problem:
    """The problem with these right-hand sides."""

    def valued(relation: Relation) -> Relation:
        if relation.name not in images:
            return relation
        image, normals = images[relation.name], relation.region.kind != "domain"
        return replace(relation, value=Field(problem.coordinates, image, None, image, normals))

    relations = tuple(map(valued, problem.relations))
    return make_problem(
        problem.statement,
        problem.unknowns,
        relations,
        problem.givens,
        problem.missing,
        problem.interfaces,
        problem.notes,
    )
