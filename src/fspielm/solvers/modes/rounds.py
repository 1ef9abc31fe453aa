"""Modes around one shift: rounds with finer functions, until their values are known well enough."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import OutOfTime, ProblemError, SolveError
from fspielm.solvers.afford import Afforded, afford
from fspielm.solvers.automatic import at_floor
from fspielm.solvers.modes.checked import Checked, Inspector
from fspielm.solvers.modes.clock import out_of_time, share, times, too_late
from fspielm.solvers.modes.inverse import Inverse, inverse_at
from fspielm.solvers.modes.krylov import Found, closest, first_functions, polished
from fspielm.solvers.modes.round import Round, attempt_of
from fspielm.solvers.modes.task import Task
from fspielm.solvers.modes.window import Window
from fspielm.solvers.record import Record
from fspielm.solvers.request import Request
from fspielm.solvers.so_far import INTERRUPTED, offering
from fspielm.solvers.stages import Ending, Step

# Modes beyond the wanted ones that are kept, to know how far these are from others.
_BEYOND = 4
# Of the seconds that are left, those that belong to checks of what was found.
_CHECKS = 0.5
# Of the tolerance, what modes may have left of the space that they were found in.
_LEFT = 0.05
# A mode whose value moves by more, for what is left of it, is none: it comes from errors of the inverse.
_ILL, _ROUNDING = 1e-2, 1e-12


@final
@dataclass(frozen=True, eq=False)
class Searched:
    """How a search ended.

    Attributes
    ----------
    best : Round
    checks : list of Checked
        Of each wanted mode; none where the sum of all of them was enough.
    step : Step
        To go on with elsewhere.
    ending : str
        Why there was no further round; empty where all values are known well enough.
    """

    best: Round
    checks: list[Checked]
    step: Step
    ending: str

    @property
    def has_no_digit(self) -> bool:
        """Whether the functions that were found have digits, but none of their values, far from symmetric, has any."""
        known = all(checked.error < _ILL for checked in self.checks)
        return bool(self.checks) and known and not np.isfinite(self.best.errors(self.checks)).any()


def search(task: Task, step: Step, record: Record, best: Round | None = None) -> Searched:
    """Rounds until the errors of all wanted values meet the tolerance, or nothing more can be done.

    It may go on from the best round of another search.
    """
    request, roughly = task.request, task.roughly
    with offering(lambda _: None if best is None else Searched(best, [], step, INTERRUPTED)):
        while True:
            afforded = afford(request, record, step, times(best))
            if isinstance(afforded, Ending):
                ending = afforded.reason
                break
            try:
                with record.deadline.enforced():
                    latest = play(task, afforded, record, best)
            except OutOfTime:
                ending = out_of_time(record)
                break
            late = too_late(record, latest, task.owed)
            if best is not None and late and len(latest.wanted) < len(best.wanted):  # no time to find them all
                ending = late
                break
            if best is None or latest.error <= best.error:
                best = latest
            if latest.combined is not None:  # as it was recorded
                request.progress(record.rounds[-1])
            if latest.combined is None or len(task.window.behind(latest.found.mu)):
                return Searched(latest, [], step, "")
            error = latest.error
            if roughly and error <= request.tol:
                return Searched(latest, [], step, "")
            if not roughly and error <= 2 * request.tol * np.sqrt(len(latest.wanted)):
                checks = latest.singles(record)
                error = float(np.max(latest.errors(checks) / latest.sizes))
                if error <= request.tol:
                    return Searched(latest, checks, step, "")
            attempt = attempt_of(latest, latest.combined, error)
            if afforded.limit is not None:
                ending = afforded.limit.reason
                break
            if attempt.is_at_floor:
                ending = at_floor(error)
                break
            if late:
                ending = late
                break
            following = step.stage.next(attempt)
            if isinstance(following, Ending):
                ending = following.reason
                break
            step = following
    if best is None:
        raise (SolveError if record.seconds_left <= 0 else ProblemError)(f"no modes could be looked for: {ending}")
    return Searched(best, [] if roughly else best.singles(record), step, ending)


def play(task: Task, afforded: Afforded, record: Record, before: Round | None) -> Round:
    """One round after another, recorded."""
    request, window = task.request, task.window
    trial, began = afforded.trial, perf_counter()
    forecast = share(before) * afforded.seconds
    record.begin(request, trial, forecast)
    seconds: dict[str, float] = {}
    finite = trial.discretise(request, seconds)
    inverse = inverse_at(task.pencil, window.shift, finite, request, task.unit)
    seconds["solve"] = perf_counter() - began
    found = find(inverse, window, request, record)
    wanted = window.pick(found.mu)
    seconds["modes"] = perf_counter() - began - seconds["solve"]
    inspector = Inspector(inverse, request.streams.probes)
    combined, cells = None, None
    if len(wanted):
        signs = np.random.default_rng(1).choice([-1.0, 1.0], len(found.mu))  # only looks
        shares = np.zeros(len(found.mu))
        shares[wanted] = (signs * _weights(found, inverse))[wanted]
        combined = inspector.check(found, shares)
        cells = inspector.by_cell(combined)
    seconds["estimate"] = perf_counter() - began - seconds["solve"] - seconds["modes"]
    once = afforded.seconds / times(before)
    done = Round(trial, inverse, found, wanted, inspector, combined, cells, seconds, once)
    if combined is not None:
        shown = attempt_of(done, combined, done.error)
        record.add(shown, forecast=forecast, seconds=perf_counter() - began)
    return done


def find(
    inverse: Inverse, window: Window, request: Request, record: Record, *, seed: int = 0, kept: float = _CHECKS
) -> Found:
    """The modes that a window asks for and some beyond them, from first functions that a seed decides.

    Of the seconds that are left, a share is kept for what comes after.
    """
    assert record.bands is not None
    waves = float(np.max(record.bands.frequencies * request.lengths)) / (2 * np.pi)
    starts = first_functions(inverse, np.random.default_rng(seed), waves)
    until = kept * record.seconds_left if np.isfinite(record.seconds_left) else 0.0
    found = closest(inverse, starts, window.needed, _LEFT * request.tol, lambda: record.seconds_left - until)
    found = found.select(found.conditions * np.maximum(found.left, _ROUNDING) < _ILL)
    if not len(found.mu):
        return found
    needed, known = window.needed(found.mu), np.arange(len(found.mu))
    if not needed:
        return found.select(known[:_BEYOND])
    while needed < len(known) and found.mu[needed] == found.mu[needed - 1]:  # only together are they modes
        needed += 1
    best = replace(polished(inverse, found.select(known[:needed])), is_cut=found.is_cut)
    return best.followed_by(found.select(known[needed : needed + _BEYOND]))


def _weights(found: Found, inverse: Inverse) -> FloatArray:
    """What the error of each function is multiplied with to be the relative error of its value."""
    sizes = np.maximum(np.abs(inverse.shift + found.mu), inverse.unit)
    return np.asarray(found.conditions * np.abs(found.mu) / sizes)
