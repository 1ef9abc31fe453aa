"""Modes that are asked for, what is known of their values, and what became of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
import sympy as sp

import fspielm as fs
from random_families.line_modes import Array, Known

LAM = sp.Symbol("lam")
SECONDS = 240.0


@dataclass(frozen=True, eq=False)
class Judged:
    """What was found beside what is known.

    Attributes
    ----------
    error, estimate : float
        Of the mode with the largest estimate, or of the worst of those with an error above it; relative. The error is
        infinite where modes are missing, too many or of a wrong multiplicity although all were said to be there.
    converged : bool
        Whether as many as were asked for have errors within the tolerance, as the solver says.
    complete : bool
        Whether it says that none is missing.
    words : str
    """

    error: float
    estimate: float
    converged: bool
    complete: bool
    words: str


@dataclass(frozen=True, eq=False)
class AskedModes:
    """A problem without data, and which of its modes are wanted.

    Attributes
    ----------
    problem : fs.Problem
    known : Known
        The values from the end of the spectrum on, more of them than are wanted.
    unit : float
        What errors of values that are smaller are relative to.
    tol : float
    wish : dict
        ``count`` or ``within``.
    budget : fs.Budget
    sign : int
        -1 where values go down from the end of the spectrum; then those of `known` are the negative ones.
    """

    problem: fs.Problem
    known: Known
    unit: float
    tol: float
    wish: dict[str, Any]
    budget: fs.Budget = field(default_factory=lambda: fs.Budget(seconds=SECONDS))
    sign: int = 1

    def solve(self, seed: int, progress: bool = False) -> tuple[fs.Modes, float]:
        """The modes, and the seconds they took."""
        start = perf_counter()
        modes = fs.eigenmodes(
            self.problem, LAM, tol=self.tol, budget=self.budget, rng=seed, progress=progress, **self.wish
        )
        return modes, perf_counter() - start

    def judge(self, modes: fs.Modes) -> Judged:
        """Compare."""
        order = np.argsort(self.sign * modes.values.real, kind="stable")
        found = self.sign * modes.values[order]
        estimates = np.array([modes[int(place)].estimate for place in order])
        folds = [modes[int(place)].multiplicity for place in order]
        late = any("above the tolerance" in remark for remark in modes.remarks)
        asked = self._asked(np.zeros(1) if not len(found) else estimates)
        right = [each for each in asked if len(each.values) == len(found)]
        converged = not late and bool(right) and all(map(math.isfinite, estimates))
        words = f"{len(found)} modes, complete {modes.complete}; {'; '.join(modes.remarks)}"
        if modes.complete and not right:
            told = " or ".join(str(len(each.values)) for each in asked)
            return Judged(math.inf, float(estimates.max(initial=0.0)), converged, True, f"{told} are there; {words}")
        if not len(found):
            return Judged(0.0, 0.0, converged, modes.complete, words)
        if modes.complete:
            nearest = min(right, key=lambda each: float(self._off(found, each)[0].max()))
            pairs = self._off(found, nearest)
            if any(fold < own for fold, own in zip(folds, _folds(nearest), strict=True)):
                return Judged(math.inf, float(estimates.max()), converged, True, f"a multiplicity is wrong; {words}")
        else:
            pairs = self._nearest(found)
        off, sizes = pairs
        error, estimate = off / sizes, estimates / sizes
        failing = np.flatnonzero(error > estimate)
        shown = failing[np.argmax(error[failing])] if len(failing) else int(np.argmax(estimate))
        missing = "" if modes.complete else self._missing(found)
        return Judged(float(error[shown]), float(estimate[shown]), converged, modes.complete, f"{missing}{words}")

    def _asked(self, estimates: Array) -> list[Known]:
        """What should be found; several where a value is at an end of the interval, as far as estimates tell."""
        if "count" in self.wish:
            return [self.known.first(self.wish["count"])]
        lower, upper = sorted(self.sign * end for end in self.wish["within"])
        values, slack = self.known.values, self.known.slack
        near = slack + max(float(estimates.max()), self.tol * max(abs(lower), abs(upper), self.unit))
        begins = {int(np.searchsorted(values, lower + off)) for off in (-near.max(), 0.0, near.max())}
        ends = {int(np.searchsorted(values, upper + off)) for off in (-near.max(), 0.0, near.max())}
        return [Known(values[a:b], slack[a:b]) for a in sorted(begins) for b in sorted(ends) if a <= b]

    def _off(self, found: Any, asked: Known) -> tuple[Array, Array]:
        """How far values are from those of their places, and what they are relative to."""
        off = np.maximum(np.abs(found - asked.values) - asked.slack, 0.0)
        return off, np.maximum(np.abs(asked.values), self.unit)

    def _nearest(self, found: Any) -> tuple[Array, Array]:
        """The same from the nearest ones, where it was not said that none is missing."""
        nearest = np.argmin(np.abs(found[:, None] - self.known.values[None, :]), axis=1)
        return self._off(found, Known(self.known.values[nearest], self.known.slack[nearest]))

    def _missing(self, found: Any) -> str:
        """How many are not there, where that was said to be possible."""
        expected = self._asked(np.zeros(1))[0]
        if not len(expected.values):
            return ""
        apart = np.abs(found[:, None] - expected.values[None, :]).min(axis=0)
        lost = int(np.count_nonzero(apart > 1e-3 * np.maximum(np.abs(expected.values), self.unit)))
        return f"{lost} missed, which was said to be possible; " if lost else ""


def _folds(asked: Known) -> list[int]:
    """How many have the same value as each, as far as is known."""
    close = np.abs(asked.values[:, None] - asked.values[None, :]) <= asked.slack[:, None]
    return [int(count) for count in np.count_nonzero(close, axis=1)]


def beside_values(known: Known, count: int, share: float) -> float:
    """A place between the last of so many values and the next one, well apart from both."""
    gap = known.values[count] - known.values[count - 1]
    return float(known.values[count - 1] + share * gap)
