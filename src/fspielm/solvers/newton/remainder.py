"""What Newton's method leaves out: terms of higher order, and whether it is close enough for them not to matter.

The error of the solution u of a linear problem around v, with K the norm of the inverse of the linearisation, is at
most that of the linear problem and ``K |F(u) - F(v) - F'(v) (u - v)|``, the remainder of the last step, if v is no
farther from the true solution than from u. By Newton and Kantorovich there is one nearby, and one only, if K times the
second derivative times the error is less than a half.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from fspielm.accuracy import Examination
from fspielm.arrays import NumberArray, safe_rms
from fspielm.equations import Problem
from fspielm.equations.nonlinear import Iterate
from fspielm.errors import IterateError
from fspielm.solvers.newton.deviations import deviations, of_sum
from fspielm.solvers.newton.expansion import Expansion
from fspielm.solvers.newton.iteration import Iterated, Newton

# Of the size of the solution, how far away the second derivative is looked at, at least.
_APART = 1e-4
# Rows of each block that are looked at, about.
_ROWS = 800
# The product of Newton and Kantorovich must be clearly below a half.
CLOSE = 0.1


@final
@dataclass(frozen=True, eq=False)
class HigherOrder:
    """What terms of higher order amount to.

    Attributes
    ----------
    remainder : float
        Norm of what the last step left out, in scaled rows.
    curvature : float
        Norm of the second derivative along a function of size one, at most of those that were looked at.
    """

    remainder: float
    curvature: float


def higher_order(newton: Newton, examination: Examination, done: Iterated) -> HigherOrder:
    """Look at the rows that were held out."""
    finite, sensitivity = done.finite, examination.sensitivity
    examination = _thinned(examination, finite.problem)
    sites = examination.held_out.sites

    def size(coefficients: NumberArray) -> float:
        return max(safe_rms(values @ coefficients) for values in sensitivity.values)

    def beyond(around: Iterate, coefficients: NumberArray) -> float:
        """Norm of what the equations have more than their linearisation, at other coefficients."""
        there = Expansion(newton.problem, finite.basis, coefficients, finite.threads)
        apply = of_sum(finite.basis, coefficients, finite.threads)
        first = deviations(newton.probe(around), sites, apply)
        whole = deviations(newton.probe(there), sites, apply)
        return examination.norm({name: whole[name] - first[name] for name in whole})

    try:
        remainder = beyond(done.before, done.coefficients)
        scale = size(done.coefficients)
        curvature = 0.0
        for direction in (sensitivity.null, done.coefficients):
            length = size(direction)
            if not (length > 0 and np.isfinite(length)):
                continue
            apart = _APART * scale or _APART
            moved = done.coefficients + (apart / length) * direction
            curvature = max(curvature, 2 * beyond(done.iterate, moved) / apart / apart)
    except IterateError:
        return HigherOrder(np.inf, np.inf)
    return HigherOrder(remainder, curvature)


def nonlinear_residual(newton: Newton, examination: Examination, done: Iterated) -> float:
    """Norm of what the equations leave, in the rows that were held out."""
    finite = done.finite
    apply = of_sum(finite.basis, done.coefficients, finite.threads)
    try:
        return examination.norm(deviations(newton.probe(done.iterate), examination.held_out.sites, apply))
    except IterateError:
        return np.inf


def _thinned(examination: Examination, problem: Problem) -> Examination:
    """With fewer rows held out, by which terms of higher order are seen as well."""
    held_out = examination.held_out
    summed = {relation.name for relation in problem.relations if relation.sum_weights is not None}
    every = {name: 1 if name in summed else max(len(sites) // _ROWS, 1) for name, sites in held_out.sites.items()}
    sites = {name: each.select(slice(None, None, every[name])) for name, each in held_out.sites.items()}
    emphasis = {name: each[:: every[name]] for name, each in held_out.emphasis.items()}
    return replace(examination, held_out=replace(held_out, sites=sites, emphasis=emphasis, rows={}))
