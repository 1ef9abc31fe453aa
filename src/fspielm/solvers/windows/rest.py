"""What stands for the time that no window was solved for: the last state, of which nothing is certain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fspielm.equations import Problem, identity
from fspielm.features import CellBasis
from fspielm.features.evaluation import evaluate_each
from fspielm.geometry import Sites, Time
from fspielm.geometry.cells import tile
from fspielm.solution import Solution
from fspielm.solvers.windows.window import problem_during

_DEGREE = 32


def held_until(problem: Problem, during: Time, before: Solution, why: str) -> Solution:
    """The state that a solution ended with, as it was, without an error estimate, and why."""
    rest = problem_during(problem, during, before)
    degrees = np.array([[_DEGREE] * (problem.dimension - 1) + [0]])
    frames = tile(rest.domain, (1,) * problem.dimension).frames
    unit = np.cos(np.pi * (np.arange(_DEGREE + 1) + 0.5) / (_DEGREE + 1))
    points = np.full((len(unit) if problem.dimension > 1 else 1, problem.dimension), during.start)
    if problem.dimension > 1:
        points[:, 0] = 0.5 * ((1 - unit) * frames.lower[0, 0] + (1 + unit) * frames.upper[0, 0])
    each = [identity(problem.dimension).on(place) for place in range(len(rest.unknowns))]
    values = evaluate_each(before.basis, before.coefficients, each, Sites(points), threads=1)
    if problem.dimension > 1:
        values = np.stack([np.polynomial.chebyshev.chebfit(unit, own, _DEGREE) for own in values])
    fields = tuple(replace(field, relative=np.inf, largest=np.inf) for field in before.estimate.fields)
    estimate = replace(before.estimate, relative=np.inf, largest=np.inf, fields=fields)
    report = replace(before.report, reason=why, rounds=(), newton=(), seconds={}, rows=0, points={}, rank=0)
    basis = CellBasis(frames, degrees, (1.0,) * len(rest.unknowns))
    return Solution(rest, basis, values.ravel(), report, estimate)
