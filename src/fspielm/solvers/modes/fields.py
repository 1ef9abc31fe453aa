"""Modes as solutions, with bounds for their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.solution import Solution
from fspielm.solvers.attempt import Attempt
from fspielm.solvers.automatic import Course
from fspielm.solvers.modes.checked import Checked
from fspielm.solvers.modes.inner import sign_of
from fspielm.solvers.modes.modes import Mode, alike
from fspielm.solvers.modes.pencil import Pencil
from fspielm.solvers.modes.refined import Refined
from fspielm.solvers.modes.round import Round, attempt_of
from fspielm.solvers.modes.rounds import Searched
from fspielm.solvers.record import Record
from fspielm.solvers.request import Request
from fspielm.solvers.finish import finish

_CHOICE = "those that all modes were found with"
# No digit of a function is certain.
_NONE = 0.5
# Modes whose values are computed together.
_AT_ONCE = 16


@final
@dataclass(frozen=True, eq=False)
class Notary:
    """Makes modes of what was found.

    Attributes
    ----------
    pencil : Pencil
    request : Request
    record : Record
    """

    pencil: Pencil
    request: Request
    record: Record

    def modes(self, searched: Searched, better: Sequence[Refined] | None) -> list[Mode]:
        """The wanted modes of a search, or the same ones refined."""
        best = searched.best
        if not len(best.wanted):
            return []
        if better is not None:
            errors = np.array([each.error for each in better])
            values = np.array([each.value for each in better])
            attempts = [_refined_attempt(best, each) for each in better]
        else:
            # a search that was to go on elsewhere, and could not, has looked at none by itself
            checks = searched.checks or best.singles(self.record)
            errors, values = best.errors(checks), best.values
            attempts = _attempts(best, checks)
        if best.inverse.symmetric:
            values = values.real
        return [self._mode(best, values, errors, place, each) for place, each in enumerate(attempts)]

    def _mode(self, best: Round, values: NumberArray, errors: FloatArray, place: int, attempt: Attempt) -> Mode:
        value, error = complex(values[place]), float(errors[place])
        plain = value.real if value.imag == 0.0 else value
        bound = error if best.inverse.symmetric else None
        return Mode(plain, bound, error, self._solution(plain, attempt), alike(values, errors, place))

    def _solution(self, value: complex, attempt: Attempt) -> Solution:
        here = replace(self.request, problem=self.pencil.at(value))
        return finish(here, Course(attempt, self.record, _CHOICE, ""), quietly=True)


def _attempts(best: Round, checks: Sequence[Checked]) -> list[Attempt]:
    """The modes of the search, some of them at once: what takes long is to go through the table of all functions."""
    found: list[Attempt] = []
    for start in range(0, len(checks), _AT_ONCE):
        some = checks[start : start + _AT_ONCE]
        values = best.inverse.inner.plain_values(np.stack([checked.coefficients for checked in some], axis=1))
        found += [_attempt(best, start + i, checked, values[:, i]) for i, checked in enumerate(some)]
    return found


def _attempt(best: Round, place: int, checked: Checked, values: NumberArray) -> Attempt:
    """A mode of the search, with an integral of its square of one, positive where it is largest."""
    roots = np.sqrt(np.tile(best.inverse.inner.rule.weights, len(best.inverse.inner.densities)))
    scale = sign_of(values / roots) / float(np.linalg.norm(values))
    relative = _beside_others(best, place, checked.error * best.found.conditions[best.wanted[place]])
    known = replace(checked, coefficients=checked.coefficients * scale)
    attempt = attempt_of(best, known, relative)
    assert attempt.estimate is not None
    estimate = attempt.estimate
    worse = relative / checked.estimate.relative if 0 < checked.estimate.relative < np.inf else 1.0
    fields = tuple(
        replace(field, relative=field.relative * worse, scale=field.scale * abs(scale), size=field.size * abs(scale))
        for field in estimate.fields
    )
    largest, size = estimate.largest * worse, estimate.scale * abs(scale)
    return replace(attempt, estimate=replace(estimate, largest=largest, scale=size, fields=fields))


def _refined_attempt(best: Round, mode: Refined) -> Attempt:
    """A mode of functions that satisfy the equations."""
    distances = np.abs(best.inverse.shift + best.found.mu - mode.value)
    relative = _beside_others(best, int(np.argmin(distances[best.wanted])), mode.relative)
    assert best.combined is not None
    estimate = best.combined.estimate
    worse = relative / estimate.relative if 0 < estimate.relative < np.inf else 1.0
    volume = float(best.inverse.inner.rule.weights.sum())
    scale = 1.0 / np.sqrt(volume)
    fields = tuple(replace(field, relative=relative, scale=scale, size=scale) for field in estimate.fields)
    known = replace(
        estimate,
        relative=relative,
        largest=estimate.largest * worse,
        scale=scale,
        residuals=mode.residuals,
        fields=fields,
    )
    return Attempt(
        trial=mode.trial,
        discretisation=mode.finite,
        coefficients=mode.coefficients,
        residuals=mode.residuals,
        rank=mode.near.rank,
        condition=mode.near.condition,
        seconds=best.seconds,
        estimate=known,
    )


def _beside_others(best: Round, place: int, error: float) -> float:
    """The error of a function that is off by so much at the shift: by as much more as other modes are close."""
    theta = 1.0 / best.found.mu
    own = theta[best.wanted[place]]
    off = error * abs(own)
    others = np.abs(theta - own)
    known = max(off, 1e-6 * abs(own))  # values that cannot be told from each other share their functions
    apart = others[others > 2 * known]
    gap = float(apart.min()) if len(apart) else abs(own)
    return off / gap if off < _NONE * gap else np.inf
