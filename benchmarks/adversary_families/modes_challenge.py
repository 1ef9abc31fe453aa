"""Modes to find that deceive, or their benign twin, and what became of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from random_families.asked_modes import LAM, AskedModes, Judged
from random_families.draw import Draw
from random_families.line_modes import Known

import fspielm as fs

BUDGET = fs.Budget(seconds=60)
# Values beyond those that are asked for.
BEYOND = 8


@dataclass(frozen=True, eq=False)
class Answer:
    """What became of a challenge, as a solution would tell it."""

    judged: Judged
    neurons: int
    claims_all: bool = True

    @property
    def converged(self) -> bool:
        """Whether all that were asked for are there with bounds within the tolerance, and surely no other."""
        return self.judged.converged and (self.judged.complete or not self.claims_all)

    @property
    def error_estimate(self) -> float:
        """The bound that matters."""
        return self.judged.estimate

    @property
    def reason(self) -> str:
        """What was said."""
        return self.judged.words

    @property
    def report(self) -> Answer:
        """All that it tells."""
        return self


@dataclass(frozen=True, eq=False)
class ModesChallenge:
    """Modes that are asked for; attributes as those of `Challenge`.

    Where nothing `claims_all`, as without selfadjointness, others may be missing.
    """

    kind: str
    asked: AskedModes
    width: float = math.nan
    stated: str = "expression"
    beyond: bool = False
    determined: bool = True
    claims_all: bool = True

    @property
    def problem(self) -> fs.Problem:
        """The one that modes are of."""
        return self.asked.problem

    @property
    def tol(self) -> float:
        """Of their values, relative."""
        return self.asked.tol

    def solve(self, seed: int, progress: bool = False) -> tuple[Answer, float]:
        """What was found, judged, and the seconds it took."""
        modes, seconds = self.asked.solve(seed, progress)
        neurons = modes[0].field.report.neurons if len(modes) else 0
        return Answer(self.asked.judge(modes), neurons, self.claims_all), seconds

    def error(self, answer: Answer) -> float:
        """Of the mode that matters."""
        return answer.judged.error

    def difference(self, twin: ModesChallenge) -> float:
        """How far apart the first values of the two are."""
        own, other = (each.asked.known.values[:BEYOND] for each in (self, twin))
        number = min(len(own), len(other))
        return float(np.max(np.abs(own[:number] - other[:number]) / np.maximum(np.abs(own[:number]), self.asked.unit)))


def asked_of(
    draw: Draw,
    equation: sp.Eq | list[sp.Eq],
    domain: Any,
    conditions: Sequence[Any],
    known: Known,
    given: dict[Any, Any] | None = None,
) -> AskedModes:
    """Some of the first, or all up to a place between two values that are apart."""
    problem = fs.Problem(equation, domain, list(conditions), given={LAM: ..., **(given or {})})
    plane = domain.dimension == 2
    tol = draw.log_between(1e-7, 1e-3) if plane else draw.log_between(1e-10, 1e-4)
    count = draw.one_of((1, 2, 3, 4) if plane else (1, 2, 3, 4, 6))
    values, by_interval, share = known.values, draw.chance(0.3), draw.between(0.3, 0.7)
    # twins have values of their own, which are not to change the draws
    unit = float(max(np.median(np.diff(values)), 1e-3 * np.abs(values).max()))
    wish: dict[str, Any] = {"count": count}
    apart = [n for n in range(count, len(values)) if values[n] - values[n - 1] > 0.2 * unit]
    if by_interval and apart:
        n = apart[0]
        wish = {"within": (float(values[0] - unit), float(values[n - 1] + share * (values[n] - values[n - 1])))}
    return AskedModes(problem, known, unit, tol, wish, BUDGET)
