"""Modes as solutions, with bounds for their values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fspielm.arrays import NumberArray
from fspielm.solution import Solution
from fspielm.solvers.automatic import Course
from fspielm.solvers.modes.checked import Checked
from fspielm.solvers.modes.inner import Inner
from fspielm.solvers.modes.modes import Mode
from fspielm.solvers.modes.pencil import Pencil
from fspielm.solvers.modes.rounds import Round, Searched, attempt_of
from fspielm.solvers.record import Record
from fspielm.solvers.request import Request
from fspielm.solvers.solve import finish

_CHOICE = "those that all modes were found with"
# Of the largest value, where signs are looked at: the first place that has about that.
_ABOUT = 0.999
# No digit of a function is certain.
_NONE = 0.5


def modes_of(pencil: Pencil, request: Request, record: Record, searched: Searched) -> list[Mode]:
    """The wanted modes of a search."""
    best = searched.best
    if not len(best.wanted):
        return []
    errors = best.errors(searched.checks)
    values = best.values
    real = np.isrealobj(best.found.coefficients) or best.inverse.symmetric
    modes = []
    for place, checked in enumerate(searched.checks):
        value = complex(values[place])
        close = np.abs(values - value) <= errors + errors[place]
        plain = value.real if real or value.imag == 0.0 else value
        field = _field(pencil, request, record, best, place, checked, plain)
        bound = float(errors[place]) if best.inverse.symmetric else None
        modes.append(Mode(plain, bound, float(errors[place]), field, int(np.count_nonzero(close))))
    return modes


def _field(
    pencil: Pencil, request: Request, record: Record, best: Round, place: int, checked: Checked, value: complex
) -> Solution:
    """The function, with an integral of its square of one, and its error beside the nearest other modes."""
    theta = 1.0 / best.found.mu
    own = theta[best.wanted[place]]
    others = np.abs(theta - own)
    error = checked.error * abs(own) * best.found.conditions[best.wanted[place]]
    apart = others[others > 2 * error]
    gap = float(apart.min()) if len(apart) else abs(own)
    relative = error / gap if error < _NONE * gap else np.inf
    scale = _scale(best, checked.coefficients)
    estimate = checked.estimate
    scaled = replace(checked, coefficients=checked.coefficients * scale)
    worse = relative / estimate.relative if 0 < estimate.relative < np.inf else 1.0
    fields = tuple(
        replace(field, relative=field.relative * worse, scale=field.scale * abs(scale), size=field.size * abs(scale))
        for field in estimate.fields
    )
    attempt = attempt_of(best, scaled, relative)
    assert attempt.estimate is not None
    known = replace(
        attempt.estimate, largest=estimate.largest * worse, scale=estimate.scale * abs(scale), fields=fields
    )
    here = replace(request, problem=pencil.at(value))
    course = Course(replace(attempt, estimate=known), record, _CHOICE, "")
    return finish(here, course, quietly=True)


def _scale(best: Round, coefficients: NumberArray) -> complex:
    """What makes the integral of the square one, and the function positive where it is largest."""
    inner, count = best.inverse.inner, len(best.inverse.finite.problem.unknowns)
    plain = Inner(inner.finite, inner.rule, np.ones((count, len(inner.rule))))
    values = plain.values(coefficients[:, None])[:, 0]
    at_nodes = values / np.sqrt(np.tile(inner.rule.weights, count))
    sizes = np.abs(at_nodes)
    first = at_nodes[np.argmax(sizes >= _ABOUT * sizes.max())]
    turn = np.conj(first) / abs(first)
    return (turn if np.iscomplexobj(coefficients) else float(turn.real)) / float(np.linalg.norm(values))
